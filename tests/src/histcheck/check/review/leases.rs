//! No two leases of a comment last at the same time, and each lease ends: a while after the last
//! claim every open item can be claimed.

use std::collections::BTreeMap;

use super::super::Findings;
use super::lives::Lives;
use super::review_call;
use crate::histcheck::history::{Outcome, ReviewCall, ReviewResponse};

/// A lease of a comment: its token, its begin and end in milliseconds by the clock of the database,
/// and the operation that took or renewed it.
#[derive(Debug, Clone, Copy)]
struct Lease<'h> {
    token: &'h str,
    begun: i64,
    until: i64,
    op: u32,
}

/// Finds leases that overlap.
pub(super) fn check(lives: &Lives<'_>, findings: &mut Findings) {
    let mut leases: BTreeMap<i64, Vec<Lease<'_>>> = BTreeMap::new();
    for (number, call, response) in lives.responses() {
        let (ReviewCall::Claim { seconds, .. }, ReviewResponse::Claimed { items, lease }) = (call, response) else {
            continue;
        };
        for (item, until) in items {
            let begun = until - i64::from(*seconds) * 1_000;
            let lease = Lease { token: lease, begun, until: *until, op: number };
            leases.entry(item.id).or_default().push(lease);
        }
    }
    for (id, mut leases) in leases {
        leases.sort_by_key(|lease| lease.begun);
        for (at, lease) in leases.iter().enumerate() {
            findings.cases(1);
            let overlaps = |other: &&Lease<'_>| other.token != lease.token && other.begun < lease.until;
            for other in leases[at + 1..].iter().filter(overlaps) {
                if !may_have_ended(lives, id, lease, other) {
                    let description = || format!("two leases of {id} overlap: {lease:?} and {other:?}");
                    findings.add(description, &[lease.op, other.op]);
                }
            }
        }
    }
}

/// Returns true if the first lease may have ended before the second one: by a verdict, by a
/// deletion or an undeletion, or because it was given back.
fn may_have_ended(lives: &Lives<'_>, id: i64, lease: &Lease<'_>, other: &Lease<'_>) -> bool {
    let (begun, ended) = (lives.op(lease.op).begun, lives.op(other.op).ended);
    lives.numbers.iter().map(|number| lives.op(*number)).any(|op| {
        let is_between = op.begun < ended && (op.ended > begun || matches!(op.outcome, Outcome::Unknown(_)));
        is_between
            && match review_call(op) {
                Some(ReviewCall::Judge { targets, .. }) => targets.iter().any(|(target, _)| *target == id),
                Some(ReviewCall::Release { comments, lease: token, .. }) => {
                    comments.contains(&id) && &**token == lease.token
                }
                Some(ReviewCall::Delete { comment, .. } | ReviewCall::Undelete { comment, .. }) => *comment == id,
                _other => false,
            }
    })
}

#[cfg(test)]
mod tests {
    use super::super::sample::ReviewSample;
    use crate::histcheck::history::{ModeratedItem, Outcome, ReviewCall, ReviewResponse, state};

    /// Returns claims of two moderators for 10 s, of which the second begins after some seconds.
    fn claimed(after: i64, between: Option<ReviewCall>) -> ReviewSample {
        let mut sample = ReviewSample::default();
        for (moderator, at) in [(1, 0), (2, after)] {
            let item = ModeratedItem {
                id: 12,
                text: 12,
                state: state::PENDING,
                etag: "12.1".into(),
                open: true,
                decisions: 0,
                due: 0,
                proposal: None,
                proposal_etag: "".into(),
            };
            let (items, lease) = ([(item, (at + 10) * 1_000)].into(), format!("lease {moderator}").into());
            let response = ReviewResponse::Claimed { items, lease };
            let second = 5 + 2 * u64::from(moderator);
            sample.op(second, ReviewCall::Claim { moderator, seconds: 10 }, Outcome::Reviewed(response));
            if let (1, Some(between)) = (moderator, between.clone()) {
                sample.op(8, between, Outcome::Reviewed(ReviewResponse::Released(1)));
            }
        }
        sample
    }

    #[test]
    fn a_second_lease_begins_after_the_first_one_has_ended() {
        claimed(10, None).finds_nothing();
        claimed(9, None).finds("leases", "two leases of 12 overlap");
    }

    #[test]
    fn a_lease_that_was_given_back_may_be_followed_at_once() {
        let release = |lease: &str| ReviewCall::Release { moderator: 1, comments: [12].into(), lease: lease.into() };
        claimed(3, Some(release("lease 1"))).finds_nothing();
        claimed(3, Some(release("another"))).finds("leases", "two leases of 12 overlap");
    }
}
