//! Selection of the next call of a client about comments that wait for review, by chance.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::histcheck::history::{
    ModeratedItem, ModeratorAct, Op, Outcome, PublicRead, RequestId, ReviewCall, ReviewResponse, SeenDecision,
    SeenStatement, proposal_state, state,
};
use crate::histcheck::names::REVIEWED;

/// Number of subjects whose comments wait. They are few, so that moderators and readers meet.
pub(crate) const REVIEWED_SUBJECTS: u32 = 6;
/// Number of members that one client acts for; no other client acts for them.
const MEMBERS: u32 = 4;
/// The first member of the first client.
const FIRST_MEMBER: u32 = 500_000;
/// Number of comments that all clients know: the latest ones.
const KNOWN: usize = 160;
/// Number of own comments, of own requests and of comments read as a moderator that are stored.
const STORED: usize = 40;
/// Durations of leases in seconds: the shortest ones allowed, so that leases end during a run.
const LEASES: [u32; 2] = [10, 12];
/// Number of reporters of each comment.
const REPORTERS: u8 = 3;
/// The most targets of a verdict.
const TARGETS: usize = 6;

/// Returns the members that the clients act for.
pub(crate) const fn reviewed_members(clients: u32) -> Range<u32> {
    FIRST_MEMBER..FIRST_MEMBER + clients * MEMBERS
}

/// The comments that all clients know: subject, id and author of each.
#[derive(Debug, Default)]
pub(crate) struct ReviewedComments(Mutex<SharedComments>);

#[derive(Debug, Default)]
struct SharedComments {
    comments: Vec<KnownComment>,
    /// Those that a verdict brought into sight, and those of which an edit waits. Later changes may
    /// have ended either.
    in_sight: Vec<KnownComment>,
    proposed: Vec<KnownComment>,
    /// The reports that were acknowledged: comment and reporter.
    reported: Vec<(i64, u8)>,
}

/// A comment that clients know.
#[derive(Debug, Clone, Copy)]
struct KnownComment {
    subject: u32,
    id: i64,
    member: u32,
    is_root: bool,
}

impl ReviewedComments {
    fn insert(&self, comment: KnownComment) {
        push(&mut self.lock().comments, comment);
    }

    /// Records that a comment came into sight.
    fn show(&self, id: i64) {
        let mut known = self.lock();
        let found = known.comments.iter().find(|comment| comment.id == id).copied();
        if let Some(comment) = found {
            push(&mut known.in_sight, comment);
        }
    }

    /// Records that an edit of a comment waits.
    fn propose(&self, id: i64) {
        let mut known = self.lock();
        let found = known.comments.iter().find(|comment| comment.id == id).copied();
        if let Some(comment) = found {
            push(&mut known.proposed, comment);
        }
    }

    /// Records an acknowledged report.
    fn report(&self, comment: i64, reporter: u8) {
        push(&mut self.lock().reported, (comment, reporter));
    }

    /// Returns the reports that are known: the latest ones.
    pub(crate) fn reports(&self) -> Vec<(i64, u8)> {
        self.lock().reported.clone()
    }

    fn any(&self, rng: &mut StdRng) -> Option<KnownComment> {
        one_of(&self.lock().comments, rng)
    }

    /// Returns a comment of which an edit waits, in half of the cases.
    fn any_or_proposed(&self, rng: &mut StdRng) -> Option<KnownComment> {
        let proposed = if rng.random() { one_of(&self.lock().proposed, rng) } else { None };
        proposed.or_else(|| self.any(rng))
    }

    fn any_in_sight(&self, rng: &mut StdRng) -> Option<KnownComment> {
        one_of(&self.lock().in_sight, rng)
    }

    /// Returns a comment of these members that came into sight, in half of the cases one of which
    /// an edit waits.
    fn in_sight_of(&self, members: &Range<u32>, rng: &mut StdRng) -> Option<KnownComment> {
        let known = self.lock();
        let own = |comments: &[KnownComment]| {
            let own = comments.iter().filter(|comment| members.contains(&comment.member)).copied();
            own.collect::<Vec<KnownComment>>()
        };
        let proposed = if rng.random() { one_of(&own(&known.proposed), rng) } else { None };
        proposed.or_else(|| one_of(&own(&known.in_sight), rng))
    }

    fn lock(&self) -> MutexGuard<'_, SharedComments> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn push<T>(known: &mut Vec<T>, entry: T) {
    if known.len() >= KNOWN {
        known.remove(0);
    }
    known.push(entry);
}

fn one_of<T: Copy>(known: &[T], rng: &mut StdRng) -> Option<T> {
    (!known.is_empty()).then(|| known[rng.random_range(0..known.len())])
}

/// A call to send: its subject, the call, and the id of the request that it repeats.
#[derive(Debug, Clone)]
pub(super) struct PlannedReview {
    pub(super) subject: u32,
    pub(super) call: ReviewCall,
    pub(super) repeated: Option<RequestId>,
}

impl PlannedReview {
    fn of(subject: u32, call: ReviewCall) -> Self {
        Self { subject, call, repeated: None }
    }
}

/// The random choices of one client.
#[derive(Debug)]
pub(super) struct ReviewPlanner {
    client: u32,
    rng: StdRng,
    text_count: u64,
    own: Vec<KnownComment>,
    /// Acknowledged requests, which may be repeated.
    acknowledged: Vec<(u32, ReviewCall, RequestId)>,
    /// Texts and proposed edits as a moderator read them, each with the lease of that read.
    read: Vec<(Readable, Box<str>)>,
    /// Decisions that their author may contest, with the author.
    contestable: Vec<(SeenStatement, u32)>,
}

/// A text or a proposed edit that a moderator read.
#[derive(Debug, Clone)]
struct Readable {
    comment: i64,
    etag: Box<str>,
    /// The state of the comment; `None` for a proposed edit.
    state: Option<i8>,
}

impl Readable {
    /// Returns the text of a comment and the edit that waits, if one does.
    fn all_of(item: &ModeratedItem) -> impl Iterator<Item = Self> {
        let ModeratedItem { id, state, etag, proposal_etag, .. } = item;
        let text = Self { comment: *id, etag: etag.clone(), state: Some(*state) };
        let proposal = Self { comment: *id, etag: proposal_etag.clone(), state: None };
        [text, proposal].into_iter().filter(|readable| !readable.etag.is_empty())
    }
}

impl ReviewPlanner {
    pub(super) fn new(client: u32, seed: u64) -> Self {
        let rng = StdRng::seed_from_u64(seed ^ u64::from(client + 77).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Self {
            client,
            rng,
            text_count: 0,
            own: Vec::new(),
            acknowledged: Vec::new(),
            read: Vec::new(),
            contestable: Vec::new(),
        }
    }

    pub(super) fn rng(&mut self) -> &mut StdRng {
        &mut self.rng
    }

    /// Returns the next call. If nothing fits, the client writes a root.
    pub(super) fn next(&mut self, known: &ReviewedComments) -> PlannedReview {
        let planned = match self.rng.random_range(0..100) {
            0..9 => None,
            9..17 => self.reply(known),
            17..25 => self.edit(known),
            25..27 => self.own().map(Self::delete),
            27..29 => self.own().map(Self::undelete),
            29..32 => self.report(known),
            32..34 => known.any(&mut self.rng).map(|comment| self.like(comment)),
            34..39 => Some(self.claim()),
            39..40 => self.release(),
            40..60 => self.judge(),
            60..66 => self.repeat(),
            66..68 => Some(self.queue()),
            68..76 => self.moderated(known),
            76..78 => self.decisions(known),
            78..81 => Some(self.statements()),
            81..84 => self.appeal(),
            84..88 => self.own_reports(known),
            _ => self.public(known),
        };
        planned.unwrap_or_else(|| self.root())
    }

    /// Records the effect of an operation.
    pub(super) fn record(&mut self, planned: &PlannedReview, op: &Op, known: &ReviewedComments) {
        let Outcome::Reviewed(response) = &op.outcome else { return };
        if let (ReviewResponse::Written { comment, .. }, ReviewCall::Create { parent, member, .. }, None) =
            (response, &planned.call, planned.repeated)
        {
            let (id, member, is_root) = (comment.id, *member, *parent == 0);
            let comment = KnownComment { subject: planned.subject, id, member, is_root };
            Self::store(&mut self.rng, &mut self.own, comment);
            known.insert(comment);
        }
        if let ReviewResponse::Written { comment, proposal: Some(proposal), .. } = response
            && proposal.state == proposal_state::WAITING
        {
            known.propose(comment.id);
        }
        if let (ReviewResponse::Reported(_), ReviewCall::Report { comment, reporter }) = (response, &planned.call) {
            known.report(*comment, *reporter);
        }
        if let ReviewResponse::Judged(outcomes) = response {
            let shown = |decision: &SeenDecision| !decision.of_proposal && decision.to == state::ACTIVE;
            outcomes.iter().filter(|outcome| outcome.decision.as_ref().is_some_and(shown)).for_each(|outcome| {
                known.show(outcome.comment);
            });
        }
        if let (ReviewResponse::Statements { statements, .. }, ReviewCall::Statements { member }) =
            (response, &planned.call)
        {
            for statement in statements.iter().filter(|statement| statement.is_contestable) {
                Self::store(&mut self.rng, &mut self.contestable, (*statement, *member));
            }
        }
        if !matches!(planned.call, ReviewCall::Queue { .. }) {
            let lease = if let ReviewResponse::Claimed { lease, .. } = response { lease.clone() } else { "".into() };
            for item in response.moderated() {
                for readable in Readable::all_of(item) {
                    Self::store(&mut self.rng, &mut self.read, (readable, lease.clone()));
                }
            }
        }
        // Of the reports of a reporter the newest request is known, and a like returns nothing of
        // its own.
        let is_repeatable = !matches!(planned.call, ReviewCall::Like { .. } | ReviewCall::Report { .. });
        if planned.call.writes() && is_repeatable {
            let request = (planned.subject, planned.call.clone(), op.request);
            Self::store(&mut self.rng, &mut self.acknowledged, request);
        }
    }

    /// Stores an entry, in place of a random one if there are too many.
    fn store<T>(rng: &mut StdRng, entries: &mut Vec<T>, entry: T) {
        if entries.len() >= STORED {
            entries.swap_remove(rng.random_range(0..STORED));
        }
        entries.push(entry);
    }

    /// Returns the first subject in half of the cases, and otherwise any.
    fn subject(&mut self) -> u32 {
        let number = if self.rng.random() { 0 } else { self.rng.random_range(0..REVIEWED_SUBJECTS) };
        REVIEWED + number
    }

    fn member(&mut self) -> u32 {
        FIRST_MEMBER + self.client * MEMBERS + self.rng.random_range(0..MEMBERS)
    }

    /// Returns a text that no other request of the run has.
    fn text(&mut self) -> u64 {
        self.text_count += 1;
        (u64::from(self.client) + 1) << 48 | self.text_count
    }

    fn own(&mut self) -> Option<KnownComment> {
        (!self.own.is_empty()).then(|| self.own[self.rng.random_range(0..self.own.len())])
    }

    fn root(&mut self) -> PlannedReview {
        let (subject, member, text) = (self.subject(), self.member(), self.text());
        PlannedReview::of(subject, ReviewCall::Create { parent: 0, member, text })
    }

    /// Returns a reply; the parent may wait, and in some cases is the member's own.
    fn reply(&mut self, known: &ReviewedComments) -> Option<PlannedReview> {
        let own = if self.rng.random_ratio(1, 4) { self.own() } else { None };
        let parent = own.or_else(|| known.any(&mut self.rng))?;
        let member = own.map_or_else(|| self.member(), |own| own.member);
        let call = ReviewCall::Create { parent: parent.id, member, text: self.text() };
        Some(PlannedReview::of(parent.subject, call))
    }

    /// Returns an edit of an own comment, in most cases of one that came into sight; half of these
    /// have an edit that waits, which the new one replaces.
    fn edit(&mut self, known: &ReviewedComments) -> Option<PlannedReview> {
        let first = FIRST_MEMBER + self.client * MEMBERS;
        let is_any = self.rng.random_ratio(1, 4);
        let in_sight = if is_any { None } else { known.in_sight_of(&(first..first + MEMBERS), &mut self.rng) };
        let own = in_sight.or_else(|| self.own())?;
        let call = ReviewCall::Edit { comment: own.id, member: own.member, text: self.text() };
        Some(PlannedReview::of(own.subject, call))
    }

    fn report(&mut self, known: &ReviewedComments) -> Option<PlannedReview> {
        // Members see only what is in sight; some report what is not any more.
        let in_sight = known.any_in_sight(&mut self.rng);
        let comment = in_sight.or_else(|| known.any_or_proposed(&mut self.rng))?;
        let call = ReviewCall::Report { comment: comment.id, reporter: self.rng.random_range(0..REPORTERS) };
        Some(PlannedReview::of(comment.subject, call))
    }

    fn statements(&mut self) -> PlannedReview {
        PlannedReview::of(REVIEWED, ReviewCall::Statements { member: self.member() })
    }

    /// Returns a read of what became of a report.
    fn own_reports(&mut self, known: &ReviewedComments) -> Option<PlannedReview> {
        let (comment, reporter) = one_of(&known.lock().reported, &mut self.rng)?;
        Some(PlannedReview::of(REVIEWED, ReviewCall::OwnReports { comment, reporter }))
    }

    /// Returns an appeal against a decision that could be contested when it was read, in one of
    /// eight cases by a member that is not the author. Some decisions are contested again.
    fn appeal(&mut self) -> Option<PlannedReview> {
        let count = self.contestable.len();
        let at = if count > 0 { self.rng.random_range(0..count) } else { return None };
        let (statement, author) =
            if self.rng.random_ratio(1, 4) { self.contestable[at] } else { self.contestable.swap_remove(at) };
        let member = if self.rng.random_ratio(1, 8) { author + 1 } else { author };
        let call = ReviewCall::Appeal { comment: statement.comment, number: statement.number, member };
        Some(PlannedReview::of(REVIEWED, call))
    }

    fn delete(own: KnownComment) -> PlannedReview {
        PlannedReview::of(own.subject, ReviewCall::Delete { comment: own.id, member: own.member })
    }

    fn undelete(own: KnownComment) -> PlannedReview {
        PlannedReview::of(own.subject, ReviewCall::Undelete { comment: own.id, member: own.member })
    }

    fn like(&mut self, comment: KnownComment) -> PlannedReview {
        let member = if self.rng.random_ratio(1, 4) { comment.member } else { self.member() };
        PlannedReview::of(comment.subject, ReviewCall::Like { comment: comment.id, member })
    }

    fn claim(&mut self) -> PlannedReview {
        let seconds = LEASES[self.rng.random_range(0..LEASES.len())];
        PlannedReview::of(REVIEWED, ReviewCall::Claim { moderator: self.client, seconds })
    }

    fn release(&mut self) -> Option<PlannedReview> {
        let (item, lease) = self.take_read()?;
        let call = ReviewCall::Release { moderator: self.client, comments: [item.comment].into(), lease };
        Some(PlannedReview::of(REVIEWED, call))
            .filter(|planned| matches!(&planned.call, ReviewCall::Release { lease, .. } if !lease.is_empty()))
    }

    /// Takes something that was read; in half of the cases a proposed edit, if one was.
    fn take_read(&mut self) -> Option<(Readable, Box<str>)> {
        let count = self.read.len();
        let prefers_edits = self.rng.random();
        let at = if count > 0 { self.rng.random_range(0..count) } else { return None };
        let is_edit = |(readable, _): &(Readable, Box<str>)| prefers_edits && readable.state.is_none();
        let edit = (at..count).chain(0..at).find(|at| is_edit(&self.read[*at]));
        Some(self.read.swap_remove(edit.unwrap_or(at)))
    }

    /// Returns a verdict on texts or proposed edits that were read before. Some were judged or
    /// edited since. In one of five cases the etags stay in use.
    fn judge(&mut self) -> Option<PlannedReview> {
        let (first, lease) = self.take_read()?;
        let act = self.act(first.state);
        let most = if self.rng.random_ratio(1, 3) { TARGETS } else { 1 };
        let mut chosen = vec![first];
        while chosen.len() < most {
            let fits = |(item, _): &(Readable, Box<str>)| {
                item.state == chosen[0].state && chosen.iter().all(|other| other.comment != item.comment)
            };
            let Some(at) = self.read.iter().position(fits) else { break };
            chosen.push(self.read.swap_remove(at).0);
        }
        if self.rng.random_ratio(1, 5) {
            self.read.push((chosen[0].clone(), lease.clone()));
        }
        let targets = chosen.into_iter().map(|item| (item.comment, item.etag)).collect();
        Some(PlannedReview::of(REVIEWED, ReviewCall::Judge { moderator: self.client, act, targets, lease }))
    }

    /// Returns an act on a comment of this state, in one of six cases one that may conflict, or an
    /// act on a proposed edit.
    fn act(&mut self, of: Option<i8>) -> ModeratorAct {
        let Some(of) = of else {
            return if self.rng.random_ratio(2, 3) { ModeratorAct::Approve } else { ModeratorAct::Reject };
        };
        if self.rng.random_ratio(1, 6) {
            return ModeratorAct::ALL[self.rng.random_range(0..ModeratorAct::ALL.len())];
        }
        let acts: &[ModeratorAct] = match of {
            state::PENDING => &[
                ModeratorAct::Approve,
                ModeratorAct::Approve,
                ModeratorAct::Approve,
                ModeratorAct::Reject,
                ModeratorAct::Reject,
                ModeratorAct::Delete,
            ],
            state::ACTIVE => &[
                ModeratorAct::Hide,
                ModeratorAct::Withhold,
                ModeratorAct::Reject,
                ModeratorAct::Approve,
                ModeratorAct::Keep,
            ],
            state::REJECTED => &[ModeratorAct::Approve, ModeratorAct::Keep],
            state::HIDDEN => &[ModeratorAct::Unhide, ModeratorAct::Keep],
            _deleted => &[ModeratorAct::Reject, ModeratorAct::Hide, ModeratorAct::Withhold],
        };
        acts[self.rng.random_range(0..acts.len())]
    }

    fn repeat(&mut self) -> Option<PlannedReview> {
        let count = self.acknowledged.len();
        let (subject, call, request) = self.acknowledged.get(self.rng.random_range(0..count.max(1)))?.clone();
        Some(PlannedReview { subject, call, repeated: Some(request) })
    }

    fn queue(&mut self) -> PlannedReview {
        PlannedReview::of(REVIEWED, ReviewCall::Queue { leased: self.rng.random() })
    }

    fn moderated(&mut self, known: &ReviewedComments) -> Option<PlannedReview> {
        let mut comments: Vec<i64> =
            (0..4).filter_map(|_| known.any_or_proposed(&mut self.rng)).map(|known| known.id).collect();
        comments.sort_unstable();
        comments.dedup();
        let call = ReviewCall::Moderated { comments: comments.into() };
        Some(PlannedReview::of(REVIEWED, call)).filter(|_| known.any(&mut self.rng).is_some())
    }

    fn decisions(&mut self, known: &ReviewedComments) -> Option<PlannedReview> {
        let known = known.any(&mut self.rng)?;
        Some(PlannedReview::of(known.subject, ReviewCall::Decisions { comment: known.id }))
    }

    /// Returns a read of the public port: without a viewer, by another member, or by the author.
    fn public(&mut self, known: &ReviewedComments) -> Option<PlannedReview> {
        let comment = known.any_or_proposed(&mut self.rng)?;
        let fresh = self.rng.random_ratio(1, 5);
        let read = match self.rng.random_range(0..16) {
            0..4 => PublicRead::List,
            4..6 if comment.is_root => PublicRead::Replies(comment.id),
            4..6 => PublicRead::Conversation(comment.id),
            6..11 => PublicRead::Get(comment.id),
            11 => PublicRead::Batch(comment.id),
            12 => PublicRead::Thread(comment.id),
            13 => PublicRead::History(comment.id),
            14 => {
                if self.rng.random() {
                    PublicRead::Conversation(comment.id)
                } else {
                    PublicRead::OfMember(comment.member)
                }
            }
            _ => PublicRead::Unlisted,
        };
        let viewer = if let PublicRead::Get(_) = read {
            [None, Some(self.member()), Some(comment.member)][self.rng.random_range(0..3)]
        } else {
            (read == PublicRead::Unlisted).then_some(comment.member)
        };
        Some(PlannedReview::of(comment.subject, ReviewCall::Public { read, viewer, fresh }))
    }
}
