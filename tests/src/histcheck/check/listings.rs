//! The list of the likers of a comment has the members of its rows, and the list of a member's
//! comments has the visible ones of the rows, the latest first: each once, once nothing changes any
//! more.

use std::collections::{BTreeMap, BTreeSet};

use super::Findings;
use super::tables::StoredRows;
use crate::histcheck::history::{CommentRow, Listing};
use crate::histcheck::names;

/// Finds lists that differ from the rows.
pub(super) fn check(listings: &[Listing], stored: &StoredRows<'_>, findings: &mut Findings) {
    let mut likers: BTreeMap<i64, BTreeSet<u32>> = BTreeMap::new();
    for like in stored.likes.iter().filter(|like| like.value == 1) {
        likers.entry(like.comment).or_default().insert(like.member);
    }
    let mut written: BTreeMap<(String, u32), BTreeSet<i64>> = BTreeMap::new();
    for row in stored.comments.values().filter(|row| row.state == CommentRow::VISIBLE) {
        let Some(subject) = stored.subjects.get(&row.subject_id) else { continue };
        let object_type = names::key(subject.subject).object_type;
        written.entry((object_type, row.member)).or_default().insert(row.id);
    }
    for listing in listings {
        findings.cases(1);
        match listing {
            Listing::Likers { comment, members } => {
                let of = || format!("the likers of {comment}");
                compare(findings, of, members, likers.get(comment));
            }
            Listing::OfMember { subject, member, comments } => {
                let of = || format!("the comments of member {member} in the type of subject {subject}");
                compare(findings, of, comments, written.get(&(names::key(*subject).object_type, *member)));
            }
        }
    }
}

fn compare<T: Ord + Copy + std::fmt::Debug>(
    findings: &mut Findings,
    of: impl Fn() -> String,
    listed: &[T],
    stored: Option<&BTreeSet<T>>,
) {
    let found: BTreeSet<T> = listed.iter().copied().collect();
    let none = BTreeSet::new();
    let differ: Vec<&T> = found.symmetric_difference(stored.unwrap_or(&none)).collect();
    if found.len() < listed.len() {
        findings.add(|| format!("{}: one is listed twice: {listed:?}", of()), &[]);
    }
    if !differ.is_empty() {
        findings.add(|| format!("{}: these are only in the list or only in the rows: {differ:?}", of()), &[]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample_data::SampleData;
    use crate::histcheck::history::{CommentRow, Listing};

    fn likers(members: &[u32]) -> SampleData {
        with(Listing::Likers { comment: SampleData::id(11), members: members.to_vec() })
    }

    fn of_member(member: u32, comments: &[i64]) -> SampleData {
        let comments = comments.iter().map(|id| SampleData::id(*id)).collect();
        with(Listing::OfMember { subject: 3, member, comments })
    }

    fn with(listing: Listing) -> SampleData {
        let mut data = SampleData::default();
        data.history.listings.push(listing);
        data
    }

    #[test]
    fn the_likers_of_a_comment_are_those_of_its_rows() {
        likers(&[5]).finds_nothing();
        likers(&[]).finds("the likers of");
        likers(&[5, 6]).finds("only in the list or only in the rows: [6]");
        likers(&[5, 5]).finds("one is listed twice");
        likers(&[5]).like(|row| row.value = -1).finds("only in the list");
    }

    #[test]
    fn the_comments_of_a_member_are_the_visible_ones() {
        of_member(1, &[12, 11]).finds_nothing();
        of_member(2, &[]).finds_nothing();
        of_member(1, &[12]).finds("the comments of member 1");
        of_member(1, &[13, 12, 11]).finds("the comments of member 1");
        of_member(1, &[12, 11]).comment(12, |row| row.state = CommentRow::HIDDEN).finds("the comments of member 1");
    }
}
