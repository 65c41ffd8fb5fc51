//! Selection of the next call of a client, by chance.

use std::collections::VecDeque;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::ground::Ground;
use super::walk::Walk;
use super::{Acknowledged, SUBJECTS};
use crate::histcheck::check::STALE;
use crate::histcheck::fault::PATIENT;
use crate::histcheck::fleet::SERVERS;
use crate::histcheck::history::{Call, Misuse, Nanos, Op, Outcome, RequestId, Value, View, Which};
use crate::histcheck::names::EVERYBODY;

/// Number of members that one client acts for; no other client acts for them, so each of their
/// likes has one client.
const MEMBERS: u32 = 12;
/// Number of own comments, and of own requests, that a client keeps.
const MINE: usize = 200;
/// Number of like state reads that a client may repeat.
const LOOKED: usize = 24;
/// The first quiet subject. Comments are written to quiet subjects only at the beginning of a run;
/// later they are only liked and read. Their cached data therefore depends on likes alone, because
/// no new revision replaces it.
const LOUD: u32 = SUBJECTS as u32 - 20;
/// Number of first texts of each client that may go to quiet subjects.
const EARLY: u64 = 12;
/// Number of subjects, before the quiet ones, with likes of the member of all clients. They are
/// few, so that many clients set the same like, and apart from others, because such likes leave the
/// counts of their comment less certain.
const CONTESTED: u32 = 2;
/// Period in which likes go to the same quiet comment.
const TURN: Nanos = 1_000_000_000;
/// Delay of the next read of a comment after two members have liked it concurrently: longer than
/// any response may be stale.
pub(crate) const RIPE: Nanos = STALE + 2_000_000_000;
/// Number of unfinished walks of one client.
const WALKS: usize = 3;

/// A call to send.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) call: Call,
    /// The request id of an earlier request, if this call repeats it.
    pub(crate) again: Option<RequestId>,
    /// The page token, if the page is not the first one.
    pub(crate) token: String,
    /// The server to call, if it is not random.
    pub(crate) server: Option<usize>,
    /// A call of another member, sent to another server a timestamp later.
    pub(crate) rival: Option<Call>,
    /// The walk that the page belongs to.
    walk: Option<Walk>,
}

impl Ask {
    /// Returns a call to send once.
    pub(super) fn of(call: Call) -> Self {
        Self { call, again: None, token: String::new(), server: None, rival: None, walk: None }
    }
}

/// The random choices of one client.
#[derive(Debug)]
pub(crate) struct Planner {
    client: u32,
    rng: StdRng,
    texts: u64,
    walks: u32,
    mine: Vec<Mine>,
    done: Acknowledged,
    under_way: Vec<Walk>,
    /// Subject, member and comments of earlier like state reads.
    looked: Vec<(u32, u32, Box<[i64]>)>,
    /// The subject and id of an own comment that is in the cache, because it was read.
    shown: Option<(u32, i64)>,
    /// Comments to read again: the time, the server, the subject and the id.
    rivalled: VecDeque<(Nanos, usize, u32, i64)>,
    /// The last revision of each subject that this client received.
    seen: Vec<i64>,
}

/// A comment that this client wrote, and its expected state: deleted or not.
#[derive(Debug, Clone, Copy)]
struct Mine {
    subject: u32,
    id: i64,
    member: u32,
    deleted: bool,
}

impl Planner {
    /// Creates the planner of the client of this number.
    pub(crate) fn new(client: u32, seed: u64) -> Self {
        let rng = StdRng::seed_from_u64(seed ^ u64::from(client + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (mine, done, under_way, looked) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (shown, rivalled, seen) = (None, VecDeque::new(), vec![0; SUBJECTS]);
        Self { client, rng, texts: 0, walks: 0, mine, done, under_way, looked, shown, rivalled, seen }
    }

    /// Returns the random number generator.
    pub(crate) fn rng(&mut self) -> &mut StdRng {
        &mut self.rng
    }

    /// Returns the next call at this time of the run.
    pub(crate) fn next(&mut self, roots: &Ground, replies: &Ground, now: Nanos) -> Ask {
        if let Some((_, server, subject, comment)) = self.rivalled.pop_front_if(|(ripe, ..)| *ripe <= now) {
            return Ask { server: Some(server), ..Ask::of(Call::Get { subject, comment, view: View::default() }) };
        }
        // In thousandths. There are many reads for each write, as in practice; the number of writes
        // is limited by what write queues and locks can process.
        let choice = match self.rng.random_range(0..1_000) {
            0..17 => Some(Ask::of(self.root())),
            17..36 => self.reply(roots).map(Ask::of),
            36..61 => self.like(roots, replies, now).map(Ask::of),
            61..71 => self.rivals(),
            71..81 => self.edit().map(Ask::of),
            81..97 => self.delete(false).map(Ask::of),
            97..104 => self.delete(true).map(Ask::of),
            104..114 => self.repeat(),
            114..117 => self.misuse(),
            117..222 => self.walk(roots),
            222..442 => self.get(roots, replies).map(Ask::of),
            442..512 => self.several(roots, replies).map(Ask::of),
            512..760 => Some(Ask::of(self.counts())),
            _ => self.states(roots, replies).map(Ask::of),
        };
        // A client without a comment to change or to read creates a root one time in four, and else
        // reads the counts of a subject.
        choice.unwrap_or_else(|| Ask::of(if self.rng.random_ratio(1, 4) { self.root() } else { self.counts() }))
    }

    /// Records the effect of an operation. `token` is the token of the next page; it is empty at
    /// the end of a list.
    pub(crate) fn learn(&mut self, ask: Ask, op: &Op, token: String) {
        let subject = op.call.subject();
        if let Some(revision) = op.revision() {
            let seen = &mut self.seen[subject as usize];
            *seen = revision.max(*seen);
        }
        if let (Call::Get { subject, comment, view }, Outcome::Comment(_)) = (&op.call, &op.outcome)
            && !view.fresh
            && ask.server.is_none()
            && self.mine.iter().any(|mine| mine.id == *comment && !mine.deleted)
        {
            self.shown = Some((*subject, *comment));
        }
        if let (Some(Call::Like { subject, comment, .. }), Outcome::Liked(_)) = (&ask.rival, &op.outcome) {
            self.rivalled.extend((0..SERVERS).map(|server| (op.ended + RIPE, server, *subject, *comment)));
        }
        if let (Some(walk), Outcome::Page(_)) = (ask.walk, &op.outcome)
            && self.under_way.len() < WALKS
        {
            self.under_way.extend(walk.next(token));
        }
        if let Outcome::Written(written) = op.outcome {
            self.keep(op);
            if let Some((member, ..)) = op.call.makes() {
                let mine = Mine { subject, id: written.id, member, deleted: false };
                if self.mine.len() >= MINE {
                    let forgotten = self.rng.random_range(0..MINE);
                    self.mine.swap_remove(forgotten);
                }
                self.mine.push(mine);
            }
            let deleted = matches!(op.call, Call::Delete { .. });
            if deleted || matches!(op.call, Call::Undelete { .. }) {
                self.mine.iter_mut().filter(|mine| mine.id == written.id).for_each(|mine| mine.deleted = deleted);
            }
        }
        self.heed(op);
    }

    /// Records an acknowledged like, whichever call of the client sent it.
    pub(crate) fn heed(&mut self, op: &Op) {
        // A repeated like of the contested member may act as a new one, after one of another
        // client.
        if let (Outcome::Liked(_), false) = (&op.outcome, op.call.is_contested()) {
            self.keep(op);
        }
    }

    /// Returns the requests that the client may repeat.
    pub(crate) fn acknowledged(self) -> Acknowledged {
        self.done
    }

    fn keep(&mut self, op: &Op) {
        if self.done.len() >= MINE {
            let forgotten = self.rng.random_range(0..MINE);
            self.done.swap_remove(forgotten);
        }
        self.done.push((op.call.clone(), op.request));
    }

    /// Returns the hot subject in three of ten cases, a quiet subject in one, else a subject by
    /// Zipf's law.
    fn subject(&mut self) -> u32 {
        match self.rng.random_range(0..10) {
            0..3 => return 0,
            3 => return self.rng.random_range(LOUD..SUBJECTS as u32),
            _ => {}
        }
        let exponent: f64 = self.rng.random();
        (SUBJECTS as f64).powf(exponent) as u32 % SUBJECTS as u32
    }

    /// Returns a subject for a new comment; quiet subjects get comments only at the beginning.
    fn written(&mut self) -> u32 {
        let subject = self.subject();
        if subject >= LOUD && self.texts > EARLY { subject % LOUD } else { subject }
    }

    fn member(&mut self) -> u32 {
        self.client * MEMBERS + self.rng.random_range(0..MEMBERS)
    }

    /// Returns a text that no other request of the run has.
    fn text(&mut self) -> u64 {
        self.texts += 1;
        (u64::from(self.client) + 1) << 32 | self.texts
    }

    /// Returns a freshness requirement: a fresh read, at least the revision that this client has
    /// seen, or none.
    fn view(&mut self, subject: u32) -> View {
        let seen = self.seen[subject as usize];
        match self.rng.random_range(0..10) {
            0 => View { min_revision: 0, fresh: true },
            1..4 => View { min_revision: seen, fresh: false },
            _ => View::default(),
        }
    }

    fn root(&mut self) -> Call {
        Call::Root { subject: self.written(), member: self.member(), text: self.text() }
    }

    /// Returns a reply, mostly to a comment that all clients know, else to an own comment, so that
    /// threads grow deep.
    fn reply(&mut self, roots: &Ground) -> Option<Call> {
        let (subject, parent) = if self.rng.random_ratio(1, 4) {
            let mine = self.own(false)?;
            (mine.subject, mine.id)
        } else {
            let subject = self.written();
            (subject, roots.comment(subject as usize, &mut self.rng)?)
        };
        Some(Call::Reply { subject, parent, member: self.member(), text: self.text() })
    }

    /// Returns a comment of a subject that all clients know: a root or a reply.
    fn known(&mut self, subject: u32, roots: &Ground, replies: &Ground) -> Option<i64> {
        let ground = if self.rng.random_ratio(2, 3) { roots } else { replies };
        ground.comment(subject as usize, &mut self.rng)
    }

    /// Returns a like, a dislike or the removal of either. Some of them go to a comment whose like
    /// states were read, or to the quiet comment that all clients like in this period and then
    /// leave alone, so that a late cache update is the last one.
    fn like(&mut self, roots: &Ground, replies: &Ground, now: Nanos) -> Option<Call> {
        let value = [Value::Like, Value::Like, Value::Dislike, Value::None][self.rng.random_range(0..4)];
        if self.rng.random_ratio(1, 12) {
            let subject = self.rng.random_range(LOUD - CONTESTED..LOUD);
            let comment = roots.comment(subject as usize, &mut self.rng)?;
            return Some(Call::Like { subject, comment, member: EVERYBODY, value });
        }
        if !self.looked.is_empty() && self.rng.random_ratio(1, 4) {
            let (subject, member, comments) = &self.looked[self.rng.random_range(0..self.looked.len())];
            let comment = comments[self.rng.random_range(0..comments.len())];
            return Some(Call::Like { subject: *subject, comment, member: *member, value });
        }
        if self.rng.random_ratio(1, 3) {
            let (subject, comment) = roots.turn(LOUD as usize, (now / TURN) as usize)?;
            return Some(Call::Like { subject: subject as u32, comment, member: self.member(), value });
        }
        let subject = self.subject();
        let comment = self.known(subject, roots, replies)?;
        Some(Call::Like { subject, comment, member: self.member(), value })
    }

    /// Returns likes of the same comment by two members at different servers, one a timestamp after
    /// the other, and mostly without a later like. The cache updates may arrive in another order
    /// than the commits.
    fn rivals(&mut self) -> Option<Ask> {
        let (subject, comment) = self.shown.take()?;
        let first = self.rng.random_range(0..MEMBERS);
        let second = (first + self.rng.random_range(1..MEMBERS)) % MEMBERS;
        let [one, other] = [first, second].map(|member| {
            let value = if self.rng.random_ratio(2, 3) { Value::Like } else { Value::Dislike };
            Call::Like { subject, comment, member: self.client * MEMBERS + member, value }
        });
        Some(Ask { server: Some(PATIENT), rival: Some(other), ..Ask::of(one) })
    }

    fn edit(&mut self) -> Option<Call> {
        let Mine { subject, id: comment, member, .. } = self.own(false)?;
        Some(Call::Edit { subject, comment, member, text: self.text() })
    }

    fn delete(&mut self, back: bool) -> Option<Call> {
        let Mine { subject, id: comment, member, .. } = self.own(back)?;
        let call =
            if back { Call::Undelete { subject, comment, member } } else { Call::Delete { subject, comment, member } };
        Some(call)
    }

    /// Returns an own earlier request that was acknowledged.
    fn repeat(&mut self) -> Option<Ask> {
        let count = self.done.len();
        let (call, request) = self.done.get(self.rng.random_range(0..count.max(1)))?.clone();
        Some(Ask { again: Some(request), ..Ask::of(call) })
    }

    /// Returns a call with the page token of another list, or with the id of an earlier request and
    /// another content.
    fn misuse(&mut self) -> Option<Ask> {
        if self.rng.random_ratio(1, 2) {
            let elsewhere = self.rng.random_ratio(1, 2);
            let walk = self.under_way.get(self.rng.random_range(0..self.under_way.len().max(1)))?;
            let (subject, sort, token) = walk.astray(elsewhere)?;
            let call = Call::Misuse { subject, how: Misuse::Token(sort) };
            return Some(Ask { token, ..Ask::of(call) });
        }
        let (done, id) = self.done.get(self.rng.random_range(0..self.done.len().max(1)))?.clone();
        let (member, ..) = done.makes()?;
        let how = Misuse::Request { id, member, text: self.text() };
        Some(Ask::of(Call::Misuse { subject: done.subject(), how }))
    }

    /// Returns the next page of a walk, or the first page of a new one.
    fn walk(&mut self, roots: &Ground) -> Option<Ask> {
        let go_on = !self.under_way.is_empty() && self.rng.random_ratio(9, 10);
        let walk = if go_on {
            let chosen = self.rng.random_range(0..self.under_way.len());
            self.under_way.swap_remove(chosen)
        } else {
            let subject = self.subject();
            let below = self.rng.random_ratio(1, 3);
            let root = if below { Some(roots.comment(subject as usize, &mut self.rng)?) } else { None };
            self.walks += 1;
            let view = self.view(subject);
            Walk::begin(self.walks, subject, root, view, &mut self.rng)
        };
        let (call, token) = walk.call();
        Some(Ask { token, walk: Some(walk), ..Ask::of(call) })
    }

    fn get(&mut self, roots: &Ground, replies: &Ground) -> Option<Call> {
        // Deleted comments are read as often as visible ones.
        let deleted = self.rng.random_ratio(1, 2);
        let own = if self.rng.random_ratio(1, 4) { self.own(deleted) } else { None };
        let (subject, comment) = match own {
            Some(mine) => (mine.subject, mine.id),
            None => {
                let subject = self.subject();
                (subject, self.known(subject, roots, replies)?)
            }
        };
        Some(Call::Get { subject, comment, view: self.view(subject) })
    }

    /// Returns a read of some comments at once, of one with its ancestors, or of one with its
    /// descendants.
    fn several(&mut self, roots: &Ground, replies: &Ground) -> Option<Call> {
        let (subject, chance) = (self.subject(), self.rng.random_range(0..4));
        let mut view = self.view(subject);
        let which = match chance {
            0 => Which::Thread(self.known(subject, roots, replies)?),
            1 => Which::Conversation(replies.comment(subject as usize, &mut self.rng)?),
            _ => {
                // A batch may contain comments of many subjects, so it cannot require a revision.
                view.min_revision = 0;
                let ids = (0..self.rng.random_range(1..=8)).map(|_| self.known(subject, roots, replies));
                Which::Batch(ids.collect::<Option<_>>()?)
            }
        };
        Some(Call::Several { subject, which, view })
    }

    fn counts(&mut self) -> Call {
        let subject = self.subject();
        Call::Counts { subject, view: self.view(subject) }
    }

    /// Returns a read of the like states of a member for some comments, mostly the same ones as
    /// before, as when a user reloads a page.
    fn states(&mut self, roots: &Ground, replies: &Ground) -> Option<Call> {
        let fresh = self.rng.random_ratio(1, 5);
        if !self.looked.is_empty() && self.rng.random_ratio(4, 5) {
            let (subject, member, comments) = self.looked[self.rng.random_range(0..self.looked.len())].clone();
            return Some(Call::States { subject, member, comments, fresh });
        }
        let (subject, member) = (self.subject(), self.member());
        let comments: Option<Box<[i64]>> =
            (0..self.rng.random_range(1..=8)).map(|_| self.known(subject, roots, replies)).collect();
        Some(self.look(subject, member, comments?, fresh))
    }

    fn look(&mut self, subject: u32, member: u32, comments: Box<[i64]>, fresh: bool) -> Call {
        if self.looked.len() >= LOOKED {
            let forgotten = self.rng.random_range(0..LOOKED);
            self.looked.swap_remove(forgotten);
        }
        self.looked.push((subject, member, comments.clone()));
        Call::States { subject, member, comments, fresh }
    }

    /// Returns a call to run concurrently with a like, one time in three: a read of the like state
    /// that is being changed.
    pub(crate) fn beside(&mut self, call: &Call) -> Option<Ask> {
        let Call::Like { subject, comment, member, .. } = call else { return None };
        self.rng.random_ratio(1, 3).then(|| Ask::of(self.look(*subject, *member, [*comment].into(), false)))
    }

    /// Returns an own comment that is expected to be deleted, or not deleted; one time in 20 in any
    /// state.
    fn own(&mut self, deleted: bool) -> Option<Mine> {
        let blind = self.rng.random_ratio(1, 20);
        let fit: Vec<usize> = (0..self.mine.len()).filter(|at| blind || self.mine[*at].deleted == deleted).collect();
        let chosen = *fit.get(self.rng.random_range(0..fit.len().max(1)))?;
        Some(self.mine[chosen])
    }

    /// Publishes the roots and replies that an acknowledged operation created to all clients.
    pub(crate) fn teach(op: &Op, roots: &Ground, replies: &Ground) {
        if let (Some(_), Outcome::Written(written)) = (op.call.makes(), &op.outcome) {
            let ground = if written.root == 0 { roots } else { replies };
            ground.remember(op.call.subject() as usize, written.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rivals_are_two_members_of_one_client_and_like_what_it_was_shown_once() {
        let mut planner = Planner::new(3, 1);
        assert!(planner.rivals().is_none());
        for _ in 0..100 {
            planner.shown = Some((7, 11));
            let Some(Ask { call: Call::Like { subject, comment, member, .. }, rival: Some(rival), .. }) =
                planner.rivals()
            else {
                panic!("no rivals")
            };
            let Call::Like { subject: of, comment: too, member: other, .. } = rival else { panic!("{rival:?}") };
            assert_eq!(((subject, comment), (of, too)), ((7, 11), (7, 11)));
            assert_ne!(member, other);
            assert!([member, other].iter().all(|member| member / MEMBERS == 3));
            assert!(planner.rivals().is_none());
        }
    }
}
