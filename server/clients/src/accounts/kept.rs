//! The answers of the account service that are kept.

use std::time::Duration;

use moka::sync::Cache;
use riposte_core::ports::Account;
use riposte_core::{MemberId, ObjectType};
use tokio::time::Instant;

use super::answer::Answered;

/// The age up to which the last answer counts while the service gives none.
const LAST: Duration = Duration::from_secs(15 * 60);
/// The number of accounts that are kept.
const ACCOUNTS: u64 = 100_000;

#[derive(Debug, Clone, Copy)]
struct Kept {
    answer: Answered,
    at: Instant,
}

/// The last answer about each of many members.
#[derive(Debug)]
pub(super) struct KeptAnswers(Cache<(ObjectType, MemberId), Kept>);

impl KeptAnswers {
    pub(super) fn new() -> Self {
        Self(Cache::new(ACCOUNTS))
    }

    pub(super) fn keep(&self, object_type: &ObjectType, member: &MemberId, answer: Answered) {
        self.0.insert((object_type.clone(), member.clone()), Kept { answer, at: Instant::now() });
    }

    /// Returns the account if its answer is still valid.
    pub(super) fn valid(&self, object_type: &ObjectType, member: &MemberId) -> Option<Account> {
        self.within(object_type, member, |answer| answer.valid_for)
    }

    /// Returns the last answer if it still counts where no newer one comes.
    pub(super) fn last(&self, object_type: &ObjectType, member: &MemberId) -> Option<Account> {
        self.within(object_type, member, |_| LAST)
    }

    fn within(&self, object_type: &ObjectType, member: &MemberId, span: fn(&Answered) -> Duration) -> Option<Account> {
        let kept = self.0.get(&(object_type.clone(), member.clone()))?;
        (kept.at.elapsed() < span(&kept.answer)).then_some(kept.answer.account)
    }
}

#[cfg(test)]
mod tests {
    use super::{Answered, KeptAnswers};
    use riposte_core::ports::Account;
    use riposte_core::{MemberId, ObjectType};
    use std::time::Duration;

    #[tokio::test(start_paused = true)]
    async fn an_answer_is_valid_as_long_as_it_allows_and_counts_for_fifteen_minutes() {
        let kept = KeptAnswers::new();
        let (video, member) = (ObjectType::stored("video".to_owned()), MemberId::stored("m7".to_owned()));
        let answer = Answered { account: Account::Absent, valid_for: Duration::from_secs(60) };
        kept.keep(&video, &member, answer);
        let seconds = |seconds| tokio::time::advance(Duration::from_secs(seconds));
        seconds(59).await;
        assert_eq!(kept.valid(&video, &member), Some(Account::Absent));
        assert_eq!(kept.valid(&ObjectType::stored("article".to_owned()), &member), None);
        seconds(1).await;
        assert_eq!((kept.valid(&video, &member), kept.last(&video, &member)), (None, Some(Account::Absent)));
        seconds(14 * 60).await;
        assert_eq!(kept.last(&video, &member), None);
    }
}
