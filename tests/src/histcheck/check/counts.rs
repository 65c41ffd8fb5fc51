//! Counts of comments equal the comments at the revision of the response.
//!
//! A comment that an open request may have changed contributes a range, beginning with the first
//! revision at which the change is possible. Every other comment contributes its exact state.

use std::collections::BTreeMap;

use super::subject_history::{Comment, SubjectHistory};
use super::{Findings, MAX_AGE};
use crate::histcheck::history::{Counts, Item, Outcome, Property};

/// The number of visible comments at each revision.
#[derive(Debug, Default)]
struct VisibleCount {
    /// Revisions with the change of the number at each; after [`VisibleCount::accumulate`], with
    /// the number from each revision on.
    certain: Vec<(i64, i32)>,
    /// The revisions from which comments may or may not count.
    uncertain: Vec<i64>,
}

impl VisibleCount {
    fn add(&mut self, history: &SubjectHistory<'_>, comment: &Comment) {
        // Revisions returned before the request was sent do not contain its change.
        let before =
            |request: u32| history.highest_returned(history.request(request).begun).map_or(0, |(revision, _)| revision);
        if comment.created_revision == 0 {
            self.uncertain.push(before(comment.request).saturating_add(1));
            return;
        }
        let possible = comment.possible_changes.iter().filter(|change| matches!(change.property, Property::Visible(_)));
        let since = possible.map(|change| before(change.request).max(comment.created_revision)).min();
        self.certain.push((comment.created_revision, 1));
        let mut visible = true;
        for change in &comment.changes {
            if let Property::Visible(now) = change.property
                && now != visible
                && since.is_none_or(|since| change.revision <= since)
            {
                self.certain.push((change.revision, if now { 1 } else { -1 }));
                visible = now;
            }
        }
        if let Some(since) = since {
            self.uncertain.push(since.saturating_add(1));
            if visible {
                self.certain.push((since.saturating_add(1), -1));
            }
        }
    }

    /// Sums the changes up, after all comments were added.
    fn accumulate(mut self) -> Self {
        self.certain.sort_unstable_by_key(|(revision, _)| *revision);
        let mut sum = 0;
        for (_, count) in &mut self.certain {
            sum += *count;
            *count = sum;
        }
        self.uncertain.sort_unstable();
        self
    }

    /// Returns the smallest and the largest possible count at any revision from `from` to `to`.
    fn within(&self, from: i64, to: i64) -> (i32, i32) {
        let until = |revision: i64| self.certain.partition_point(|(at, _)| *at <= revision);
        let later = self.certain.get(until(from)..until(to)).unwrap_or_default().iter().map(|(_, count)| *count);
        let first = self.at(from).0;
        let (least, most) = later.fold((first, first), |(least, most), count| (least.min(count), most.max(count)));
        (least, most + self.uncertain.partition_point(|at| *at <= to) as i32)
    }

    /// Returns the smallest and the largest possible count at a revision.
    fn at(&self, revision: i64) -> (i32, i32) {
        let until = self.certain.partition_point(|(at, _)| *at <= revision);
        let certain = until.checked_sub(1).map_or(0, |last| self.certain[last].1);
        (certain, certain + self.uncertain.partition_point(|at| *at <= revision) as i32)
    }
}

/// Finds counts that differ from the comments.
pub(super) fn check(history: &SubjectHistory<'_>, findings: &mut Findings) {
    let (mut roots, mut all) = (VisibleCount::default(), VisibleCount::default());
    // The reply count of a root covers its descendants at any depth, that of a reply its direct
    // replies.
    let (mut descendants, mut direct_replies): (BTreeMap<i64, VisibleCount>, BTreeMap<i64, VisibleCount>) =
        Default::default();
    for comment in &history.comments {
        all.add(history, comment);
        if comment.root == 0 {
            roots.add(history, comment)
        } else {
            descendants.entry(comment.root).or_default().add(history, comment);
            direct_replies.entry(history.parent(comment)).or_default().add(history, comment);
        }
    }
    // Without an export, the comments of creates with an unknown outcome are unknown.
    if history.export().is_none() && history.requests.iter().any(|request| history.may_have_created(request)) {
        return;
    }
    let (roots, all) = (roots.accumulate(), all.accumulate());
    let accumulated = |counts: BTreeMap<i64, VisibleCount>| {
        counts.into_iter().map(|(id, count)| (id, count.accumulate())).collect::<BTreeMap<_, _>>()
    };
    let (descendants, direct_replies) = (accumulated(descendants), accumulated(direct_replies));
    for number in history.op_numbers {
        if let Some(Counts { revision, roots: root_count, comments }) = history.op(*number).counts() {
            compare(findings, *number, "root_count", root_count, roots.at(revision), revision);
            compare(findings, *number, "comment_count", comments, all.at(revision), revision);
        }
        let (from, to) = revision_range(history, *number);
        for Item { id, root, replies, .. } in history.op(*number).items() {
            let count = if *root == 0 { descendants.get(id) } else { direct_replies.get(id) };
            let expected = count.map_or((0, 0), |count| count.within(from, to));
            compare(findings, *number, "a reply_count", *replies, expected, to);
        }
    }
}

/// Returns the first and the last revision that a response may show.
fn revision_range(history: &SubjectHistory<'_>, number: u32) -> (i64, i64) {
    let op = history.op(number);
    if let Outcome::Page(shown) = &op.outcome {
        return (shown.revision, shown.revision);
    }
    if let Outcome::Export { .. } = &op.outcome {
        return (i64::MAX, i64::MAX);
    }
    let view = op.call.view().unwrap_or_default();
    let since = if view.fresh { op.begun } else { op.begun.saturating_sub(MAX_AGE) };
    let from = history.highest_returned(since).map_or(0, |(revision, _)| revision).max(view.min_revision);
    // A request without a response may have made the next revision.
    let next = history.highest_returned(op.ended).map_or(0, |(revision, _)| revision.saturating_add(1));
    (from, history.highest_written(op.ended).max(next).max(from))
}

fn compare(findings: &mut Findings, op: u32, name: &str, count: i32, (least, most): (i32, i32), revision: i64) {
    if !(least..=most).contains(&count) {
        findings.add(|| format!("{name} is {count} at revision {revision}, and its rows are {least} to {most}"), &[op]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::{SampleHistory, below, item, tombstone};
    use crate::histcheck::history::{Call, Item, Outcome, Sort};

    fn thread() -> SampleHistory {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).root(2, 12, 2, 2).reply(3, 11, 21, 1, 3).delete(4, 12, 4);
        sample_history
    }

    #[test]
    fn counts_of_the_revision_are_valid() {
        let mut sample_history = thread();
        sample_history.counts(5, 2, 2, 2).counts(6, 3, 2, 3).counts(7, 4, 1, 2);
        sample_history.page(8, Sort::Oldest, 4, &[Item { replies: 1, ..item(11, 1) }]);
        sample_history.finds_nothing();
    }

    #[test]
    fn counts_of_another_revision_are_found() {
        let mut sample_history = thread();
        sample_history.counts(5, 4, 2, 3);
        sample_history.finds("counts", "root_count is 2 at revision 4, and its rows are 1 to 1");
        sample_history.finds("counts", "comment_count is 3");
        let mut sample_history = thread();
        sample_history.page(8, Sort::Oldest, 4, &[item(11, 1)]);
        sample_history.finds("counts", "a reply_count is 0");
    }

    #[test]
    fn a_single_comment_may_show_any_revision_within_the_maximum_age() {
        let get = |replies, fresh| {
            let mut sample_history = SampleHistory::default();
            // The second reply has no response and may exist from revision 3 on.
            let call = Call::Reply { subject: 0, parent: 11, member: 1, text: 22 };
            sample_history.root(1, 11, 1, 1).reply(2, 11, 21, 1, 2).op(3, call, Outcome::Unknown("Unavailable".into()));
            sample_history.root(4, 12, 2, 4).delete(5, 21, 5).get(6, Item { replies, ..item(11, 1) }, fresh);
            sample_history.export(
                40,
                &[Item { replies: 1, ..item(11, 1) }, item(12, 2), deleted_reply(21, 1), below(11, 22, 2)],
                &[],
            );
            sample_history
        };
        get(2, false).finds_nothing_of("counts");
        get(0, false).finds_nothing_of("counts");
        get(1, true).finds_nothing_of("counts");
        get(2, true).finds("counts", "a reply_count is 2");
        get(3, false).finds("counts", "a reply_count is 3");
        get(-1, false).finds("counts", "a reply_count is -1");
    }

    fn deleted_reply(id: i64, floor: i32) -> Item {
        Item { root: 11, parent: 11, ..tombstone(id, floor) }
    }

    #[test]
    fn an_unknown_delete_may_or_may_not_count() {
        for roots in 0..=1 {
            let mut sample_history = thread();
            sample_history.unknown_delete(5, 11).counts(6, 4 + i64::from(roots == 0), roots, roots + 1);
            sample_history.finds_nothing();
        }
        let mut sample_history = thread();
        sample_history.unknown_delete(5, 11).counts(6, 5, -1, 0);
        sample_history.finds("counts", "root_count is -1");
        let mut sample_history = thread();
        sample_history.counts(5, 4, 1, 2).unknown_delete(6, 11).counts(7, 4, 0, 1);
        sample_history.finds("counts", "root_count is 0 at revision 4");
    }

    #[test]
    fn a_create_without_a_response_counts_if_its_comment_exists_at_the_end() {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).unknown_root(2, 12).counts(3, 2, 2, 2).export(
            9,
            &[item(11, 1), item(12, 2)],
            &[],
        );
        sample_history.finds_nothing();
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).unknown_root(2, 12).counts(3, 2, 2, 2).export(9, &[item(11, 1)], &[]);
        sample_history.finds("counts", "root_count is 2");
    }
}
