//! The cached pages of subjects, as the gRPC layer uses them.

use std::fmt::Debug;

use async_trait::async_trait;
use bytes::Bytes;

use crate::domain::error::Result;
use crate::domain::page::{ListOrder, RootPage};
use crate::domain::subject::{Subject, SubjectKey};

/// Renders the part of a first page's response that is the same for every caller.
pub trait PageRenderer: Send + Sync + Debug {
    /// A short name of the format, which is part of the cache keys: processes whose formats differ
    /// do not read each other's pages.
    fn format(&self) -> &str;

    /// Renders a page. The same page always yields the same bytes.
    fn render(&self, page: RootPage) -> Vec<u8>;
}

/// A rendered first page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedPage {
    /// The subject, at the revision of the page.
    pub subject: Subject,
    /// The output of the [`PageRenderer`].
    pub rendered: Bytes,
}

/// The cache in front of the rows.
#[async_trait]
pub trait CachedPages: Send + Sync + Debug {
    /// Returns true if the cache is unavailable at present, or was so for a read of this task.
    fn is_degraded(&self) -> bool;

    /// Returns the rendered first page of roots, if it is cached. Otherwise the caller reads the
    /// page through the [`Reader`](crate::ports::Reader), which may cause it to be cached.
    async fn rendered_page(
        &self,
        key: &SubjectKey,
        order: ListOrder,
        limit: usize,
        previews: u8,
    ) -> Option<RenderedPage>;

    /// Invalidates the cached data of a subject and fills its first page again.
    ///
    /// # Errors
    /// Those of the database.
    async fn rebuild(&self, key: &SubjectKey) -> Result<()>;

    /// Invalidates the cached data of a subject after a repair of its rank index, because its
    /// previews were chosen from the earlier index.
    async fn invalidate(&self, key: &SubjectKey);
}
