//! Small handmade histories for the tests of the rules.
//!
//! All operations are on subject 0. An operation of second `n` begins then and lasts half a second,
//! so that operations of different seconds follow each other; each has a client of its own. The
//! text number of a comment is its id, and its author is member 1.

use super::fixture::written;
use super::{Anomaly, check};
use crate::histcheck::history::{
    Call, Counts, History, How, Item, Liked, Op, Outcome, PageOf, Place, RequestId, Shown, Sort, Value, View, Which,
    Written,
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
        place: Place::Row,
        id,
        root: 0,
        parent: 0,
        floor,
        member: 1,
        text: id as u64,
        subject: 0,
        marked: 0,
        likes: 0,
        dislikes: 0,
        replies: 0,
        revision: 0,
    }
}

/// Returns a reply to a root.
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
    pub(super) fn last(&mut self, change: impl FnOnce(&mut Op)) -> &mut Self {
        change(self.history.ops.last_mut().unwrap());
        self
    }

    /// Returns the request id of the last operation.
    pub(super) fn request(&self) -> RequestId {
        self.history.ops.last().unwrap().request
    }

    /// Repeats the last operation at another second and with another outcome.
    pub(super) fn again(&mut self, at: u64, outcome: Outcome) -> &mut Self {
        let last = self.history.ops.last().unwrap().clone();
        self.op(at, last.call, outcome).last(|op| op.request = last.request)
    }

    pub(super) fn root(&mut self, at: u64, id: i64, floor: i32, revision: i64) -> &mut Self {
        let call = Call::Root { subject: 0, member: 1, text: id as u64 };
        self.op(at, call, Outcome::Written(Written { id, root: 0, floor, revision }))
    }

    pub(super) fn reply(&mut self, at: u64, root: i64, id: i64, floor: i32, revision: i64) -> &mut Self {
        self.answer(at, root, Written { id, root, floor, revision })
    }

    /// Returns the response to a change of a comment, with the position of its create; without a
    /// revision the outcome is unknown.
    fn changed(&self, comment: i64, revision: Option<i64>) -> Outcome {
        let creates = self.history.ops.iter().filter(|op| op.call.makes().is_some());
        let made = creates.filter_map(written).find(|written| written.id == comment);
        let made = made.unwrap_or(Written { id: comment, root: 0, floor: 0, revision: 0 });
        revision.map_or(Outcome::Unknown(UNKNOWN.into()), |revision| Outcome::Written(Written { revision, ..made }))
    }

    /// Adds a reply to any comment.
    pub(super) fn answer(&mut self, at: u64, parent: i64, written: Written) -> &mut Self {
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
        self.op(at, Call::Edit { subject: 0, comment, member: 1, text }, self.changed(comment, revision))
    }

    pub(super) fn delete(&mut self, at: u64, comment: i64, revision: i64) -> &mut Self {
        self.op(at, Call::Delete { subject: 0, comment, member: 1 }, self.changed(comment, Some(revision)))
    }

    pub(super) fn unknown_delete(&mut self, at: u64, comment: i64) -> &mut Self {
        self.op(at, Call::Delete { subject: 0, comment, member: 1 }, self.changed(comment, None))
    }

    pub(super) fn undelete(&mut self, at: u64, comment: i64, revision: Option<i64>) -> &mut Self {
        self.op(at, Call::Undelete { subject: 0, comment, member: 1 }, self.changed(comment, revision))
    }

    /// Adds a like of a comment; the response contains its counts and the comment's revision. All
    /// likes are of one client.
    pub(super) fn like(&mut self, at: u64, member: u32, value: Value, told: Option<(i32, i32, i64)>) -> &mut Self {
        let outcome = told.map_or(Outcome::Unknown(UNKNOWN.into()), |(likes, dislikes, revision)| {
            Outcome::Liked(Liked { value, likes, dislikes, revision })
        });
        self.op(at, Call::Like { subject: 0, comment: 11, member, value }, outcome).last(|op| op.client = 1_000)
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

    /// Adds a read of several comments, one of which may be a reply to another.
    pub(super) fn several(&mut self, at: u64, which: Which, items: &[Item]) -> &mut Self {
        let view = View { min_revision: 0, fresh: true };
        self.op(at, Call::Several { subject: 0, which, view }, Outcome::Comments(items.into()))
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
            let shown = Shown { revision: *revision, counts: None, last, items: (*items).into() };
            self.op(at + u64::from(number), Call::List(page), Outcome::Page(shown)).last(|op| op.client = 2_000);
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
    pub(super) fn changes(&mut self, at: u64, after: i64, told: &[(i64, i64, How)], last: i64) -> &mut Self {
        let told = told.iter().map(|(revision, id, how)| (*revision, [(*id, *how)].into())).collect();
        self.op(at, Call::Watch { subject: 0, after }, Outcome::Changes { told, last })
    }

    pub(super) fn anomalies(&self) -> Vec<Anomaly> {
        check(&self.history)
    }

    /// Fails if an anomaly is found.
    pub(super) fn has_none(&self) {
        assert_eq!(self.anomalies(), []);
    }

    /// Fails if this rule finds an anomaly.
    pub(super) fn has_none_of(&self, rule: &str) {
        let found: Vec<_> = self.anomalies().into_iter().filter(|anomaly| anomaly.rule == rule).collect();
        assert_eq!(found, []);
    }

    /// Fails unless this rule finds an anomaly with these words.
    pub(super) fn has(&self, rule: &str, words: &str) {
        let all = self.anomalies();
        let found = all.iter().any(|anomaly| anomaly.rule == rule && anomaly.what.contains(words));
        assert!(found, "{rule}: {words:?} is not in {all:#?}");
    }
}
