//! Rows of a rank index that belong to no comment of their list. No version of this code leaves
//! such rows, so only a rebuild checks for them.

use riposte_core::rank::list_of;
use riposte_core::{Comment, CommentId, Result};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::SqlRanks;
use super::rank_index::lock;
use crate::error::StoreError;
use crate::shard::part;
use crate::sql::entity::comment_rank::{Column, Entity, Model};
use crate::sql::pool::SourceTx;
use crate::sql::read::comments;
use crate::sql::transact::{self, TransactionBody};

/// The number of rows that one read checks.
const ROWS: usize = 512;

impl SqlRanks {
    /// Removes the orphans in the lists of these comments' replies and, if `is_first`, in the list
    /// of roots of their subject. Returns the number of rows removed.
    pub(super) async fn remove_orphans(&self, source: usize, is_first: bool, found: &[Comment]) -> Result<usize> {
        let of_roots = found.first().filter(|_| is_first).map(|first| CommentId::from(first.reference.subject_id));
        let with_replies = found.iter().filter(|comment| comment.is_root() && comment.next_floor > 1);
        let lists = of_roots.into_iter().chain(with_replies.map(|root| root.reference.id));
        let mut removed = 0;
        for list in lists {
            let mut after = None;
            loop {
                let page = transact::read(&self.sources, source, FindOrphans { list, after }).await?;
                if !page.orphans.is_empty() {
                    let remove = RemoveOrphans { list, orphans: page.orphans };
                    removed += transact::write(&self.sources, source, remove).await?;
                }
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
        }
        Ok(removed)
    }
}

/// Finds the orphans among the next rows of one list.
#[derive(Debug)]
struct FindOrphans {
    list: CommentId,
    /// The last row that was checked.
    after: Option<Model>,
}

/// The result of a search.
#[derive(Debug)]
struct OrphanPage {
    orphans: Vec<Model>,
    /// The last row that was checked; `None` at the end of the list.
    next: Option<Model>,
}

impl TransactionBody for FindOrphans {
    type Output = OrphanPage;
    const NAME: &'static str = "find rank orphans";

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        let rows = Entity::find().filter(in_list(tx, self.list)).filter(after_key(self.after.as_ref()));
        let rows = rows.order_by_asc(Column::Sort).order_by_asc(Column::Score).order_by_asc(Column::Floor);
        let rows = rows.limit(ROWS as u64).all(&tx.on(self.list.partition())).await?;
        let next = rows.last().filter(|_| rows.len() == ROWS).cloned();
        Ok(OrphanPage { orphans: orphans(tx, self.list, rows).await?, next })
    }
}

/// Returns the condition for the rows of a list, also of damaged ones with another partition. A
/// confined store finds rows only by their partition.
fn in_list(tx: &SourceTx, list: CommentId) -> Condition {
    let in_list = Condition::all().add(Column::SubjectId.eq(list.get()));
    if tx.is_confined() { in_list.add(Column::Part.eq(part(list.partition()))) } else { in_list }
}

/// Returns the condition for the rows of a list after this one, in the order of the key.
fn after_key(row: Option<&Model>) -> Condition {
    let Some(row) = row else { return Condition::all() };
    let same_score = Condition::all().add(Column::Score.eq(row.score)).add(Column::Floor.gt(row.floor));
    let later = Condition::any().add(Column::Score.gt(row.score)).add(same_score);
    let same_sort = Condition::all().add(Column::Sort.eq(row.sort)).add(later);
    Condition::any().add(Column::Sort.gt(row.sort)).add(same_sort)
}

/// Returns those of the rows of a list whose comment does not exist, or has another list or floor.
async fn orphans(tx: &SourceTx, list: CommentId, rows: Vec<Model>) -> std::result::Result<Vec<Model>, StoreError> {
    let has_partition = |id: &CommentId| id.partition() == list.partition();
    let mut ids: Vec<CommentId> =
        rows.iter().filter_map(|row| CommentId::new(row.comment_id)).filter(has_partition).collect();
    ids.sort_unstable();
    ids.dedup();
    let found = comments(&tx.on(list.partition()), &ids).await?;
    let is_orphan = |row: &Model| {
        let owns = |comment: &Comment| {
            let reference = &comment.reference;
            reference.id.get() == row.comment_id && reference.floor == row.floor && list_of(comment) == list
        };
        row.part != part(list.partition()) || !found.iter().any(owns)
    };
    Ok(rows.into_iter().filter(is_orphan).collect())
}

/// Removes rows of a list that are still orphans.
#[derive(Debug)]
struct RemoveOrphans {
    list: CommentId,
    orphans: Vec<Model>,
}

impl TransactionBody for RemoveOrphans {
    type Output = usize;
    const NAME: &'static str = "remove rank orphans";

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        let db = tx.on(self.list.partition());
        lock(&db, [self.list].into()).await?;
        let mut removed = 0;
        for row in orphans(tx, self.list, self.orphans.clone()).await? {
            let list = Entity::delete_many().filter(in_list(tx, self.list));
            let place = list.filter(Column::Sort.eq(row.sort)).filter(Column::Score.eq(row.score));
            let delete = place.filter(Column::Floor.eq(row.floor)).filter(Column::CommentId.eq(row.comment_id));
            removed += usize::from(delete.exec(&db).await?.rows_affected > 0);
        }
        Ok(removed)
    }
}
