//! The rights of members in their acts: standings, and the accounts of an outside service.

use std::sync::Arc;

use crate::domain::account_rules::{AccountFallback, AccountRules, TypeAccountRules};
use crate::domain::error::{Error, Result};
use crate::domain::member::MemberId;
use crate::domain::object_type::ObjectType;
use crate::domain::policy_judgement::PolicyJudgement;
use crate::domain::review::ReviewPriority;
use crate::domain::standing::{GatedAct, Standing, StandingInForce};
use crate::domain::time::Millis;
use crate::ports::{Account, AccountClient, AccountState, NoResult, Standings};

/// The name of the account service in errors.
const SERVICE: &str = "accounts";
/// A day in milliseconds.
const DAY: i64 = 86_400_000;

/// Decides on the acts of members.
#[derive(Debug, Clone)]
pub struct MemberGate {
    /// The standings of this platform.
    pub standings: Arc<dyn Standings>,
    /// The accounts; `None` without a service that knows them.
    pub accounts: Option<Accounts>,
}

/// The account service, and the rules of the object types.
#[derive(Debug, Clone)]
pub struct Accounts {
    /// The service.
    pub client: Arc<dyn AccountClient>,
    /// The rules.
    pub rules: Arc<TypeAccountRules>,
}

/// The rights of a member in an act that nothing refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemberRights {
    /// The stricter one of the standing and the state of the account.
    pub standing: StandingInForce,
    /// The treatment of the text of an author whose account is not known; `None` if it is, or if it
    /// makes no difference.
    pub unknown: Option<AccountFallback>,
    /// `true` if the account is not known although the service answered.
    pub is_undecided: bool,
    /// The start of the membership, if the account has it.
    pub member_since: Option<Millis>,
    /// The priority of reviews of its texts, if the account has one.
    pub review_priority: ReviewPriority,
}

impl MemberGate {
    /// Returns the rights of a member in an act. An act that is not the one of a member, or that
    /// needs none, asks for nothing. Without an account service this waits for nothing.
    ///
    /// # Errors
    /// [`Error::LevelTooLow`]; [`Error::MemberSuspended`].
    pub async fn admit(
        &self,
        object_type: &ObjectType,
        member: Option<&MemberId>,
        act: GatedAct,
        now: Millis,
    ) -> Result<MemberRights> {
        let Some(member) = member.filter(|_| act != GatedAct::Open) else { return Ok(MemberRights::default()) };
        let own = self.standings.of(object_type, member, now).unwrap_or_default();
        let rules = self.accounts.as_ref().and_then(|accounts| Some((accounts, accounts.rules.of(object_type)?)));
        let rights = match rules {
            None => MemberRights { standing: own, ..MemberRights::default() },
            Some((accounts, rules)) => {
                let account = accounts.account(object_type, member, act).await;
                rights(rules, account, act, now)?.under(own)
            }
        };
        rights.standing.check(act)?;
        Ok(rights)
    }
}

impl Accounts {
    /// Returns the account of a member, if it is known. Acts that rarely matter do not wait for the
    /// service.
    async fn account(
        &self,
        object_type: &ObjectType,
        member: &MemberId,
        act: GatedAct,
    ) -> std::result::Result<Account, NoResult> {
        if act == GatedAct::Other {
            return self.client.cached(object_type, member).ok_or(NoResult::Unavailable);
        }
        let found = self.client.accounts(object_type, std::slice::from_ref(member)).await.pop();
        found.unwrap_or(Err(NoResult::Unavailable))
    }
}

/// Returns what an account alone allows.
fn rights(
    rules: AccountRules,
    account: std::result::Result<Account, NoResult>,
    act: GatedAct,
    now: Millis,
) -> Result<MemberRights> {
    let needed = rules.min_levels.of(act);
    match (account, needed) {
        (Err(reason), _) => {
            let unknown = act.is_text().then_some(rules.fallback);
            let is_undecided = unknown.is_some() && reason == NoResult::Undecided;
            Ok(MemberRights { unknown, is_undecided, ..MemberRights::default() })
        }
        (Ok(Account::Absent), Some(needed)) => Err(Error::LevelTooLow { level: None, needed }),
        (Ok(Account::Absent), None) => Ok(MemberRights::default()),
        (Ok(Account::Present { level, .. }), Some(needed)) if level < needed => {
            Err(Error::LevelTooLow { level: Some(level), needed })
        }
        (Ok(Account::Present { state, until, report_weight, member_since, review_priority, .. }), _) => {
            let standing = standing_of(state);
            let in_force = StandingInForce { standing, until, report_weight: report_weight.map(i32::from) };
            let review_priority = ReviewPriority::new(review_priority);
            let standing = in_force.at(now);
            Ok(MemberRights { standing, member_since, review_priority, ..MemberRights::default() })
        }
    }
}

const fn standing_of(state: AccountState) -> Standing {
    match state {
        AccountState::Normal => Standing::Normal,
        AccountState::Trusted => Standing::Trusted,
        AccountState::PreModerated => Standing::PreModerated,
        AccountState::Muted => Standing::Muted,
        AccountState::Banned => Standing::Banned,
    }
}

impl MemberRights {
    /// Returns these rights under a standing of this platform, too.
    fn under(self, own: StandingInForce) -> Self {
        Self { standing: own.stricter(self.standing), ..self }
    }

    /// Returns the days since the member joined, at the time `now`; `None` if it is not
    /// known.
    #[must_use]
    pub fn age(&self, now: Millis) -> Option<u32> {
        let days = now.0.saturating_sub(self.member_since?.0).max(0) / DAY;
        Some(days.try_into().unwrap_or(u32::MAX))
    }

    /// Returns `true` if texts of the member are judged whatever is in them.
    #[must_use]
    pub fn concern_texts(&self) -> bool {
        self.standing.standing != Standing::Normal
            || self.unknown.is_some()
            || self.review_priority != ReviewPriority::USUAL
    }

    /// Returns the judgement on a text of the member, from that on the text alone.
    ///
    /// # Errors
    /// [`Error::PolicyUnavailable`].
    pub fn judgement(&self, by_content: PolicyJudgement) -> Result<PolicyJudgement> {
        let by_content = match self.unknown {
            None => by_content,
            Some(AccountFallback::PreModerate) => by_content.held_by_outage(),
            Some(AccountFallback::Refuse) => return Err(Error::PolicyUnavailable(SERVICE)),
        };
        let judged = self.standing.standing.judgement(by_content);
        Ok(PolicyJudgement { priority: judged.priority.max(self.review_priority), ..judged })
    }
}

#[cfg(test)]
mod tests;
