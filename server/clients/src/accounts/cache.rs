//! The last account of each of many members.

use std::time::Duration;

use moka::sync::Cache;
use riposte_core::ports::Account;
use riposte_core::{MemberId, ObjectType};
use tokio::time::Instant;

use super::response::ReceivedAccount;

/// The age up to which the last account counts while the service returns none.
const LAST: Duration = Duration::from_secs(15 * 60);
/// The largest number of accounts.
const ACCOUNTS: u64 = 100_000;

#[derive(Debug, Clone, Copy)]
struct CachedAccount {
    received: ReceivedAccount,
    at: Instant,
}

/// The last account of each of many members.
#[derive(Debug)]
pub(super) struct AccountCache(Cache<(ObjectType, MemberId), CachedAccount>);

impl AccountCache {
    pub(super) fn new() -> Self {
        Self(Cache::new(ACCOUNTS))
    }

    pub(super) fn insert(&self, object_type: &ObjectType, member: &MemberId, received: ReceivedAccount) {
        self.0.insert((object_type.clone(), member.clone()), CachedAccount { received, at: Instant::now() });
    }

    /// Returns the account if it is still valid.
    pub(super) fn valid(&self, object_type: &ObjectType, member: &MemberId) -> Option<Account> {
        self.within(object_type, member, |received| received.valid_for)
    }

    /// Returns the last account if it still counts where no newer one comes.
    pub(super) fn last(&self, object_type: &ObjectType, member: &MemberId) -> Option<Account> {
        self.within(object_type, member, |_| LAST)
    }

    fn within(
        &self,
        object_type: &ObjectType,
        member: &MemberId,
        span: fn(&ReceivedAccount) -> Duration,
    ) -> Option<Account> {
        let cached = self.0.get(&(object_type.clone(), member.clone()))?;
        (cached.at.elapsed() < span(&cached.received)).then_some(cached.received.account)
    }
}

#[cfg(test)]
mod tests {
    use super::{AccountCache, ReceivedAccount};
    use riposte_core::ports::Account;
    use riposte_core::{MemberId, ObjectType};
    use std::time::Duration;

    #[tokio::test(start_paused = true)]
    async fn an_account_is_valid_as_long_as_it_allows_and_counts_for_fifteen_minutes() {
        let cache = AccountCache::new();
        let (video, member) = (ObjectType::stored("video".to_owned()), MemberId::stored("m7".to_owned()));
        let received = ReceivedAccount { account: Account::Absent, valid_for: Duration::from_secs(60) };
        cache.insert(&video, &member, received);
        let seconds = |seconds| tokio::time::advance(Duration::from_secs(seconds));
        seconds(59).await;
        assert_eq!(cache.valid(&video, &member), Some(Account::Absent));
        assert_eq!(cache.valid(&ObjectType::stored("article".to_owned()), &member), None);
        seconds(1).await;
        assert_eq!((cache.valid(&video, &member), cache.last(&video, &member)), (None, Some(Account::Absent)));
        seconds(14 * 60).await;
        assert_eq!(cache.last(&video, &member), None);
    }
}
