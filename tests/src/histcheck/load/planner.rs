//! Selection of the next call of a client, by chance.

use std::collections::VecDeque;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::known_comments::KnownComments;
use super::walk::PageWalk;
use super::{Acknowledged, SUBJECTS};
use crate::histcheck::check::MAX_AGE;
use crate::histcheck::fault::LONG_TIMEOUT_SERVER;
use crate::histcheck::fleet::SERVERS;
use crate::histcheck::history::{Call, CommentSelector, Misuse, Nanos, Op, Outcome, Property, RequestId, Value, View};
use crate::histcheck::names::{self, CONTESTED_MEMBER};

/// Number of members that one client acts for; no other client acts for them, so each of their
/// likes has one client.
const MEMBERS: u32 = 12;
/// Number of own comments, and of own acknowledged requests, that a client stores.
const STORED: usize = 200;
/// Number of like state reads that a client may repeat.
const STATE_READS: usize = 24;
/// The first quiet subject. Quiet subjects get comments only at the beginning of a run, and later
/// only likes. Their cached data then depends on likes alone: no new revision replaces it.
const FIRST_QUIET: u32 = SUBJECTS as u32 - 20;
/// Number of first texts of each client that may go to quiet subjects.
const EARLY_TEXTS: u64 = 12;
/// Number of subjects, before the quiet ones, with likes of the member of all clients: few, so that
/// clients set the same like, and apart, because the counts of their comments are less certain.
const CONTESTED: u32 = 2;
/// Period in which all clients like the same quiet comment.
const QUIET_LIKE_PERIOD: Nanos = 1_000_000_000;
/// Delay of the next read of a comment after two concurrent likes: longer than any staleness.
pub(crate) const REREAD_DELAY: Nanos = MAX_AGE + 2_000_000_000;
/// Number of unfinished walks of one client.
const OPEN_WALKS: usize = 3;

/// A call that a client has to send.
#[derive(Debug, Clone)]
pub(crate) struct PlannedCall {
    pub(crate) call: Call,
    /// The request id of an earlier request, if this call repeats it.
    pub(crate) repeated: Option<RequestId>,
    /// The page token, if the page is not the first one.
    pub(crate) token: String,
    /// The server to call, if it is not random.
    pub(crate) server: Option<usize>,
    /// A like by another member, sent to another server a moment later.
    pub(crate) concurrent_like: Option<Call>,
    /// The walk that the page belongs to.
    walk: Option<PageWalk>,
}

impl PlannedCall {
    /// Returns a call to send once.
    pub(super) fn of(call: Call) -> Self {
        Self { call, repeated: None, token: String::new(), server: None, concurrent_like: None, walk: None }
    }
}

/// The random choices of one client.
#[derive(Debug)]
pub(crate) struct Planner {
    client: u32,
    rng: StdRng,
    text_count: u64,
    last_walk: u32,
    own: Vec<OwnComment>,
    acknowledged: Acknowledged,
    open_walks: Vec<PageWalk>,
    /// Subject, member and comments of earlier like state reads.
    state_reads: Vec<(u32, u32, Box<[i64]>)>,
    /// The subject and id of an own comment that is in the cache, because it was read.
    cached: Option<(u32, i64)>,
    /// Comments to read again: the time, the server, the subject and the id of each.
    rereads: VecDeque<(Nanos, usize, u32, i64)>,
    /// The last revision of each subject that this client received.
    revisions: Vec<i64>,
}

/// A comment that a client wrote, with its expected state: deleted or hidden, or visible.
#[derive(Debug, Clone, Copy)]
struct OwnComment {
    subject: u32,
    id: i64,
    member: u32,
    deleted: bool,
}

impl Planner {
    /// Creates the planner of the client of this number.
    pub(crate) fn new(client: u32, seed: u64) -> Self {
        let rng = StdRng::seed_from_u64(seed ^ u64::from(client + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (own, acknowledged, open_walks, state_reads) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (cached, rereads, revisions) = (None, VecDeque::new(), vec![0; SUBJECTS]);
        Self {
            client,
            rng,
            text_count: 0,
            last_walk: 0,
            own,
            acknowledged,
            open_walks,
            state_reads,
            cached,
            rereads,
            revisions,
        }
    }

    /// Returns the random number generator.
    pub(crate) fn rng(&mut self) -> &mut StdRng {
        &mut self.rng
    }

    /// Returns the next call at this time of the run.
    pub(crate) fn next(&mut self, roots: &KnownComments, replies: &KnownComments, now: Nanos) -> PlannedCall {
        if let Some((_, server, subject, comment)) = self.rereads.pop_front_if(|(due, ..)| *due <= now) {
            return PlannedCall {
                server: Some(server),
                ..PlannedCall::of(Call::Get { subject, comment, view: View::default() })
            };
        }
        // In thousandths. There are many reads for each write, as in practice; the number of writes
        // is limited by what write queues and locks can process.
        let planned = match self.rng.random_range(0..1_000) {
            0..17 => Some(PlannedCall::of(self.root())),
            17..36 => self.reply(roots).map(PlannedCall::of),
            36..61 => self.like(roots, replies, now).map(PlannedCall::of),
            61..71 => self.concurrent_likes(),
            71..81 => self.edit().map(PlannedCall::of),
            81..97 => self.delete(false).map(PlannedCall::of),
            97..104 => self.delete(true).map(PlannedCall::of),
            104..114 => self.repeat(),
            114..117 => self.misuse(),
            117..222 => self.walk(roots),
            222..442 => self.get(roots, replies).map(PlannedCall::of),
            442..512 => self.several(roots, replies).map(PlannedCall::of),
            512..742 => Some(PlannedCall::of(self.counts())),
            742..752 => self.likers(roots, now).map(PlannedCall::of),
            752..760 => self.history().map(PlannedCall::of),
            760..768 => self.of_member().map(PlannedCall::of),
            _ => self.states(roots, replies).map(PlannedCall::of),
        };
        // If no comment fits, the client creates a root in one of four cases, and otherwise reads
        // counts.
        planned
            .unwrap_or_else(|| PlannedCall::of(if self.rng.random_ratio(1, 4) { self.root() } else { self.counts() }))
    }

    /// Records the effect of an operation. `token` is the token of the next page; it is empty at
    /// the end of a list.
    pub(crate) fn record(&mut self, planned: PlannedCall, op: &Op, token: String) {
        let subject = op.call.subject();
        if let Some(revision) = op.revision() {
            let last = &mut self.revisions[subject as usize];
            *last = revision.max(*last);
        }
        if let (Call::Get { subject, comment, view }, Outcome::Comment(_)) = (&op.call, &op.outcome)
            && !view.fresh
            && planned.server.is_none()
            && self.own.iter().any(|own| own.id == *comment && !own.deleted)
        {
            self.cached = Some((*subject, *comment));
        }
        if let (Some(Call::Like { subject, comment, .. }), Outcome::Liked(_)) = (&planned.concurrent_like, &op.outcome)
        {
            self.rereads.extend((0..SERVERS).map(|server| (op.ended + REREAD_DELAY, server, *subject, *comment)));
        }
        if let (Some(walk), Outcome::Page(_)) = (planned.walk, &op.outcome)
            && self.open_walks.len() < OPEN_WALKS
        {
            self.open_walks.extend(walk.next(token));
        }
        if let Outcome::Written(written) = op.outcome {
            self.store_request(op);
            if let Some((member, ..)) = op.call.makes() {
                let own = OwnComment { subject, id: written.id, member, deleted: false };
                if self.own.len() >= STORED {
                    let removed = self.rng.random_range(0..STORED);
                    self.own.swap_remove(removed);
                }
                self.own.push(own);
            }
            if let Some((id, Property::Visible(visible))) = op.call.alters() {
                self.own.iter_mut().filter(|own| own.id == id).for_each(|own| own.deleted = !visible);
            }
        }
        self.record_like(op);
    }

    /// Records an acknowledged like of the client.
    pub(crate) fn record_like(&mut self, op: &Op) {
        // A repeated like of the contested member may act as a new one, after one of another
        // client.
        if let (Outcome::Liked(_), false) = (&op.outcome, op.call.is_contested()) {
            self.store_request(op);
        }
    }

    /// Returns the requests that the client may repeat.
    pub(crate) fn acknowledged(self) -> Acknowledged {
        self.acknowledged
    }

    fn store_request(&mut self, op: &Op) {
        if self.acknowledged.len() >= STORED {
            let removed = self.rng.random_range(0..STORED);
            self.acknowledged.swap_remove(removed);
        }
        self.acknowledged.push((op.call.clone(), op.request));
    }

    /// Returns the hot subject in three of ten cases, a quiet subject in one, and otherwise one by
    /// Zipf's law.
    fn subject(&mut self) -> u32 {
        match self.rng.random_range(0..10) {
            0..3 => return 0,
            3 => return self.rng.random_range(FIRST_QUIET..SUBJECTS as u32),
            _ => {}
        }
        let exponent: f64 = self.rng.random();
        (SUBJECTS as f64).powf(exponent) as u32 % SUBJECTS as u32
    }

    /// Returns a subject for a new comment; quiet subjects get comments only at the beginning.
    fn subject_to_write(&mut self) -> u32 {
        let subject = self.subject();
        if subject >= FIRST_QUIET && self.text_count > EARLY_TEXTS { subject % FIRST_QUIET } else { subject }
    }

    fn member(&mut self) -> u32 {
        self.client * MEMBERS + self.rng.random_range(0..MEMBERS)
    }

    /// Returns a text that no other request of the run has.
    fn text(&mut self) -> u64 {
        self.text_count += 1;
        (u64::from(self.client) + 1) << 32 | self.text_count
    }

    /// Returns a freshness requirement: a fresh read, at least the last revision that this
    /// client received, or none.
    fn view(&mut self, subject: u32) -> View {
        let last = self.revisions[subject as usize];
        match self.rng.random_range(0..10) {
            0 => View { min_revision: 0, fresh: true },
            1..4 => View { min_revision: last, fresh: false },
            _ => View::default(),
        }
    }

    fn root(&mut self) -> Call {
        Call::Root { subject: self.subject_to_write(), member: self.member(), text: self.text() }
    }

    /// Returns a reply, mostly to a known comment. In one of four cases it is a reply to an own
    /// comment, so that threads grow deep.
    fn reply(&mut self, roots: &KnownComments) -> Option<Call> {
        let (subject, parent) = if self.rng.random_ratio(1, 4) {
            let own = self.own_comment(false)?;
            (own.subject, own.id)
        } else {
            let subject = self.subject_to_write();
            (subject, roots.comment(subject as usize, &mut self.rng)?)
        };
        Some(Call::Reply { subject, parent, member: self.member(), text: self.text() })
    }

    /// Returns a comment of a subject that all clients know: a root or a reply.
    fn known(&mut self, subject: u32, roots: &KnownComments, replies: &KnownComments) -> Option<i64> {
        let comments = if self.rng.random_ratio(2, 3) { roots } else { replies };
        comments.comment(subject as usize, &mut self.rng)
    }

    /// Returns a like, a dislike or the removal of either. Some of them go to a comment whose like
    /// states were read, and some to the quiet comment of this period. After the period no client
    /// likes that comment, so that a late cache update is the last one.
    fn like(&mut self, roots: &KnownComments, replies: &KnownComments, now: Nanos) -> Option<Call> {
        let value = [Value::Like, Value::Like, Value::Dislike, Value::None][self.rng.random_range(0..4)];
        if self.rng.random_ratio(1, 12) {
            let subject = self.rng.random_range(FIRST_QUIET - CONTESTED..FIRST_QUIET);
            let comment = roots.comment(subject as usize, &mut self.rng)?;
            return Some(Call::Like { subject, comment, member: CONTESTED_MEMBER, value });
        }
        if !self.state_reads.is_empty() && self.rng.random_ratio(1, 4) {
            let (subject, member, comments) = &self.state_reads[self.rng.random_range(0..self.state_reads.len())];
            let comment = comments[self.rng.random_range(0..comments.len())];
            return Some(Call::Like { subject: *subject, comment, member: *member, value });
        }
        if self.rng.random_ratio(1, 3) {
            let (subject, comment) = roots.nth(FIRST_QUIET as usize, (now / QUIET_LIKE_PERIOD) as usize)?;
            return Some(Call::Like { subject: subject as u32, comment, member: self.member(), value });
        }
        let subject = self.subject();
        let comment = self.known(subject, roots, replies)?;
        Some(Call::Like { subject, comment, member: self.member(), value })
    }

    /// Returns likes of the same comment by two members at different servers, a moment apart and
    /// mostly without a later like. The cache updates may arrive in another order than the commits.
    fn concurrent_likes(&mut self) -> Option<PlannedCall> {
        let (subject, comment) = self.cached.take()?;
        let first = self.rng.random_range(0..MEMBERS);
        let second = (first + self.rng.random_range(1..MEMBERS)) % MEMBERS;
        let [one, other] = [first, second].map(|member| {
            let value = if self.rng.random_ratio(2, 3) { Value::Like } else { Value::Dislike };
            Call::Like { subject, comment, member: self.client * MEMBERS + member, value }
        });
        Some(PlannedCall { server: Some(LONG_TIMEOUT_SERVER), concurrent_like: Some(other), ..PlannedCall::of(one) })
    }

    fn edit(&mut self) -> Option<Call> {
        let OwnComment { subject, id: comment, member, .. } = self.own_comment(false)?;
        Some(Call::Edit { subject, comment, member, text: self.text() })
    }

    /// Returns a read of the history of an own comment, in one of three cases of a deleted one.
    fn history(&mut self) -> Option<Call> {
        let deleted = self.rng.random_ratio(1, 3);
        self.own_comment(deleted).map(|own| Call::History { subject: own.subject, comment: own.id })
    }

    /// Returns a read of the list of the author of an own comment, in one of three cases of a
    /// deleted one.
    fn of_member(&mut self) -> Option<Call> {
        let deleted = self.rng.random_ratio(1, 3);
        self.own_comment(deleted).map(|own| Call::OfMember { subject: own.subject, member: own.member })
    }

    /// Returns a deletion or a hiding of an own comment, or its restoration.
    fn delete(&mut self, undelete: bool) -> Option<Call> {
        let OwnComment { subject, id: comment, member, .. } = self.own_comment(undelete)?;
        Some(match (names::is_moderated(comment), undelete) {
            (false, false) => Call::Delete { subject, comment, member },
            (false, true) => Call::Undelete { subject, comment, member },
            (true, false) => Call::Hide { subject, comment },
            (true, true) => Call::Unhide { subject, comment },
        })
    }

    /// Returns the repeat of an acknowledged request.
    fn repeat(&mut self) -> Option<PlannedCall> {
        let count = self.acknowledged.len();
        let (call, request) = self.acknowledged.get(self.rng.random_range(0..count.max(1)))?.clone();
        Some(PlannedCall { repeated: Some(request), ..PlannedCall::of(call) })
    }

    /// Returns a call with the page token of another list, or with the id of an earlier request and
    /// another content.
    fn misuse(&mut self) -> Option<PlannedCall> {
        if self.rng.random_ratio(1, 2) {
            let other_type = self.rng.random_ratio(1, 2);
            let walk = self.open_walks.get(self.rng.random_range(0..self.open_walks.len().max(1)))?;
            let (subject, sort, token) = walk.other_list(other_type)?;
            let call = Call::Misuse { subject, misuse: Misuse::Token(sort) };
            return Some(PlannedCall { token, ..PlannedCall::of(call) });
        }
        let (call, id) = self.acknowledged.get(self.rng.random_range(0..self.acknowledged.len().max(1)))?.clone();
        let (member, ..) = call.makes()?;
        let misuse = Misuse::Request { id, member, text: self.text() };
        Some(PlannedCall::of(Call::Misuse { subject: call.subject(), misuse }))
    }

    /// Returns the next page of a walk, or the first page of a new one.
    fn walk(&mut self, roots: &KnownComments) -> Option<PlannedCall> {
        let continues = !self.open_walks.is_empty() && self.rng.random_ratio(9, 10);
        let walk = if continues {
            let chosen = self.rng.random_range(0..self.open_walks.len());
            self.open_walks.swap_remove(chosen)
        } else {
            let subject = self.subject();
            let below = self.rng.random_ratio(1, 3);
            let root = if below { Some(roots.comment(subject as usize, &mut self.rng)?) } else { None };
            self.last_walk += 1;
            let view = self.view(subject);
            PageWalk::begin(self.last_walk, subject, root, view, &mut self.rng)
        };
        let (call, token) = walk.call();
        Some(PlannedCall { token, walk: Some(walk), ..PlannedCall::of(call) })
    }

    fn get(&mut self, roots: &KnownComments, replies: &KnownComments) -> Option<Call> {
        // Deleted comments are read as often as visible ones.
        let deleted = self.rng.random_ratio(1, 2);
        let own = if self.rng.random_ratio(1, 4) { self.own_comment(deleted) } else { None };
        let (subject, comment) = match own {
            Some(own) => (own.subject, own.id),
            None => {
                let subject = self.subject();
                (subject, self.known(subject, roots, replies)?)
            }
        };
        Some(Call::Get { subject, comment, view: self.view(subject) })
    }

    /// Returns a read of some comments at once, of one with its ancestors, or of one with its
    /// descendants.
    fn several(&mut self, roots: &KnownComments, replies: &KnownComments) -> Option<Call> {
        let (subject, chance) = (self.subject(), self.rng.random_range(0..4));
        let mut view = self.view(subject);
        let comments = match chance {
            0 => CommentSelector::Thread(self.known(subject, roots, replies)?),
            1 => CommentSelector::Conversation(replies.comment(subject as usize, &mut self.rng)?),
            _ => {
                // A batch may contain comments of many subjects, so it cannot require a revision.
                view.min_revision = 0;
                let ids = (0..self.rng.random_range(1..=8)).map(|_| self.known(subject, roots, replies));
                CommentSelector::Batch(ids.collect::<Option<_>>()?)
            }
        };
        Some(Call::Several { subject, comments, view })
    }

    fn counts(&mut self) -> Call {
        let subject = self.subject();
        Call::Counts { subject, view: self.view(subject) }
    }

    /// Returns a read of the likers of a comment that many members like, or whose states were read.
    fn likers(&mut self, roots: &KnownComments, now: Nanos) -> Option<Call> {
        let period = (now / QUIET_LIKE_PERIOD).saturating_sub(self.rng.random_range(0..2));
        let quiet = roots.nth(FIRST_QUIET as usize, period as usize).map(|(subject, id)| (subject as u32, id));
        let read = self.state_reads.last().and_then(|(subject, _, ids)| Some((*subject, *ids.first()?)));
        let (subject, comment) = if self.rng.random() { quiet.or(read) } else { read.or(quiet) }?;
        Some(Call::Likers { subject, comment })
    }

    /// Returns a read of the like states of a member for some comments, mostly the same ones as
    /// before, as when a user reloads a page.
    fn states(&mut self, roots: &KnownComments, replies: &KnownComments) -> Option<Call> {
        let fresh = self.rng.random_ratio(1, 5);
        if !self.state_reads.is_empty() && self.rng.random_ratio(4, 5) {
            let (subject, member, comments) =
                self.state_reads[self.rng.random_range(0..self.state_reads.len())].clone();
            return Some(Call::States { subject, member, comments, fresh });
        }
        let (subject, member) = (self.subject(), self.member());
        let comments: Option<Box<[i64]>> =
            (0..self.rng.random_range(1..=8)).map(|_| self.known(subject, roots, replies)).collect();
        Some(self.read_states(subject, member, comments?, fresh))
    }

    fn read_states(&mut self, subject: u32, member: u32, comments: Box<[i64]>, fresh: bool) -> Call {
        if self.state_reads.len() >= STATE_READS {
            let removed = self.rng.random_range(0..STATE_READS);
            self.state_reads.swap_remove(removed);
        }
        self.state_reads.push((subject, member, comments.clone()));
        Call::States { subject, member, comments, fresh }
    }

    /// Returns a read of the like state that a like changes, to run concurrently with the like, in
    /// one of three cases.
    pub(crate) fn concurrent_read(&mut self, call: &Call) -> Option<PlannedCall> {
        let Call::Like { subject, comment, member, .. } = call else { return None };
        let reads = self.rng.random_ratio(1, 3);
        reads.then(|| PlannedCall::of(self.read_states(*subject, *member, [*comment].into(), false)))
    }

    /// Returns an own comment that is expected to be deleted, or not deleted; in one of 20 cases,
    /// one in any state.
    fn own_comment(&mut self, deleted: bool) -> Option<OwnComment> {
        let any_state = self.rng.random_ratio(1, 20);
        let fitting: Vec<usize> =
            (0..self.own.len()).filter(|at| any_state || self.own[*at].deleted == deleted).collect();
        let chosen = *fitting.get(self.rng.random_range(0..fitting.len().max(1)))?;
        Some(self.own[chosen])
    }

    /// Makes the comment that an acknowledged operation created known to all clients.
    pub(crate) fn publish(op: &Op, roots: &KnownComments, replies: &KnownComments) {
        if let (Some(_), Outcome::Written(written)) = (op.call.makes(), &op.outcome) {
            let comments = if written.root == 0 { roots } else { replies };
            comments.insert(op.call.subject() as usize, written.id);
        }
    }
}

#[cfg(test)]
mod tests;
