//! History rows of one data source: those that are missing are inserted, those that are behind replaced.

use std::collections::HashMap;

use riposte_core::CommentId;
use sea_orm::sea_query::{ExprTrait, OnConflict};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};

use super::home;
use crate::error::Fault;
use crate::on_shard::OnShard;
use crate::shard::part;
use crate::sql::among::{MOST, PRIMARY, among};
use crate::sql::chunks::{cut, padded, padded_to};
use crate::sql::deal::{by_table, parts};
use crate::sql::entity::member_comment::{ActiveModel, Column, Entity};
use crate::sql::pool::SourceTx;
use crate::sql::read::Authored;
use crate::sql::row;
use crate::sql::transact::Unit;

/// Writes history rows; answers how many were missing or behind.
#[derive(Debug)]
pub(super) struct Write {
    pub(super) rows: Vec<Authored>,
}

impl Unit for Write {
    type Answer = usize;
    const NAME: &'static str = "write histories";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Answer, Fault> {
        let mut changed = 0;
        for (partition, mut rows) in by_table(&self.rows, tx.tables().index, |one| home(one)) {
            // In the order of the key, so that two of these wait for each other and never meet crosswise.
            rows.sort_unstable_by_key(|one| place(one));
            changed += table(&tx.on(partition), &rows).await?;
        }
        Ok(changed)
    }
}

/// Where a row lies within its table.
fn place(one: &Authored) -> (&str, &str, i64, CommentId) {
    (one.object_type.as_str(), one.comment.member.as_str(), one.comment.create_time.0, one.comment.id)
}

async fn table<C: ConnectionTrait>(db: &OnShard<C>, rows: &[&Authored]) -> Result<usize, Fault> {
    let there = known(db, rows).await?;
    let known = |one: &&&Authored| there.get(&one.comment.id);
    let missing: Vec<_> = rows.iter().filter(|one| known(one).is_none()).map(|one| model(one)).collect();
    let behind = rows.iter().filter(|one| known(one).is_some_and(|known| known.is_behind(one)));
    let behind: Vec<&Authored> = behind.copied().collect();
    // Nobody can lock a row that is not there. So a missing one is inserted and nothing else: where another was faster,
    // the key says so, and the repeat finds a row that may be newer than this.
    for piece in cut(&missing) {
        Entity::insert_many(piece.to_vec()).exec_without_returning(db).await?;
    }
    Ok(missing.len() + replace(db, &behind).await?)
}

/// Replaces rows that are behind, if they still are once they are locked.
async fn replace<C: ConnectionTrait>(db: &OnShard<C>, behind: &[&Authored]) -> Result<usize, Fault> {
    let locked = locked(db, behind).await?;
    let still = behind.iter().filter(|one| locked.get(&one.comment.id).is_some_and(|known| known.is_behind(one)));
    let rows: Vec<_> = still.map(|one| model(one)).collect();
    for piece in cut(&rows) {
        let newer = OnConflict::columns(KEY).update_columns([Column::State, Column::Version]).to_owned();
        Entity::insert_many(piece.to_vec()).on_conflict(newer).exec_without_returning(db).await?;
    }
    Ok(rows.len())
}

const KEY: [Column; 4] = [Column::ObjectType, Column::MemberId, Column::CreateTime, Column::CommentId];

/// What a row says of a comment.
struct Known {
    state: i8,
    version: i64,
}

impl Known {
    /// Whether the comment has moved on since. One version has one state; a row that says otherwise was damaged.
    fn is_behind(&self, one: &Authored) -> bool {
        let comment = &one.comment;
        self.version < comment.version || self.version == comment.version && self.state != comment.state.code()
    }
}

type There = HashMap<CommentId, Known>;

/// The rows that are there. Most are not: a comment is mostly told of when it comes into being.
async fn known<C: ConnectionTrait>(db: &OnShard<C>, rows: &[&Authored]) -> Result<There, Fault> {
    let mut there = There::new();
    for list in padded_to(MOST, rows) {
        let key = |one: &&Authored| {
            let (object_type, member, time, id) = place(one);
            [row::bytes(object_type).into(), row::bytes(member).into(), time.into(), id.get().into()]
        };
        let select = rows_of(&list);
        let select = among(select, db.get_database_backend(), PRIMARY, KEY, list.iter().map(key).collect());
        for (id, state, version) in select.into_tuple().all(db).await? {
            there.insert(row::id(id)?, Known { state, version });
        }
    }
    Ok(there)
}

/// The same of a few rows, which are locked from now on, in the order of their key.
async fn locked<C: ConnectionTrait>(db: &OnShard<C>, rows: &[&Authored]) -> Result<There, Fault> {
    let mut there = There::new();
    for list in padded(rows) {
        let any = list.iter().fold(Condition::any(), |any, one| any.add(named(one)));
        let found = KEY.iter().fold(rows_of(&list).filter(any), |select, column| select.order_by_asc(*column));
        for (id, state, version) in found.lock_exclusive().into_tuple().all(db).await? {
            there.insert(row::id(id)?, Known { state, version });
        }
    }
    Ok(there)
}

fn rows_of(list: &[&Authored]) -> Select<Entity> {
    let part = Column::Part.is_in(parts(list.iter().map(|one| home(one))));
    Entity::find().select_only().columns([Column::CommentId, Column::State, Column::Version]).filter(part)
}

fn named(one: &Authored) -> Condition {
    let author = Column::ObjectType
        .eq(row::bytes(one.object_type.as_str()))
        .and(Column::MemberId.eq(row::bytes(one.comment.member.as_str())));
    let comment = Column::CreateTime.eq(one.comment.create_time.0).and(Column::CommentId.eq(one.comment.id.get()));
    Condition::all().add(author).add(comment)
}

fn model(one: &Authored) -> ActiveModel {
    row::history_model(&one.object_type, &one.comment, part(home(one)))
}
