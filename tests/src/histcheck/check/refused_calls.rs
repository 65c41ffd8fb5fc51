//! A call is refused because of concurrent changes to the same comment, for lack of capacity, or
//! because it is forbidden, and for no other reason. (`rows` and `once` check that a call refused
//! as not executed has no effect.)

use super::Findings;
use super::subject_history::SubjectHistory;
use crate::histcheck::history::{Call, Outcome};
use crate::histcheck::names::is_moderated;

/// Finds calls refused for a reason that the load does not explain, such as a comment that is not
/// found, and internal errors of the service.
pub(super) fn check(history: &SubjectHistory<'_>, findings: &mut Findings) {
    for number in history.op_numbers {
        let op = history.op(*number);
        if let Outcome::Refused(reason) = &op.outcome
            && !is_transient(reason)
            && !expected_reasons(&op.call).contains(&&**reason)
        {
            findings.add(|| format!("refused for {reason}, which the load does not explain"), &[*number]);
        }
        if let Outcome::Refused(reason) = &op.outcome {
            check_state(history, findings, *number, reason);
        }
        if let Call::Misuse { misuse, .. } = &op.call
            && !matches!(op.outcome, Outcome::Refused(_) | Outcome::Unknown(_))
        {
            findings.add(|| format!("executed, and not refused for {:?}", misuse.reasons()), &[*number]);
        }
        if let Outcome::Unknown(reason) = &op.outcome
            && is_internal(reason)
        {
            findings.add(|| format!("failed with {reason}, an error of the service itself"), &[*number]);
        }
    }
}

/// Checks that a call refused for the state of a comment was sent while the comment may have been
/// in that state.
fn check_state(history: &SubjectHistory<'_>, findings: &mut Findings, number: u32, reason: &str) {
    let op = history.op(number);
    let visible = match reason {
        "STATE_CONFLICT" if matches!(op.call, Call::Unhide { .. }) => true,
        "COMMENT_UNAVAILABLE" | "PARENT_UNAVAILABLE" | "COMMENT_NOT_FOUND" | "STATE_CONFLICT" => false,
        "COMMENT_ALREADY_EXISTS" => true,
        _other => return,
    };
    let (Call::Reply { parent: id, .. }
    | Call::Like { comment: id, .. }
    | Call::Edit { comment: id, .. }
    | Call::Delete { comment: id, .. }
    | Call::Undelete { comment: id, .. }
    | Call::Hide { comment: id, .. }
    | Call::Unhide { comment: id, .. }) = &op.call
    else {
        return;
    };
    // Too little is known of a comment whose create has no response.
    let Some(comment) = history.comment(*id) else { return };
    if !comment.may_have_been(history, visible, op.begun, op.ended) {
        let state = if visible { "deleted" } else { "visible" };
        findings.add(
            || format!("refused for {reason}, though {id} was {state} during the whole call"),
            &comment.explaining_ops(history, number),
        );
    }
}

/// Reasons that neither a caller nor a store can cause: an internal error, a response without its
/// main part (`load/call.rs` sets the code), and a revision that is not reached although a response
/// returned it. A broken connection has other codes, and no reason.
const INTERNAL_ERRORS: [&str; 3] = ["INTERNAL", "DataLoss", "REVISION_NOT_REACHED"];

/// Returns true for an error of the service itself.
pub(super) fn is_internal(reason: &str) -> bool {
    INTERNAL_ERRORS.contains(&reason)
}

/// Returns true if any call may be refused for this reason while faults are injected.
pub(super) fn is_transient(reason: &str) -> bool {
    ["OVERLOADED", "SHARD_UNAVAILABLE", "RATE_LIMITED"].contains(&reason)
}

fn expected_reasons(call: &Call) -> &'static [&'static str] {
    match call {
        Call::Reply { .. } => &["PARENT_UNAVAILABLE"],
        Call::Like { .. } | Call::Likers { .. } => &["COMMENT_UNAVAILABLE"],
        // A write to a deleted comment does not find it; a hidden one is in conflict with an edit.
        // Neither has a history.
        Call::Delete { .. } | Call::History { .. } => &["COMMENT_NOT_FOUND"],
        Call::Edit { comment, .. } if is_moderated(*comment) => &["STATE_CONFLICT"],
        Call::Edit { .. } => &["COMMENT_NOT_FOUND"],
        Call::Hide { .. } | Call::Unhide { .. } => &["STATE_CONFLICT"],
        Call::Undelete { .. } => &["COMMENT_ALREADY_EXISTS"],
        Call::Misuse { misuse, .. } => misuse.reasons(),
        Call::Root { .. }
        | Call::List(_)
        | Call::Replies { .. }
        | Call::Get { .. }
        | Call::Several { .. }
        | Call::Counts { .. }
        | Call::OfMember { .. }
        | Call::States { .. }
        | Call::Export { .. }
        | Call::Watch { .. }
        // Other rules have the refusals of comments that wait or are judged, and of subjects with
        // an owner.
        | Call::Review { .. }
        | Call::Owned { .. }
        | Call::Policy { .. } => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::SampleHistory;
    use crate::histcheck::history::{Call, Misuse, Outcome, PageResponse, Sort, Value, View, WriteResponse};

    #[test]
    fn a_forbidden_call_that_is_executed_or_refused_for_another_reason_is_found() {
        let with_misuse = |misuse, outcome| {
            let mut sample_history = SampleHistory::default();
            sample_history.root(1, 11, 1, 1);
            sample_history.op(2, Call::Misuse { subject: 0, misuse }, outcome);
            sample_history
        };
        let (token, refused) = (Misuse::Token(Sort::Oldest), |reason: &str| Outcome::Refused(reason.into()));
        with_misuse(token, refused("PAGE_TOKEN_MISMATCH")).finds_nothing();
        with_misuse(token, refused("REQUEST_ID_REUSED")).finds("refused calls", "refused for REQUEST_ID_REUSED");
        let page = PageResponse { revision: 1, counts: None, last: true, items: Box::new([]) };
        with_misuse(token, Outcome::Page(page)).finds("refused calls", "executed, and not refused");
        let request = Misuse::Request { id: (1, 1), member: 1, text: 12 };
        with_misuse(request, refused("REQUEST_ID_REUSED")).finds_nothing();
        let first = WriteResponse { id: 11, root: 0, floor: 1, revision: 1 };
        with_misuse(request, Outcome::Written(first)).finds("refused calls", "executed, and not refused");
    }

    #[test]
    fn a_call_refused_for_a_state_that_the_comment_did_not_have_is_found() {
        let refused = |reason: &str, prepare: &dyn Fn(&mut SampleHistory)| {
            let mut sample_history = SampleHistory::default();
            sample_history.root(1, 11, 1, 1);
            prepare(&mut sample_history);
            let call = Call::Like { subject: 0, comment: 11, member: 9, value: Value::Like };
            sample_history.op(20, call, Outcome::Refused(reason.into()));
            sample_history
        };
        refused("COMMENT_UNAVAILABLE", &|_| ()).finds("refused calls", "though 11 was visible during the whole call");
        refused("COMMENT_UNAVAILABLE", &|sample_history| {
            sample_history.delete(5, 11, 3);
        })
        .finds_nothing();
        refused("OVERLOADED", &|_| ()).finds_nothing();
    }

    #[test]
    fn an_unexplained_reason_and_an_internal_error_are_found_and_overload_is_valid() {
        let get = |outcome: Outcome| {
            let mut sample_history = SampleHistory::default();
            let call = Call::Get { subject: 0, comment: 11, view: View::default() };
            sample_history.root(1, 11, 1, 1).op(2, call, outcome);
            sample_history
        };
        let (refused, unknown) =
            (|reason: &str| get(Outcome::Refused(reason.into())), |reason: &str| get(Outcome::Unknown(reason.into())));
        unknown("INTERNAL").finds("refused calls", "an error of the service itself");
        unknown("Internal").finds_nothing();
        refused("OVERLOADED").finds_nothing();
        refused("COMMENT_NOT_FOUND").finds("refused calls", "COMMENT_NOT_FOUND");
    }
}
