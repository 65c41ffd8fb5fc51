//! Counts of comments equal the comments at the revision of the response.
//!
//! Comments that an open request may have changed contribute a range, from the first revision on at
//! which the change is possible; all others contribute their exact state.

use std::collections::BTreeMap;

use super::fixture::{Comment, Fixture};
use super::{Found, STALE};
use crate::histcheck::history::{Counts, Item, Outcome, What};

/// The number of visible comments at each revision.
#[derive(Debug, Default)]
struct Visible {
    /// Revisions with the change of the number at each; after preparation, the number from each
    /// revision on.
    certain: Vec<(i64, i32)>,
    /// The revisions from which on comments may count or not.
    open: Vec<i64>,
}

impl Visible {
    fn add(&mut self, fixture: &Fixture<'_>, comment: &Comment) {
        // Revisions returned before the request was sent do not contain its change.
        let before =
            |request: u32| fixture.reached(fixture.requests[request as usize].begun).map_or(0, |(told, _)| told);
        if comment.born == 0 {
            self.open.push(before(comment.request).saturating_add(1));
            return;
        }
        let open = comment.open.iter().filter(|of| matches!(of.what, What::Visible(_)));
        let since = open.map(|of| before(of.request).max(comment.born)).min();
        self.certain.push((comment.born, 1));
        let mut visible = true;
        for change in &comment.changes {
            if let What::Visible(now) = change.what
                && now != visible
                && since.is_none_or(|since| change.revision <= since)
            {
                self.certain.push((change.revision, if now { 1 } else { -1 }));
                visible = now;
            }
        }
        if let Some(since) = since {
            self.open.push(since.saturating_add(1));
            if visible {
                self.certain.push((since.saturating_add(1), -1));
            }
        }
    }

    fn settle(mut self) -> Self {
        self.certain.sort_unstable_by_key(|(revision, _)| *revision);
        let mut sum = 0;
        for (_, count) in &mut self.certain {
            sum += *count;
            *count = sum;
        }
        self.open.sort_unstable();
        self
    }

    /// Returns the smallest and the largest possible count at any revision from `from` to `to`.
    fn within(&self, from: i64, to: i64) -> (i32, i32) {
        let until = |revision: i64| self.certain.partition_point(|(at, _)| *at <= revision);
        let moved = self.certain.get(until(from)..until(to)).unwrap_or_default().iter().map(|(_, count)| *count);
        let first = self.at(from).0;
        let (least, most) = moved.fold((first, first), |(least, most), count| (least.min(count), most.max(count)));
        (least, most + self.open.partition_point(|at| *at <= to) as i32)
    }

    /// Returns the smallest and the largest possible count at a revision.
    fn at(&self, revision: i64) -> (i32, i32) {
        let until = self.certain.partition_point(|(at, _)| *at <= revision);
        let certain = until.checked_sub(1).map_or(0, |last| self.certain[last].1);
        (certain, certain + self.open.partition_point(|at| *at <= revision) as i32)
    }
}

/// Finds counts that differ from the comments.
pub(super) fn check(fixture: &Fixture<'_>, found: &mut Found) {
    let (mut roots, mut all) = (Visible::default(), Visible::default());
    // The reply count of a root covers its descendants at any depth, that of a reply its direct
    // replies.
    let (mut below, mut answers): (BTreeMap<i64, Visible>, BTreeMap<i64, Visible>) = Default::default();
    for comment in &fixture.comments {
        all.add(fixture, comment);
        if comment.root == 0 {
            roots.add(fixture, comment)
        } else {
            below.entry(comment.root).or_default().add(fixture, comment);
            let parent =
                fixture.call(&fixture.requests[comment.request as usize]).makes().map_or(0, |(_, parent, _)| parent);
            answers.entry(parent).or_default().add(fixture, comment);
        }
    }
    // Creates with an unknown outcome whose comments were not seen in any read.
    if fixture.export().is_none() && fixture.requests.iter().any(|request| fixture.is_lost(request)) {
        return;
    }
    let (roots, all) = (roots.settle(), all.settle());
    let settled =
        |all: BTreeMap<i64, Visible>| all.into_iter().map(|(id, of)| (id, of.settle())).collect::<BTreeMap<_, _>>();
    let (below, answers) = (settled(below), settled(answers));
    for number in fixture.mine {
        if let Some(Counts { revision, roots: root_count, comments }) = fixture.op(*number).counts() {
            within(found, *number, "root_count", root_count, roots.at(revision), revision);
            within(found, *number, "comment_count", comments, all.at(revision), revision);
        }
        let (from, to) = span(fixture, *number);
        for Item { id, root, replies, .. } in fixture.op(*number).items() {
            let counted = if *root == 0 { below.get(id) } else { answers.get(id) };
            let due = counted.map_or((0, 0), |counted| counted.within(from, to));
            within(found, *number, "a reply_count", *replies, due, to);
        }
    }
}

/// Returns the first and the last revision that a response may show.
fn span(fixture: &Fixture<'_>, number: u32) -> (i64, i64) {
    let op = fixture.op(number);
    if let Outcome::Page(shown) = &op.outcome {
        return (shown.revision, shown.revision);
    }
    if let Outcome::Export { .. } = &op.outcome {
        return (i64::MAX, i64::MAX);
    }
    let view = op.call.view().unwrap_or_default();
    let since = if view.fresh { op.begun } else { op.begun.saturating_sub(STALE) };
    let from = fixture.reached(since).map_or(0, |(revision, _)| revision).max(view.min_revision);
    // A request without a response may have made the next revision.
    let told = fixture.reached(op.ended).map_or(0, |(revision, _)| revision.saturating_add(1));
    (from, fixture.asked(op.ended).max(told).max(from))
}

fn within(found: &mut Found, op: u32, name: &str, count: i32, (least, most): (i32, i32), revision: i64) {
    if !(least..=most).contains(&count) {
        found.add(|| format!("{name} is {count} at revision {revision}, and its rows {least} to {most}"), &[op]);
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
    fn counts_of_their_revision_are_fine() {
        let mut sample_history = thread();
        sample_history.counts(5, 2, 2, 2).counts(6, 3, 2, 3).counts(7, 4, 1, 2);
        sample_history.page(8, Sort::Oldest, 4, &[Item { replies: 1, ..item(11, 1) }]);
        sample_history.has_none();
    }

    #[test]
    fn counts_of_another_revision_are_found() {
        let mut sample_history = thread();
        sample_history.counts(5, 4, 2, 3);
        sample_history.has("counts", "root_count is 2 at revision 4, and its rows 1 to 1");
        sample_history.has("counts", "comment_count is 3");
        let mut sample_history = thread();
        sample_history.page(8, Sort::Oldest, 4, &[item(11, 1)]);
        sample_history.has("counts", "a reply_count is 0");
    }

    #[test]
    fn a_single_comment_may_be_of_any_revision_since_it_may_be_old() {
        let get = |replies, fresh| {
            let mut sample_history = SampleHistory::default();
            // The second reply has no response and may exist from revision 3 on.
            let call = Call::Reply { subject: 0, parent: 11, member: 1, text: 22 };
            sample_history.root(1, 11, 1, 1).reply(2, 11, 21, 1, 2).op(3, call, Outcome::Unknown("Unavailable".into()));
            sample_history.root(4, 12, 2, 4).delete(5, 21, 5).get(6, Item { replies, ..item(11, 1) }, fresh);
            sample_history.export(
                40,
                &[Item { replies: 1, ..item(11, 1) }, item(12, 2), dead(21, 1), below(11, 22, 2)],
                &[],
            );
            sample_history
        };
        get(2, false).has_none_of("counts");
        get(0, false).has_none_of("counts");
        get(1, true).has_none_of("counts");
        get(2, true).has("counts", "a reply_count is 2");
        get(3, false).has("counts", "a reply_count is 3");
        get(-1, false).has("counts", "a reply_count is -1");
    }

    fn dead(id: i64, floor: i32) -> Item {
        Item { root: 11, parent: 11, ..tombstone(id, floor) }
    }

    #[test]
    fn an_unknown_delete_may_or_may_not_count() {
        for roots in 0..=1 {
            let mut sample_history = thread();
            sample_history.unknown_delete(5, 11).counts(6, 4 + i64::from(roots == 0), roots, roots + 1);
            sample_history.has_none();
        }
        let mut sample_history = thread();
        sample_history.unknown_delete(5, 11).counts(6, 5, -1, 0);
        sample_history.has("counts", "root_count is -1");
        let mut sample_history = thread();
        sample_history.counts(5, 4, 1, 2).unknown_delete(6, 11).counts(7, 4, 0, 1);
        sample_history.has("counts", "root_count is 0 at revision 4");
    }

    #[test]
    fn a_create_that_nobody_answered_counts_if_it_stands() {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).unknown_root(2, 12).counts(3, 2, 2, 2).export(
            9,
            &[item(11, 1), item(12, 2)],
            &[],
        );
        sample_history.has_none();
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).unknown_root(2, 12).counts(3, 2, 2, 2).export(9, &[item(11, 1)], &[]);
        sample_history.has("counts", "root_count is 2");
    }
}
