//! Revisions never decrease. A response is not below the revision that the caller required. A
//! fresh read is not below any revision that was returned before the read began. Another read is
//! not below a revision that was returned longer ago than the maximum age of a response.

use super::subject_history::SubjectHistory;
use super::{Findings, MAX_AGE};

/// Finds responses with a revision that is too low.
pub(super) fn check(history: &SubjectHistory<'_>, findings: &mut Findings) {
    for number in history.op_numbers {
        let op = history.op(*number);
        let (Some(view), Some(revision)) = (op.call.view(), op.revision()) else { continue };
        if revision < view.min_revision {
            findings
                .add(|| format!("revision {revision}, though at least {} was required", view.min_revision), &[*number]);
        }
        let since = if view.fresh { op.begun } else { op.begun.saturating_sub(MAX_AGE) };
        if let Some((least, other)) = history.highest_returned(since).filter(|(least, _)| *least > revision) {
            let read = if view.fresh { "a fresh read" } else { "a late read" };
            let description = || format!("revision {revision} in {read}, though {least} was returned");
            findings.add(description, &[other, *number]);
        }
    }
    check_writes(history, findings);
}

/// Checks that a write makes a revision above those of all responses that ended before it was sent.
fn check_writes(history: &SubjectHistory<'_>, findings: &mut Findings) {
    for request in &history.requests {
        let Some(written) = history.written(request) else { continue };
        // A create, an edit, a delete and an undelete each make a new revision.
        let returned = history.highest_returned(request.begun).filter(|(highest, _)| *highest >= written.revision);
        if let Some((highest, other)) = returned {
            let description = || format!("a write made revision {} after {highest} was returned", written.revision);
            findings.add(description, &[other, request.first]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::SampleHistory;
    use crate::histcheck::history::Call;

    fn with_counts(at: u64, revision: i64, min_revision: i64, fresh: bool) -> SampleHistory {
        let mut sample_history = SampleHistory::default();
        let roots = revision as i32;
        sample_history.root(1, 11, 1, 1).root(2, 12, 2, 2).counts(at, revision, roots, roots).change_last(|op| {
            if let Call::Counts { view, .. } = &mut op.call {
                (view.min_revision, view.fresh) = (min_revision, fresh);
            }
        });
        sample_history
    }

    #[test]
    fn a_stale_read_is_valid_up_to_the_maximum_age() {
        with_counts(3, 2, 2, true).finds_nothing();
        with_counts(3, 1, 1, false).finds_nothing();
        with_counts(60, 1, 1, false).finds("revisions", "revision 1 in a late read, though 2 was returned");
    }

    #[test]
    fn a_stale_fresh_read_and_one_below_the_required_revision_are_found() {
        with_counts(3, 1, 0, true).finds("revisions", "revision 1 in a fresh read, though 2 was returned");
        with_counts(3, 1, 2, false).finds("revisions", "though at least 2 was required");
    }

    #[test]
    fn a_write_that_makes_no_new_revision_is_found() {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).root(2, 12, 2, 1);
        sample_history.finds("revisions", "made revision 1 after 1 was returned");
    }
}
