use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use futures::FutureExt;

use super::{Accounts, MemberGate, MemberRights};
use crate::domain::account_rules::{AccountFallback, AccountRules, MinLevels, TypeAccountRules};
use crate::domain::disposition::Disposition;
use crate::domain::error::{Error, Result};
use crate::domain::member::MemberId;
use crate::domain::object_type::ObjectType;
use crate::domain::policy_judgement::PolicyJudgement;
use crate::domain::review::ReviewPriority;
use crate::domain::standing::{GatedAct, Standing, StandingInForce};
use crate::domain::time::Millis;
use crate::ports::{Account, AccountClient, AccountState, NoResult, Standings};

use GatedAct::{Create, Edit, Like, Open, Other, Reply, Report};

const ACTS: [GatedAct; 7] = [Open, Create, Reply, Edit, Like, Report, Other];

type AccountResult = std::result::Result<Account, NoResult>;

/// An account service that returns one result, and the standing that this platform has.
#[derive(Debug)]
struct Fixed {
    account: AccountResult,
    own: Option<StandingInForce>,
    calls: AtomicU32,
}

#[async_trait]
impl AccountClient for Fixed {
    async fn accounts(&self, _: &ObjectType, members: &[MemberId]) -> Vec<AccountResult> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        vec![self.account; members.len()]
    }

    fn cached(&self, _: &ObjectType, _: &MemberId) -> Option<Account> {
        self.account.ok()
    }
}

impl Standings for Fixed {
    fn of(&self, _: &ObjectType, _: &MemberId, _: Millis) -> Option<StandingInForce> {
        self.own
    }

    fn was_set(&self) {}
}

fn account(level: u8, state: AccountState) -> Account {
    let (until, report_weight) = (Some(Millis(9)), Some(30));
    Account::Present { level, state, until, review_priority: 0, report_weight, member_since: None }
}

fn fixed(account: AccountResult) -> Arc<Fixed> {
    Arc::new(Fixed { account, own: None, calls: AtomicU32::new(0) })
}

/// Returns the rights of a member in an act under a type with accounts.
fn admitted(fixed: &Arc<Fixed>, object_type: &str, act: GatedAct, now: i64) -> Result<MemberRights> {
    let min_levels = MinLevels { create: 4, reply: 3, like: 2, report: 1 };
    let rules = AccountRules { fallback: AccountFallback::PreModerate, min_levels };
    let rules = TypeAccountRules { of_type: [("film".to_owned(), Some(rules))].into(), of_others: None };
    let accounts = Some(Accounts { client: Arc::clone(fixed) as _, rules: Arc::new(rules) });
    let gate = MemberGate { standings: Arc::clone(fixed) as _, accounts };
    let (object_type, member) = (ObjectType::stored(object_type.to_owned()), MemberId::stored("m7".to_owned()));
    gate.admit(&object_type, Some(&member), act, Millis(now)).now_or_never().unwrap()
}

#[test]
fn each_act_needs_its_level_and_edits_need_none() {
    for (found, refused) in [
        (account(4, AccountState::Normal), &[][..]),
        (account(3, AccountState::Normal), &[(Create, 4)]),
        (account(1, AccountState::Normal), &[(Create, 4), (Reply, 3), (Like, 2)]),
        (account(0, AccountState::Banned), &[(Create, 4), (Reply, 3), (Like, 2), (Report, 1)]),
        (Account::Absent, &[(Create, 4), (Reply, 3), (Like, 2), (Report, 1)]),
    ] {
        let level = if let Account::Present { level, .. } = found { Some(level) } else { None };
        for act in ACTS {
            let needed = refused.iter().find(|(refused, _)| *refused == act).map(|(_, needed)| *needed);
            let rights = admitted(&fixed(Ok(found)), "film", act, 0).err();
            let too_low = rights.clone().filter(|error| matches!(error, Error::LevelTooLow { .. }));
            assert_eq!(too_low, needed.map(|needed| Error::LevelTooLow { level, needed }), "{found:?} {act:?}");
            assert_eq!(admitted(&fixed(Ok(found)), "book", act, 0), Ok(MemberRights::default()), "a type without");
        }
    }
}

#[test]
fn the_stricter_one_of_account_and_standing_is_in_force_until_it_ends() {
    let suspended = Err(Error::MemberSuspended { until: Some(Millis(9)) });
    let banned = fixed(Ok(account(4, AccountState::Banned)));
    for act in [Create, Reply, Edit, Like, Report, Other] {
        assert_eq!(admitted(&banned, "film", act, 8), suspended, "{act:?}");
        assert!(admitted(&banned, "film", act, 9).is_ok(), "it has ended: {act:?}");
    }
    assert_eq!(admitted(&banned, "film", Open, 8), Ok(MemberRights::default()));
    let weight = admitted(&fixed(Ok(account(4, AccountState::Normal))), "film", Report, 0).unwrap();
    assert_eq!(weight.standing.report_weight, Some(30));
    let own = |standing| Some(StandingInForce { standing, until: None, report_weight: Some(7) });
    for (own, state, expected) in [
        (own(Standing::Trusted), AccountState::PreModerated, Standing::PreModerated),
        (own(Standing::PreModerated), AccountState::Trusted, Standing::PreModerated),
        (own(Standing::Normal), AccountState::Trusted, Standing::Trusted),
    ] {
        let fixed = Arc::new(Fixed { account: Ok(account(4, state)), own, calls: AtomicU32::new(0) });
        let rights = admitted(&fixed, "film", Create, 0).unwrap();
        assert_eq!((rights.standing.standing, rights.standing.report_weight), (expected, Some(7)));
        assert!(rights.concern_texts());
    }
}

#[test]
fn an_account_that_is_not_known_concerns_texts_alone() {
    for reason in [NoResult::Unavailable, NoResult::Undecided] {
        for act in ACTS {
            let rights = admitted(&fixed(Err(reason)), "film", act, 0).unwrap();
            let unknown = act.is_text().then_some(AccountFallback::PreModerate);
            let is_undecided = unknown.is_some() && reason == NoResult::Undecided;
            assert_eq!(rights, MemberRights { unknown, is_undecided, ..MemberRights::default() }, "{act:?}");
        }
    }
    let unknown = |fallback| MemberRights { unknown: Some(fallback), ..MemberRights::default() };
    let judged = unknown(AccountFallback::PreModerate).judgement(PolicyJudgement::default()).unwrap();
    assert_eq!(judged, Disposition::Unchecked.into());
    let refused = unknown(AccountFallback::Refuse).judgement(Disposition::Reject.into());
    assert_eq!(refused, Err(Error::PolicyUnavailable("accounts")));
}

#[test]
fn the_higher_priority_of_account_and_filter_counts() {
    let priority = |of_filter: u8, review_priority: u8| {
        let Account::Present { level, state, until, report_weight, member_since, .. } =
            account(4, AccountState::Normal)
        else {
            panic!("present")
        };
        let found = Account::Present { level, state, until, report_weight, member_since, review_priority };
        let rights = admitted(&fixed(Ok(found)), "film", Create, 0).unwrap();
        assert_eq!(rights.concern_texts(), review_priority > 0);
        let by_content = PolicyJudgement { priority: ReviewPriority::new(of_filter), ..PolicyJudgement::default() };
        let judged = rights.judgement(by_content.clone()).unwrap();
        assert_eq!(judged, PolicyJudgement { priority: judged.priority, ..by_content }, "nothing else changes");
        judged.priority
    };
    for (of_filter, of_account, expected) in [(0, 0, 0), (40, 0, 40), (0, 70, 70), (40, 70, 70), (90, 70, 90)] {
        assert_eq!(priority(of_filter, of_account), ReviewPriority::new(expected));
    }
}

#[test]
fn acts_that_rarely_matter_make_no_call() {
    for (act, calls) in [(Open, 0), (Other, 0), (Create, 1), (Edit, 1), (Like, 1), (Report, 1)] {
        let fixed = fixed(Ok(account(4, AccountState::Normal)));
        admitted(&fixed, "film", act, 0).unwrap();
        assert_eq!(fixed.calls.load(Ordering::Relaxed), calls, "{act:?}");
    }
}

#[test]
fn an_account_has_an_age_in_whole_days_if_its_time_is_known() {
    const DAYS: i64 = 86_400_000;
    let rights = MemberRights { member_since: Some(Millis(DAYS)), ..MemberRights::default() };
    let ages = [0, DAYS, 2 * DAYS - 1, 2 * DAYS, 8 * DAYS].map(|now| rights.age(Millis(now)));
    assert_eq!(ages, [Some(0), Some(0), Some(0), Some(1), Some(7)]);
    assert_eq!(MemberRights::default().age(Millis(DAYS)), None);
    let state = AccountState::Normal;
    let found = Account::Present {
        level: 4,
        state,
        until: None,
        review_priority: 0,
        report_weight: None,
        member_since: Some(Millis(5)),
    };
    let rights = admitted(&fixed(Ok(found)), "film", GatedAct::Create, 9).unwrap();
    assert_eq!(rights.member_since, Some(Millis(5)));
}
