//! Reads the conversation of a comment: itself and its ancestors, from the parent up to the root.

use riposte_core::page::Conversation;
use riposte_core::{CommentId, Partition, SubjectKey};
use sea_orm::{ConnectionTrait, FromQueryResult, Statement};

use super::ReadQuery;
use super::rows::{comments, comments_of, open_subject, views};
use crate::error::StoreError;
use crate::sql::entity::comment_index::Model;
use crate::sql::pool::Tx;

#[derive(Debug)]
pub(super) struct Ancestors {
    pub(super) key: SubjectKey,
    pub(super) id: CommentId,
    pub(super) limit: usize,
}

/// Selects the comment itself as step 0, then its parent as step 1, then the parent of that, and so
/// on.
const SELECT_ANCESTORS: &str = "\
    WITH RECURSIVE chain (id, parent_id, step) AS ( \
        SELECT id, parent_id, 0 FROM comment_index_@ WHERE part = ? AND id = ? AND subject_id = ? \
        UNION ALL \
        SELECT above.id, above.parent_id, chain.step + 1 \
        FROM chain JOIN comment_index_@ above ON above.id = chain.parent_id \
        WHERE above.part = ? AND chain.step < ? \
    ) \
    SELECT c.* FROM chain JOIN comment_index_@ c ON c.id = chain.id WHERE c.part = ? ORDER BY chain.step";

impl ReadQuery for Ancestors {
    type Output = Option<Conversation>;
    const NAME: &'static str = "read conversation";

    fn partition(&self) -> Partition {
        self.key.partition()
    }

    async fn read(self, tx: &Tx) -> Result<Self::Output, StoreError> {
        let Some(subject) = open_subject(tx, &self.key).await? else { return Ok(None) };
        let part = tx.part();
        let values = [
            part.into(),
            self.id.get().into(),
            subject.id.get().into(),
            part.into(),
            (self.limit as i64).into(),
            part.into(),
        ];
        let statement = Statement::from_sql_and_values(tx.get_database_backend(), SELECT_ANCESTORS, values);
        let mut chain = comments_of(Model::find_by_statement(statement).all(tx).await?)?;
        let root = chain.first().and_then(|own| own.reference.root_id);
        // If the limit cuts the chain off, the root of the thread is added to its end.
        if let Some(root) = root.filter(|root| chain.iter().all(|comment| comment.reference.id != *root)) {
            chain.extend(comments(tx, &[root]).await?);
        }
        let comments = views(tx, &subject, chain).await?;
        Ok(Some(Conversation { subject, comments }))
    }
}
