//! All comments of a subject, thread by thread in the order of the roots' floors, and each thread
//! in thread order. A comment is younger than its parent and comes after it in both orders, so
//! parents come before children.

use std::collections::HashMap;

use riposte_core::origin::ImportOrigin;
use riposte_core::ports::ExportedComment;
use riposte_core::{ClientInfo, Comment, CommentId, Partition, Path, SubjectId, SubjectKey};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};

use super::ReadQuery;
use super::rows::{comments, comments_of, force_index, index, subject, views};
use crate::error::StoreError;
use crate::sql::chunks::padded_chunks;
use crate::sql::entity::comment_index::{Column, Entity};
use crate::sql::entity::{comment_client, comment_origin};
use crate::sql::grouping::parts;
use crate::sql::pool::Tx;
use crate::sql::row;

#[derive(Debug)]
pub(super) struct ExportPage {
    pub(super) key: SubjectKey,
    pub(super) after: Option<CommentId>,
    pub(super) limit: usize,
}

impl ReadQuery for ExportPage {
    type Output = Vec<ExportedComment>;
    const NAME: &'static str = "export comments";

    fn partition(&self) -> Partition {
        self.key.partition()
    }

    async fn read(self, tx: &Tx) -> Result<Self::Output, StoreError> {
        let Some(subject) = subject(tx, &self.key).await? else { return Ok(Vec::new()) };
        let comments = comments_after(tx, subject.id, self.after, self.limit).await?;
        let ids: Vec<CommentId> = comments.iter().map(|comment| comment.reference.id).collect();
        let (mut clients, mut origins) = (clients(tx, &ids).await?, origins(tx, &ids).await?);
        let exported = views(tx, &subject, comments).await?.into_iter().map(|view| ExportedComment {
            client: clients.remove(&view.comment.reference.id).unwrap_or_default(),
            origin: origins.remove(&view.comment.reference.id),
            view,
        });
        Ok(exported.collect())
    }
}

/// The export of comments without their contents.
#[derive(Debug)]
pub(super) struct SubjectComments {
    pub(super) key: SubjectKey,
    pub(super) after: Option<CommentId>,
    pub(super) limit: usize,
}

impl ReadQuery for SubjectComments {
    type Output = Vec<Comment>;
    const NAME: &'static str = "read comments of subject";

    fn partition(&self) -> Partition {
        self.key.partition()
    }

    async fn read(self, tx: &Tx) -> Result<Self::Output, StoreError> {
        let Some(subject) = subject(tx, &self.key).await? else { return Ok(Vec::new()) };
        comments_after(tx, subject.id, self.after, self.limit).await
    }
}

/// Returns at most `limit` comments of a subject after one of them, in export order; `None` starts
/// at the first.
async fn comments_after(
    tx: &Tx,
    subject: SubjectId,
    after: Option<CommentId>,
    limit: usize,
) -> Result<Vec<Comment>, StoreError> {
    let threads = ThreadReader { tx, subject };
    match after {
        None => threads.after_root(0, limit).await,
        Some(after) => threads.after_comment(after, limit).await,
    }
}

/// The comments of a subject in export order.
struct ThreadReader<'t> {
    tx: &'t Tx,
    subject: SubjectId,
}

impl ThreadReader<'_> {
    fn all(&self) -> Select<Entity> {
        Entity::find().filter(Column::Part.eq(self.tx.part())).filter(Column::SubjectId.eq(self.subject.get()))
    }

    /// Returns at most `limit` comments after one of them: the rest of its thread, then other
    /// threads.
    async fn after_comment(&self, after: CommentId, limit: usize) -> Result<Vec<Comment>, StoreError> {
        let Some(last) = comments(self.tx, &[after]).await?.pop() else { return Ok(Vec::new()) };
        let root = match last.reference.root_id {
            Some(root) => comments(self.tx, &[root]).await?.pop(),
            None => Some(last.clone()),
        };
        let Some(root) = root.filter(|root| root.reference.subject_id == self.subject) else { return Ok(Vec::new()) };
        let mut found = self.subtree_after(&root.reference.path, &last.reference.path, limit).await?;
        let remaining = limit - found.len();
        found.extend(self.after_root(root.reference.floor, remaining).await?);
        Ok(found)
    }

    /// Returns at most `limit` comments of the threads whose roots have a higher floor.
    async fn after_root(&self, floor: i32, limit: usize) -> Result<Vec<Comment>, StoreError> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let roots = self.all().filter(Column::RootId.eq(0)).filter(Column::Floor.gt(floor));
        let roots = force_index(roots, index::FLOOR).order_by_asc(Column::Floor).limit(limit as u64);
        let roots = comments_of(roots.all(self.tx).await?)?;
        // Floors are dense: a root's next floor gives the number of replies it ever had, and none
        // is ever removed.
        let mut remaining = limit as i64;
        let complete = roots.iter().take_while(|root| {
            remaining -= i64::from(root.next_floor);
            remaining >= 0
        });
        let complete = complete.count();
        let mut replies = self.replies_of(&roots[..complete]).await?;
        let mut found = Vec::with_capacity(limit);
        for root in &roots[..complete] {
            found.push(root.clone());
            found.append(&mut replies.remove(&root.reference.id).unwrap_or_default());
        }
        if let Some(root) = roots.get(complete).filter(|_| found.len() < limit) {
            found.push(root.clone());
            found.extend(self.subtree_after(&root.reference.path, &root.reference.path, limit - found.len()).await?);
        }
        Ok(found)
    }

    /// Returns the comments of a thread after a path, in thread order. A path implies its subject
    /// by its root; a condition on the subject would lead SQLite away from the key of paths.
    async fn subtree_after(&self, root: &Path, after: &Path, limit: usize) -> Result<Vec<Comment>, StoreError> {
        let range = Entity::find()
            .filter(Column::Part.eq(self.tx.part()))
            .filter(Column::Path.gt(after.as_bytes()))
            .filter(Column::Path.lt(root.subtree_end()));
        let range = force_index(range, index::PATH).order_by_asc(Column::Path).limit(limit as u64);
        comments_of(range.all(self.tx).await?)
    }

    /// Returns all replies of some roots, those of each root in thread order.
    async fn replies_of(&self, roots: &[Comment]) -> Result<HashMap<CommentId, Vec<Comment>>, StoreError> {
        let with_replies: Vec<i64> =
            roots.iter().filter(|root| root.next_floor > 1).map(|root| root.reference.id.get()).collect();
        let mut replies: HashMap<CommentId, Vec<Comment>> = HashMap::with_capacity(with_replies.len());
        for list in padded_chunks(&with_replies) {
            let found = self.all().filter(Column::RootId.is_in(list)).all(self.tx).await?;
            for reply in comments_of(found)? {
                replies.entry(reply.thread_id()).or_default().push(reply);
            }
        }
        for thread in replies.values_mut() {
            thread.sort_unstable_by(|a, b| a.reference.path.cmp(&b.reference.path));
        }
        Ok(replies)
    }
}

async fn clients(tx: &Tx, ids: &[CommentId]) -> Result<HashMap<CommentId, ClientInfo>, StoreError> {
    use comment_client::Column;
    let mut clients = HashMap::new();
    for list in padded_chunks(ids) {
        let query = comment_client::Entity::find()
            .filter(Column::Part.is_in(parts(list.iter().map(|id| id.partition()))))
            .filter(Column::CommentId.is_in(list.iter().map(|id| id.get())));
        for found in query.all(tx).await? {
            clients.insert(row::id(found.comment_id)?, row::client_row(found)?);
        }
    }
    Ok(clients)
}

async fn origins(tx: &Tx, ids: &[CommentId]) -> Result<HashMap<CommentId, ImportOrigin>, StoreError> {
    use comment_origin::Column;
    let mut origins = HashMap::new();
    for list in padded_chunks(ids) {
        let query = comment_origin::Entity::find()
            .filter(Column::Part.is_in(parts(list.iter().map(|id| id.partition()))))
            .filter(Column::CommentId.is_in(list.iter().map(|id| id.get())));
        for found in query.all(tx).await? {
            let origin =
                ImportOrigin { source: row::string(found.source)?, external_id: row::string(found.external_id)? };
            origins.insert(row::id(found.comment_id)?, origin);
        }
    }
    Ok(origins)
}
