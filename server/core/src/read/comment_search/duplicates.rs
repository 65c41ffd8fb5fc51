//! Groups of comments with equal texts.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::time::Duration;

use super::candidates::Candidates;
use super::{BATCH, CommentQuery, CommentSearch, WALK_ROWS_MAX};
use crate::domain::caller::Caller;
use crate::domain::error::Result;
use crate::domain::ids::CommentId;
use crate::domain::member::MemberId;
use crate::domain::object_type::ObjectType;
use crate::domain::search::{SearchFilter, TextKey};
use crate::domain::subject::SubjectKey;
use crate::domain::time::Millis;
use crate::read::ModeratedComment;

/// The time after which a call returns the groups of the rows that it has read.
const CALL_TIME: Duration = Duration::from_secs(4);

/// A request for groups of comments with equal texts.
#[derive(Debug)]
pub struct DuplicateQuery {
    /// The object type.
    pub object_type: ObjectType,
    /// The filter of the comments; `None` matches all.
    pub filter: Option<SearchFilter>,
    /// The lowest number of comments of a group.
    pub comments_min: u32,
    /// The highest number of groups.
    pub limit: usize,
}

/// The largest groups.
#[derive(Debug, Default)]
pub struct DuplicateGroups {
    /// The groups, those with most comments first.
    pub groups: Vec<DuplicateGroup>,
    /// `true` if rows were left when the call ended, so that the counts are those of the newest
    /// rows.
    pub is_cut: bool,
}

/// Comments with equal texts.
#[derive(Debug)]
pub struct DuplicateGroup {
    /// The newest of them, as it is now.
    pub sample: ModeratedComment,
    /// Their number.
    pub comment_count: u32,
    /// The number of their authors.
    pub members: u32,
    /// The number of their subjects.
    pub subjects: u32,
    /// The time of the first one.
    pub first_time: Millis,
    /// The time of the last one.
    pub last_time: Millis,
}

/// A group while rows are read.
#[derive(Debug)]
struct GroupTotals {
    newest: CommentId,
    comment_count: u32,
    members: HashSet<MemberId>,
    subjects: HashSet<SubjectKey>,
    first_time: Millis,
    last_time: Millis,
}

impl CommentSearch {
    /// Returns the largest groups of comments with equal texts among the newest comments.
    ///
    /// # Errors
    /// Those of [`CommentSearch::search`].
    pub async fn duplicates(&self, caller: &Caller, query: DuplicateQuery) -> Result<DuplicateGroups> {
        let DuplicateQuery { object_type, filter, comments_min, limit } = query;
        caller.policy(&self.policies, &object_type)?;
        let _permit = self.begin_scan()?;
        let end = self.clock.now().plus(CALL_TIME);
        let query = CommentQuery { object_type, words: None, filter };
        let mut candidates = Candidates::new(&*self.reader, (&query.object_type, query.filter.as_ref()), None);
        let mut totals: HashMap<TextKey, GroupTotals> = HashMap::new();
        let mut rows = 0;
        let is_cut = loop {
            if rows >= WALK_ROWS_MAX as usize || self.clock.now() >= end {
                break !candidates.next(1).await?.is_empty();
            }
            let ids = candidates.next(BATCH).await?;
            if ids.is_empty() {
                break false;
            }
            rows += ids.len();
            for comment in self.matching(&query, &ids).await?.into_iter().flatten() {
                self.add(&mut totals, comment);
            }
        };
        let groups = self.largest(totals, (comments_min, limit)).await?;
        Ok(DuplicateGroups { groups, is_cut })
    }

    fn add(&self, totals: &mut HashMap<TextKey, GroupTotals>, comment: ModeratedComment) {
        let text = comment.view.content.as_ref().map_or("", |content| content.text());
        let Some(key) = self.tokens.text_key(text) else { return };
        let reference = comment.view.comment.reference;
        let total = totals.entry(key).or_insert_with(|| GroupTotals {
            newest: reference.id,
            comment_count: 0,
            members: HashSet::new(),
            subjects: HashSet::new(),
            first_time: reference.create_time,
            last_time: reference.create_time,
        });
        total.comment_count += 1;
        total.newest = total.newest.max(reference.id);
        total.first_time = total.first_time.min(reference.create_time);
        total.last_time = total.last_time.max(reference.create_time);
        total.members.insert(reference.member);
        total.subjects.insert(comment.view.subject);
    }

    /// Returns the largest groups with their newest comments. A group whose comment cannot be read
    /// any more is left out.
    async fn largest(
        &self,
        totals: HashMap<TextKey, GroupTotals>,
        (comments_min, limit): (u32, usize),
    ) -> Result<Vec<DuplicateGroup>> {
        let mut totals: Vec<GroupTotals> =
            totals.into_values().filter(|total| total.comment_count >= comments_min).collect();
        totals.sort_unstable_by_key(|total| Reverse((total.comment_count, total.newest)));
        totals.truncate(limit);
        let ids: Vec<CommentId> = totals.iter().map(|total| total.newest).collect();
        let views = if ids.is_empty() { Vec::new() } else { self.reader.comments(&ids).await? };
        let samples = self.queue.moderated(views).await?;
        let count = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
        let group = |(total, sample): (GroupTotals, Option<ModeratedComment>)| {
            Some(DuplicateGroup {
                sample: sample?,
                comment_count: total.comment_count,
                members: count(total.members.len()),
                subjects: count(total.subjects.len()),
                first_time: total.first_time,
                last_time: total.last_time,
            })
        };
        Ok(totals.into_iter().zip(samples).filter_map(group).collect())
    }
}
