//! The cached likes of one member in one subject: their invalidation begins before a commit and
//! ends after it, and the relay removes them again (`server/cache/src/port.rs`). Each commit
//! changes the value; its sequence number is the value.

mod variants;

use stateright::{Model, Property};

/// A rule. When a rule is left out, the checker must find a violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// A writer begins the invalidation before its commit, which removes the cached likes and
    /// revokes the right to fill.
    WritersInvalidate,
    /// No filler gets the right to fill during an invalidation.
    InvalidationsBarFillers,
    /// A writer that finds its invalidation lost when it ends it removes the likes that were filled
    /// meanwhile.
    LostInvalidationsRemove,
    /// A writer whose call did not reach the cache begins a new generation.
    FailedWritersBeginGenerations,
    /// Cached likes belong to a generation.
    OldGenerationsAreNone,
    /// The relay removes the cached likes in the step that moves its cursor past the commit.
    RelayRemoves,
}

/// The remaining number of faults of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
struct FaultBudget {
    evict: u8,
    crash: u8,
    unavailable: u8,
    failover: u8,
    restart: u8,
    /// All invalidations expire.
    expiry: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Writer {
    Begins,
    /// True if the beginning of the invalidation reached the cache.
    Invalidated(bool),
    Committed(u8, bool),
    Failed(u8),
    /// The committed value; true if the end of the invalidation reached the cache.
    Done(u8, bool),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Filler {
    Begins,
    Opened,
    Read(u8),
    Done,
}

/// The member's key, and the cursor of the partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
struct Redis {
    cursor: Option<(u8, u8)>,
    /// The generation and the value.
    known: Option<(u8, u8)>,
    /// The generation and the filler that may fill.
    filler: Option<(u8, usize)>,
    /// The running invalidations, one bit for each writer.
    invalidations: u8,
}

impl Redis {
    fn remove(&mut self) {
        (self.known, self.filler) = (None, None);
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct State {
    committed: u8,
    redis: Redis,
    replica: Redis,
    writers: [Writer; 2],
    fillers: [Filler; 2],
    /// `None`: the relay has died, and will continue at the position of the cursor.
    relay: Option<u8>,
    generation: u8,
    faults: FaultBudget,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Write(usize),
    UpdateFails(usize),
    WriterDies(usize),
    Fill(usize),
    Relay,
    RelayDies,
    EvictStates,
    EvictCursor,
    InvalidationsExpire,
    RestartEmpty,
    ReplicaCatchesUp,
    Failover,
}

#[derive(Debug, Clone)]
struct Invalidations {
    without: &'static [Rule],
    faults: FaultBudget,
}

const CONVERGES: &str = "when all is quiet, what is known is what the rows say";
const INFORMED: &str = "without failover, what is known is not older than a writer's end";
const CACHES: &str = "all may be quiet with the value known";

impl Model for Invalidations {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        let redis = Redis { cursor: Some((0, 1)), ..Redis::default() };
        let (writers, fillers) = ([Writer::Begins; 2], [Filler::Begins; 2]);
        let (relay, faults) = (Some(0), self.faults);
        vec![State { committed: 0, redis, replica: redis, writers, fillers, relay, generation: 2, faults }]
    }

    fn actions(&self, state: &State, steps: &mut Vec<Step>) {
        let State { redis, replica, faults, .. } = state;
        for (number, writer) in state.writers.iter().enumerate() {
            let (ended, reached) =
                (matches!(writer, Writer::Done(..)), matches!(writer, Writer::Begins | Writer::Committed(_, true)));
            steps.extend((!ended).then_some(Step::Write(number)));
            steps.extend((reached && faults.unavailable > 0).then_some(Step::UpdateFails(number)));
            steps.extend((!ended && faults.crash > 0).then_some(Step::WriterDies(number)));
        }
        let fillers = state.fillers.iter().enumerate();
        steps.extend(fillers.filter(|(_, filler)| **filler != Filler::Done).map(|(number, _)| Step::Fill(number)));
        steps.extend((!state.relay_is_idle()).then_some(Step::Relay));
        let mut may = |left: u8, changes: bool, step: Step| steps.extend((left > 0 && changes).then_some(step));
        may(faults.crash, state.relay.is_some(), Step::RelayDies);
        may(
            faults.evict,
            redis.known.is_some() || redis.filler.is_some() || redis.invalidations != 0,
            Step::EvictStates,
        );
        may(faults.evict, redis.cursor.is_some(), Step::EvictCursor);
        may(faults.expiry, redis.invalidations != 0, Step::InvalidationsExpire);
        may(faults.restart, true, Step::RestartEmpty);
        may(faults.failover, replica != redis, Step::ReplicaCatchesUp);
        may(faults.failover, replica != redis, Step::Failover);
    }

    fn next_state(&self, last: &State, step: Step) -> Option<State> {
        let mut next = last.clone();
        let State { redis, replica, faults, writers, relay, .. } = &mut next;
        match step {
            Step::Write(number) => self.write(&mut next, number),
            Step::UpdateFails(number) => {
                faults.unavailable -= 1;
                writers[number] = if let Writer::Committed(value, _) = last.writers[number] {
                    Writer::Failed(value)
                } else {
                    Writer::Invalidated(false)
                };
            }
            Step::WriterDies(number) => (writers[number], faults.crash) = (Writer::Done(0, false), faults.crash - 1),
            Step::Fill(number) => self.fill(&mut next, number)?,
            Step::Relay => self.relay(&mut next),
            Step::RelayDies => (*relay, faults.crash) = (None, faults.crash - 1),
            Step::EvictStates => {
                (*redis, faults.evict) = (Redis { cursor: redis.cursor, ..Redis::default() }, faults.evict - 1)
            }
            Step::EvictCursor => (redis.cursor, faults.evict) = (None, faults.evict - 1),
            Step::InvalidationsExpire => (redis.invalidations, faults.expiry) = (0, faults.expiry - 1),
            Step::RestartEmpty => (*redis, faults.restart) = (Redis::default(), faults.restart - 1),
            Step::ReplicaCatchesUp => *replica = *redis,
            Step::Failover => (*redis, faults.failover) = (*replica, faults.failover - 1),
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(CONVERGES, |of: &Self, state: &State| {
                !state.is_quiet() || of.known(state).is_none_or(|known| known == state.committed)
            }),
            Property::always(INFORMED, |of: &Self, state: &State| {
                let ends = state
                    .writers
                    .iter()
                    .filter_map(|writer| if let Writer::Done(value, true) = writer { Some(*value) } else { None });
                let ended = ends.max().unwrap_or(0);
                of.faults.failover > 0 || of.known(state).is_none_or(|known| known >= ended)
            }),
            Property::sometimes(CACHES, |of: &Self, state: &State| {
                state.committed == 2 && state.is_quiet() && of.known(state).is_some()
            }),
        ]
    }
}

impl Invalidations {
    fn keeps(&self, rule: Rule) -> bool {
        !self.without.contains(&rule)
    }

    fn known(&self, state: &State) -> Option<u8> {
        let ((generation, value), (_, present)) = state.redis.known.zip(state.redis.cursor)?;
        (generation == present || !self.keeps(Rule::OldGenerationsAreNone)).then_some(value)
    }

    fn write(&self, state: &mut State, number: usize) {
        let State { redis, writers, committed, .. } = state;
        writers[number] = match writers[number] {
            Writer::Begins => {
                if self.keeps(Rule::WritersInvalidate) {
                    redis.remove();
                    redis.invalidations |= 1 << number;
                }
                Writer::Invalidated(true)
            }
            Writer::Invalidated(reached) => {
                *committed += 1;
                Writer::Committed(*committed, reached)
            }
            Writer::Committed(value, true) => {
                if redis.invalidations & 1 << number == 0 && self.keeps(Rule::LostInvalidationsRemove) {
                    redis.remove();
                }
                redis.invalidations &= !(1 << number);
                Writer::Done(value, true)
            }
            Writer::Committed(value, false) => Writer::Failed(value),
            Writer::Failed(value) => {
                if let Some((_, generation)) =
                    redis.cursor.as_mut().filter(|_| self.keeps(Rule::FailedWritersBeginGenerations))
                {
                    *generation = state.generation;
                    state.generation += 1;
                }
                Writer::Done(value, true)
            }
            done @ Writer::Done(..) => done,
        };
    }

    /// Makes a step of a filler; `None` if the filler may not make one.
    fn fill(&self, state: &mut State, number: usize) -> Option<()> {
        let State { redis, committed, .. } = state;
        state.fillers[number] = match state.fillers[number] {
            Filler::Begins => {
                let (_, generation) = redis.cursor?;
                if redis.invalidations != 0 && self.keeps(Rule::InvalidationsBarFillers) {
                    return None;
                }
                *redis = Redis { filler: Some((generation, number)), known: None, ..*redis };
                Filler::Opened
            }
            Filler::Opened => Filler::Read(*committed),
            Filler::Read(value) => {
                let of = redis.filler.filter(|(_, filler)| *filler == number).zip(redis.cursor);
                if let Some(((generation, _), _)) = of.filter(|((of, _), (_, present))| of == present) {
                    (redis.known, redis.filler) = (Some((generation, value)), None);
                }
                Filler::Done
            }
            Filler::Done => return None,
        };
        Some(())
    }

    fn relay(&self, state: &mut State) {
        let State { redis, committed, generation, .. } = state;
        let to = *committed;
        match (state.relay, redis.cursor) {
            (None, Some((at, _))) => return state.relay = Some(at),
            (Some(from), Some((at, present))) if from == at => {
                if from < to && self.keeps(Rule::RelayRemoves) {
                    redis.remove();
                }
                redis.cursor = Some((to, present));
            }
            _ => {
                redis.cursor = Some((to, *generation));
                *generation += 1;
            }
        }
        state.relay = Some(to);
    }
}

impl State {
    fn relay_is_idle(&self) -> bool {
        self.relay == Some(self.committed) && self.redis.cursor.is_some_and(|(at, _)| at == self.committed)
    }

    fn is_quiet(&self) -> bool {
        self.relay_is_idle()
            && self.writers.iter().all(|writer| matches!(writer, Writer::Done(..)))
            && self.fillers.iter().all(|filler| matches!(filler, Filler::Begins | Filler::Done))
    }
}
