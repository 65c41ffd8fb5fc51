//! Each verb may be refused for what others do to the same comment, and for nothing else.

use super::Fault;
use crate::kill::history::{Act, Op, Outcome};

/// Finds refusals that no operation of the load explains: they tell of a comment that is not found, or of a request id
/// that is taken for another.
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
        // A comment that is deleted is not found a second time.
        Act::Delete { .. } => &["COMMENT_NOT_FOUND"],
        Act::Undelete { .. } => &["COMMENT_ALREADY_EXISTS"],
        Act::Edit { .. } => &["STATE_CONFLICT", "COMMENT_NOT_FOUND"],
    }
}
