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

    pub(super) fn insert(&self, object_type: &ObjectType, member: &MemberId, received: ReceivedAccount, at: Instant) {
        self.0.insert((object_type.clone(), member.clone()), CachedAccount { received, at });
    }

    /// Returns the account if it is still valid.
    pub(super) fn valid(&self, object_type: &ObjectType, member: &MemberId, now: Instant) -> Option<Account> {
        self.within(object_type, member, now, |received| received.valid_for)
    }

    /// Returns the last account if it still counts where no newer one comes.
    pub(super) fn last(&self, object_type: &ObjectType, member: &MemberId, now: Instant) -> Option<Account> {
        self.within(object_type, member, now, |_| LAST)
    }

    fn within(
        &self,
        object_type: &ObjectType,
        member: &MemberId,
        now: Instant,
        span: fn(&ReceivedAccount) -> Duration,
    ) -> Option<Account> {
        let cached = self.0.get(&(object_type.clone(), member.clone()))?;
        (now.saturating_duration_since(cached.at) < span(&cached.received)).then_some(cached.received.account)
    }
}

#[cfg(test)]
mod tests {
    use super::{AccountCache, ReceivedAccount};
    use riposte_core::ports::Account;
    use riposte_core::{MemberId, ObjectType};
    use std::time::Duration;
    use tokio::time::Instant;

    #[test]
    fn an_account_is_valid_as_long_as_it_allows_and_counts_for_fifteen_minutes() {
        let (cache, at) = (AccountCache::new(), Instant::now());
        let (video, member) = (ObjectType::stored("video".to_owned()), MemberId::stored("m7".to_owned()));
        let received = ReceivedAccount { account: Account::Absent, valid_for: Duration::from_secs(60) };
        cache.insert(&video, &member, received, at);
        let after = |seconds| at + Duration::from_secs(seconds);
        assert_eq!(cache.valid(&video, &member, after(59)), Some(Account::Absent));
        assert_eq!(cache.valid(&ObjectType::stored("article".to_owned()), &member, after(59)), None);
        let (valid, last) = (cache.valid(&video, &member, after(60)), cache.last(&video, &member, after(60)));
        assert_eq!((valid, last), (None, Some(Account::Absent)));
        assert_eq!(cache.last(&video, &member, after(15 * 60)), None);
    }
}
