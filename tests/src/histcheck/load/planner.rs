//! What a client asks next, by chance.

use std::collections::VecDeque;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::SUBJECTS;
use super::walk::Walk;
use crate::histcheck::check::STALE;
use crate::histcheck::fault::PATIENT;
use crate::histcheck::history::{Call, Misuse, Nanos, Op, Outcome, RequestId, Value, View, Which};
use crate::kill::fleet::SERVERS;
use crate::kill::ground::Ground;

/// Members that one client speaks for; nobody else does, so that each like has one author.
const MEMBERS: u32 = 12;
/// Own comments, and own requests, that a client remembers.
const MINE: usize = 200;
/// Looks at likes that a client may repeat.
const LOOKED: usize = 24;
/// The subjects from this one on are quiet: soon nobody comments there, and what is there is liked and read. Whatever copies show
/// of them rests on likes alone, since no revision comes that would end it.
const LOUD: u32 = SUBJECTS as u32 - 20;
/// Texts of each client that may fall on them.
const EARLY: u64 = 12;
/// How long it is a quiet comment's turn to be liked.
const TURN: Nanos = 1_000_000_000;
/// How long after two members have liked a comment at once it is looked at again: no answer may be so old any more.
pub(crate) const RIPE: Nanos = STALE + 2_000_000_000;
/// Walks that one client has under way.
const WALKS: usize = 3;

/// Something to ask.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) call: Call,
    /// The request id of an earlier request that is sent again.
    pub(crate) again: Option<RequestId>,
    /// The token of a page behind the first.
    pub(crate) token: String,
    /// The server to ask, if it is not left to chance.
    pub(crate) server: Option<usize>,
    /// What another member asks of another server a moment later.
    pub(crate) rival: Option<Call>,
    /// The walk that the page belongs to.
    walk: Option<Walk>,
}

impl Ask {
    /// A call that is asked once.
    pub(super) fn of(call: Call) -> Self {
        Self { call, again: None, token: String::new(), server: None, rival: None, walk: None }
    }
}

/// The choices of one client.
#[derive(Debug)]
pub(crate) struct Planner {
    client: u32,
    rng: StdRng,
    texts: u64,
    walks: u32,
    mine: Vec<Mine>,
    done: Vec<(Call, RequestId)>,
    under_way: Vec<Walk>,
    /// Subject, member and comments of looks at likes.
    looked: Vec<(u32, u32, Box<[i64]>)>,
    /// The subject and id of a comment of our own that copies have, since it was shown.
    shown: Option<(u32, i64)>,
    /// Comments that are to be looked at again: when, and at which server.
    rivalled: VecDeque<(Nanos, usize, u32, i64)>,
    /// The last revision that this client saw of each subject.
    seen: Vec<i64>,
}

/// A comment that this client wrote, and whether it believes it deleted.
#[derive(Debug, Clone, Copy)]
struct Mine {
    subject: u32,
    id: i64,
    member: u32,
    deleted: bool,
}

impl Planner {
    /// The choices of the client of this number.
    pub(crate) fn new(client: u32, seed: u64) -> Self {
        let rng = StdRng::seed_from_u64(seed ^ u64::from(client + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (mine, done, under_way, looked) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (shown, rivalled, seen) = (None, VecDeque::new(), vec![0; SUBJECTS]);
        Self { client, rng, texts: 0, walks: 0, mine, done, under_way, looked, shown, rivalled, seen }
    }

    /// The dice, for whoever asks.
    pub(crate) fn rng(&mut self) -> &mut StdRng {
        &mut self.rng
    }

    /// The next thing to ask at this time of the run.
    pub(crate) fn next(&mut self, roots: &Ground, replies: &Ground, now: Nanos) -> Ask {
        if let Some((_, server, subject, comment)) = self.rivalled.pop_front_if(|(ripe, ..)| *ripe <= now) {
            return Ask { server: Some(server), ..Ask::of(Call::Get { subject, comment, view: View::default() }) };
        }
        // In thousandths. Many reads for each write, as callers have it; of the writes as many as lanes and locks take.
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
        // Who has nothing yet to change or to look at writes something, now and then.
        choice.unwrap_or_else(|| Ask::of(if self.rng.random_ratio(1, 4) { self.root() } else { self.counts() }))
    }

    /// Remembers what an operation did; `token` leads behind a page, and is empty at the end of a list.
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

    /// Remembers a like that was acknowledged, whoever sent it.
    pub(crate) fn heed(&mut self, op: &Op) {
        if let Outcome::Liked(_) = op.outcome {
            self.keep(op);
        }
    }

    fn keep(&mut self, op: &Op) {
        if self.done.len() >= MINE {
            let forgotten = self.rng.random_range(0..MINE);
            self.done.swap_remove(forgotten);
        }
        self.done.push((op.call.clone(), op.request));
    }

    /// The hot subject three times of ten, a quiet one once, else one by Zipf's law.
    fn subject(&mut self) -> u32 {
        match self.rng.random_range(0..10) {
            0..3 => return 0,
            3 => return self.rng.random_range(LOUD..SUBJECTS as u32),
            _ => {}
        }
        let exponent: f64 = self.rng.random();
        (SUBJECTS as f64).powf(exponent) as u32 % SUBJECTS as u32
    }

    /// A subject to write comments to: quiet ones have theirs from the beginning.
    fn written(&mut self) -> u32 {
        let subject = self.subject();
        if subject >= LOUD && self.texts > EARLY { subject % LOUD } else { subject }
    }

    fn member(&mut self) -> u32 {
        self.client * MEMBERS + self.rng.random_range(0..MEMBERS)
    }

    /// A text that no other request of the run has.
    fn text(&mut self) -> u64 {
        self.texts += 1;
        (u64::from(self.client) + 1) << 32 | self.texts
    }

    /// Fresh, or at least what this client has seen, or whatever there is.
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

    /// A reply, mostly to what everybody sees, else to one of our own, so that threads grow deep.
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

    /// A comment of a subject that everybody knows: a root, or a reply.
    fn known(&mut self, subject: u32, roots: &Ground, replies: &Ground) -> Option<i64> {
        let ground = if self.rng.random_ratio(2, 3) { roots } else { replies };
        ground.comment(subject as usize, &mut self.rng)
    }

    /// A like, a dislike or the end of either: now and then of a comment whose likes were looked at, or of that quiet one that
    /// everybody likes at this time and then leaves alone, so that what comes late has the last word.
    fn like(&mut self, roots: &Ground, replies: &Ground, now: Nanos) -> Option<Call> {
        let value = [Value::Like, Value::Like, Value::Dislike, Value::None][self.rng.random_range(0..4)];
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

    /// Two members like the same comment at different servers, one a moment after the other, and mostly nobody after them: whichever
    /// is decided first, copies may hear of it last.
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

    /// An earlier request of ours that was acknowledged.
    fn repeat(&mut self) -> Option<Ask> {
        let count = self.done.len();
        let (call, request) = self.done.get(self.rng.random_range(0..count.max(1)))?.clone();
        Some(Ask { again: Some(request), ..Ask::of(call) })
    }

    /// The token of a walk for another list, or an id that was used before for something else.
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

    /// The next page of a walk, or the first of a new one.
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
        // What was deleted is looked at as often as what stands.
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

    /// Some comments at once, one with all that it answers, or one with all that stands below it.
    fn several(&mut self, roots: &Ground, replies: &Ground) -> Option<Call> {
        let (subject, chance) = (self.subject(), self.rng.random_range(0..4));
        let mut view = self.view(subject);
        let which = match chance {
            0 => Which::Thread(self.known(subject, roots, replies)?),
            1 => Which::Conversation(replies.comment(subject as usize, &mut self.rng)?),
            _ => {
                // A batch may be of many subjects and has no revision to ask for.
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

    /// What a member says of some comments: mostly of the same as before, as whoever looks at a page again.
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

    /// What is asked beside this, now and then: whether a like holds that is being decided at this moment.
    pub(crate) fn beside(&mut self, call: &Call) -> Option<Ask> {
        let Call::Like { subject, comment, member, .. } = call else { return None };
        self.rng.random_ratio(1, 3).then(|| Ask::of(self.look(*subject, *member, [*comment].into(), false)))
    }

    /// One of our own comments; as a rule one that is, or is not, believed deleted.
    fn own(&mut self, deleted: bool) -> Option<Mine> {
        let blind = self.rng.random_ratio(1, 20);
        let fit: Vec<usize> = (0..self.mine.len()).filter(|at| blind || self.mine[*at].deleted == deleted).collect();
        let chosen = *fit.get(self.rng.random_range(0..fit.len().max(1)))?;
        Some(self.mine[chosen])
    }

    /// The roots, and the replies, that an acknowledged operation made, for everybody to know.
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
