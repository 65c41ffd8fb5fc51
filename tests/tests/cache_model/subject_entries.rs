//! The protocol of Riposte's cache (`server/cache/src/port.rs`), on one subject with one list and
//! one comment: the possible steps and their effects.

mod parts;
mod redis;
mod rules;
mod state;
mod variants;

use parts::{By, Change, ChangeLog, FillKind, FillOutcome, Report, Value};
use redis::Redis;
use rules::{FaultBudget, Rule};
use state::{Event, Filler, Moving, Relay, State, Writer};
use stateright::{Model, Property};

/// Nothing stays stale.
const CONVERGES: &str = "when all is quiet, what is kept equals the database";
/// Every page shows one state.
const ONE_STATE: &str = "everything that an entry returns belongs to its revision";
/// A revision that was returned is not taken back.
const FORWARD: &str = "an entry does not go back within its incarnation";
/// A writer sees its own write.
const INFORMED: &str = "without failover, an entry that answers knows every reported revision";
/// Rules out that the properties are met by caching nothing.
const CACHES: &str = "all may be quiet with everything cached";

/// A protocol without some of its rules, with writers, fillers and faults.
#[derive(Debug, Clone)]
pub(super) struct SubjectEntries {
    without: &'static [Rule],
    writers: &'static [Writer],
    fillers: &'static [FillKind],
    faults: FaultBudget,
}

/// One step of one participant; numbers are those of writers and fillers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Commit(usize),
    Notify(usize),
    WriterDies(usize),
    UpdateFails(usize),
    BeginGeneration(usize),
    Pay(usize),
    Open(usize),
    Read(usize),
    Fill(usize),
    Close(usize),
    FillerDies(usize),
    RelayGoesOn,
    RelayDies,
    OtherRelayTakesOver,
    LateCall,
    Evict(Key),
    FillLeasesExpire,
    RestartEmpty,
    ReplicaCatchesUp,
    Failover,
}

/// A key of the subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    SubjectEntry,
    List,
    Copy,
    ChangeLog,
    Cursor,
}

impl Model for SubjectEntries {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        vec![State::fresh(self.writers, self.fillers, self.faults)]
    }

    fn actions(&self, state: &State, steps: &mut Vec<Step>) {
        let FaultBudget { crash, unavailable, .. } = state.faults;
        for (number, writer) in state.writers.iter().enumerate() {
            match writer {
                Writer::Revises { .. } | Writer::Likes => steps.push(Step::Commit(number)),
                Writer::Committed(_) => {
                    steps.push(Step::Notify(number));
                    steps.extend((crash > 0).then_some(Step::WriterDies(number)));
                    steps.extend((unavailable > 0).then_some(Step::UpdateFails(number)));
                }
                Writer::Failed => steps.push(Step::BeginGeneration(number)),
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
        inject(state, steps);
    }

    fn next_state(&self, last: &State, step: Step) -> Option<State> {
        let (mut next, by) = (last.clone(), self.by(last));
        match step {
            Step::Commit(number) => commit(&mut next, number),
            Step::Notify(number) => notify(&mut next, number, by),
            Step::WriterDies(number) => {
                (next.writers[number], next.faults.crash) = (Writer::Done(None), last.faults.crash - 1)
            }
            Step::UpdateFails(number) => {
                (next.writers[number], next.faults.unavailable) = (Writer::Failed, last.faults.unavailable - 1)
            }
            Step::BeginGeneration(number) => {
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
            Step::RelayDies | Step::OtherRelayTakesOver => {
                let late = step == Step::OtherRelayTakesOver;
                next.late = if let (true, Relay::Moves(moving)) = (late, last.relay) { Some(moving) } else { None };
                (next.relay, next.faults.leader) = (Relay::Begins, last.faults.leader - 1);
            }
            Step::FillLeasesExpire => (next.now, next.faults.expiry) = (last.now + 1, last.faults.expiry - 1),
            Step::ReplicaCatchesUp => next.replica = last.redis.clone(),
            Step::Failover => (next.redis, next.faults.failover) = (last.replica.clone(), last.faults.failover - 1),
            Step::RestartEmpty => (next.redis, next.faults.restart) = (Redis::default(), last.faults.restart - 1),
            Step::Evict(key) => {
                evict(&mut next.redis, key);
                next.faults.evict -= 1;
            }
        }
        if let Some((old, new)) = last.redis.entry.zip(next.redis.entry).filter(|_| step != Step::Failover) {
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
            Property::always(INFORMED, |of: &Self, state: &State| {
                of.faults.failover > 0 || of.faults.restart > 0 || state.is_informed(of.by(state))
            }),
            Property::sometimes(CACHES, |of: &Self, state: &State| {
                let by = of.by(state);
                state.events.len() == of.writers.len() && state.is_quiet(by) && state.is_cached(by)
            }),
        ]
    }
}

impl SubjectEntries {
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

fn notify(state: &mut State, number: usize, by: By) {
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
        Filler::Opened(lease) => Filler::Read { lease, rows: state.rows(), force: false },
        Filler::Read { lease, rows, force } => {
            let fresh = if force { Some(state.token()) } else { None };
            match state.redis.fill(lease, kind, rows, fresh, by) {
                FillOutcome::Stored => Filler::Done,
                FillOutcome::Behind => Filler::Read { lease, rows, force: true },
                FillOutcome::Refused => Filler::Refused(lease),
            }
        }
        Filler::Refused(lease) => {
            state.redis.close(lease, kind, by);
            Filler::Done
        }
        Filler::Done => return None,
    };
    Some(())
}

fn relay(state: &mut State, by: By) {
    let moves = |from, to, likes| {
        let reported = Report { revision: state.reported(from, to).0, likes };
        Relay::Moves(Moving { from, to, reported })
    };
    let likes = state.rows().likes;
    let notifies = |from, to| {
        if by.keeps(Rule::LikesMoveTheCursor) { moves(from, to, Some(likes)) } else { Relay::Notifies(from, to, likes) }
    };
    state.relay = match state.relay {
        Relay::Begins => Relay::At(match state.redis.cursor {
            Some((at, _)) => at,
            None => renew(state, state.head()),
        }),
        Relay::At(at) if !state.reported(at, state.head()).1 => moves(at, state.head(), None),
        Relay::At(at) if by.keeps(Rule::RelayReportsAllLikes) => notifies(at, state.head()),
        Relay::At(at) => Relay::Asks(at, state.head()),
        Relay::Asks(from, to) if state.redis.copy.is_some() => notifies(from, to),
        Relay::Asks(from, to) => moves(from, to, None),
        Relay::Notifies(from, to, likes) => {
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
    if !state.redis.advance((moving.from, moving.to), moving.reported, by) {
        renew(state, moving.to);
    }
}

fn renew(state: &mut State, at: Value) -> Value {
    state.redis.cursor = Some((at, state.token()));
    at
}

fn evict(redis: &mut Redis, key: Key) {
    match key {
        Key::SubjectEntry => redis.entry = None,
        Key::List => redis.list = None,
        Key::Copy => redis.copy = None,
        Key::ChangeLog => redis.log = ChangeLog::default(),
        Key::Cursor => redis.cursor = None,
    }
}

/// Adds the possible faults: those that remain and would change something.
fn inject(state: &State, steps: &mut Vec<Step>) {
    let State { redis, replica, faults, .. } = state;
    let mut may = |left: u8, changes: bool, step: Step| steps.extend((left > 0 && changes).then_some(step));
    may(faults.evict, redis.entry.is_some(), Step::Evict(Key::SubjectEntry));
    may(faults.evict, redis.list.is_some(), Step::Evict(Key::List));
    may(faults.evict, redis.copy.is_some(), Step::Evict(Key::Copy));
    may(faults.evict, redis.log != ChangeLog::default(), Step::Evict(Key::ChangeLog));
    may(faults.evict, redis.cursor.is_some(), Step::Evict(Key::Cursor));
    may(faults.expiry, redis.entry.is_some(), Step::FillLeasesExpire);
    may(faults.restart, true, Step::RestartEmpty);
    may(faults.leader, state.relay != Relay::Begins, Step::RelayDies);
    may(faults.leader, matches!(state.relay, Relay::Moves(..)), Step::OtherRelayTakesOver);
    // A replica that will never take over does not need steps of its own.
    may(faults.failover, replica != redis, Step::ReplicaCatchesUp);
    may(faults.failover, replica != redis, Step::Failover);
}
