//! The protocol of Riposte's cache (`server/cache/src/port.rs`), on one subject with one list and
//! one comment: the possible steps and their effects.

mod parts;
mod redis;
mod rules;
mod state;
mod variants;

use parts::{By, Change, Filled, Kind, Log, Number, Told};
use redis::Redis;
use rules::{Faults, Rule};
use state::{Event, Filler, Moving, Relay, State, Writer};
use stateright::{Model, Property};

/// Nothing stays stale.
const CONVERGES: &str = "when all is quiet, what is kept equals the database";
/// Every page shows one state.
const ONE_STATE: &str = "all that a block answers is of its revision";
/// A revision that was returned is not taken back.
const FORWARD: &str = "a block does not go back within its incarnation";
/// A writer sees its own write.
const TOLD: &str = "without failover, a block that answers knows what it was told";
/// Rules out that the properties are met by caching nothing.
const CACHES: &str = "all may be quiet with everything cached";

/// A protocol without some of its rules, with writers, fillers and faults.
#[derive(Debug, Clone)]
pub(super) struct Blocks {
    without: &'static [Rule],
    writers: &'static [Writer],
    fillers: &'static [Kind],
    faults: Faults,
}

/// One step of one participant; numbers are those of writers and fillers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Commit(usize),
    Tell(usize),
    WriterDies(usize),
    WriterIsNotHeard(usize),
    LookToPay(usize),
    Pay(usize),
    Open(usize),
    Read(usize),
    Fill(usize),
    Close(usize),
    FillerDies(usize),
    RelayGoesOn,
    RelayDies,
    OtherRelayLeads,
    LateCall,
    Evict(Key),
    TicketsExpire,
    RestartEmpty,
    ReplicaCatchesUp,
    Failover,
}

/// A key of the subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Block,
    List,
    Copy,
    Log,
    Cursor,
}

impl Model for Blocks {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        vec![State::fresh(self.writers, self.fillers, self.faults)]
    }

    fn actions(&self, state: &State, steps: &mut Vec<Step>) {
        let Faults { crash, away, .. } = state.faults;
        for (number, writer) in state.writers.iter().enumerate() {
            match writer {
                Writer::Revises { .. } | Writer::Likes => steps.push(Step::Commit(number)),
                Writer::Committed(_) => {
                    steps.push(Step::Tell(number));
                    steps.extend((crash > 0).then_some(Step::WriterDies(number)));
                    steps.extend((away > 0).then_some(Step::WriterIsNotHeard(number)));
                }
                Writer::Owes => steps.push(Step::LookToPay(number)),
                Writer::Pays(_) => steps.push(Step::Pay(number)),
                Writer::Done(_) => {}
            }
        }
        for (number, (_, filler)) in state.fillers.iter().enumerate() {
            match filler {
                Filler::Begins => steps.extend(state.redis.cursor.map(|_| Step::Open(number))),
                Filler::Opened(_) => {
                    steps.push(Step::Read(number));
                    steps.extend((crash > 0).then_some(Step::FillerDies(number)));
                }
                Filler::Read { .. } => steps.push(Step::Fill(number)),
                Filler::Refused(_) => steps.push(Step::Close(number)),
                Filler::Done => {}
            }
        }
        if !matches!(state.relay, Relay::At(_)) || self.relay_goes_on(state) {
            steps.push(Step::RelayGoesOn);
        }
        steps.extend(state.late.map(|_| Step::LateCall));
        strike(state, steps);
    }

    fn next_state(&self, last: &State, step: Step) -> Option<State> {
        let (mut next, by) = (last.clone(), self.by(last));
        match step {
            Step::Commit(number) => commit(&mut next, number),
            Step::Tell(number) => tell(&mut next, number, by),
            Step::WriterDies(number) => {
                (next.writers[number], next.faults.crash) = (Writer::Done(None), last.faults.crash - 1)
            }
            Step::WriterIsNotHeard(number) => {
                (next.writers[number], next.faults.away) = (Writer::Owes, last.faults.away - 1)
            }
            Step::LookToPay(number) => {
                next.writers[number] = last.redis.cursor.map_or(Writer::Done(None), |(at, _)| Writer::Pays(at));
            }
            Step::Pay(number) => {
                if let Writer::Pays(at) = last.writers[number] {
                    next.redis.cursor = Some((at, next.token()));
                    next.writers[number] = Writer::Done(None);
                }
            }
            Step::Open(_) | Step::Read(_) | Step::Fill(_) | Step::Close(_) => fill(&mut next, step, by)?,
            Step::FillerDies(number) => {
                (next.fillers[number].1, next.faults.crash) = (Filler::Done, last.faults.crash - 1)
            }
            Step::RelayGoesOn => relay(&mut next, by),
            Step::LateCall => {
                if let Some(moving) = next.late.take() {
                    advance(&mut next, moving, by);
                }
            }
            Step::RelayDies | Step::OtherRelayLeads => {
                let late = step == Step::OtherRelayLeads;
                next.late = if let (true, Relay::Moves(moving)) = (late, last.relay) { Some(moving) } else { None };
                (next.relay, next.faults.lead) = (Relay::Begins, last.faults.lead - 1);
            }
            Step::TicketsExpire => (next.now, next.faults.expiry) = (last.now + 1, last.faults.expiry - 1),
            Step::ReplicaCatchesUp => next.replica = last.redis.clone(),
            Step::Failover => (next.redis, next.faults.failover) = (last.replica.clone(), last.faults.failover - 1),
            Step::RestartEmpty => (next.redis, next.faults.restart) = (Redis::default(), last.faults.restart - 1),
            Step::Evict(key) => {
                evict(&mut next.redis, key);
                next.faults.evict -= 1;
            }
        }
        if let Some((old, new)) = last.redis.block.zip(next.redis.block).filter(|_| step != Step::Failover) {
            next.went_back |= old.incarnation == new.incarnation && old.revision > new.revision;
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(CONVERGES, |of: &Self, state: &State| {
                !state.is_quiet(of.by(state)) || state.is_true(of.by(state))
            }),
            Property::always(ONE_STATE, |of: &Self, state: &State| state.is_one(of.by(state))),
            Property::always(FORWARD, |_: &Self, state: &State| !state.went_back),
            Property::always(TOLD, |of: &Self, state: &State| {
                of.faults.failover > 0 || of.faults.restart > 0 || state.is_told(of.by(state))
            }),
            Property::sometimes(CACHES, |of: &Self, state: &State| {
                let by = of.by(state);
                state.events.len() == of.writers.len() && state.is_quiet(by) && state.is_cached(by)
            }),
        ]
    }
}

impl Blocks {
    fn by(&self, state: &State) -> By {
        By { without: self.without, now: state.now }
    }

    /// Returns true if an idle relay has something to report or to detect.
    fn relay_goes_on(&self, state: &State) -> bool {
        let cursor = state.redis.cursor.map(|(at, _)| at);
        let lost = self.by(state).keeps(Rule::CursorInTheSlot) || cursor.is_none();
        matches!(state.relay, Relay::At(at) if at < state.head() || lost && cursor != Some(at))
    }
}

fn commit(state: &mut State, number: usize) {
    let rows = state.rows();
    let event = if let Writer::Revises { content } = state.writers[number] {
        Event::Revised(Change { revision: rows.revision + 1, likes: rows.likes, content })
    } else {
        Event::Liked(rows.likes + 1)
    };
    state.events.push(event);
    state.writers[number] = Writer::Committed(event);
}

fn tell(state: &mut State, number: usize, by: By) {
    let Writer::Committed(event) = state.writers[number] else { return };
    match event {
        Event::Revised(change) => state.redis.apply(change, by),
        Event::Liked(likes) => state.redis.like(likes, by),
    }
    state.writers[number] = Writer::Done(Some(event));
}

/// Makes a step of a filler; `None` if another filler is filling.
fn fill(state: &mut State, step: Step, by: By) -> Option<()> {
    let (Step::Open(number) | Step::Read(number) | Step::Fill(number) | Step::Close(number)) = step else {
        return None;
    };
    let (kind, filler) = state.fillers[number];
    state.fillers[number].1 = match filler {
        Filler::Begins => {
            let (fresh, name) = (state.token(), u8::try_from(number).ok()?);
            Filler::Opened(state.redis.open(kind, name, fresh, by)?)
        }
        Filler::Opened(ticket) => Filler::Read { ticket, rows: state.rows(), force: false },
        Filler::Read { ticket, rows, force } => {
            let fresh = if force { Some(state.token()) } else { None };
            match state.redis.fill(ticket, kind, rows, fresh, by) {
                Filled::Kept => Filler::Done,
                Filled::Behind => Filler::Read { ticket, rows, force: true },
                Filled::Refused => Filler::Refused(ticket),
            }
        }
        Filler::Refused(ticket) => {
            state.redis.close(ticket, kind, by);
            Filler::Done
        }
        Filler::Done => return None,
    };
    Some(())
}

fn relay(state: &mut State, by: By) {
    let moves = |from, to, likes| {
        let told = Told { revision: state.told(from, to).0, likes };
        Relay::Moves(Moving { from, to, told })
    };
    let likes = state.rows().likes;
    let tells = |from, to| {
        if by.keeps(Rule::LikesMoveTheCursor) { moves(from, to, Some(likes)) } else { Relay::Tells(from, to, likes) }
    };
    state.relay = match state.relay {
        Relay::Begins => Relay::At(match state.redis.cursor {
            Some((at, _)) => at,
            None => renew(state, state.head()),
        }),
        Relay::At(at) if !state.told(at, state.head()).1 => moves(at, state.head(), None),
        Relay::At(at) if by.keeps(Rule::RelayTellsAllLikes) => tells(at, state.head()),
        Relay::At(at) => Relay::Asks(at, state.head()),
        Relay::Asks(from, to) if state.redis.copy.is_some() => tells(from, to),
        Relay::Asks(from, to) => moves(from, to, None),
        Relay::Tells(from, to, likes) => {
            let moves = moves(from, to, None);
            state.redis.like(likes, by);
            moves
        }
        Relay::Moves(moving) => {
            advance(state, moving, by);
            Relay::At(moving.to)
        }
    };
}

/// Advances the cursor; if it is not at the expected position, a new generation begins.
fn advance(state: &mut State, moving: Moving, by: By) {
    if !state.redis.advance((moving.from, moving.to), moving.told, by) {
        renew(state, moving.to);
    }
}

fn renew(state: &mut State, at: Number) -> Number {
    state.redis.cursor = Some((at, state.token()));
    at
}

fn evict(redis: &mut Redis, key: Key) {
    match key {
        Key::Block => redis.block = None,
        Key::List => redis.list = None,
        Key::Copy => redis.copy = None,
        Key::Log => redis.log = Log::default(),
        Key::Cursor => redis.cursor = None,
    }
}

/// Adds the possible faults: those that remain and would change something.
fn strike(state: &State, steps: &mut Vec<Step>) {
    let State { redis, replica, faults, .. } = state;
    let mut may = |left: u8, changes: bool, step: Step| steps.extend((left > 0 && changes).then_some(step));
    may(faults.evict, redis.block.is_some(), Step::Evict(Key::Block));
    may(faults.evict, redis.list.is_some(), Step::Evict(Key::List));
    may(faults.evict, redis.copy.is_some(), Step::Evict(Key::Copy));
    may(faults.evict, redis.log != Log::default(), Step::Evict(Key::Log));
    may(faults.evict, redis.cursor.is_some(), Step::Evict(Key::Cursor));
    may(faults.expiry, redis.block.is_some(), Step::TicketsExpire);
    may(faults.restart, true, Step::RestartEmpty);
    may(faults.lead, state.relay != Relay::Begins, Step::RelayDies);
    may(faults.lead, matches!(state.relay, Relay::Moves(..)), Step::OtherRelayLeads);
    // A replica that will never take over does not need steps of its own.
    may(faults.failover, replica != redis, Step::ReplicaCatchesUp);
    may(faults.failover, replica != redis, Step::Failover);
}
