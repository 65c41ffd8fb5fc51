//! The data that Redis would serve when there is no load any more equals the rows, and Redis
//! contains nothing else.
//!
//! Entries of an older incarnation or generation are not served and are left to expire. Updates
//! that the relay has not applied for longer than the quiet period are found here, even if no read
//! requests them.

use std::collections::BTreeMap;

use super::Found;
use super::quick::QuickMap;
use super::tables::Stand;
use crate::histcheck::history::{BlockRow, CommentRow, Copy, Owner};

/// Comments in a list: floor and id.
type Members = Vec<(i32, i64)>;

/// The data that decides which entries are served, and the rows in the order of lists.
struct Scope<'h> {
    /// Generations by partition.
    generations: QuickMap<i64, &'h str>,
    /// The incarnations of served subject entries, by the ids of their subjects.
    born: QuickMap<i64, &'h str>,
    /// Comments that lists contain, by subject and root.
    listed: BTreeMap<(i64, i64), Members>,
    /// Like states other than none, by subject and member.
    likes: BTreeMap<(i64, u32), Vec<(i64, i8)>>,
    /// Subject ids by the numbers of the subjects.
    ids: QuickMap<u32, i64>,
}

/// Finds cached data that differs from the rows.
pub(super) fn check(stand: &Stand<'_>, copies: &[Copy], found: &mut Found) {
    let scope = Scope::of(stand, copies);
    for copy in copies {
        if let Some(what) = scope.differs(stand, copy) {
            found.add(|| format!("{what}: {copy:?}"), &[]);
        }
    }
}

impl<'h> Scope<'h> {
    fn of(stand: &Stand<'h>, copies: &'h [Copy]) -> Self {
        let mut generations = QuickMap::default();
        for copy in copies {
            if let Copy::Generation { part, generation } = copy {
                generations.insert(*part, &**generation);
            }
        }
        let born = copies.iter().filter_map(|copy| {
            let Copy::Block { part, id, born, generation, row: Some(_) } = copy else { return None };
            (generations.get(part) == Some(&&**generation)).then_some((*id, &**born))
        });
        let born = born.collect();
        let mut listed: BTreeMap<_, Members> = BTreeMap::new();
        for row in stand.comments.values().filter(|row| row.listed != 0) {
            listed.entry((row.subject_id, row.root)).or_default().push((row.floor, row.id));
        }
        listed.values_mut().for_each(|members| members.sort_unstable());
        let mut likes: BTreeMap<_, Vec<(i64, i8)>> = BTreeMap::new();
        for like in stand.likes.iter().filter(|like| like.value != 0) {
            likes.entry((like.subject_id, like.member)).or_default().push((like.comment, like.value));
        }
        let ids = stand.subjects.values().map(|row| (row.subject, row.id)).collect();
        Self { generations, born, listed, likes, ids }
    }

    /// Returns true if data of this incarnation belongs to a served subject entry.
    fn answers(&self, subject: i64, born: &str) -> bool {
        self.born.get(&subject) == Some(&born)
    }

    /// Returns the difference between an entry and the rows, if any.
    fn differs(&self, stand: &Stand<'_>, copy: &Copy) -> Option<&'static str> {
        match copy {
            Copy::Generation { .. } => None,
            Copy::Name { subject, id } => {
                (self.ids.get(subject).copied().unwrap_or(0) != *id).then_some("another subject bears the key")
            }
            Copy::Block { id, born, row, .. } => {
                let (row, kept) = (row.filter(|_| self.answers(*id, born))?, stand.subjects.get(id));
                let (roots, comments) = kept.map(|kept| (kept.roots, kept.comments)).unwrap_or_default();
                let kept =
                    kept.map(|kept| BlockRow { subject: kept.subject, roots, comments, revision: kept.revision });
                (kept != Some(row)).then_some("the subject's row is another")
            }
            Copy::Comment { born, row, says } => {
                if !self.answers(row.subject_id, born) {
                    return None;
                }
                let kept = stand.comments.get(&row.id).map(|kept| CommentRow { next_floor: 0, listed: 0, ..**kept });
                if kept != Some(*row) {
                    return Some("the comment's row is another");
                }
                let differs = stand.contents.get(&row.id).is_none_or(|kept| **kept != *says);
                (row.state == CommentRow::VISIBLE && differs).then_some("the comment says something else")
            }
            Copy::List { owner, born, low, high, members } => {
                let (subject, root) = match owner {
                    Owner::Subject(id) => (*id, 0),
                    Owner::Root(id) => (stand.comments.get(id)?.subject_id, *id),
                };
                let due = self.listed.get(&(subject, root)).into_iter().flatten();
                let due = due.filter(|(floor, _)| (low..=high).contains(&floor));
                (self.answers(subject, born) && !members.iter().eq(due)).then_some("the list is another")
            }
            Copy::Choice { root, born, members } => {
                let subject = stand.comments.get(root)?.subject_id;
                let listed = self.listed.get(&(subject, *root)).map(Vec::as_slice).unwrap_or_default();
                let strange = members.iter().any(|member| listed.binary_search(member).is_err());
                (self.answers(subject, born) && strange).then_some("a preview is chosen from others")
            }
            Copy::States { part, subject, member, generation, values } => {
                if self.generations.get(part) != Some(&&**generation) {
                    return None;
                }
                let subject = self.ids.get(subject).copied().unwrap_or(0);
                let mut said: Vec<_> = values.iter().copied().filter(|(_, value)| *value != 0).collect();
                let mut kept = self.likes.get(&(subject, *member)).cloned().unwrap_or_default();
                said.sort_unstable();
                kept.sort_unstable();
                (said != kept).then_some("the member says something else")
            }
            Copy::Odd { .. } => Some("nobody writes such a key"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::plant::Plant;
    use crate::histcheck::history::{CommentRow, Copy};

    /// Returns a valid database and Redis, with each key changed by `change`.
    fn changed(change: impl FnMut(&mut Copy)) -> Plant {
        let mut plant = Plant::default();
        plant.history.copies.iter_mut().for_each(change);
        plant
    }

    #[test]
    fn copies_of_another_row_are_found() {
        let row = |change: fn(&mut CommentRow)| {
            changed(|copy| {
                if let Copy::Comment { row, .. } = copy {
                    change(row);
                }
            })
        };
        row(|row| row.likes += 1).has("the comment's row is another");
        row(|row| row.state = CommentRow::DELETED).has("the comment's row is another");
        row(|row| row.id += 5).has("the comment's row is another");
        let block = |copy: &mut Copy| {
            if let Copy::Block { row: Some(row), .. } = copy {
                row.revision -= 1;
            }
        };
        changed(block).has("the subject's row is another");
        let says = |copy: &mut Copy| {
            if let Copy::Comment { says, .. } = copy {
                says.text = 99;
            }
        };
        changed(says).has("the comment says something else");
        let name = |copy: &mut Copy| {
            if let Copy::Name { id, .. } = copy {
                *id = 0;
            }
        };
        changed(name).has("another subject bears the key");
    }

    #[test]
    fn lists_with_others_in_them_or_without_one_are_found() {
        let list = |change: fn(&mut Vec<(i32, i64)>)| {
            changed(|copy| {
                if let Copy::List { members, .. } | Copy::Choice { members, .. } = copy {
                    change(members);
                }
            })
        };
        list(|members| members.push((2, Plant::id(13))))
            .has("the list is another")
            .has("a preview is chosen from others");
        list(Vec::clear).has("the list is another");
        list(|members| members[0].0 = 7).has("a preview is chosen from others");
        let part = |copy: &mut Copy| {
            if let Copy::List { low, members, .. } = copy {
                *low = 2;
                members.clear();
            }
        };
        changed(part).has_none();
    }

    #[test]
    fn what_a_member_says_otherwise_is_found_and_a_value_of_nothing_is_none() {
        let values = |of: &'static [(i64, i8)]| {
            changed(move |copy| {
                if let Copy::States { values, .. } = copy {
                    values.extend_from_slice(of);
                    values.sort_unstable();
                }
            })
        };
        values(&[(5, 0)]).has_none();
        values(&[(5, 1)]).has("the member says something else");
        Plant::default().like(|row| row.value = 0).has("the member says something else");
    }

    #[test]
    fn what_answers_nobody_any_more_may_be_old_and_a_strange_key_is_found() {
        let old = |copy: &mut Copy| match copy {
            Copy::Generation { generation, .. } => *generation = "new".to_owned(),
            Copy::Comment { row, .. } => row.likes += 1,
            Copy::List { members, .. } | Copy::Choice { members, .. } => members.clear(),
            Copy::States { values, .. } => values.clear(),
            Copy::Block { row: Some(row), .. } => row.revision -= 1,
            Copy::Block { .. } | Copy::Name { .. } | Copy::Odd { .. } => {}
        };
        changed(old).has_none();
        let mut plant = Plant::default();
        plant.history.copies.push(Copy::Odd { what: "strange: session".into() });
        plant.has("nobody writes such a key: Odd { what: \"strange: session\" }");
    }
}
