//! Revisions never go back. A response is not below the revision that the caller
//! required. A fresh read is not below any revision returned before it began; another read not
//! below one returned longer ago than the maximum age of a response.

use super::fixture::Fixture;
use super::{Found, STALE};

/// Finds responses with a revision that is too low.
pub(super) fn check(fixture: &Fixture<'_>, found: &mut Found) {
    for number in fixture.mine {
        let op = fixture.op(*number);
        let (Some(view), Some(revision)) = (op.call.view(), op.revision()) else { continue };
        if revision < view.min_revision {
            found.add(|| format!("revision {revision} where {} was the least", view.min_revision), &[*number]);
        }
        let since = if view.fresh { op.begun } else { op.begun.saturating_sub(STALE) };
        if let Some((least, other)) = fixture.reached(since).filter(|(least, _)| *least > revision) {
            let words = if view.fresh { "fresh" } else { "long after" };
            found.add(|| format!("revision {revision}, {words}, though {least} had been told"), &[other, *number]);
        }
    }
    rises(fixture, found);
}

/// Checks that a write makes a revision above those of all responses that ended before it was sent.
fn rises(fixture: &Fixture<'_>, found: &mut Found) {
    for request in &fixture.requests {
        let Some(written) = fixture.written(request) else { continue };
        // A create, an edit, a delete and an undelete each make a new revision.
        if let Some((told, other)) = fixture.reached(request.begun).filter(|(told, _)| *told >= written.revision) {
            let what = || format!("a write made revision {} after {told} had been told", written.revision);
            found.add(what, &[other, request.first]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::SampleHistory;
    use crate::histcheck::history::Call;

    fn counted(at: u64, revision: i64, min_revision: i64, fresh: bool) -> SampleHistory {
        let mut sample_history = SampleHistory::default();
        let roots = revision as i32;
        sample_history.root(1, 11, 1, 1).root(2, 12, 2, 2).counts(at, revision, roots, roots).last(|op| {
            if let Call::Counts { view, .. } = &mut op.call {
                (view.min_revision, view.fresh) = (min_revision, fresh);
            }
        });
        sample_history
    }

    #[test]
    fn a_read_of_before_is_fine_for_a_while_and_then_found() {
        counted(3, 2, 2, true).has_none();
        counted(3, 1, 1, false).has_none();
        counted(60, 1, 1, false).has("revisions", "revision 1, long after, though 2 had been told");
    }

    #[test]
    fn a_fresh_read_of_before_and_less_than_was_asked_for_are_found() {
        counted(3, 1, 0, true).has("revisions", "revision 1, fresh, though 2 had been told");
        counted(3, 1, 2, false).has("revisions", "where 2 was the least");
    }

    #[test]
    fn a_write_that_makes_no_new_revision_is_found() {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).root(2, 12, 2, 1);
        sample_history.has("revisions", "made revision 1 after 1 had been told");
    }
}
