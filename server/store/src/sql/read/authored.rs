//! Comments with the type of their subject: what their authors' histories are made of.

use riposte_core::{Comment, CommentId, ObjectType, Partition, SubjectKey};

use super::Query;
use super::comments::subjects;
use super::export;
use super::rows::{comments, subject};
use super::scatter::Gather;
use crate::error::Fault;
use crate::sql::deal::by_table;
use crate::sql::pool::{SourceTx, Tx};

/// A comment, and the type that its subject is of.
#[derive(Debug, Clone)]
pub(crate) struct Authored {
    /// With the author, the history that it belongs to.
    pub(crate) object_type: ObjectType,
    /// The row as it is now.
    pub(crate) comment: Comment,
}

/// Comments by their ids; those that are not there are left out.
#[derive(Debug)]
pub(super) struct ByIds;

impl Gather for ByIds {
    type Item = CommentId;
    type Found = Authored;
    const NAME: &'static str = "read authored comments";

    fn partition(id: &CommentId) -> Partition {
        id.partition()
    }

    async fn read(snapshot: &SourceTx, ids: Vec<CommentId>) -> Result<Vec<Authored>, Fault> {
        let mut found = Vec::with_capacity(ids.len());
        for (partition, ids) in by_table(ids, snapshot.tables().index, |id| id.partition()) {
            found.extend(comments(&snapshot.on(partition), &ids).await?);
        }
        let subjects = subjects(snapshot, found.iter().map(|comment| comment.subject_id)).await?;
        let authored = found.into_iter().filter_map(|comment| {
            let object_type = subjects.get(&comment.subject_id)?.key.object_type().clone();
            Some(Authored { object_type, comment })
        });
        Ok(authored.collect())
    }
}

/// Comments of a subject whatever their state, in the order of an export, strictly behind `after`.
#[derive(Debug)]
pub(super) struct OfSubject {
    pub(super) key: SubjectKey,
    pub(super) after: Option<CommentId>,
    pub(super) limit: usize,
}

impl Query for OfSubject {
    type Answer = Vec<Authored>;
    const NAME: &'static str = "read authored comments of subject";

    fn partition(&self) -> Partition {
        self.key.partition()
    }

    async fn read(self, tx: &Tx) -> Result<Self::Answer, Fault> {
        let Some(subject) = subject(tx, &self.key).await? else { return Ok(Vec::new()) };
        let comments = export::behind(tx, subject.id, self.after, self.limit).await?;
        let authored = |comment| Authored { object_type: self.key.object_type().clone(), comment };
        Ok(comments.into_iter().map(authored).collect())
    }
}
