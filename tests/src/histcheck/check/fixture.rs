//! The history of one subject: its requests with their results, and the state of each comment at
//! each revision.
//!
//! Every change of a subject except a like increments its revision, and every response about the
//! subject contains the revision. So the revision is a logical clock of the service: the required
//! content of a page follows from the writes up to its revision, whether it came from the cache or
//! the database, and however late. A request with an unknown outcome may have been executed at any
//! revision after it was sent, or never; its possible changes are kept separately, as *open*.

use super::quick::QuickMap;
use crate::histcheck::history::{Call, Item, Nanos, Op, Outcome, RequestId, What, Written};

/// The part of a history that belongs to one subject.
#[derive(Debug)]
pub(super) struct Fixture<'h> {
    pub(super) ops: &'h [Op],
    /// The subject's operations in the order they began.
    pub(super) mine: &'h [u32],
    /// Writes, by request id, in the order they were first sent.
    pub(super) requests: Vec<Request>,
    /// Comments that were acknowledged, or found in the export at the end.
    pub(super) comments: Vec<Comment>,
    by_id: QuickMap<i64, u32>,
    /// The requests that wrote each text.
    texts: QuickMap<u64, u32>,
    /// The indexes of the requests.
    places: QuickMap<RequestId, u32>,
    /// The highest revision returned up to each time, and its operation.
    reached: Vec<(Nanos, i64, u32)>,
    /// The highest revision made by the requests that were sent up to each time.
    asked: Vec<(Nanos, i64)>,
}

/// All attempts under one request id.
#[derive(Debug)]
pub(super) struct Request {
    /// The first attempt, and the others.
    pub(super) first: u32,
    pub(super) more: Vec<u32>,
    pub(super) begun: Nanos,
    pub(super) fate: Fate,
}

/// The result of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It was acknowledged; `op` is the first acknowledgement and `ended` its time.
    Done { op: u32, ended: Nanos },
    /// Every attempt was refused as not executed.
    Refused,
    /// The result is unknown.
    Open,
}

/// A comment with its changes.
#[derive(Debug)]
pub(super) struct Comment {
    pub(super) id: i64,
    pub(super) root: i64,
    pub(super) floor: i32,
    /// The revision of its creation; 0 if it is unknown because the create was never acknowledged.
    pub(super) born: i64,
    /// The request that created it.
    pub(super) request: u32,
    /// Its first text.
    pub(super) text: u64,
    /// Acknowledged changes by revision.
    pub(super) changes: Vec<Change>,
    /// Changes that may have been executed.
    pub(super) open: Vec<Change>,
}

/// A change of a comment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change {
    /// The revision it made; 0 if it is unknown.
    pub(super) revision: i64,
    pub(super) request: u32,
    pub(super) what: What,
}

impl<'h> Fixture<'h> {
    /// Builds the state from the operations of one subject.
    pub(super) fn of(ops: &'h [Op], mine: &'h [u32]) -> Self {
        let mut fixture = Self {
            ops,
            mine,
            requests: Vec::new(),
            comments: Vec::new(),
            by_id: QuickMap::default(),
            texts: QuickMap::default(),
            places: QuickMap::default(),
            reached: Vec::new(),
            asked: Vec::new(),
        };
        fixture.group();
        fixture.create();
        fixture.find();
        fixture.change();
        fixture.reach();
        fixture
    }

    /// Returns an operation by its index in the history.
    pub(super) fn op(&self, number: u32) -> &'h Op {
        &self.ops[number as usize]
    }

    /// Returns the call of a request.
    pub(super) fn call(&self, request: &Request) -> &'h Call {
        &self.op(request.first).call
    }

    /// Returns a comment by its id.
    pub(super) fn comment(&self, id: i64) -> Option<&Comment> {
        self.by_id.get(&id).map(|place| &self.comments[*place as usize])
    }

    /// Returns the request that wrote a text.
    pub(super) fn writer(&self, text: u64) -> Option<&Request> {
        self.texts.get(&text).map(|place| &self.requests[*place as usize])
    }

    /// Returns the index of a request by its id.
    pub(super) fn place(&self, id: RequestId) -> Option<u32> {
        self.places.get(&id).copied()
    }

    /// Returns the highest revision in a response that ended before this time, and its operation.
    pub(super) fn reached(&self, timestamp: Nanos) -> Option<(i64, u32)> {
        let before = self.reached.partition_point(|(ended, ..)| *ended < timestamp);
        before.checked_sub(1).map(|last| (self.reached[last].1, self.reached[last].2))
    }

    /// Returns the highest revision that a request sent before this time is known to have made.
    pub(super) fn asked(&self, timestamp: Nanos) -> i64 {
        let before = self.asked.partition_point(|(begun, _)| *begun < timestamp);
        before.checked_sub(1).map_or(0, |last| self.asked[last].1)
    }

    /// Returns the export of the subject at the end of the run, if there is one.
    pub(super) fn export(&self) -> Option<(u32, &'h Outcome)> {
        let exports = self.mine.iter().rev().map(|number| (*number, &self.op(*number).outcome));
        exports.into_iter().find(|(_, outcome)| matches!(outcome, Outcome::Export { .. }))
    }

    fn group(&mut self) {
        for number in self.mine {
            let op = &self.ops[*number as usize];
            if op.request == (0, 0) {
                continue;
            }
            let place = *self.places.entry(op.request).or_insert_with(|| {
                let fate = Fate::Refused;
                self.requests.push(Request { first: *number, more: Vec::new(), begun: op.begun, fate });
                self.requests.len() as u32 - 1
            });
            let request = &mut self.requests[place as usize];
            if request.first != *number {
                request.more.push(*number);
            }
            request.fate = request.fate.and(*number, op);
        }
    }

    fn create(&mut self) {
        for place in 0..self.requests.len() as u32 {
            let request = &self.requests[place as usize];
            let (call, written) = (self.call(request), self.written(request));
            let Some((_, _, text)) = call.makes() else {
                if let Call::Edit { text, .. } = call {
                    self.texts.insert(*text, place);
                }
                continue;
            };
            self.texts.insert(text, place);
            let Some(written) = written else { continue };
            let Written { id, root, floor, revision: born } = written;
            self.add(Comment::new(id, root, floor, born, place, text));
        }
        self.comments.sort_by_key(|comment| (comment.root, comment.floor));
        self.by_id = (0..).zip(&self.comments).map(|(place, comment)| (comment.id, place)).collect();
    }

    /// Adds the comments of requests without a response that the export contains.
    fn find(&mut self) {
        let Some((_, Outcome::Export { rows, .. })) = self.export() else { return };
        let mut more = Vec::new();
        for row in rows.iter().filter(|row| !self.by_id.contains_key(&row.id)) {
            let Some(place) = self.texts.get(&row.text) else { continue };
            let request = &self.requests[*place as usize];
            if request.fate == Fate::Open && self.call(request).makes().is_some() {
                more.push(Comment::new(row.id, row.root, row.floor, 0, *place, row.text));
            }
        }
        more.into_iter().for_each(|comment| self.add(comment));
    }

    fn add(&mut self, comment: Comment) {
        self.by_id.insert(comment.id, self.comments.len() as u32);
        self.comments.push(comment);
    }

    fn change(&mut self) {
        for place in 0..self.requests.len() as u32 {
            let request = &self.requests[place as usize];
            let Some((id, what)) = self.call(request).alters() else { continue };
            let revision = self.written(request).map_or(0, |written| written.revision);
            let (fate, change) = (request.fate, Change { revision, request: place, what });
            let Some(comment) = self.by_id.get(&id).map(|at| &mut self.comments[*at as usize]) else { continue };
            match fate {
                Fate::Done { .. } => comment.changes.push(change),
                Fate::Open => comment.open.push(change),
                Fate::Refused => {}
            }
        }
        self.comments.iter_mut().for_each(|comment| comment.changes.sort_by_key(|change| change.revision));
    }

    fn reach(&mut self) {
        let told = |number: &u32| self.op(*number).revision().map(|told| (self.op(*number).ended, told, *number));
        self.reached = self.mine.iter().filter_map(told).collect();
        self.reached.sort_unstable();
        let mut highest = (0, u32::MAX);
        for (_, revision, op) in &mut self.reached {
            // The first one needs an operation too, whatever its revision.
            if *revision > highest.0 || highest.1 == u32::MAX {
                highest = (*revision, *op);
            }
            (*revision, *op) = highest;
        }
        let made = |request: &Request| (request.begun, self.written(request).map_or(0, |written| written.revision));
        self.asked = self.requests.iter().map(made).collect();
        self.asked.sort_unstable();
        let mut highest = 0;
        for (_, revision) in &mut self.asked {
            highest = highest.max(*revision);
            *revision = highest;
        }
    }

    /// Returns true if a request may have created a comment of which nothing is known.
    pub(super) fn is_lost(&self, request: &Request) -> bool {
        request.fate == Fate::Open && self.call(request).makes().is_some()
    }

    /// Returns the first response to a request, if there is one.
    pub(super) fn written(&self, request: &Request) -> Option<Written> {
        match request.fate {
            Fate::Done { op, .. } => written(self.op(op)),
            Fate::Refused | Fate::Open => None,
        }
    }
}

/// Returns the response to a write, if there is one.
pub(super) fn written(op: &Op) -> Option<Written> {
    if let Outcome::Written(written) = op.outcome { Some(written) } else { None }
}

impl Fate {
    /// Returns the result after one more attempt.
    fn and(self, number: u32, op: &Op) -> Self {
        match (self, &op.outcome) {
            (Self::Done { ended, .. }, Outcome::Written(_) | Outcome::Liked(_)) if op.ended < ended => {
                Self::Done { op: number, ended: op.ended }
            }
            (Self::Done { .. }, _) => self,
            (_, Outcome::Written(_) | Outcome::Liked(_)) => Self::Done { op: number, ended: op.ended },
            (Self::Refused, Outcome::Refused(_)) => Self::Refused,
            (Self::Refused | Self::Open, _) => Self::Open,
        }
    }

    /// Returns the time of the first acknowledgement.
    pub(super) fn ended(self) -> Option<Nanos> {
        if let Self::Done { ended, .. } = self { Some(ended) } else { None }
    }
}

impl Request {
    /// Returns all attempts.
    pub(super) fn attempts(&self) -> impl Iterator<Item = u32> + '_ {
        std::iter::once(self.first).chain(self.more.iter().copied())
    }
}

impl Comment {
    fn new(id: i64, root: i64, floor: i32, born: i64, request: u32, text: u64) -> Self {
        Self { id, root, floor, born, request, text, changes: Vec::new(), open: Vec::new() }
    }

    /// Returns the visibility and the text after the acknowledged writes up to a revision.
    pub(super) fn at(&self, revision: i64) -> (bool, u64) {
        let until = self.changes.partition_point(|change| change.revision <= revision);
        let mut state = (true, self.text);
        for change in &self.changes[..until] {
            match change.what {
                What::Text(text) => state.1 = text,
                What::Visible(visible) => state.0 = visible,
            }
        }
        state
    }

    /// Returns true if an open request that was sent before this time may have made this change.
    pub(super) fn may(&self, fixture: &Fixture<'_>, what: What, before: Nanos) -> bool {
        let sent = |change: &Change| fixture.requests[change.request as usize].begun < before;
        self.open.iter().any(|change| change.what == what && sent(change))
    }

    /// Returns true if it may have been visible, or not, at some time in the interval.
    pub(super) fn may_be(&self, fixture: &Fixture<'_>, visible: bool, begun: Nanos, ended: Nanos) -> bool {
        let request = |change: &Change| &fixture.requests[change.request as usize];
        let over = |change: &Change| request(change).fate.ended().is_some_and(|done| done < begun);
        let states = |change: &&Change| matches!(change.what, What::Visible(_));
        let last = self.changes.iter().filter(states).rfind(|change| over(change));
        let settled = last.map_or(What::Visible(true), |change| change.what);
        let meanwhile =
            |change: &Change| change.what == What::Visible(visible) && request(change).begun < ended && !over(change);
        settled == What::Visible(visible) || self.changes.iter().chain(&self.open).any(meanwhile)
    }

    /// Returns true if it was certainly created at or before a revision.
    pub(super) fn stood(&self, revision: i64) -> bool {
        self.born != 0 && self.born <= revision
    }

    /// Returns true if it certainly existed and was visible all the time in the interval.
    pub(super) fn was_there(&self, fixture: &Fixture<'_>, begun: Nanos, ended: Nanos) -> bool {
        let made = fixture.requests[self.request as usize].fate.ended().is_some_and(|done| done < begun);
        made && !self.may_be(fixture, false, begun, ended)
    }

    /// Returns true if it may have become invisible in the interval.
    pub(super) fn went(&self, fixture: &Fixture<'_>, begun: Nanos, ended: Nanos) -> bool {
        let meanwhile = |change: &&Change| {
            let Request { begun: sent, fate, .. } = &fixture.requests[change.request as usize];
            *sent < ended && fate.ended().is_none_or(|done| done >= begun)
        };
        let hides = |change: &Change| change.what == What::Visible(false);
        self.changes.iter().chain(&self.open).filter(meanwhile).any(hides)
    }

    /// Returns the operations that explain a comment in a response, and the response: its create
    /// and the changes that were sent before the response ended.
    pub(super) fn story(&self, fixture: &Fixture<'_>, number: u32) -> Vec<u32> {
        let ended = fixture.op(number).ended;
        let request = |place: u32| &fixture.requests[place as usize];
        let before = |of: &&Change| request(of.request).begun < ended;
        let changes = self.changes.iter().chain(&self.open).filter(before).map(|of| of.request);
        let told = std::iter::once(self.request).chain(changes).map(|place| request(place).first);
        told.chain(std::iter::once(number)).collect()
    }

    /// Returns true if an item shows its unchanging parts.
    pub(super) fn is_shown_by(&self, item: &Item) -> bool {
        (self.root, self.floor) == (item.root, item.floor)
    }
}
