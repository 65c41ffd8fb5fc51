//! Admission control under overload.
//!
//! Three pools bound the running calls: reads, writes and streams. A call that finds its pool full
//! waits for a short time in a short queue and is then rejected, without effect and before its body
//! is decoded. Within a pool, the class of a call decides: a part of the pool is reserved for the
//! highest class, and calls of the lowest class are rejected first. Two rate limits bound the calls
//! of one caller and of one member, regardless of other load. Responses from the response cache
//! take no capacity, since they are in memory.
//!
//! Every limit is fixed by the configuration; nothing here adapts. Memory is bounded too: queues
//! have a maximum length, and the number of buckets is limited.

mod bucket;
mod method;
mod pool;
mod queue;
mod rates;
mod send_buffer;
mod settings;

use std::sync::Arc;
use std::time::Duration;

use riposte_core::{Caller, Error, MemberId, ObjectType};
use riposte_sync::{KeyedQuota, QuotaPermit};
use riposte_telemetry::Metrics;
use tokio::time::Instant;

pub use bucket::RateLimit;
pub use method::Timeouts;
pub(crate) use method::{AdmissionClass, MessageProfile, MethodPolicy, PoolName};
use pool::{AdmissionPool, PoolLimits, PoolPermit};
use rates::CallerRates;
pub use rates::MemberRates;
pub use send_buffer::{ConnectionBuffer, DrainRate, SendBuffer};
pub use settings::LimitSettings;

/// The admission limits of one process.
#[derive(Debug, Clone)]
pub struct AdmissionLimits {
    /// The maximum number of running reads.
    pub reads: usize,
    /// The maximum number of running writes.
    pub writes: usize,
    /// The maximum number of open streams; no call waits for one.
    pub streams: usize,
    /// The maximum number of open streams of one caller.
    pub streams_per_caller: usize,
    /// The maximum number of reads, and of writes, that wait for capacity.
    pub queue: usize,
    /// The maximum wait of a read.
    pub read_wait: Duration,
    /// The maximum wait of a write.
    pub write_wait: Duration,
    /// The rate limit of the calls of one caller; `None` for no limit.
    pub caller: Option<RateLimit>,
    /// The rate limits of the writes of one member, by object type.
    pub members: MemberRates,
    /// The rate limits of the reports of one member, by object type.
    pub reports: MemberRates,
    /// The maximum number of callers, and of members, whose rates are tracked.
    pub principals: u64,
}

/// Admits calls. Clones share all pools and rates.
#[derive(Debug, Clone)]
pub struct Admission {
    reads: AdmissionPool,
    writes: AdmissionPool,
    streams: AdmissionPool,
    caller_streams: KeyedQuota<Arc<str>>,
    callers: CallerRates,
    members: MemberRates,
    reports: MemberRates,
    metrics: Metrics,
}

/// The admission of a call. The call keeps its capacity until this value is dropped.
#[derive(Debug)]
pub(crate) struct Admitted {
    _permit: PoolPermit,
    _quota: Option<QuotaPermit<Arc<str>>>,
}

impl Admission {
    /// Creates the pools and rates, without any running call.
    #[must_use]
    pub fn new(limits: &AdmissionLimits, metrics: Metrics) -> Self {
        let AdmissionLimits { reads, writes, streams, queue, read_wait, write_wait, caller, .. } = limits;
        let AdmissionLimits { streams_per_caller, members, reports, principals, .. } = limits;
        let pool = |capacity: &usize, wait: Duration| {
            AdmissionPool::new(PoolLimits { capacity: *capacity, queue: *queue, wait })
        };
        Self {
            reads: pool(reads, *read_wait),
            writes: pool(writes, *write_wait),
            streams: pool(streams, Duration::ZERO),
            caller_streams: KeyedQuota::new(*streams_per_caller),
            callers: CallerRates::new(*caller, *principals),
            members: members.clone().with_capacity(*principals),
            reports: reports.clone().with_capacity(*principals),
            metrics,
        }
    }

    /// Enters the pool of a method, by `until` at the latest.
    ///
    /// # Errors
    /// [`Error::Overloaded`] if no capacity becomes free in time, or the caller has reached its
    /// quota of streams; the call had no effect.
    pub(crate) async fn enter(
        &self,
        policy: MethodPolicy,
        caller: Option<&Caller>,
        until: Option<Instant>,
    ) -> Result<Admitted, Error> {
        let quota = match caller {
            Some(caller) if policy.pool == PoolName::Streams => Some(self.take_stream(caller)?),
            Some(_) | None => None,
        };
        let pool = match policy.pool {
            PoolName::Reads => &self.reads,
            PoolName::Writes => &self.writes,
            PoolName::Streams => &self.streams,
        };
        let result = pool.enter(policy.class, until).await;
        let permit = result.inspect_err(|_| self.metrics.call_refused(policy.pool.name(), policy.class.name()))?;
        Ok(Admitted { _permit: permit, _quota: quota })
    }

    fn take_stream(&self, caller: &Caller) -> Result<QuotaPermit<Arc<str>>, Error> {
        self.caller_streams.try_acquire(&caller.shared_name()).ok_or_else(|| {
            self.metrics.call_refused("caller_streams", "");
            pool::overloaded()
        })
    }

    /// Checks that the send buffer of a connection has capacity for a further response.
    ///
    /// # Errors
    /// [`Error::Overloaded`] until the client reads responses.
    pub(crate) fn check_buffer(&self, buffer: &ConnectionBuffer) -> Result<(), Error> {
        buffer.check_capacity().inspect_err(|_| self.metrics.call_refused("send_buffer", ""))
    }

    /// Checks that this response still fits into the send buffer of a connection: responses of
    /// concurrent calls may have filled it since the first check.
    ///
    /// # Errors
    /// [`Error::Overloaded`] until the client reads.
    pub(crate) fn check_fit(&self, buffer: &ConnectionBuffer, bytes: usize) -> Result<(), Error> {
        buffer.check_fit(bytes).inspect_err(|_| self.metrics.call_refused("send_buffer", ""))
    }

    /// Counts a call towards the rate limit of its caller.
    ///
    /// # Errors
    /// [`Error::RateLimited`] when the limit is reached.
    pub(crate) fn count_caller(&self, caller: &Caller) -> Result<(), Error> {
        self.callers.take(caller).inspect_err(|_| self.metrics.call_refused("caller_rate", ""))
    }

    /// Counts a write towards the rate limit of a member under an object type.
    ///
    /// # Errors
    /// [`Error::RateLimited`] when the limit is reached.
    pub(crate) fn count_member(&self, object_type: &ObjectType, member: &MemberId) -> Result<(), Error> {
        self.members.take(object_type, member).inspect_err(|_| self.metrics.call_refused("member_rate", ""))
    }

    /// Counts a report towards the number that a member may make under an object type.
    ///
    /// # Errors
    /// [`Error::RateLimited`] when the limit is reached.
    pub(crate) fn count_report(&self, object_type: &ObjectType, member: &MemberId) -> Result<(), Error> {
        self.reports.take(object_type, member).inspect_err(|_| self.metrics.call_refused("report_rate", ""))
    }
}
