//! Each verb may be refused because of concurrent changes to the same comment, and for no other
//! reason.

use super::Fault;
use crate::kill::history::{Act, Op, Outcome};

/// Finds refusals that no operation of the load explains, such as a comment that is not found or a
/// request id that was used for another request.
pub(super) fn check(history: &[Op], faults: &mut Vec<Fault>) {
    for (number, op) in history.iter().enumerate() {
        if let Outcome::Refused(reason) = &op.outcome
            && reason != "OVERLOADED"
            && !explained(&op.act).contains(&reason.as_str())
        {
            faults.push(Fault { what: format!("refused for {reason}, which nothing explains"), ops: vec![number] });
        }
    }
}

fn explained(act: &Act) -> &'static [&'static str] {
    match act {
        Act::Root { .. } => &[],
        Act::Reply { .. } => &["PARENT_UNAVAILABLE"],
        Act::Like { .. } => &["COMMENT_UNAVAILABLE"],
        // A second delete does not find the deleted comment.
        Act::Delete { .. } => &["COMMENT_NOT_FOUND"],
        Act::Undelete { .. } => &["COMMENT_ALREADY_EXISTS"],
        Act::Edit { .. } => &["STATE_CONFLICT", "COMMENT_NOT_FOUND"],
    }
}
