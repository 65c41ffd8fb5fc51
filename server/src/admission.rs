//! What is let in while more is asked than can be done.
//!
//! Three pools bound the calls under way: reads, writes and streams. A call that finds its pool full waits for a short time in
//! a short queue and is refused then, without effect and before its body is decoded. Within a pool, classes decide: part of
//! it is kept for what must go on, and what is worth least goes first. Two rates bound how much one caller and one member may ask
//! for, whoever else is there. Pages that are kept ready take no room: they wait for nobody.
//!
//! Every bound is fixed, by the configuration; nothing here learns. Memory is bounded too: queues have a length, and buckets a
//! number.

mod bucket;
mod method;
mod pool;
mod queue;
mod quota;
mod rates;
mod send_buffer;

use std::time::Duration;

use riposte_core::{Caller, Error, MemberId, ObjectType};
use tokio::time::Instant;

use crate::telemetry::Metrics;
pub use bucket::RateLimit;
pub use method::Timeouts;
pub(crate) use method::{MessageProfile, MethodPolicy, terms};
use pool::{AdmissionPool, PoolLimits, PoolPermit};
pub(crate) use quota::{Quota, Quotas};
use rates::CallerRates;
pub use rates::MemberRates;
pub(crate) use send_buffer::{ConnectionBuffer, DrainRate, SendBuffer};

/// The bounds of one process.
#[derive(Debug, Clone)]
pub struct AdmissionLimits {
    /// Reads under way.
    pub reads: usize,
    /// Writes under way.
    pub writes: usize,
    /// Open streams; nobody waits for one.
    pub streams: usize,
    /// Open streams of one caller.
    pub streams_per_caller: usize,
    /// Reads, and writes, that wait for room.
    pub queue: usize,
    /// How long a read waits.
    pub read_wait: Duration,
    /// How long a write waits.
    pub write_wait: Duration,
    /// Calls of one caller; `None` for as many as there is room for.
    pub caller: Option<RateLimit>,
    /// Writes of one member, by object type.
    pub members: MemberRates,
    /// Callers, and members, that are remembered.
    pub principals: u64,
}

/// Lets calls in. Clones share all rooms and rates.
#[derive(Debug, Clone)]
pub struct Admission {
    reads: AdmissionPool,
    writes: AdmissionPool,
    streams: AdmissionPool,
    streams_of: Quotas,
    callers: CallerRates,
    members: MemberRates,
    metrics: Metrics,
}

/// The room of a call, until it is dropped.
#[derive(Debug)]
pub(crate) struct Admitted {
    _permit: PoolPermit,
    _share: Option<Quota>,
}

impl Admission {
    /// Nothing under way yet.
    #[must_use]
    pub fn new(limits: &AdmissionLimits, metrics: Metrics) -> Self {
        let AdmissionLimits { reads, writes, streams, queue, read_wait, write_wait, caller, .. } = limits;
        let AdmissionLimits { streams_per_caller, members, principals, .. } = limits;
        let pool = |room: &usize, wait: Duration| AdmissionPool::new(PoolLimits { room: *room, queue: *queue, wait });
        Self {
            reads: pool(reads, *read_wait),
            writes: pool(writes, *write_wait),
            streams: pool(streams, Duration::ZERO),
            streams_of: Quotas::new(*streams_per_caller),
            callers: CallerRates::new(*caller, *principals),
            members: members.clone().remembering(*principals),
            metrics,
        }
    }

    /// Enters the pool of a method, by `until` at the latest.
    ///
    /// # Errors
    /// [`Error::Overloaded`] where there is no room in time, or the caller has its share of the streams; the call had no effect.
    pub(crate) async fn enter(
        &self,
        terms: MethodPolicy,
        caller: Option<&Caller>,
        until: Option<Instant>,
    ) -> Result<Admitted, Error> {
        let share = match caller {
            Some(caller) if terms.pool == method::PoolName::Streams => Some(self.stream_of(caller)?),
            Some(_) | None => None,
        };
        let pool = match terms.pool {
            method::PoolName::Reads => &self.reads,
            method::PoolName::Writes => &self.writes,
            method::PoolName::Streams => &self.streams,
        };
        let entered = pool.enter(terms.class, until).await;
        let permit = entered.inspect_err(|_| self.metrics.call_refused(terms.pool.name(), terms.class.name()))?;
        Ok(Admitted { _permit: permit, _share: share })
    }

    fn stream_of(&self, caller: &Caller) -> Result<Quota, Error> {
        self.streams_of.take(&caller.shared_name()).ok_or_else(|| {
            self.metrics.call_refused("caller_streams", "");
            pool::overloaded()
        })
    }

    /// Whether a connection reads what it is answered, so that it may be answered more.
    ///
    /// # Errors
    /// [`Error::Overloaded`] until it does.
    pub(crate) fn reads(&self, backlog: &ConnectionBuffer) -> Result<(), Error> {
        backlog.room().inspect_err(|_| self.metrics.call_refused("unread", ""))
    }

    /// Whether this answer still fits into what a connection has not read: many calls may have come at once.
    ///
    /// # Errors
    /// [`Error::Overloaded`] until it reads.
    pub(crate) fn fits(&self, backlog: &ConnectionBuffer, bytes: usize) -> Result<(), Error> {
        backlog.fits(bytes).inspect_err(|_| self.metrics.call_refused("unread", ""))
    }

    /// Counts a call of a caller.
    ///
    /// # Errors
    /// [`Error::RateLimited`] where it has had its share.
    pub(crate) fn caller(&self, caller: &Caller) -> Result<(), Error> {
        self.callers.take(caller).inspect_err(|_| self.metrics.call_refused("caller_rate", ""))
    }

    /// Counts a write of a member under an object type.
    ///
    /// # Errors
    /// [`Error::RateLimited`] where the member has had its share.
    pub(crate) fn member(&self, object_type: &ObjectType, member: &MemberId) -> Result<(), Error> {
        self.members.take(object_type, member).inspect_err(|_| self.metrics.call_refused("member_rate", ""))
    }
}
