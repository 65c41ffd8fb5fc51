//! The source of ids.

use async_trait::async_trait;

use crate::domain::error::Result;
use crate::domain::ids::{CommentId, Partition, SubjectId};

/// Generates ids and request ids.
#[async_trait]
pub trait IdSource: Send + Sync + std::fmt::Debug {
    /// Returns a new id in `partition`, which is never used again in its data source.
    async fn comment(&self, partition: Partition) -> Result<CommentId>;

    /// Returns a new id in `partition` for a subject.
    async fn subject(&self, partition: Partition) -> Result<SubjectId> {
        self.comment(partition).await.map(SubjectId::from)
    }

    /// Returns 16 random bytes: the request id for a caller that gave none.
    fn request(&self) -> [u8; 16];
}
