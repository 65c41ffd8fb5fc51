//! The source of ids.

use async_trait::async_trait;

use crate::domain::error::Result;
use crate::domain::ids::{CommentId, Partition, SubjectId};

/// Generates the ids of comments and subjects, and request ids.
#[async_trait]
pub trait IdSource: Send + Sync + std::fmt::Debug {
    /// Returns a new comment id in `partition`. No id is used twice within a data source.
    async fn comment(&self, partition: Partition) -> Result<CommentId>;

    /// Returns a new subject id in `partition`. It comes from the same sequence as comment ids.
    async fn subject(&self, partition: Partition) -> Result<SubjectId> {
        self.comment(partition).await.map(SubjectId::from)
    }

    /// Returns 16 random bytes, the request id of a write whose caller sent none.
    fn request(&self) -> [u8; 16];
}
