//! A call is refused because of concurrent changes to the same comment, for lack of capacity, or
//! because it is not allowed, and for no other reason. (`rows` and `once` check that a call refused
//! as not executed has no effect.)

use super::Found;
use super::fixture::Fixture;
use crate::histcheck::history::{Call, Outcome};

/// Finds refusals that nothing in the load explains, such as a comment that is not found, and
/// internal errors of the service.
pub(super) fn check(fixture: &Fixture<'_>, found: &mut Found) {
    for number in fixture.mine {
        let op = fixture.op(*number);
        if let Outcome::Refused(reason) = &op.outcome
            && !passes(reason)
            && !explained(&op.call).contains(&&**reason)
        {
            found.add(|| format!("refused for {reason}, which nothing explains"), &[*number]);
        }
        if let Outcome::Refused(reason) = &op.outcome {
            state(fixture, found, *number, reason);
        }
        if let Call::Misuse { how, .. } = &op.call
            && !matches!(op.outcome, Outcome::Refused(_) | Outcome::Unknown(_))
        {
            found.add(|| format!("answered, and not refused for {:?}", how.reasons()), &[*number]);
        }
        if let Outcome::Unknown(reason) = &op.outcome
            && NEVER.contains(&&**reason)
        {
            found.add(|| format!("answered with {reason}, which is a fault of the service's own"), &[*number]);
        }
    }
}

/// Checks that a call refused for the state of a comment was sent while the comment may have been
/// in that state.
fn state(fixture: &Fixture<'_>, found: &mut Found, number: u32, reason: &str) {
    let op = fixture.op(number);
    let visible = match reason {
        "COMMENT_UNAVAILABLE" | "PARENT_UNAVAILABLE" | "COMMENT_NOT_FOUND" | "STATE_CONFLICT" => false,
        "COMMENT_ALREADY_EXISTS" => true,
        _other => return,
    };
    let (Call::Reply { parent: id, .. }
    | Call::Like { comment: id, .. }
    | Call::Edit { comment: id, .. }
    | Call::Delete { comment: id, .. }
    | Call::Undelete { comment: id, .. }) = &op.call
    else {
        return;
    };
    // Too little is known of a comment whose create has no response.
    let Some(comment) = fixture.comment(*id) else { return };
    if !comment.may_be(fixture, visible, op.begun, op.ended) {
        let words = if visible { "stood not" } else { "stood" };
        found.add(
            || format!("refused for {reason}, though {id} {words} all the while"),
            &comment.story(fixture, number),
        );
    }
}

/// Reasons that no caller and no store can cause: an internal error, a response without its main
/// part (the code is set in `load/call.rs`), and an unreached revision that was returned before. A
/// broken connection has other codes, and no reason.
const NEVER: [&str; 3] = ["INTERNAL", "DataLoss", "REVISION_NOT_REACHED"];

/// Returns true if any call may be refused for this reason while faults are injected.
pub(super) fn passes(reason: &str) -> bool {
    ["OVERLOADED", "SHARD_UNAVAILABLE", "RATE_LIMITED"].contains(&reason)
}

fn explained(call: &Call) -> &'static [&'static str] {
    match call {
        Call::Reply { .. } => &["PARENT_UNAVAILABLE"],
        Call::Like { .. } => &["COMMENT_UNAVAILABLE"],
        // A second delete does not find the deleted comment.
        Call::Delete { .. } => &["COMMENT_NOT_FOUND"],
        Call::Undelete { .. } => &["COMMENT_ALREADY_EXISTS"],
        Call::Edit { .. } => &["STATE_CONFLICT"],
        Call::Misuse { how, .. } => how.reasons(),
        Call::Root { .. }
        | Call::List(_)
        | Call::Replies { .. }
        | Call::Get { .. }
        | Call::Several { .. }
        | Call::Counts { .. }
        | Call::States { .. }
        | Call::Export { .. }
        | Call::Watch { .. } => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::SampleHistory;
    use crate::histcheck::history::{Call, Misuse, Outcome, Shown, Sort, Value, View, Written};

    #[test]
    fn what_has_to_be_refused_and_is_answered_is_found_and_so_is_another_reason() {
        let misuse = |how, outcome| {
            let mut sample_history = SampleHistory::default();
            sample_history.root(1, 11, 1, 1);
            sample_history.op(2, Call::Misuse { subject: 0, how }, outcome);
            sample_history
        };
        let (token, refused) = (Misuse::Token(Sort::Oldest), |reason: &str| Outcome::Refused(reason.into()));
        misuse(token, refused("PAGE_TOKEN_MISMATCH")).has_none();
        misuse(token, refused("REQUEST_ID_REUSED")).has("refusals", "refused for REQUEST_ID_REUSED");
        let page = Shown { revision: 1, counts: None, last: true, items: Box::new([]) };
        misuse(token, Outcome::Page(page)).has("refusals", "answered, and not refused");
        let request = Misuse::Request { id: (1, 1), member: 1, text: 12 };
        misuse(request, refused("REQUEST_ID_REUSED")).has_none();
        let first = Written { id: 11, root: 0, floor: 1, revision: 1 };
        misuse(request, Outcome::Written(first)).has("refusals", "answered, and not refused");
    }

    #[test]
    fn a_refusal_for_a_state_that_the_comment_was_not_in_is_found() {
        let refused = |reason: &str, begins: &dyn Fn(&mut SampleHistory)| {
            let mut sample_history = SampleHistory::default();
            sample_history.root(1, 11, 1, 1);
            begins(&mut sample_history);
            let call = Call::Like { subject: 0, comment: 11, member: 9, value: Value::Like };
            sample_history.op(20, call, Outcome::Refused(reason.into()));
            sample_history
        };
        refused("COMMENT_UNAVAILABLE", &|_| ()).has("refusals", "though 11 stood all the while");
        refused("COMMENT_UNAVAILABLE", &|sample_history| {
            sample_history.delete(5, 11, 3);
        })
        .has_none();
        refused("OVERLOADED", &|_| ()).has_none();
    }

    #[test]
    fn refusals_without_a_cause_and_faults_are_found_and_one_for_want_of_room_is_none() {
        let told = |outcome: Outcome| {
            let mut sample_history = SampleHistory::default();
            let call = Call::Get { subject: 0, comment: 11, view: View::default() };
            sample_history.root(1, 11, 1, 1).op(2, call, outcome);
            sample_history
        };
        let (refused, unknown) = (
            |reason: &str| told(Outcome::Refused(reason.into())),
            |reason: &str| told(Outcome::Unknown(reason.into())),
        );
        unknown("INTERNAL").has("refusals", "service's own");
        unknown("Internal").has_none();
        refused("OVERLOADED").has_none();
        refused("COMMENT_NOT_FOUND").has("refusals", "COMMENT_NOT_FOUND");
    }
}
