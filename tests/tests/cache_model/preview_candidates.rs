//! The candidates from which the preview of a root is chosen (`server/cache/src/port.rs`). Each
//! commit moves another reply before all known ones: a like, which its writer and the relay report,
//! or a reply that becomes visible again, which the relay reports. The candidates contain the
//! replies that the rank index contained when it was read. The rank index follows the commits
//! independently, before or after the relay.

mod redis;
mod variants;

use redis::{FillLease, Redis};
use stateright::{Model, Property};

/// A rule. When a rule is left out, the checker must find a violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// A like of a reply that is not a candidate removes the candidates.
    LikesRemoveCandidates,
    /// Likes are logged while a fill lease is outstanding, and candidates that a logged like
    /// removes are not stored.
    LikesAreLogged,
    /// Candidates are stored only if the rank index contained everything that the relay had
    /// reported when the fill lease was granted.
    RankIndexContainsReports,
    /// The relay reports the likes of a reply that becomes visible, as if it had been liked.
    RelayReportsRestoredReplies,
    /// The relay reports changes in the step that moves its cursor, which is stored next to the
    /// subject entry.
    CursorInTheSlot,
    /// Candidates carry the incarnation of their subject entry.
    CandidatesCarryTheirEntry,
}

/// The remaining number of faults of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
struct FaultBudget {
    evict: u8,
    /// A writer dies after its commit.
    crash: u8,
    failover: u8,
    restart: u8,
    /// All outstanding fill leases expire.
    expiry: u8,
    /// The relay dies; or another process acquires the lease, and the last call of this one arrives
    /// late.
    leader: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Writer {
    /// Will like a reply.
    Likes,
    /// Will make a reply visible again.
    Shows,
    /// Has not yet notified the cache of its commit, which is given by its sequence number.
    Committed(u8),
    Done,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Filler {
    Begins,
    Opened(FillLease),
    /// The position of the rank index.
    Read(FillLease, u8),
    Done,
}

/// A move of the cursor, and the last reply that is reported with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Moving {
    from: u8,
    to: u8,
    reported: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Relay {
    Begins,
    At(u8),
    Moves(Moving),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct State {
    /// For each commit, true if it was a like.
    commits: Vec<bool>,
    rank_index: u8,
    redis: Redis,
    replica: Redis,
    writers: Vec<Writer>,
    fillers: [Filler; 2],
    relay: Relay,
    late: Option<Moving>,
    now: u8,
    fresh: u8,
    faults: FaultBudget,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Write(usize),
    WriterDies(usize),
    Fill(usize),
    RankIndexFollows,
    RelayGoesOn,
    RelayDies,
    OtherRelayTakesOver,
    LateCall,
    EvictCandidates,
    EvictEntry,
    EvictLog,
    EvictCursor,
    FillLeasesExpire,
    RestartEmpty,
    ReplicaCatchesUp,
    Failover,
}

#[derive(Debug, Clone)]
struct PreviewCandidates {
    without: &'static [Rule],
    writers: &'static [Writer],
    faults: FaultBudget,
}

const CONVERGES: &str = "when all operations have ended, the candidates lack no reply";
const CACHES: &str = "candidates can be cached when all operations have ended";

impl Model for PreviewCandidates {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        let redis = Redis { cursor: Some((0, 1)), ..Redis::default() };
        vec![State {
            commits: Vec::new(),
            rank_index: 0,
            redis,
            replica: redis,
            writers: self.writers.to_vec(),
            fillers: [Filler::Begins; 2],
            relay: Relay::At(0),
            late: None,
            now: 0,
            fresh: 2,
            faults: self.faults,
        }]
    }

    fn actions(&self, state: &State, steps: &mut Vec<Step>) {
        let State { redis, replica, faults, .. } = state;
        for (number, writer) in state.writers.iter().enumerate() {
            steps.extend((*writer != Writer::Done).then_some(Step::Write(number)));
            let committed = matches!(writer, Writer::Committed(_));
            steps.extend((committed && faults.crash > 0).then_some(Step::WriterDies(number)));
        }
        let fillers = state.fillers.iter().enumerate();
        steps.extend(fillers.filter(|(_, filler)| **filler != Filler::Done).map(|(number, _)| Step::Fill(number)));
        steps.extend((state.rank_index < state.head()).then_some(Step::RankIndexFollows));
        steps.extend((!self.relay_is_idle(state)).then_some(Step::RelayGoesOn));
        steps.extend(state.late.map(|_| Step::LateCall));
        let mut may = |left: u8, changes: bool, step: Step| steps.extend((left > 0 && changes).then_some(step));
        may(faults.leader, state.relay != Relay::Begins, Step::RelayDies);
        may(faults.leader, matches!(state.relay, Relay::Moves(_)), Step::OtherRelayTakesOver);
        may(faults.evict, redis.candidates.is_some(), Step::EvictCandidates);
        may(faults.evict, redis.entry.is_some(), Step::EvictEntry);
        may(faults.evict, redis.log > 0, Step::EvictLog);
        may(faults.evict, redis.cursor.is_some(), Step::EvictCursor);
        may(faults.expiry, redis.entry.is_some(), Step::FillLeasesExpire);
        may(faults.restart, true, Step::RestartEmpty);
        may(faults.failover, replica != redis, Step::ReplicaCatchesUp);
        may(faults.failover, replica != redis, Step::Failover);
    }

    fn next_state(&self, last: &State, step: Step) -> Option<State> {
        let mut next = last.clone();
        let State { redis, replica, faults, writers, relay, late, now, .. } = &mut next;
        match step {
            Step::Write(number) => self.write(&mut next, number),
            Step::WriterDies(number) => (writers[number], faults.crash) = (Writer::Done, faults.crash - 1),
            Step::Fill(number) => self.fill(&mut next, number)?,
            Step::RankIndexFollows => next.rank_index += 1,
            Step::RelayGoesOn => self.relay(&mut next),
            Step::RelayDies => (*relay, faults.leader) = (Relay::Begins, faults.leader - 1),
            Step::OtherRelayTakesOver => {
                *late = if let Relay::Moves(moving) = last.relay { Some(moving) } else { None };
                (*relay, faults.leader) = (Relay::Begins, faults.leader - 1);
            }
            Step::LateCall => {
                if let Some(moving) = next.late.take() {
                    self.advance(&mut next, moving);
                }
            }
            Step::EvictCandidates => (redis.candidates, faults.evict) = (None, faults.evict - 1),
            Step::EvictEntry => (redis.entry, faults.evict) = (None, faults.evict - 1),
            Step::EvictLog => (redis.log, faults.evict) = (0, faults.evict - 1),
            Step::EvictCursor => (redis.cursor, faults.evict) = (None, faults.evict - 1),
            Step::FillLeasesExpire => (*now, faults.expiry) = (last.now + 1, faults.expiry - 1),
            Step::RestartEmpty => (*redis, faults.restart) = (Redis::default(), faults.restart - 1),
            Step::ReplicaCatchesUp => *replica = *redis,
            Step::Failover => (*redis, faults.failover) = (*replica, faults.failover - 1),
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(CONVERGES, |of: &Self, state: &State| {
                !of.is_quiet(state) || state.redis.chosen(of).is_none_or(|chosen| chosen == state.head())
            }),
            Property::sometimes(CACHES, |of: &Self, state: &State| {
                state.commits.len() == of.writers.len() && of.is_quiet(state) && state.redis.chosen(of).is_some()
            }),
        ]
    }
}

impl PreviewCandidates {
    fn keeps(&self, rule: Rule) -> bool {
        !self.without.contains(&rule)
    }

    fn write(&self, state: &mut State, number: usize) {
        state.writers[number] = match state.writers[number] {
            Writer::Likes => {
                state.commits.push(true);
                Writer::Committed(state.head())
            }
            Writer::Shows => {
                state.commits.push(false);
                Writer::Done
            }
            Writer::Committed(commit) => {
                state.redis.like(commit, state.now, self);
                Writer::Done
            }
            Writer::Done => Writer::Done,
        };
    }

    /// Makes a step of a filler; `None` if the filler may not make one.
    fn fill(&self, state: &mut State, number: usize) -> Option<()> {
        state.fillers[number] = match state.fillers[number] {
            Filler::Begins => {
                let (fresh, name) = (state.token(), u8::try_from(number).ok()?);
                Filler::Opened(state.redis.open(name, fresh, state.now)?)
            }
            Filler::Opened(lease) => Filler::Read(lease, state.rank_index),
            Filler::Read(lease, rank_index) => {
                state.redis.fill(lease, rank_index, state.now, self);
                Filler::Done
            }
            Filler::Done => return None,
        };
        Some(())
    }

    fn relay(&self, state: &mut State) {
        state.relay = match state.relay {
            Relay::Begins => match state.redis.cursor {
                Some((at, _)) => Relay::At(at),
                None => Relay::At(renew(state, state.head())),
            },
            Relay::At(from) => {
                let (to, all) = (state.head(), self.keeps(Rule::RelayReportsRestoredReplies));
                let commits =
                    state.commits.iter().zip(1..).filter(|(liked, commit)| (**liked || all) && *commit > from);
                let reported = commits.map(|(_, commit)| commit).max().unwrap_or(0);
                Relay::Moves(Moving { from, to, reported })
            }
            Relay::Moves(moving) => {
                self.advance(state, moving);
                Relay::At(moving.to)
            }
        };
    }

    fn advance(&self, state: &mut State, Moving { from, to, reported }: Moving) {
        match state.redis.cursor {
            Some((at, generation)) if at == from || !self.keeps(Rule::CursorInTheSlot) => {
                state.redis.like(reported, state.now, self);
                state.redis.cursor = Some((to, generation));
            }
            _ => drop(renew(state, to)),
        }
    }

    fn relay_is_idle(&self, state: &State) -> bool {
        let cursor_is_current =
            |at| state.redis.cursor.is_some_and(|(cursor, _)| cursor == at || !self.keeps(Rule::CursorInTheSlot));
        matches!(state.relay, Relay::At(at) if at == state.head() && cursor_is_current(at))
    }

    fn is_quiet(&self, state: &State) -> bool {
        self.relay_is_idle(state)
            && state.late.is_none()
            && state.rank_index == state.head()
            && state.writers.iter().all(|writer| *writer == Writer::Done)
            && state.fillers.iter().all(|filler| matches!(filler, Filler::Begins | Filler::Done))
    }
}

fn renew(state: &mut State, at: u8) -> u8 {
    state.redis.cursor = Some((at, state.token()));
    at
}

impl State {
    fn head(&self) -> u8 {
        self.commits.iter().map(|_| 1).sum()
    }

    /// Returns a number that was not used before.
    fn token(&mut self) -> u8 {
        self.fresh += 1;
        self.fresh - 1
    }
}
