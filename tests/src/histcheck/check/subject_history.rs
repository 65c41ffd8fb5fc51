//! The history of one subject: its requests with their outcomes, and the state of each comment at
//! each revision.
//!
//! Every change of a subject except a like increments its revision, and every response about the
//! subject contains the revision. So the revision is a logical clock of the service: the required
//! content of a page follows from the writes up to its revision, whether it came from the cache or
//! the database, and however late. A request with an unknown outcome may have been executed at any
//! revision after it was sent, or never. Its changes are stored separately, as possible changes.

use super::int_map::IntMap;
use crate::histcheck::history::{Call, Item, Nanos, Op, Outcome, Property, RequestId, WriteResponse};

/// The part of a history that belongs to one subject.
#[derive(Debug)]
pub(super) struct SubjectHistory<'h> {
    pub(super) ops: &'h [Op],
    /// The indexes of the subject's operations, in the order they began.
    pub(super) op_numbers: &'h [u32],
    /// Writes, by request id, in the order they were first sent.
    pub(super) requests: Vec<Request>,
    /// Comments that were acknowledged, or that the export at the end contains.
    pub(super) comments: Vec<Comment>,
    comment_indexes: IntMap<i64, u32>,
    /// The index of the request that wrote each text.
    text_writers: IntMap<u64, u32>,
    request_indexes: IntMap<RequestId, u32>,
    /// The highest revision in a response up to each time, and the operation that returned it.
    returned_revisions: Vec<(Nanos, i64, u32)>,
    /// The highest revision made by the requests that were sent up to each time.
    written_revisions: Vec<(Nanos, i64)>,
}

/// All attempts under one request id.
#[derive(Debug)]
pub(super) struct Request {
    /// The first attempt, and the others.
    pub(super) first: u32,
    pub(super) more: Vec<u32>,
    pub(super) begun: Nanos,
    pub(super) outcome: RequestOutcome,
}

/// The outcome of a request over all its attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestOutcome {
    /// It was acknowledged; `op` is the first acknowledgement and `ended` its time.
    Acknowledged { op: u32, ended: Nanos },
    /// Every attempt was refused as not executed.
    Refused,
    /// It may have been executed, or may be executed later.
    Unknown,
}

/// A comment with its changes.
#[derive(Debug)]
pub(super) struct Comment {
    pub(super) id: i64,
    pub(super) root: i64,
    pub(super) floor: i32,
    /// The revision of its creation; 0 if it is unknown because the create was never acknowledged.
    pub(super) created_revision: i64,
    /// The index of the request that created it.
    pub(super) request: u32,
    /// Its first text.
    pub(super) text: u64,
    /// Acknowledged changes by revision.
    pub(super) changes: Vec<Change>,
    /// Changes of requests with an unknown outcome.
    pub(super) possible_changes: Vec<Change>,
}

/// A change of a comment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change {
    /// The revision that the change made; 0 if it is unknown.
    pub(super) revision: i64,
    /// The index of its request.
    pub(super) request: u32,
    pub(super) property: Property,
}

impl<'h> SubjectHistory<'h> {
    /// Builds the state from the operations of one subject.
    pub(super) fn of(ops: &'h [Op], op_numbers: &'h [u32]) -> Self {
        let mut history = Self {
            ops,
            op_numbers,
            requests: Vec::new(),
            comments: Vec::new(),
            comment_indexes: IntMap::default(),
            text_writers: IntMap::default(),
            request_indexes: IntMap::default(),
            returned_revisions: Vec::new(),
            written_revisions: Vec::new(),
        };
        history.group_attempts();
        history.add_acknowledged_comments();
        history.add_exported_comments();
        history.add_changes();
        history.index_revisions();
        history
    }

    /// Returns an operation by its index in the history.
    pub(super) fn op(&self, number: u32) -> &'h Op {
        &self.ops[number as usize]
    }

    /// Returns the call of a request.
    pub(super) fn call(&self, request: &Request) -> &'h Call {
        &self.op(request.first).call
    }

    /// Returns a request by its index.
    pub(super) fn request(&self, index: u32) -> &Request {
        &self.requests[index as usize]
    }

    /// Returns a comment by its id.
    pub(super) fn comment(&self, id: i64) -> Option<&Comment> {
        self.comment_indexes.get(&id).map(|index| &self.comments[*index as usize])
    }

    /// Returns the parent of a comment, as its create named it; 0 for a root.
    pub(super) fn parent(&self, comment: &Comment) -> i64 {
        self.call(self.request(comment.request)).makes().map_or(0, |(_, parent, _)| parent)
    }

    /// Returns the request that wrote a text.
    pub(super) fn text_writer(&self, text: u64) -> Option<&Request> {
        self.text_writers.get(&text).map(|index| self.request(*index))
    }

    /// Returns the index of a request by its id.
    pub(super) fn request_index(&self, id: RequestId) -> Option<u32> {
        self.request_indexes.get(&id).copied()
    }

    /// Returns the highest revision in a response that ended before this time, and its operation.
    pub(super) fn highest_returned(&self, timestamp: Nanos) -> Option<(i64, u32)> {
        let before = self.returned_revisions.partition_point(|(ended, ..)| *ended < timestamp);
        before.checked_sub(1).map(|last| (self.returned_revisions[last].1, self.returned_revisions[last].2))
    }

    /// Returns the highest revision that a request sent before this time is known to have made.
    pub(super) fn highest_written(&self, timestamp: Nanos) -> i64 {
        let before = self.written_revisions.partition_point(|(begun, _)| *begun < timestamp);
        before.checked_sub(1).map_or(0, |last| self.written_revisions[last].1)
    }

    /// Returns the export of the subject at the end of the run, if there is one.
    pub(super) fn export(&self) -> Option<(u32, &'h Outcome)> {
        let exports = self.op_numbers.iter().rev().map(|number| (*number, &self.op(*number).outcome));
        exports.into_iter().find(|(_, outcome)| matches!(outcome, Outcome::Export { .. }))
    }

    fn group_attempts(&mut self) {
        for number in self.op_numbers {
            let op = &self.ops[*number as usize];
            if op.request == (0, 0) {
                continue;
            }
            let index = *self.request_indexes.entry(op.request).or_insert_with(|| {
                let outcome = RequestOutcome::Refused;
                self.requests.push(Request { first: *number, more: Vec::new(), begun: op.begun, outcome });
                self.requests.len() as u32 - 1
            });
            let request = &mut self.requests[index as usize];
            if request.first != *number {
                request.more.push(*number);
            }
            request.outcome = request.outcome.after_attempt(*number, op);
        }
    }

    fn add_acknowledged_comments(&mut self) {
        for index in 0..self.requests.len() as u32 {
            let request = self.request(index);
            let (call, written) = (self.call(request), self.written(request));
            let Some((_, _, text)) = call.makes() else {
                if let Call::Edit { text, .. } = call {
                    self.text_writers.insert(*text, index);
                }
                continue;
            };
            self.text_writers.insert(text, index);
            let Some(written) = written else { continue };
            let WriteResponse { id, root, floor, revision } = written;
            self.add(Comment::new(id, root, floor, revision, index, text));
        }
        self.comments.sort_by_key(|comment| (comment.root, comment.floor));
        self.comment_indexes = (0..).zip(&self.comments).map(|(index, comment)| (comment.id, index)).collect();
    }

    /// Adds the comments of requests without a response that the export contains.
    fn add_exported_comments(&mut self) {
        let Some((_, Outcome::Export { rows, .. })) = self.export() else { return };
        let mut more = Vec::new();
        for row in rows.iter().filter(|row| !self.comment_indexes.contains_key(&row.id)) {
            let Some(index) = self.text_writers.get(&row.text) else { continue };
            if self.may_have_created(self.request(*index)) {
                more.push(Comment::new(row.id, row.root, row.floor, 0, *index, row.text));
            }
        }
        more.into_iter().for_each(|comment| self.add(comment));
    }

    fn add(&mut self, comment: Comment) {
        self.comment_indexes.insert(comment.id, self.comments.len() as u32);
        self.comments.push(comment);
    }

    fn add_changes(&mut self) {
        for index in 0..self.requests.len() as u32 {
            let request = self.request(index);
            let Some((id, property)) = self.call(request).alters() else { continue };
            let revision = self.written(request).map_or(0, |written| written.revision);
            let (outcome, change) = (request.outcome, Change { revision, request: index, property });
            let Some(comment) = self.comment_indexes.get(&id).map(|at| &mut self.comments[*at as usize]) else {
                continue;
            };
            match outcome {
                RequestOutcome::Acknowledged { .. } => comment.changes.push(change),
                RequestOutcome::Unknown => comment.possible_changes.push(change),
                RequestOutcome::Refused => {}
            }
        }
        self.comments.iter_mut().for_each(|comment| comment.changes.sort_by_key(|change| change.revision));
    }

    fn index_revisions(&mut self) {
        let returned = |number: &u32| {
            let op = self.op(*number);
            op.revision().map(|revision| (op.ended, revision, *number))
        };
        self.returned_revisions = self.op_numbers.iter().filter_map(returned).collect();
        self.returned_revisions.sort_unstable();
        let mut highest = (0, u32::MAX);
        for (_, revision, op) in &mut self.returned_revisions {
            // The first one needs an operation too, whatever its revision.
            if *revision > highest.0 || highest.1 == u32::MAX {
                highest = (*revision, *op);
            }
            (*revision, *op) = highest;
        }
        let made = |request: &Request| (request.begun, self.written(request).map_or(0, |written| written.revision));
        self.written_revisions = self.requests.iter().map(made).collect();
        self.written_revisions.sort_unstable();
        let mut highest = 0;
        for (_, revision) in &mut self.written_revisions {
            highest = highest.max(*revision);
            *revision = highest;
        }
    }

    /// Returns true if a create has an unknown outcome, so that it may have created a comment.
    pub(super) fn may_have_created(&self, request: &Request) -> bool {
        request.outcome == RequestOutcome::Unknown && self.call(request).makes().is_some()
    }

    /// Returns the first response to a request, if there is one.
    pub(super) fn written(&self, request: &Request) -> Option<WriteResponse> {
        match request.outcome {
            RequestOutcome::Acknowledged { op, .. } => written(self.op(op)),
            RequestOutcome::Refused | RequestOutcome::Unknown => None,
        }
    }
}

/// Returns the response to a write, if there is one.
pub(super) fn written(op: &Op) -> Option<WriteResponse> {
    if let Outcome::Written(written) = op.outcome { Some(written) } else { None }
}

impl RequestOutcome {
    /// Returns the outcome after one more attempt.
    fn after_attempt(self, number: u32, op: &Op) -> Self {
        match (self, &op.outcome) {
            (Self::Acknowledged { ended, .. }, Outcome::Written(_) | Outcome::Liked(_)) if op.ended < ended => {
                Self::Acknowledged { op: number, ended: op.ended }
            }
            (Self::Acknowledged { .. }, _) => self,
            (_, Outcome::Written(_) | Outcome::Liked(_)) => Self::Acknowledged { op: number, ended: op.ended },
            (Self::Refused, Outcome::Refused(_)) => Self::Refused,
            (Self::Refused | Self::Unknown, _) => Self::Unknown,
        }
    }

    /// Returns the time of the first acknowledgement.
    pub(super) fn acknowledged_at(self) -> Option<Nanos> {
        if let Self::Acknowledged { ended, .. } = self { Some(ended) } else { None }
    }
}

impl Request {
    /// Returns all attempts.
    pub(super) fn attempts(&self) -> impl Iterator<Item = u32> + '_ {
        std::iter::once(self.first).chain(self.more.iter().copied())
    }
}

impl Comment {
    fn new(id: i64, root: i64, floor: i32, created_revision: i64, request: u32, text: u64) -> Self {
        let (changes, possible_changes) = (Vec::new(), Vec::new());
        Self { id, root, floor, created_revision, request, text, changes, possible_changes }
    }

    /// Returns the visibility and the text after the acknowledged writes up to a revision.
    pub(super) fn state_at(&self, revision: i64) -> (bool, u64) {
        let until = self.changes.partition_point(|change| change.revision <= revision);
        let mut state = (true, self.text);
        for change in &self.changes[..until] {
            match change.property {
                Property::Text(text) => state.1 = text,
                Property::Visible(visible) => state.0 = visible,
            }
        }
        state
    }

    /// Returns true if a request with an unknown outcome that was sent before this time may have
    /// set this property.
    pub(super) fn may_have_changed(&self, history: &SubjectHistory<'_>, property: Property, before: Nanos) -> bool {
        let sent = |change: &Change| history.request(change.request).begun < before;
        self.possible_changes.iter().any(|change| change.property == property && sent(change))
    }

    /// Returns true if it may have had this visibility at some time in the interval.
    pub(super) fn may_have_been(
        &self,
        history: &SubjectHistory<'_>,
        visible: bool,
        begun: Nanos,
        ended: Nanos,
    ) -> bool {
        let request = |change: &Change| history.request(change.request);
        let is_over = |change: &Change| {
            request(change).outcome.acknowledged_at().is_some_and(|acknowledged| acknowledged < begun)
        };
        let sets_visibility = |change: &&Change| matches!(change.property, Property::Visible(_));
        let last = self.changes.iter().filter(sets_visibility).rfind(|change| is_over(change));
        let initial = last.map_or(Property::Visible(true), |change| change.property);
        let sets_it_meanwhile = |change: &Change| {
            change.property == Property::Visible(visible) && request(change).begun < ended && !is_over(change)
        };
        initial == Property::Visible(visible)
            || self.changes.iter().chain(&self.possible_changes).any(sets_it_meanwhile)
    }

    /// Returns true if it was certainly created at or before a revision.
    pub(super) fn existed_at(&self, revision: i64) -> bool {
        self.created_revision != 0 && self.created_revision <= revision
    }

    /// Returns true if it certainly existed and was visible all the time in the interval.
    pub(super) fn was_visible(&self, history: &SubjectHistory<'_>, begun: Nanos, ended: Nanos) -> bool {
        let created = history.request(self.request).outcome.acknowledged_at();
        created.is_some_and(|created| created < begun) && !self.may_have_been(history, false, begun, ended)
    }

    /// Returns true if it may have become invisible in the interval.
    pub(super) fn may_have_been_hidden(&self, history: &SubjectHistory<'_>, begun: Nanos, ended: Nanos) -> bool {
        let is_within = |change: &&Change| {
            let Request { begun: sent, outcome, .. } = history.request(change.request);
            *sent < ended && outcome.acknowledged_at().is_none_or(|acknowledged| acknowledged >= begun)
        };
        let hides = |change: &Change| change.property == Property::Visible(false);
        self.changes.iter().chain(&self.possible_changes).filter(is_within).any(hides)
    }

    /// Returns the operations that explain a comment in a response, and the response: its create
    /// and the changes that were sent before the response ended.
    pub(super) fn explaining_ops(&self, history: &SubjectHistory<'_>, response: u32) -> Vec<u32> {
        let ended = history.op(response).ended;
        let sent_before = |change: &&Change| history.request(change.request).begun < ended;
        let changes = self.changes.iter().chain(&self.possible_changes).filter(sent_before);
        let requests = std::iter::once(self.request).chain(changes.map(|change| change.request));
        requests.map(|index| history.request(index).first).chain(std::iter::once(response)).collect()
    }

    /// Returns true if an item shows the comment's root and floor, which never change.
    pub(super) fn has_position_of(&self, item: &Item) -> bool {
        (self.root, self.floor) == (item.root, item.floor)
    }
}
