//! The comments that wait for review, or waited: their states, the verdicts on them and on their
//! edits, the reports with their outcomes, appeals and statements, the leases, the queue and its
//! order, and what the public port shows of them.
//!
//! The other rules assume that a comment is visible from the start, so these comments have rules of
//! their own. The decisions are those of the rows at the end of a run, so a run that was
//! interrupted is not checked by them.

mod appeals;
mod leases;
mod life;
mod lives;
mod outcomes;
mod proposals;
mod queue;
mod queue_order;
mod rejections;
mod reports;
#[cfg(test)]
mod sample;
mod statements;
mod states;
mod unseen;
mod verdicts;

use super::Findings;
use super::tables::StoredRows;
use crate::histcheck::history::{Call, History, Op, ReviewCall};
use lives::Lives;

type Rule = fn(&Lives<'_>, &mut Findings);

const RULES: [(&str, Rule); 12] = [
    ("states", states::check),
    ("verdicts", verdicts::check),
    ("leases", leases::check),
    ("queue", queue::check),
    ("queue order", queue_order::check),
    ("unseen", unseen::check),
    ("proposals", proposals::check),
    ("reports", reports::check),
    ("outcomes", outcomes::check),
    ("appeals", appeals::check),
    ("statements", statements::check),
    ("rejections", rejections::check),
];

/// Finds promises about comments that wait which the history breaks.
pub(super) fn check(history: &History, stored: &StoredRows<'_>, findings: &mut Findings) {
    let lives = Lives::of(history, stored);
    for (name, rule) in RULES {
        findings.begin(name);
        rule(&lives, findings);
    }
}

/// Returns the call of an operation about comments that wait.
fn review_call(op: &Op) -> Option<&ReviewCall> {
    if let Call::Review { call, .. } = &op.call { Some(call) } else { None }
}
