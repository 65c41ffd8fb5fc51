//! The data that Redis would serve after the end of the load equals the rows, and Redis contains
//! nothing else.
//!
//! Entries of an older incarnation or generation are not served and expire. Updates that the relay
//! has not applied within the quiet period are found here, even if no read requests them.

use std::collections::BTreeMap;

use super::Findings;
use super::int_map::IntMap;
use super::tables::StoredRows;
use crate::histcheck::history::{CacheEntry, CachedSubject, CommentRow, ListOwner};

/// Comments in a list: floor and id.
type Members = Vec<(i32, i64)>;

/// The data that decides which entries are served, and the rows in the order of lists.
struct Scope<'h> {
    /// Generations by partition.
    generations: IntMap<i64, &'h str>,
    /// The incarnations of served subject entries, by the ids of their subjects.
    incarnations: IntMap<i64, &'h str>,
    /// Comments that lists contain, by subject and root.
    listed: BTreeMap<(i64, i64), Members>,
    /// Like states other than none, by subject and member.
    likes: BTreeMap<(i64, u32), Vec<(i64, i8)>>,
    /// Subject ids by the numbers of the subjects.
    subject_ids: IntMap<u32, i64>,
}

/// Finds cached data that differs from the rows.
pub(super) fn check(stored: &StoredRows<'_>, entries: &[CacheEntry], findings: &mut Findings) {
    let scope = Scope::of(stored, entries);
    for entry in entries {
        if let Some(difference) = scope.difference(stored, entry) {
            findings.add(|| format!("{difference}: {entry:?}"), &[]);
        }
    }
}

impl<'h> Scope<'h> {
    fn of(stored: &StoredRows<'h>, entries: &'h [CacheEntry]) -> Self {
        let mut generations = IntMap::default();
        for entry in entries {
            if let CacheEntry::Generation { part, generation } = entry {
                generations.insert(*part, &**generation);
            }
        }
        let incarnations = entries.iter().filter_map(|entry| {
            let CacheEntry::Subject { part, id, incarnation, generation, row: Some(_) } = entry else {
                return None;
            };
            (generations.get(part) == Some(&&**generation)).then_some((*id, &**incarnation))
        });
        let incarnations = incarnations.collect();
        let mut listed: BTreeMap<_, Members> = BTreeMap::new();
        for row in stored.comments.values().filter(|row| row.listed != 0) {
            listed.entry((row.subject_id, row.root)).or_default().push((row.floor, row.id));
        }
        listed.values_mut().for_each(|members| members.sort_unstable());
        let mut likes: BTreeMap<_, Vec<(i64, i8)>> = BTreeMap::new();
        for like in stored.likes.iter().filter(|like| like.value != 0) {
            likes.entry((like.subject_id, like.member)).or_default().push((like.comment, like.value));
        }
        let subject_ids = stored.subjects.values().map(|row| (row.subject, row.id)).collect();
        Self { generations, incarnations, listed, likes, subject_ids }
    }

    /// Returns true if data of this incarnation belongs to a served subject entry.
    fn is_served(&self, subject: i64, incarnation: &str) -> bool {
        self.incarnations.get(&subject) == Some(&incarnation)
    }

    /// Returns the difference between an entry and the rows, if any.
    fn difference(&self, stored: &StoredRows<'_>, entry: &CacheEntry) -> Option<&'static str> {
        match entry {
            CacheEntry::Generation { .. } => None,
            CacheEntry::SubjectId { subject, id } => {
                let expected = self.subject_ids.get(subject).copied().unwrap_or(0);
                (expected != *id).then_some("another subject has the key")
            }
            CacheEntry::Subject { id, incarnation, row, .. } => {
                let row = row.filter(|_| self.is_served(*id, incarnation))?;
                let expected = stored.subjects.get(id).map(|row| CachedSubject {
                    subject: row.subject,
                    roots: row.roots,
                    comments: row.comments,
                    revision: row.revision,
                });
                (expected != Some(row)).then_some("the subject's row differs")
            }
            CacheEntry::Comment { incarnation, row, content } => {
                if !self.is_served(row.subject_id, incarnation) {
                    return None;
                }
                let expected = stored.comments.get(&row.id).map(|row| CommentRow { next_floor: 0, listed: 0, ..**row });
                if expected != Some(*row) {
                    return Some("the comment's row differs");
                }
                let differs = stored.contents.get(&row.id).is_none_or(|expected| **expected != *content);
                (row.state == CommentRow::VISIBLE && differs).then_some("the comment's content differs")
            }
            CacheEntry::List { owner, incarnation, low, high, members } => {
                let (subject, root) = match owner {
                    ListOwner::Subject(id) => (*id, 0),
                    ListOwner::Root(id) => (stored.comments.get(id)?.subject_id, *id),
                };
                let listed = self.listed.get(&(subject, root)).into_iter().flatten();
                let expected = listed.filter(|(floor, _)| (low..=high).contains(&floor));
                (self.is_served(subject, incarnation) && !members.iter().eq(expected)).then_some("the list differs")
            }
            CacheEntry::Candidates { root, incarnation, members } => {
                let subject = stored.comments.get(root)?.subject_id;
                let listed = self.listed.get(&(subject, *root)).map(Vec::as_slice).unwrap_or_default();
                let has_other = members.iter().any(|member| listed.binary_search(member).is_err());
                (self.is_served(subject, incarnation) && has_other).then_some("a candidate is not a reply of the root")
            }
            CacheEntry::LikeStates { part, subject, member, generation, values } => {
                if self.generations.get(part) != Some(&&**generation) {
                    return None;
                }
                let subject = self.subject_ids.get(subject).copied().unwrap_or(0);
                let mut cached: Vec<_> = values.iter().copied().filter(|(_, value)| *value != 0).collect();
                let mut expected = self.likes.get(&(subject, *member)).cloned().unwrap_or_default();
                cached.sort_unstable();
                expected.sort_unstable();
                (cached != expected).then_some("the member's like states differ")
            }
            // Another rule covers all texts.
            CacheEntry::Text { .. } => None,
            CacheEntry::Unknown { .. } => Some("no component writes such a key"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample_data::SampleData;
    use crate::histcheck::history::{CacheEntry, CommentRow};

    /// Returns a valid database and Redis, with each key changed by `change`.
    fn changed(change: impl FnMut(&mut CacheEntry)) -> SampleData {
        let mut data = SampleData::default();
        data.history.cache.iter_mut().for_each(change);
        data
    }

    #[test]
    fn entries_that_differ_from_their_rows_are_found() {
        let with_row = |change: fn(&mut CommentRow)| {
            changed(|entry| {
                if let CacheEntry::Comment { row, .. } = entry {
                    change(row);
                }
            })
        };
        with_row(|row| row.likes += 1).finds("the comment's row differs");
        with_row(|row| row.state = CommentRow::DELETED).finds("the comment's row differs");
        with_row(|row| row.id += 5).finds("the comment's row differs");
        let subject_row = |entry: &mut CacheEntry| {
            if let CacheEntry::Subject { row: Some(row), .. } = entry {
                row.revision -= 1;
            }
        };
        changed(subject_row).finds("the subject's row differs");
        let content = |entry: &mut CacheEntry| {
            if let CacheEntry::Comment { content, .. } = entry {
                content.text = 99;
            }
        };
        changed(content).finds("the comment's content differs");
        let subject_id = |entry: &mut CacheEntry| {
            if let CacheEntry::SubjectId { id, .. } = entry {
                *id = 0;
            }
        };
        changed(subject_id).finds("another subject has the key");
    }

    #[test]
    fn lists_with_another_or_a_missing_comment_are_found() {
        let with_list = |change: fn(&mut Vec<(i32, i64)>)| {
            changed(|entry| {
                if let CacheEntry::List { members, .. } | CacheEntry::Candidates { members, .. } = entry {
                    change(members);
                }
            })
        };
        with_list(|members| members.push((2, SampleData::id(13))))
            .finds("the list differs")
            .finds("a candidate is not a reply of the root");
        with_list(Vec::clear).finds("the list differs");
        with_list(|members| members[0].0 = 7).finds("a candidate is not a reply of the root");
        let partial_list = |entry: &mut CacheEntry| {
            if let CacheEntry::List { low, members, .. } = entry {
                *low = 2;
                members.clear();
            }
        };
        changed(partial_list).finds_nothing();
    }

    #[test]
    fn like_states_that_differ_are_found_and_a_state_of_none_equals_a_missing_one() {
        let with_values = |more: &'static [(i64, i8)]| {
            changed(move |entry| {
                if let CacheEntry::LikeStates { values, .. } = entry {
                    values.extend_from_slice(more);
                    values.sort_unstable();
                }
            })
        };
        with_values(&[(5, 0)]).finds_nothing();
        with_values(&[(5, 1)]).finds("the member's like states differ");
        SampleData::default().like(|row| row.value = 0).finds("the member's like states differ");
    }

    #[test]
    fn entries_that_are_not_served_may_be_stale_and_an_unknown_key_is_found() {
        let make_stale = |entry: &mut CacheEntry| match entry {
            CacheEntry::Generation { generation, .. } => *generation = "new".to_owned(),
            CacheEntry::Comment { row, .. } => row.likes += 1,
            CacheEntry::List { members, .. } | CacheEntry::Candidates { members, .. } => members.clear(),
            CacheEntry::LikeStates { values, .. } => values.clear(),
            CacheEntry::Subject { row: Some(row), .. } => row.revision -= 1,
            CacheEntry::Subject { .. }
            | CacheEntry::SubjectId { .. }
            | CacheEntry::Text { .. }
            | CacheEntry::Unknown { .. } => {}
        };
        changed(make_stale).finds_nothing();
        let mut data = SampleData::default();
        data.history.cache.push(CacheEntry::Unknown { description: "strange: session".into() });
        data.finds("no component writes such a key: Unknown { description: \"strange: session\" }");
    }
}
