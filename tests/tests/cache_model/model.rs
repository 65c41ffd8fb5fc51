//! The possible next steps of a state, and their effects.

use super::protocol::{FaultBudget, Gap, Notification, Protocol, Relay};
use super::redis::Redis;
use super::state::{Filler, State, Writer};
use stateright::{Model, Property};

/// The safety property: nothing stays stale.
pub(super) const CONVERGES: &str = "when all is quiet, the entry is absent or equals the database";
/// Rules out that the property is met by caching nothing.
pub(super) const CACHES: &str = "all may be quiet with an entry that equals the database";

/// A protocol with a number of writers, fillers and faults.
#[derive(Debug, Clone)]
pub(super) struct Cache {
    pub(super) protocol: Protocol,
    pub(super) writers: usize,
    pub(super) fillers: usize,
    pub(super) faults: FaultBudget,
}

/// One step of one participant; numbers are those of writers and fillers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Commit(usize),
    Notify(usize),
    Add(usize),
    Crash(usize),
    Hit(usize),
    Miss(usize),
    Read(usize),
    Fill(usize),
    RelaySetsCursor,
    RelayGoesToCursor,
    RelayNotifies,
    EvictList,
    EvictHeader,
    ExpireLease,
    RestartEmpty,
    ReplicaCatchesUp,
    Failover,
}

impl Model for Cache {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        vec![State::fresh(&self.protocol, self.writers, self.fillers, self.faults)]
    }

    fn actions(&self, state: &State, steps: &mut Vec<Step>) {
        for (number, writer) in state.writers.iter().enumerate() {
            match writer {
                Writer::Begins => steps.push(Step::Commit(number)),
                Writer::Committed(_) => {
                    steps.push(Step::Notify(number));
                    steps.extend((state.faults.crash > 0).then_some(Step::Crash(number)));
                }
                Writer::Checked(_) => steps.push(Step::Add(number)),
                Writer::Done(_) => {}
            }
        }
        for (number, filler) in state.fillers.iter().enumerate() {
            match filler {
                Filler::Begins if state.redis.list.is_some() => steps.push(Step::Hit(number)),
                Filler::Begins if self.may_miss(&state.redis) => steps.push(Step::Miss(number)),
                Filler::Begins | Filler::Done => {}
                Filler::Missed(_) => steps.push(Step::Read(number)),
                Filler::Read(..) => steps.push(Step::Fill(number)),
            }
        }
        steps.extend(self.relay_step(state));
        inject(state, steps);
    }

    fn next_state(&self, last: &State, step: Step) -> Option<State> {
        let mut next = last.clone();
        let State { database, redis, replica, writers, fillers, relay, faults, next_token: _ } = &mut next;
        match step {
            Step::Commit(number) => {
                *database += 1;
                writers[number] = Writer::Committed(*database);
            }
            Step::Notify(number) => self.notify(&mut next, number),
            Step::Add(number) => *redis = redis.added(writers[number].ends()),
            Step::Crash(number) => {
                writers[number].ends();
                faults.crash -= 1;
            }
            Step::Hit(number) => fillers[number] = Filler::Done,
            Step::Miss(number) => self.miss(&mut next, number),
            Step::Read(number) => fillers[number] = fillers[number].reads(*database),
            Step::Fill(number) => {
                if let Filler::Read(token, revision) = fillers[number] {
                    *redis = redis.filled(revision, token, &self.protocol);
                }
                fillers[number] = Filler::Done;
            }
            Step::RelaySetsCursor => redis.cursor = Some(*relay),
            Step::RelayGoesToCursor => *relay = redis.cursor.unwrap_or(0),
            Step::RelayNotifies => self.relay(&mut next),
            Step::EvictList => (*redis, faults.list) = (redis.without_list(), faults.list - 1),
            Step::EvictHeader => (*redis, faults.header) = (redis.without_header(), faults.header - 1),
            Step::ExpireLease => (redis.lease, faults.expiry) = (0, faults.expiry - 1),
            Step::RestartEmpty => (*redis, faults.restart) = (Redis::default(), faults.restart - 1),
            Step::ReplicaCatchesUp => *replica = *redis,
            Step::Failover => {
                (*redis, faults.failover) = (*replica, faults.failover - 1);
                if self.protocol.relay == Relay::SeesFailovers {
                    *relay = 0;
                }
            }
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(CONVERGES, |cache: &Self, state: &State| {
                !state.is_quiet(&cache.protocol) || state.redis.list.is_none() || state.is_cached()
            }),
            Property::sometimes(CACHES, |cache: &Self, state: &State| {
                state.database > 0 && state.is_quiet(&cache.protocol) && state.is_cached()
            }),
        ]
    }
}

impl Cache {
    /// Returns true if a filler that finds no list may fill it. Without leases every filler may.
    fn may_miss(&self, redis: &Redis) -> bool {
        let warm = match self.protocol.relay {
            Relay::None | Relay::StoresPosition | Relay::SeesFailovers | Relay::InRedis { cold_leases: true } => true,
            Relay::InRedis { cold_leases: false } => redis.cursor.is_some(),
        };
        !self.protocol.lease || redis.lease == 0 && warm
    }

    /// Returns the next step of the relay, if it has one.
    fn relay_step(&self, state: &State) -> Option<Step> {
        let notifies = (state.relay < state.database).then_some(Step::RelayNotifies);
        match (self.protocol.relay, state.redis.cursor) {
            (Relay::None, _) => None,
            (Relay::StoresPosition | Relay::SeesFailovers, _) => notifies,
            (Relay::InRedis { .. }, None) => Some(Step::RelaySetsCursor),
            (Relay::InRedis { .. }, Some(cursor)) if cursor != state.relay => Some(Step::RelayGoesToCursor),
            (Relay::InRedis { .. }, Some(_)) => notifies,
        }
    }

    /// A writer notifies Redis of its commit.
    fn notify(&self, state: &mut State, number: usize) {
        let revision = state.writers[number].ends();
        match self.protocol.notification {
            Notification::Delete => state.redis = state.redis.deleted(),
            Notification::CheckThenAdd if state.redis.list.is_some() => {
                state.writers[number] = Writer::Checked(revision)
            }
            Notification::CheckThenAdd => {}
            Notification::Apply(gap) => state.redis = state.redis.applied(revision, gap, &self.protocol),
        }
    }

    /// A filler finds no list, and takes a lease if the protocol has leases.
    fn miss(&self, state: &mut State, number: usize) {
        let mut token = 0;
        if self.protocol.lease {
            token = state.next_token;
            state.redis.lease = token;
            state.next_token += 1;
        }
        state.fillers[number] = Filler::Missed(token);
    }

    /// The relay reports the next change to Redis, and its position in the same step. It reports in
    /// order, so it may delete.
    fn relay(&self, state: &mut State) {
        state.relay += 1;
        state.redis = match self.protocol.notification {
            Notification::Delete | Notification::CheckThenAdd => state.redis.deleted(),
            Notification::Apply(_) => state.redis.applied(state.relay, Gap::Delete, &self.protocol),
        };
        state.redis.cursor = self.protocol.cursor().then_some(state.relay);
    }
}

/// Adds the possible faults: those that remain and would change something.
fn inject(state: &State, steps: &mut Vec<Step>) {
    let State { redis, replica, faults, .. } = state;
    let mut may = |left: u8, changes: bool, step: Step| steps.extend((left > 0 && changes).then_some(step));
    may(faults.list, redis.list.is_some(), Step::EvictList);
    may(faults.header, redis.watermark != 0 || redis.lease != 0, Step::EvictHeader);
    may(faults.expiry, redis.lease != 0, Step::ExpireLease);
    may(faults.restart, true, Step::RestartEmpty);
    // A replica that will never take over does not need steps of its own.
    may(faults.failover, replica != redis, Step::ReplicaCatchesUp);
    may(faults.failover, replica != redis, Step::Failover);
}
