//! Small hand-written histories for the tests of the rules.
//!
//! All operations are on subject 0. An operation of second `n` begins then and lasts half a second,
//! so that operations of different seconds follow each other. Each operation has a client of its
//! own. The text number of a comment is its id, and its author is member 1.

use super::subject_history::written;
use super::{Anomaly, check};
use crate::histcheck::history::{
    Call, ChangeKind, CommentSelector, Counts, History, Item, ItemKind, LikeResponse, Op, Outcome, PageOf,
    PageResponse, RequestId, Sort, Value, View, WriteResponse,
};

/// A history under construction.
#[derive(Debug, Default)]
pub(super) struct SampleHistory {
    history: History,
    requests: u64,
}

/// Returns a root as a page shows it.
pub(super) fn item(id: i64, floor: i32) -> Item {
    Item {
        kind: ItemKind::Row,
        id,
        root: 0,
        parent: 0,
        floor,
        member: 1,
        text: id as u64,
        subject: 0,
        text_subject: 0,
        likes: 0,
        dislikes: 0,
        replies: 0,
        revision: 0,
    }
}

/// Returns a reply to a root as a page shows it.
pub(super) fn below(root: i64, id: i64, floor: i32) -> Item {
    Item { root, parent: root, ..item(id, floor) }
}

/// Returns the tombstone of a root.
pub(super) fn tombstone(id: i64, floor: i32) -> Item {
    Item { text: 0, member: u32::MAX, ..item(id, floor) }
}

const UNKNOWN: &str = "Unavailable";

impl SampleHistory {
    /// Adds an operation of a second; a write gets a request id of its own.
    pub(super) fn op(&mut self, at: u64, call: Call, outcome: Outcome) -> &mut Self {
        self.requests += 1;
        let request = if call.view().is_some() { (0, 0) } else { (1, self.requests) };
        let (begun, ended) = (at * 1_000_000_000, at * 1_000_000_000 + 500_000_000);
        let client = self.history.ops.len() as u32;
        self.history.ops.push(Op { client, server: 0, begun, ended, request, call, outcome });
        self
    }

    /// Changes the last operation.
    pub(super) fn change_last(&mut self, change: impl FnOnce(&mut Op)) -> &mut Self {
        change(self.history.ops.last_mut().unwrap());
        self
    }

    /// Returns the request id of the last operation.
    pub(super) fn request(&self) -> RequestId {
        self.history.ops.last().unwrap().request
    }

    /// Repeats the last operation at another second and with another outcome.
    pub(super) fn repeat(&mut self, at: u64, outcome: Outcome) -> &mut Self {
        let last = self.history.ops.last().unwrap().clone();
        self.op(at, last.call, outcome).change_last(|op| op.request = last.request)
    }

    pub(super) fn root(&mut self, at: u64, id: i64, floor: i32, revision: i64) -> &mut Self {
        let call = Call::Root { subject: 0, member: 1, text: id as u64 };
        self.op(at, call, Outcome::Written(WriteResponse { id, root: 0, floor, revision }))
    }

    pub(super) fn reply(&mut self, at: u64, root: i64, id: i64, floor: i32, revision: i64) -> &mut Self {
        self.reply_to(at, root, WriteResponse { id, root, floor, revision })
    }

    /// Returns the outcome of a change of a comment, with the position that its create returned.
    /// Without a revision the outcome is unknown.
    fn change_outcome(&self, comment: i64, revision: Option<i64>) -> Outcome {
        let creates = self.history.ops.iter().filter(|op| op.call.makes().is_some());
        let created = creates.filter_map(written).find(|written| written.id == comment);
        let created = created.unwrap_or(WriteResponse { id: comment, root: 0, floor: 0, revision: 0 });
        revision.map_or(Outcome::Unknown(UNKNOWN.into()), |revision| {
            Outcome::Written(WriteResponse { revision, ..created })
        })
    }

    /// Adds a reply to any comment.
    pub(super) fn reply_to(&mut self, at: u64, parent: i64, written: WriteResponse) -> &mut Self {
        let call = Call::Reply { subject: 0, parent, member: 1, text: written.id as u64 };
        self.op(at, call, Outcome::Written(written))
    }

    pub(super) fn unknown_root(&mut self, at: u64, id: i64) -> &mut Self {
        self.op(at, Call::Root { subject: 0, member: 1, text: id as u64 }, Outcome::Unknown(UNKNOWN.into()))
    }

    pub(super) fn refused_root(&mut self, at: u64, id: i64) -> &mut Self {
        self.op(at, Call::Root { subject: 0, member: 1, text: id as u64 }, Outcome::Refused("OVERLOADED".into()))
    }

    pub(super) fn edit(&mut self, at: u64, comment: i64, text: u64, revision: Option<i64>) -> &mut Self {
        self.op(at, Call::Edit { subject: 0, comment, member: 1, text }, self.change_outcome(comment, revision))
    }

    pub(super) fn delete(&mut self, at: u64, comment: i64, revision: i64) -> &mut Self {
        self.op(at, Call::Delete { subject: 0, comment, member: 1 }, self.change_outcome(comment, Some(revision)))
    }

    pub(super) fn unknown_delete(&mut self, at: u64, comment: i64) -> &mut Self {
        self.op(at, Call::Delete { subject: 0, comment, member: 1 }, self.change_outcome(comment, None))
    }

    pub(super) fn undelete(&mut self, at: u64, comment: i64, revision: Option<i64>) -> &mut Self {
        self.op(at, Call::Undelete { subject: 0, comment, member: 1 }, self.change_outcome(comment, revision))
    }

    /// Adds a like of comment 11. The response has the likes, the dislikes and the revision of the
    /// comment; without a response the outcome is unknown. One client sends all likes.
    pub(super) fn like(&mut self, at: u64, member: u32, value: Value, response: Option<(i32, i32, i64)>) -> &mut Self {
        let outcome = response.map_or(Outcome::Unknown(UNKNOWN.into()), |(likes, dislikes, revision)| {
            Outcome::Liked(LikeResponse { value, likes, dislikes, revision })
        });
        self.op(at, Call::Like { subject: 0, comment: 11, member, value }, outcome).change_last(|op| op.client = 1_000)
    }

    /// Adds a fresh read of the like state of a member for comment 11.
    pub(super) fn state(&mut self, at: u64, member: u32, value: Value) -> &mut Self {
        let call = Call::States { subject: 0, member, comments: Box::new([11]), fresh: true };
        self.op(at, call, Outcome::States(Box::new([value])))
    }

    pub(super) fn get(&mut self, at: u64, item: Item, fresh: bool) -> &mut Self {
        let view = View { min_revision: 0, fresh };
        self.op(at, Call::Get { subject: 0, comment: item.id, view }, Outcome::Comment(item))
    }

    /// Adds a fresh read of several comments.
    pub(super) fn several(&mut self, at: u64, comments: CommentSelector, items: &[Item]) -> &mut Self {
        let view = View { min_revision: 0, fresh: true };
        self.op(at, Call::Several { subject: 0, comments, view }, Outcome::Comments(items.into()))
    }

    pub(super) fn counts(&mut self, at: u64, revision: i64, roots: i32, comments: i32) -> &mut Self {
        let call = Call::Counts { subject: 0, view: View::default() };
        self.op(at, call, Outcome::Counts(Counts { revision, roots, comments }))
    }

    /// Adds a walk with a single page.
    pub(super) fn page(&mut self, at: u64, sort: Sort, revision: i64, items: &[Item]) -> &mut Self {
        self.pages(at, sort, &[(revision, items)])
    }

    /// Adds a walk, a page each second.
    pub(super) fn pages(&mut self, at: u64, sort: Sort, pages: &[(i64, &[Item])]) -> &mut Self {
        for (number, (revision, items)) in pages.iter().enumerate() {
            let (number, last) = (number as u32, number + 1 == pages.len());
            let page = PageOf { subject: 0, sort, size: 2, walk: at as u32, number, view: View::default() };
            let shown = PageResponse { revision: *revision, counts: None, last, items: (*items).into() };
            self.op(at + u64::from(number), Call::List(page), Outcome::Page(shown)).change_last(|op| op.client = 2_000);
        }
        self
    }

    /// Adds the export at the end of the run.
    pub(super) fn export(&mut self, at: u64, rows: &[Item], likes: &[(i64, u32, Value)]) -> &mut Self {
        let outcome = Outcome::Export { counts: None, rows: rows.into(), likes: likes.into(), drifts: Box::new([]) };
        self.op(at, Call::Export { subject: 0 }, outcome)
    }

    /// Adds the changes that a watcher after a revision received, each with its revision, comment
    /// and kind.
    pub(super) fn changes(&mut self, at: u64, after: i64, received: &[(i64, i64, ChangeKind)], last: i64) -> &mut Self {
        let changes = received.iter().map(|(revision, id, kind)| (*revision, [(*id, *kind)].into())).collect();
        self.op(at, Call::Watch { subject: 0, after }, Outcome::Changes { changes, last })
    }

    pub(super) fn anomalies(&self) -> Vec<Anomaly> {
        check(&self.history).anomalies
    }

    /// Fails if an anomaly is found.
    pub(super) fn finds_nothing(&self) {
        assert_eq!(self.anomalies(), []);
    }

    /// Fails if this rule finds an anomaly.
    pub(super) fn finds_nothing_of(&self, rule: &str) {
        let anomalies: Vec<_> = self.anomalies().into_iter().filter(|anomaly| anomaly.rule == rule).collect();
        assert_eq!(anomalies, []);
    }

    /// Fails unless this rule finds an anomaly whose description contains this text.
    pub(super) fn finds(&self, rule: &str, text: &str) {
        let all = self.anomalies();
        let is_found = all.iter().any(|anomaly| anomaly.rule == rule && anomaly.description.contains(text));
        assert!(is_found, "{rule}: {text:?} is not in {all:#?}");
    }
}
