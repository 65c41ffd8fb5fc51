//! The rows that several queries read, and the views made from them.

use std::collections::HashMap;
use std::hash::Hash;

use riposte_core::comment::CommentView;
use riposte_core::{Comment, CommentId, Content, Subject, SubjectKey};
use sea_orm::sea_query::SelectStatement;
use sea_orm::sea_query::extension::mysql::{IndexHintScope, MySqlSelectStatementExt};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryTrait};

use crate::error::StoreError;
use crate::on_shard::OnShard;
use crate::sql::chunks::padded_chunks;
use crate::sql::entity::{comment_content, comment_index, comment_subject};
use crate::sql::grouping::parts;
use crate::sql::pool::Tx;
use crate::sql::row;

/// The indexes along which lists are read, by name.
pub(super) mod index {
    /// The index on (subject_id, root_id, listed, floor).
    pub(in super::super) const LISTED: &str = "comment_index_@_listed";
    /// The index on (subject_id, root_id, floor).
    pub(in super::super) const FLOOR: &str = "comment_index_@_floor";
    /// The index on (path).
    pub(in super::super) const PATH: &str = "comment_index_@_path";
    /// The index on (comment_id, value, time, member_id).
    pub(in super::super) const LIKERS: &str = "comment_like_@_likers";
}

/// Forces the query to read along one index. Optimizers prefer an equality at the head of an index
/// to a range at its end, and would read every page before the requested one. SQLite ignores the
/// hint, so there the conditions themselves must leave no other index.
pub(in crate::sql) fn force_index<Q: QueryTrait<QueryStatement = SelectStatement>>(
    mut query: Q,
    index: &'static str,
) -> Q {
    query.query().force_index(index, IndexHintScope::All);
    query
}

/// Returns the subject of a key, deleted or not.
pub(super) async fn subject(tx: &Tx, key: &SubjectKey) -> Result<Option<Subject>, StoreError> {
    use comment_subject::Column;
    let found = comment_subject::Entity::find()
        .filter(Column::Part.eq(tx.part()))
        .filter(Column::ObjectType.eq(row::bytes(key.object_type().as_str())))
        .filter(Column::ObjectId.eq(row::bytes(key.object_id())));
    Ok(found.one(tx).await?.map(row::subject).transpose()?)
}

/// Returns the subject of a key, unless it is deleted.
pub(super) async fn open_subject(tx: &Tx, key: &SubjectKey) -> Result<Option<Subject>, StoreError> {
    Ok(subject(tx, key).await?.filter(|subject| subject.delete_time.is_none()))
}

/// Returns the comments with these ids that exist, in no order. All of them are in the tables of
/// `db`, whatever their partition.
pub(in crate::sql) async fn comments<C: ConnectionTrait>(
    db: &OnShard<C>,
    ids: &[CommentId],
) -> Result<Vec<Comment>, StoreError> {
    let mut found = Vec::with_capacity(ids.len());
    for list in padded_chunks(ids) {
        let query = comment_index::Entity::find()
            .filter(comment_index::Column::Part.is_in(parts(list.iter().map(|id| id.partition()))))
            .filter(comment_index::Column::Id.is_in(list.iter().map(|id| id.get())));
        found.extend(query.all(db).await?);
    }
    comments_of(found)
}

/// Converts index rows to comments.
pub(super) fn comments_of(rows: Vec<comment_index::Model>) -> Result<Vec<Comment>, StoreError> {
    Ok(rows.into_iter().map(row::comment).collect::<riposte_core::Result<_>>()?)
}

/// Returns the contents of comments. All of them are in the tables of `db`, whatever their
/// partition.
pub(super) async fn contents<C: ConnectionTrait>(
    db: &OnShard<C>,
    ids: &[CommentId],
) -> Result<HashMap<CommentId, Content>, StoreError> {
    let mut contents = HashMap::with_capacity(ids.len());
    for list in padded_chunks(ids) {
        let query = comment_content::Entity::find()
            .filter(comment_content::Column::Part.is_in(parts(list.iter().map(|id| id.partition()))))
            .filter(comment_content::Column::CommentId.is_in(list.iter().map(|id| id.get())));
        for found in query.all(db).await? {
            contents.insert(row::id(found.comment_id)?, row::content(found)?);
        }
    }
    Ok(contents)
}

/// Returns the views of comments of one subject, in their order, each of them once.
pub(super) async fn views(tx: &Tx, subject: &Subject, comments: Vec<Comment>) -> Result<Vec<CommentView>, StoreError> {
    let ids: Vec<CommentId> = comments.iter().map(|comment| comment.reference.id).collect();
    let mut contents = contents(tx, &ids).await?;
    let view = |comment: Comment| view(subject, contents.remove(&comment.reference.id), comment);
    Ok(comments.into_iter().map(view).collect())
}

/// Returns the view of one comment.
pub(super) fn view(subject: &Subject, content: Option<Content>, comment: Comment) -> CommentView {
    let (subject, pinned) = (subject.key.clone(), subject.pins.contains(&comment.reference.id));
    CommentView { comment, subject, content, pinned }
}

/// Returns the found items in the order of `keys`; a repeated key repeats its item.
pub(super) fn in_order<K: Eq + Hash, T: Clone>(keys: &[K], found: Vec<T>, key: impl Fn(&T) -> K) -> Vec<Option<T>> {
    let found: HashMap<K, T> = found.into_iter().map(|item| (key(&item), item)).collect();
    keys.iter().map(|key| found.get(key).cloned()).collect()
}
