//! The comments that a scan compares, from the newest to the oldest.

use std::collections::VecDeque;
use std::time::Duration;

use super::WALK_ROWS_MAX;
use crate::domain::error::Result;
use crate::domain::ids::{CommentId, IdTick};
use crate::domain::member::MemberId;
use crate::domain::object_type::ObjectType;
use crate::domain::search::SearchFilter;
use crate::domain::subject::SubjectKey;
use crate::domain::time::Millis;
use crate::ports::{NewestComments, Reader};

/// The ids that are read at a time.
const IDS: usize = 2_000;
/// The longest time by which the time of a comment may be later than that of its id.
const ID_AGE: Duration = Duration::from_secs(60);

/// The ids of candidates. A filter that names one member or one subject leaves only their comments.
#[derive(Debug)]
pub(super) struct Candidates<'r> {
    reader: &'r dyn Reader,
    rows: CandidateRows,
    from: IdTick,
    before: Option<CommentId>,
    ids: VecDeque<CommentId>,
    is_at_end: bool,
}

/// The rows in which candidates are found.
#[derive(Debug)]
enum CandidateRows {
    /// The history of one member, which follows the commits. It is read at once, since imported
    /// comments have other places in it than their ids.
    Member(ObjectType, MemberId),
    /// The comments of one subject.
    Subject(SubjectKey),
    /// The comments of all types.
    All,
}

impl<'r> Candidates<'r> {
    /// Begins a walk below `before` over the comments of a type that a filter may match.
    pub(super) fn new(
        reader: &'r dyn Reader,
        (object_type, filter): (&ObjectType, Option<&SearchFilter>),
        before: Option<CommentId>,
    ) -> Self {
        let subject = |object_id: &str| {
            CandidateRows::Subject(SubjectKey::stored(object_type.as_str().to_owned(), object_id.to_owned()))
        };
        let member = filter.and_then(SearchFilter::only_member);
        let rows = match member.map(|member| CandidateRows::Member(object_type.clone(), member.clone())) {
            Some(rows) => rows,
            None => filter.and_then(SearchFilter::only_subject).map_or(CandidateRows::All, subject),
        };
        let created = filter.and_then(SearchFilter::created_from);
        let from = created.map_or(IdTick(0), |from| IdTick::at(Millis(from.0 - ID_AGE.as_millis() as i64)));
        Self { reader, rows, from, before, ids: VecDeque::new(), is_at_end: false }
    }

    /// Returns the next ids, at most `count`; none at the end.
    pub(super) async fn next(&mut self, count: usize) -> Result<Vec<CommentId>> {
        while self.ids.len() < count && !self.is_at_end {
            self.read().await?;
        }
        let count = count.min(self.ids.len());
        Ok(self.ids.drain(..count).collect())
    }

    async fn read(&mut self) -> Result<()> {
        let subject = match &self.rows {
            CandidateRows::Member(object_type, member) => {
                // One more than a walk reads, by which its end is known.
                let limit = WALK_ROWS_MAX as usize + 1;
                let found = self.reader.member_comments(object_type, member, true, None, limit).await?;
                let (from, before) = (self.from, self.before);
                let is_left = |id: &CommentId| id.tick() >= from && before.is_none_or(|before| *id < before);
                let mut ids: Vec<CommentId> =
                    found.items.into_iter().map(|entry| entry.comment).filter(is_left).collect();
                ids.sort_unstable_by(|a, b| b.cmp(a));
                (self.ids, self.is_at_end) = (ids.into(), true);
                return Ok(());
            }
            CandidateRows::Subject(key) => Some(key.clone()),
            CandidateRows::All => None,
        };
        let range = NewestComments { subject, from: self.from, before: self.before };
        let (ids, next) = self.reader.newest_comment_ids(&range, IDS).await?;
        self.ids.extend(ids);
        (self.before, self.is_at_end) = (next, next.is_none());
        Ok(())
    }
}
