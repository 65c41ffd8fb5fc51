//! The search of comments in any state, for moderators. It scans the rows from the newest comment
//! to the oldest, and each hit is a comment as its rows are now.

mod candidates;
mod comparison;
mod duplicates;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::domain::caller::Caller;
use crate::domain::error::{Error, Result, Violation};
use crate::domain::ids::CommentId;
use crate::domain::object_type::{ObjectType, Policies};
use crate::domain::search::SearchFilter;
use crate::ports::{Clock, Reader, SearchWords, TextTokens};
use crate::read::{ModeratedComment, ReviewQueue};
use candidates::Candidates;
pub use duplicates::{DuplicateGroup, DuplicateGroups, DuplicateQuery};

/// The comments that are compared at a time.
const BATCH: usize = 200;
/// The highest number of rows that the calls of one walk read.
pub const WALK_ROWS_MAX: u32 = 50_000;
/// The highest number of rows that one call reads.
const CALL_ROWS_MAX: u32 = 10_000;
/// The time after which a call returns what it has found.
const CALL_TIME: Duration = Duration::from_secs(1);
/// The highest number of scans at a time in a process.
const SCANS_MAX: usize = 2;
/// The time after which a rejected scan may be tried again.
const SCAN_RETRY: Duration = Duration::from_secs(1);

/// Searches comments. Clones share the bound of scans.
#[derive(Debug, Clone)]
pub struct CommentSearch {
    queue: ReviewQueue,
    reader: Arc<dyn Reader>,
    tokens: Arc<dyn TextTokens>,
    clock: Arc<dyn Clock>,
    policies: Arc<Policies>,
    scans: Arc<AtomicUsize>,
}

/// The ports of [`CommentSearch`].
#[derive(Debug)]
pub struct SearchPorts {
    /// The comments as moderators read them.
    pub queue: ReviewQueue,
    /// The rows.
    pub reader: Arc<dyn Reader>,
    /// The tokens of texts.
    pub tokens: Arc<dyn TextTokens>,
    /// The current time.
    pub clock: Arc<dyn Clock>,
}

/// The comments that are searched: those of a type with these words that the filter matches.
#[derive(Debug)]
pub struct CommentQuery {
    /// Their object type.
    pub object_type: ObjectType,
    /// The words of their texts; `None` matches all.
    pub words: Option<Box<dyn SearchWords>>,
    /// The filter; `None` matches all.
    pub filter: Option<SearchFilter>,
}

/// A position in a walk over the hits of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchPosition {
    /// The bound below which the next comments are.
    pub before: CommentId,
    /// The hits before it.
    pub hits: u32,
    /// The rows that were read before it.
    pub rows: u32,
}

/// A page of hits.
#[derive(Debug, Default)]
pub struct SearchPage {
    /// The comments, newest first.
    pub hits: Vec<ModeratedComment>,
    /// The position of the next page; `None` at the end of the walk.
    pub next: Option<SearchPosition>,
    /// The hits of the walk up to the end of the page.
    pub hits_so_far: u32,
    /// `true` if the walk ended because it had read [`WALK_ROWS_MAX`] rows.
    pub is_cut: bool,
}

/// A scan that is under way.
#[derive(Debug)]
struct ScanPermit(Arc<AtomicUsize>);

impl Drop for ScanPermit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl CommentSearch {
    /// Creates the search on `ports`, under `policies`.
    #[must_use]
    pub fn new(ports: SearchPorts, policies: Arc<Policies>) -> Self {
        let SearchPorts { queue, reader, tokens, clock } = ports;
        Self { queue, reader, tokens, clock, policies, scans: Arc::default() }
    }

    /// Parses words that arrived as `field`.
    ///
    /// # Errors
    /// Those of [`TextTokens::words`].
    pub fn words(&self, field: &str, words: &str) -> std::result::Result<Box<dyn SearchWords>, Violation> {
        self.tokens.words(field, words)
    }

    /// Sets the keys of the texts that a filter compares, as the comments have them now.
    ///
    /// # Errors
    /// [`Error::CommentNotFound`] for a comment that is missing or of a type that the caller may
    /// not use; those of [`Caller::policy`].
    pub async fn resolve(&self, caller: &Caller, filter: &mut SearchFilter) -> Result<()> {
        let mut ids = filter.duplicate_ids();
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() {
            return Ok(());
        }
        let found = self.queue.comments(caller, &ids).await?;
        let found: Vec<ModeratedComment> = found.into_iter().collect::<Option<_>>().ok_or(Error::CommentNotFound)?;
        let keys: Vec<_> = found
            .iter()
            .map(|comment| comment.view.content.as_ref().and_then(|content| self.tokens.text_key(content.text())))
            .collect();
        filter.set_text_keys(&mut |id| ids.binary_search(&id).ok().and_then(|at| keys[at]));
        Ok(())
    }

    /// Returns a page of at most `limit` hits behind `after`. It may have fewer, or none, before
    /// the end: a call reads a bounded number of rows for a bounded time.
    ///
    /// # Errors
    /// Those of [`Caller::policy`]; [`Error::Overloaded`] while too many scans run.
    pub async fn search(
        &self,
        caller: &Caller,
        query: &CommentQuery,
        after: Option<SearchPosition>,
        limit: usize,
    ) -> Result<SearchPage> {
        caller.policy(&self.policies, &query.object_type)?;
        let _permit = self.begin_scan()?;
        let end = self.clock.now().plus(CALL_TIME);
        let before = after.map(|after| after.before);
        let mut candidates = Candidates::new(&*self.reader, (&query.object_type, query.filter.as_ref()), before);
        let mut page = SearchPage { hits_so_far: after.map_or(0, |after| after.hits), ..SearchPage::default() };
        let mut rows = after.map_or(0, |after| after.rows);
        let call_end = rows.saturating_add(CALL_ROWS_MAX);
        while rows < WALK_ROWS_MAX {
            let ids = candidates.next(BATCH.min((WALK_ROWS_MAX - rows) as usize)).await?;
            let Some(last) = ids.last().copied() else { return Ok(page) };
            let comments = self.matching(query, &ids).await?;
            for (id, comment) in ids.into_iter().zip(comments) {
                rows += 1;
                page.hits_so_far += u32::from(comment.is_some());
                page.hits.extend(comment);
                if page.hits.len() >= limit {
                    page.next = Some(SearchPosition { before: id, hits: page.hits_so_far, rows });
                    return Ok(page);
                }
            }
            if rows < WALK_ROWS_MAX && (rows >= call_end || self.clock.now() >= end) {
                page.next = Some(SearchPosition { before: last, hits: page.hits_so_far, rows });
                return Ok(page);
            }
        }
        page.is_cut = !candidates.next(1).await?.is_empty();
        Ok(page)
    }

    /// Begins a scan.
    fn begin_scan(&self) -> Result<ScanPermit> {
        let permit = ScanPermit(Arc::clone(&self.scans));
        if self.scans.fetch_add(1, Ordering::Relaxed) >= SCANS_MAX {
            return Err(Error::Overloaded { after: SCAN_RETRY });
        }
        Ok(permit)
    }
}
