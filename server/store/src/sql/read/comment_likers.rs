//! The first likers of several comments of one subject, with the counts of the comments' rows, in
//! one statement, which sees one state by itself.
//!
//! Every branch of the statement reads rows whose number depends on the request alone, so a comment
//! with very many likes costs as much as one with few. The branches are written as text, because
//! they name the index of each table and the order of the joins, which the optimizer must not
//! choose: it would take the range of all likes of a comment for a few of its members.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;
use std::sync::Arc;

use riposte_core::page::{CommentLikers, Liker, LikersQuery, SubjectLikers};
use riposte_core::subject::SubjectState;
use riposte_core::{CommentId, LikeValue, MemberId, Millis, SubjectKey};
use sea_orm::{DbBackend, QueryResult, Statement, Value};

use super::rows::index;
use crate::error::{StoreError, StoreResult};
use crate::shard::part;
use crate::sql::chunks::padded_chunks;
use crate::sql::keys_join::PRIMARY;
use crate::sql::pool::DataSources;
use crate::sql::row;

/// The name of the read.
pub(super) const NAME: &str = "read comment likers";
/// A comment id that no comment has. It pads lists to a known size without adding rows.
const NO_COMMENT: i64 = -1;
/// The sizes to which lists of members are padded, each a statement of its own with every size of a
/// list of comments. The empty id, which no member has, pads them.
const MEMBER_SIZES: [usize; 3] = [0, 4, 20];

/// The numbers of the branches. The columns of each are its number, the id of a comment or of the
/// subject, a member, the code of a state or of a value, a subject or a time, and a count.
const SUBJECT: i64 = 0;
const COMMENT: i64 = 1;
const NAMED: i64 = 2;
const LATEST: i64 = 3;

/// Reads the first likers of comments; `None` if the subject is absent or deleted.
pub(super) async fn read(
    sources: Arc<DataSources>,
    key: SubjectKey,
    query: LikersQuery,
) -> Result<Option<SubjectLikers>, StoreError> {
    let distinct: BTreeSet<i64> = query.ids.iter().map(|id| id.get()).collect();
    let mut distinct: Vec<i64> = distinct.into_iter().collect();
    // Without comments the subject is read all the same.
    if distinct.is_empty() {
        distinct.push(NO_COMMENT);
    }
    let mut found = Found::default();
    for mut ids in padded_chunks(&distinct) {
        let known = ids.iter().collect::<BTreeSet<_>>().len();
        ids[known..].fill(NO_COMMENT);
        let mut branches = Branches::new(sources.backend(key.partition()), part(key.partition()));
        branches.subject(&key);
        branches.comments(&ids, query.value);
        branches.named(&ids, &query);
        branches.latest(&ids, &query);
        for row in sources.select_statement(key.partition(), branches.into_statement()).await? {
            found.add(&row)?;
        }
    }
    Ok(found.subject_likers(&query.ids))
}

/// The branches of the statement, and their values in the order of the text.
struct Branches {
    backend: DbBackend,
    part: i16,
    sql: String,
    values: Vec<Value>,
}

impl Branches {
    fn new(backend: DbBackend, part: i16) -> Self {
        Self { backend, part, sql: String::new(), values: Vec::new() }
    }

    fn into_statement(self) -> Statement {
        Statement::from_sql_and_values(self.backend, self.sql, self.values)
    }

    fn add(&mut self, branch: &str, values: impl IntoIterator<Item = Value>) {
        if !self.sql.is_empty() {
            self.sql.push_str(" UNION ALL ");
        }
        self.sql.push_str(branch);
        self.values.extend(values);
    }

    /// The subject, unless it is deleted.
    fn subject(&mut self, key: &SubjectKey) {
        let branch = format!(
            "SELECT {SUBJECT} AS branch, id, x'' AS member_id, state AS code, 0 AS number, 0 AS likes \
             FROM comment_subject_@ \
             WHERE part = ? AND object_type = ? AND object_id = ? AND delete_time IS NULL"
        );
        let (object_type, object_id) = (row::bytes(key.object_type().as_str()), row::bytes(key.object_id()));
        self.add(&branch, [self.part.into(), object_type.into(), object_id.into()]);
    }

    /// The comments, with their subjects and counts.
    fn comments(&mut self, ids: &[i64], value: LikeValue) {
        let count = if value == LikeValue::Dislike { "dislike_count" } else { "like_count" };
        let branch = format!(
            "SELECT {COMMENT}, id, x'', state, subject_id, {count} FROM comment_index_@{} \
             WHERE part = ? AND id IN ({})",
            self.force(PRIMARY),
            placeholders(ids.len())
        );
        let part = Value::from(self.part);
        self.add(&branch, std::iter::once(part).chain(ids.iter().map(|id| (*id).into())));
    }

    /// The named members that have the value: for each comment and member one row of the primary
    /// key, which the row of the comment completes with its subject.
    fn named(&mut self, ids: &[i64], query: &LikersQuery) {
        let distinct: BTreeSet<&MemberId> = query.first.iter().collect();
        let size = MEMBER_SIZES.into_iter().find(|size| *size >= distinct.len()).unwrap_or(distinct.len());
        if size == 0 {
            return;
        }
        let mysql = self.backend == DbBackend::MySql;
        let (join, member) = if mysql { ("STRAIGHT_JOIN", "CAST(? AS BINARY)") } else { ("CROSS JOIN", "?") };
        let members = format!("SELECT {member} AS id{}", format!(" UNION ALL SELECT {member}").repeat(size - 1));
        let primary = self.force(PRIMARY);
        let branch = format!(
            "SELECT {NAMED}, l.comment_id, l.member_id, l.value, l.time, 0 \
             FROM comment_index_@ c{primary} {join} ({members}) m {join} comment_like_@ l{primary} \
             WHERE c.part = ? AND c.id IN ({}) AND l.part = ? AND l.subject_id = c.subject_id \
             AND l.member_id = m.id AND l.comment_id = c.id AND l.value = ?",
            placeholders(ids.len())
        );
        let mut values: Vec<Value> = distinct.into_iter().map(|member| row::bytes(member.as_str()).into()).collect();
        values.resize(size, Vec::<u8>::new().into());
        values.push(self.part.into());
        values.extend(ids.iter().map(|id| Value::from(*id)));
        values.extend([self.part.into(), query.value.code().into()]);
        self.add(&branch, values);
    }

    /// The latest members of each comment that have the value: one range of the key for each.
    fn latest(&mut self, ids: &[i64], query: &LikersQuery) {
        // A union takes no ORDER BY and LIMIT of SQLite, so each range is a subquery.
        let branch = format!(
            "SELECT {LATEST}, comment_id, member_id, value, time, 0 \
             FROM (SELECT comment_id, member_id, value, time FROM comment_like_@{} \
             WHERE part = ? AND comment_id = ? AND value = ? \
             ORDER BY time DESC, member_id DESC LIMIT ?) AS latest",
            self.force(index::LIKERS)
        );
        let (value, limit) = (query.value.code(), query.limit as i64);
        for id in ids {
            let values = [self.part.into(), (*id).into(), value.into(), limit.into()];
            self.add(&branch, values);
        }
    }

    /// Returns the hint that names an index. SQLite has no such hint: there the order of the joins
    /// and the equalities with a unique key leave no other index.
    fn force(&self, index: &str) -> String {
        if self.backend == DbBackend::MySql { format!(" FORCE INDEX (`{index}`)") } else { String::new() }
    }
}

fn placeholders(count: usize) -> String {
    let mut list = String::from("?");
    for _ in 1..count {
        // Writing to a String cannot fail.
        let _ = write!(list, ", ?");
    }
    list
}

/// The rows of the statement, by comment.
#[derive(Default)]
struct Found {
    /// The id and the state of the subject.
    subject: Option<(i64, SubjectState)>,
    /// The subject of each comment, and what is known of its likers.
    comments: HashMap<i64, (i64, CommentLikers)>,
    likers: Vec<(i64, i64, Liker)>,
}

impl Found {
    fn add(&mut self, found: &QueryResult) -> StoreResult<()> {
        let id: i64 = found.try_get("", "id")?;
        let (code, number): (i64, i64) = (found.try_get("", "code")?, found.try_get("", "number")?);
        let code = i8::try_from(code).map_err(|_| riposte_core::Error::internal("a code that is no code"))?;
        match found.try_get::<i64>("", "branch")? {
            SUBJECT => self.subject = Some((id, row::subject_state(id, code)?)),
            COMMENT => {
                let likes: i64 = found.try_get("", "likes")?;
                let count = i32::try_from(likes)
                    .map_err(|_| riposte_core::Error::internal("a count of likes that is no count"))?;
                let (named, latest) = (Vec::new(), Vec::new());
                let likers = CommentLikers { state: row::state(id, code)?, count, named, latest };
                self.comments.insert(id, (number, likers));
            }
            branch => {
                let member = MemberId::stored(row::string(found.try_get("", "member_id")?)?);
                let liker = Liker { member, value: row::like_value(id, code)?, time: Millis(number) };
                self.likers.push((branch, id, liker));
            }
        }
        Ok(())
    }

    /// Returns the likers of the comments of the subject, in the order of `ids`.
    fn subject_likers(mut self, ids: &[CommentId]) -> Option<SubjectLikers> {
        let (subject, state) = self.subject?;
        self.comments.retain(|_, (of, _)| *of == subject);
        self.likers.sort_by(|(_, _, a), (_, _, b)| (b.time, &b.member).cmp(&(a.time, &a.member)));
        for (branch, id, liker) in self.likers {
            let Some((_, comment)) = self.comments.get_mut(&id) else { continue };
            let list = if branch == NAMED { &mut comment.named } else { &mut comment.latest };
            list.push(liker);
        }
        let likers = |id: &CommentId| self.comments.get(&id.get()).map(|(_, likers)| likers.clone());
        Some(SubjectLikers { state, comments: ids.iter().map(likers).collect() })
    }
}

#[cfg(test)]
mod tests;
