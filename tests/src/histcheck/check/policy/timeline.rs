//! The lists and the standings that may have been in force at a time.

use std::collections::{BTreeMap, BTreeSet};

use super::policy_call;
use crate::histcheck::history::{
    InjectedFault, Nanos, Op, Outcome, PolicyCall, PolicyResponse, SetStanding, StandingEnd, Treatment, state,
};

/// The outcomes of a create that lists and standings explain.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Possible {
    /// The states of the comment.
    pub(super) states: BTreeSet<i8>,
    /// The standing refuses it.
    pub(super) suspended: bool,
    /// The list refuses it.
    pub(super) blocked: bool,
}

/// The longest time by which the clock of a server may be wrong when a standing ends.
const CLOCK_STEP: Nanos = 61_000_000_000;

/// One value that was set.
#[derive(Debug, Clone, Copy)]
struct Change<T> {
    begun: Nanos,
    /// The time from which on all servers may know it; the end of time if its call has no response.
    ended: Nanos,
    value: T,
    /// The time from which on the value is the usual one again.
    end: Option<StandingEnd>,
}

/// All changes of the list and of the standings.
#[derive(Debug, Default)]
pub(super) struct Timelines {
    lists: Vec<Change<u32>>,
    standings: BTreeMap<u32, Vec<Change<SetStanding>>>,
}

impl Timelines {
    /// Collects the changes of a run. One client changes the list, and one each standing, one after
    /// the other; attempts of one request are one change.
    pub(super) fn of(ops: &[Op], faults: &[InjectedFault]) -> Self {
        let mut timelines = Self::default();
        let mut sorted: Vec<&Op> = ops.iter().filter(|op| policy_call(op).is_some()).collect();
        sorted.sort_by_key(|op| op.begun);
        let mut requests = BTreeMap::new();
        for op in sorted {
            let ended = if op.outcome == Outcome::Policy(PolicyResponse::Set) { op.ended } else { Nanos::MAX };
            match policy_call(op) {
                Some(PolicyCall::SetList { version }) => {
                    timelines.lists.push(Change { begun: op.begun, ended, value: version, end: None });
                }
                Some(PolicyCall::SetStanding { member, standing, end }) => {
                    let changes = timelines.standings.entry(member).or_default();
                    let at = *requests.entry(op.request).or_insert_with(|| {
                        changes.push(Change { begun: op.begun, ended, value: standing, end });
                        changes.len() - 1
                    });
                    if let Some(change) = changes.get_mut(at) {
                        change.ended = change.ended.min(ended);
                    }
                }
                Some(
                    PolicyCall::Create { .. }
                    | PolicyCall::Get { .. }
                    | PolicyCall::SetFilter { .. }
                    | PolicyCall::CreateFiltered { .. }
                    | PolicyCall::EditFiltered { .. }
                    | PolicyCall::JudgeHeld { .. }
                    | PolicyCall::CreateNew { .. },
                )
                | None => {}
            }
        }
        for changes in timelines.standings.values_mut() {
            *changes = changes.iter().flat_map(|change| [Some(*change), change.ending(faults)]).flatten().collect();
        }
        timelines
    }

    /// Returns the outcomes of a text of a member that list and standing explain between two times.
    pub(super) fn possible(&self, member: u32, word: u8, within: (Nanos, Nanos)) -> Possible {
        let standings = self.standings.get(&member).map_or(&[][..], Vec::as_slice);
        let standings = in_force(SetStanding::Normal, standings, within);
        let mut possible = Possible::default();
        for version in in_force(0, &self.lists, within) {
            for standing in &standings {
                possible.add(*standing, Treatment::of(word, version));
            }
        }
        possible
    }
}

/// Returns the values that may have been in force between two times: those that were set before the
/// second one and not replaced before the first one.
fn in_force<T: Copy>(first: T, changes: &[Change<T>], (since, until): (Nanos, Nanos)) -> Vec<T> {
    let first = Change { begun: 0, ended: 0, value: first, end: None };
    let begun: Vec<&Change<T>> =
        std::iter::once(&first).chain(changes).filter(|change| change.begun <= until).collect();
    let newest_known = begun.iter().rposition(|change| change.ended <= since).unwrap_or(0);
    begun[newest_known..].iter().map(|change| change.value).collect()
}

impl Change<SetStanding> {
    /// Returns the end of a standing as another change. Where its call has no response, the one
    /// before may be in force. A server whose clock is set back has the standing in force again,
    /// until its clock is right.
    fn ending(&self, faults: &[InjectedFault]) -> Option<Self> {
        let StandingEnd { at, .. } = self.end?;
        let lasts_longer = |fault: &&InjectedFault| {
            fault.sets_clock_back() && fault.begun < at.saturating_add(CLOCK_STEP) && fault.ended > at
        };
        let known = faults.iter().filter(lasts_longer).map(|fault| fault.ended).fold(at.max(self.ended), Nanos::max);
        let ended = if self.ended == Nanos::MAX { Nanos::MAX } else { known };
        let begun = at.saturating_sub(CLOCK_STEP).max(self.begun);
        Some(Self { begun, ended, value: SetStanding::Normal, end: None })
    }
}

impl Possible {
    fn add(&mut self, standing: SetStanding, treatment: Treatment) {
        let is_held = standing == SetStanding::PreModerated;
        match (standing, treatment) {
            // The standing is asked first.
            (SetStanding::Muted | SetStanding::Banned, _) => self.suspended = true,
            (_, Treatment::Refuse) => self.blocked = true,
            (_, Treatment::Reject) => self.states.extend([state::REJECTED]),
            (_, Treatment::Hold) => self.states.extend([state::PENDING]),
            (_, Treatment::Allow | Treatment::Mask | Treatment::Flag) => {
                self.states.extend([if is_held { state::PENDING } else { state::ACTIVE }]);
            }
        }
    }
}
