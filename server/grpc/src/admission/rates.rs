//! Rate limits of one caller, and of one member under an object type.
//!
//! The number of tracked principals is bounded. Rarely seen ones are evicted first, and an evicted
//! principal starts again with a full bucket. A flood of names therefore costs no memory, and does
//! not free the most active principals from their limits.

use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use moka::sync::Cache;
use riposte_core::{Caller, Error, MemberId, ObjectType};
use tokio::time::Instant;

use super::bucket::{RateLimit, TokenBucket};

/// The minimum time for which an idle principal is tracked.
const MIN_TRACKED: Duration = Duration::from_secs(60);

/// The token buckets of principals.
#[derive(Debug, Clone)]
struct Buckets<K: Hash + Eq + Send + Sync + 'static> {
    start: Instant,
    by_key: Cache<K, Arc<TokenBucket>>,
}

/// The rate limit of each caller.
#[derive(Debug, Clone)]
pub(super) struct CallerRates(Option<(RateLimit, Buckets<Arc<str>>)>);

/// The rate limits of each member, by object type.
#[derive(Debug, Clone)]
pub struct MemberRates {
    by_type: BTreeMap<String, Option<RateLimit>>,
    default: Option<RateLimit>,
    buckets: Buckets<(ObjectType, MemberId)>,
}

impl<K: Hash + Eq + Send + Sync + Clone + 'static> Buckets<K> {
    /// Creates buckets for up to `principals`, each tracked until it is full again.
    fn new(principals: u64, refill: Duration) -> Self {
        let by_key = Cache::builder().max_capacity(principals).time_to_idle(refill.max(MIN_TRACKED)).build();
        Self { start: Instant::now(), by_key }
    }

    fn take(&self, key: K, rate: RateLimit) -> Result<(), Error> {
        let bucket = self.by_key.get_with(key, Arc::default);
        bucket.take(rate, self.start.elapsed()).map_err(|after| Error::RateLimited { after })
    }
}

impl CallerRates {
    pub(super) fn new(rate: Option<RateLimit>, principals: u64) -> Self {
        Self(rate.map(|rate| (rate, Buckets::new(principals, rate.refill()))))
    }

    pub(super) fn take(&self, caller: &Caller) -> Result<(), Error> {
        let Some((rate, buckets)) = &self.0 else { return Ok(()) };
        buckets.take(caller.shared_name(), *rate)
    }
}

impl MemberRates {
    /// Creates the limits of the registered object types, and that of all others.
    #[must_use]
    pub fn new(by_type: BTreeMap<String, Option<RateLimit>>, default: Option<RateLimit>) -> Self {
        Self { by_type, default, buckets: Buckets::new(0, Duration::ZERO) }
    }

    /// Returns the same limits with buckets for up to `principals` members.
    pub(super) fn with_capacity(mut self, principals: u64) -> Self {
        let refills = self.by_type.values().chain([&self.default]).flatten().map(|rate| rate.refill());
        self.buckets = Buckets::new(principals, refills.max().unwrap_or_default());
        self
    }

    pub(super) fn take(&self, object_type: &ObjectType, member: &MemberId) -> Result<(), Error> {
        let rate = self.by_type.get(object_type.as_str()).copied().unwrap_or(self.default);
        let Some(rate) = rate else { return Ok(()) };
        self.buckets.take((object_type.clone(), member.clone()), rate)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use riposte_core::{Caller, MemberId, ObjectType, Reason};

    use super::{CallerRates, MemberRates, RateLimit};

    const MINUTE: Duration = Duration::from_secs(60);

    fn rate(burst: u32) -> Option<RateLimit> {
        RateLimit::new(1, MINUTE, burst)
    }

    #[test]
    fn members_of_each_type_have_rates_of_their_own() {
        let by_type = BTreeMap::from([("busy".to_owned(), None), ("slow".to_owned(), rate(1))]);
        let rates = MemberRates::new(by_type, rate(2)).with_capacity(100);
        let take = |object_type: &str, member: &str| {
            let member = MemberId::parse("member_id", member).unwrap();
            let result = rates.take(&ObjectType::stored(object_type.into()), &member);
            result.map_err(|error| (error.reason(), error.retry_after() > Some(Duration::from_secs(50))))
        };
        let rejected = Err((Reason::RateLimited, true));
        assert_eq!([take("slow", "m"), take("slow", "m"), take("slow", "n")], [Ok(()), rejected, Ok(())]);
        assert_eq!([take("other", "m"), take("other", "m"), take("other", "m")], [Ok(()), Ok(()), rejected]);
        assert!((0..100).all(|_| take("busy", "m").is_ok()));
    }

    #[test]
    fn a_caller_is_bounded_by_name_and_memory_by_number() {
        let rates = CallerRates::new(rate(2), 50);
        let web = Caller::unrestricted("web");
        assert!(rates.take(&web).is_ok() && rates.take(&web).is_ok() && rates.take(&web).is_err());
        for n in 0..5_000 {
            assert!(rates.take(&Caller::unrestricted(format!("c{n}"))).is_ok());
        }
        let (_, buckets) = rates.0.as_ref().unwrap();
        buckets.by_key.run_pending_tasks();
        assert!(buckets.by_key.entry_count() <= 50, "{}", buckets.by_key.entry_count());
        assert!(CallerRates::new(None, 50).take(&web).is_ok());
    }
}
