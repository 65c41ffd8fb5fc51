//! The standings of an account service, checked against the contract.

use std::time::Duration;

use prost_types::Timestamp;
use riposte_core::Millis;
use riposte_core::ports::{Account, AccountState, NoResult};
use riposte_sdk::account::v1 as proto;

use crate::breach::{Breach, BreachesOf};
use crate::keyed::{Nouns, by_key};

/// The validity of an account without one, and the longest of a restriction.
const USUAL: Duration = Duration::from_secs(60);
/// The longest validity.
const LONGEST: Duration = Duration::from_secs(60 * 60);
/// The last second of a time: the end of the year 9999.
const LAST_SECOND: i64 = 253_402_300_799;

/// An account with its validity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReceivedAccount {
    pub(crate) account: Account,
    pub(crate) valid_for: Duration,
}

/// Returns the account of each member, in the order of the members, and adds the breaches of the
/// contract.
pub(crate) fn accounts(
    members: &[&str],
    standings: &[proto::AccountStanding],
    breaches: &mut Vec<Breach>,
) -> Vec<Result<ReceivedAccount, NoResult>> {
    let nouns = Nouns { result: "standing", key: "member_id" };
    let found = by_key(members, standings, |standing| standing.member_id.as_str(), nouns, breaches);
    let one = |slot: Option<(usize, &proto::AccountStanding)>| {
        let (number, standing) = slot?;
        checked(standing, &mut BreachesOf { place: format!("standing {number}"), breaches })
    };
    found.into_iter().map(one).map(|account| account.ok_or(NoResult::Undecided)).collect()
}

fn checked(standing: &proto::AccountStanding, breaches: &mut BreachesOf<'_>) -> Option<ReceivedAccount> {
    let valid_for = valid_for(standing, breaches);
    if !standing.exists {
        // Nothing else is read of an account that does not exist.
        return Some(ReceivedAccount { account: Account::Absent, valid_for: valid_for?.min(USUAL) });
    }
    let known = proto::AccountState::try_from(standing.state);
    let what = format!("`state` is {}, which the contract does not have", standing.state);
    breaches.require(known.is_ok(), what, "send a value of AccountState");
    // A service may leave a member open: that breaks nothing.
    let state = match known.ok()? {
        proto::AccountState::Unspecified => return None,
        proto::AccountState::Normal => AccountState::Normal,
        proto::AccountState::Trusted => AccountState::Trusted,
        proto::AccountState::PreModerated => AccountState::PreModerated,
        proto::AccountState::Muted => AccountState::Muted,
        proto::AccountState::Banned => AccountState::Banned,
    };
    let level = breaches.range("level", standing.level, 100);
    let review_priority = breaches.range("review_priority", standing.review_priority, 100);
    let report_weight = breaches.range("report_weight", standing.report_weight, 1_000);
    let until = time("until", standing.until.as_ref(), breaches);
    let member_since = time("member_since", standing.member_since.as_ref(), breaches);
    let longest = if state > AccountState::Trusted { USUAL } else { LONGEST };
    let is_short = valid_for.is_none_or(|span| span <= longest);
    // The account counts: it is only kept no longer than a minute.
    breaches.require(is_short, "`valid_for` of a restriction is longer than a minute", "send at most 60 seconds");
    let small = |number: u16| u8::try_from(number).unwrap_or(u8::MAX);
    let account = Account::Present {
        level: small(level?),
        state,
        until: until?,
        review_priority: small(review_priority?),
        report_weight: report_weight.map(|weight| Some(weight).filter(|weight| *weight > 0))?,
        member_since: member_since?,
    };
    Some(ReceivedAccount { account, valid_for: valid_for?.min(longest) })
}

/// Returns the validity of an account; `None` if it breaks the contract.
fn valid_for(standing: &proto::AccountStanding, breaches: &mut BreachesOf<'_>) -> Option<Duration> {
    let Some(given) = standing.valid_for else { return Some(USUAL) };
    // The conversion of the library panics for the smallest number of seconds.
    let is_positive = given.seconds >= 0 && given.nanos >= 0;
    let span = is_positive.then(|| Duration::try_from(given).ok()).flatten().filter(|span| *span <= LONGEST);
    let what = format!("`valid_for` is {} s", given.seconds);
    breaches.require(span.is_some(), what, "send 0 seconds to 1 hour");
    // Zero is a span that is not set, as in every field of the contract.
    span.map(|span| if span.is_zero() { USUAL } else { span })
}

/// Returns a time that may be absent; `None` if it breaks the contract.
fn time(field: &str, given: Option<&Timestamp>, breaches: &mut BreachesOf<'_>) -> Option<Option<Millis>> {
    let Some(given) = given else { return Some(None) };
    let valid = (0..=LAST_SECOND).contains(&given.seconds) && (0..1_000_000_000).contains(&given.nanos);
    let what = format!("`{field}` is no time since 1970");
    breaches.require(valid, what, "send seconds of 1970 to 9999 and less than a second of nanoseconds");
    valid.then(|| Some(Millis(given.seconds * 1_000 + i64::from(given.nanos) / 1_000_000)))
}

#[cfg(test)]
mod tests {
    use super::{ReceivedAccount, accounts, proto};
    use prost_types::{Duration as Span, Timestamp};
    use riposte_core::Millis;
    use riposte_core::ports::{Account, AccountState, NoResult};
    use std::time::Duration;

    type Change = fn(&mut proto::AccountStanding);

    fn good() -> proto::AccountStanding {
        proto::AccountStanding {
            member_id: "m".to_owned(),
            exists: true,
            level: 100,
            state: proto::AccountState::Normal.into(),
            until: None,
            review_priority: 100,
            report_weight: 1_000,
            member_since: Some(Timestamp { seconds: 1, nanos: 2_000_000 }),
            valid_for: Some(Span { seconds: 3_600, nanos: 0 }),
        }
    }

    fn one(change: Change) -> (Result<ReceivedAccount, NoResult>, Vec<String>) {
        let (mut standing, mut breaches) = (good(), Vec::new());
        change(&mut standing);
        let found = accounts(&["m"], &[standing], &mut breaches);
        (found[0], breaches.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_standing_at_its_limits_counts() {
        let account = Account::Present {
            level: 100,
            state: AccountState::Normal,
            until: None,
            review_priority: 100,
            report_weight: Some(1_000),
            member_since: Some(Millis(1_002)),
        };
        assert_eq!(one(|_| {}), (Ok(ReceivedAccount { account, valid_for: Duration::from_secs(3_600) }), vec![]));
    }

    #[test]
    fn a_restriction_and_an_unknown_account_are_kept_for_a_minute_at_most() {
        let changes: [Change; 3] = [|s| s.state = 3, |s| s.exists = false, |s| s.valid_for = None];
        let restricted = "standing 1: `valid_for` of a restriction is longer than a minute";
        for (change, breaches) in changes.into_iter().zip([vec![restricted], vec![], vec![]]) {
            let found = one(change);
            assert_eq!(
                (found.0.unwrap().valid_for, found.1),
                (Duration::from_secs(60), breaches.into_iter().map(str::to_owned).collect())
            );
        }
    }

    #[test]
    fn a_standing_beyond_a_limit_is_undecided_and_named() {
        let cases: [(Change, &str); 9] = [
            (|s| s.state = 6, "`state` is 6, which the contract does not have"),
            (|s| s.level = 101, "`level` is 101"),
            (|s| s.review_priority = -1, "`review_priority` is -1"),
            (|s| s.report_weight = 1_001, "`report_weight` is 1001"),
            (|s| s.until = Some(Timestamp { seconds: -1, nanos: 0 }), "`until` is no time since 1970"),
            (|s| s.member_since = Some(Timestamp { seconds: 1, nanos: -1 }), "`member_since` is no time since 1970"),
            (|s| s.valid_for = Some(Span { seconds: 3_600, nanos: 1 }), "`valid_for` is 3600 s"),
            (|s| s.valid_for = Some(Span { seconds: -1, nanos: 0 }), "`valid_for` is -1 s"),
            (|s| s.valid_for = Some(Span { seconds: i64::MAX, nanos: 0 }), "`valid_for` is 9223372036854775807 s"),
        ];
        for (change, what) in cases {
            assert_eq!(one(change), (Err(NoResult::Undecided), vec![format!("standing 1: {what}")]));
        }
        assert_eq!(one(|s| s.state = 0), (Err(NoResult::Undecided), vec![]));
    }
}
