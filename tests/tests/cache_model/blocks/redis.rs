//! The cached data of one subject with one list and one comment, and the functions on it; each is
//! one step.
//!
//! Every revision adds a member to the list and rewrites the comment, so that at revision v the
//! list is {1, …, v} and the comment's row is v. Likes only grow: their number is their revision.

use super::parts::{Block, By, Change, Copy, Filled, Kind, Log, Number, Rows, Ticket, Token, Told, members};
use super::rules::Rule;

/// All keys on one server.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct Redis {
    /// The position of the relay, and the generation.
    pub(super) cursor: Option<(Number, Token)>,
    pub(super) block: Option<Block>,
    /// The incarnation that the list belongs to, and one bit for each member.
    pub(super) list: Option<(Token, u8)>,
    pub(super) copy: Option<Copy>,
    pub(super) log: Log,
}

impl Redis {
    /// Returns the subject entry, if it belongs to the current generation.
    pub(super) fn present(&self, by: By) -> Option<Block> {
        let (block, (_, generation)) = self.block.zip(self.cursor)?;
        (block.generation == generation || !by.keeps(Rule::OldGenerationsAreNone)).then_some(block)
    }

    /// Returns the subject entry with its revision, if it can be read.
    pub(super) fn answering(&self, by: By) -> Option<(Block, Number)> {
        let block = self.present(by)?;
        let revision = block.revision?;
        (revision >= block.known || !by.keeps(Rule::AnswersAtW)).then_some((block, revision))
    }

    /// Returns the list and the comment, as far as they belong to this entry.
    pub(super) fn parts(&self, block: &Block, by: By) -> (Option<u8>, Option<Copy>) {
        let of = |incarnation| incarnation == block.incarnation || !by.keeps(Rule::PartsBearTheirBlock);
        let list = self.list.filter(|(incarnation, _)| of(*incarnation)).map(|(_, members)| members);
        (list, self.copy.filter(|copy| of(copy.incarnation)))
    }

    pub(super) fn open(&mut self, kind: Kind, name: u8, fresh: Token, by: By) -> Option<Ticket> {
        let (_, generation) = self.cursor?;
        let mut b = self.present(by).unwrap_or_else(|| {
            self.log = Log::default();
            Block { incarnation: fresh, generation, ..Block::default() }
        });
        let taken = match kind {
            Kind::Page => b.lease.is_some_and(|until| until >= by.now),
            Kind::Comment => b.revision.is_none() && by.keeps(Rule::CommentsNeedARevision),
        };
        if !taken {
            if !b.is_open(by) {
                self.settle(&mut b, by);
            }
            self.whole(&mut b, by);
            b.tickets += b.weight(name, by);
            b.until = by.now;
            b.lease = if kind == Kind::Page { Some(by.now) } else { b.lease };
        }
        self.block = Some(b);
        (!taken).then_some(Ticket { name, incarnation: b.incarnation, until: by.now, sequence: b.sequence })
    }

    pub(super) fn close(&mut self, ticket: Ticket, kind: Kind, by: By) {
        if let Some(mut b) = self.present(by).filter(|b| b.incarnation == ticket.incarnation) {
            self.release(&mut b, ticket, kind, by);
            self.block = Some(b);
        }
    }

    fn release(&mut self, b: &mut Block, ticket: Ticket, kind: Kind, by: By) {
        if kind == Kind::Page && b.lease == Some(ticket.until) {
            b.lease = None;
        }
        if b.has(ticket, by) {
            b.tickets -= b.weight(ticket.name, by);
        }
        if !b.is_open(by) {
            self.settle(b, by);
        }
    }

    /// Removes data that is no longer needed. Changes that wait for their predecessors stay; while
    /// the entry is behind, likes stay too.
    fn settle(&mut self, b: &mut Block, by: By) {
        b.tickets = 0;
        if b.logged == 0 {
            return;
        }
        self.log.changes.retain(|change| b.revision.is_none_or(|at| change.revision > at));
        if !(by.keeps(Rule::BlocksBehindLogLikes) && b.is_behind()) {
            self.log.likes = 0;
        }
        b.logged = self.log.length();
    }

    /// Returns true if the log is complete; otherwise no holder of a fill lease can use it.
    fn whole(&mut self, b: &mut Block, by: By) -> bool {
        let is = b.logged == self.log.length() || !by.keeps(Rule::LogIsWhole);
        if !is {
            b.sequence += u8::from(!by.keeps(Rule::TicketsHaveNames));
            b.torn = b.sequence;
            (b.tickets, b.logged) = (0, 0);
            self.log = Log::default();
        }
        is
    }

    fn note(&mut self, b: &mut Block, by: By, write: impl FnOnce(&mut Log)) {
        self.whole(b, by);
        b.sequence += u8::from(!by.keeps(Rule::TicketsHaveNames));
        write(&mut self.log);
        b.logged = self.log.length();
    }

    pub(super) fn apply(&mut self, change: Change, by: By) {
        let Some(mut b) = self.present(by) else { return };
        b.known = b.known.max(change.revision);
        if b.revision.is_none_or(|at| change.revision > at) {
            let next = b.revision.is_some_and(|at| change.revision == at + 1 || !by.keeps(Rule::EarlyChangesWait));
            if !next || b.is_open(by) {
                self.note(&mut b, by, |log| {
                    log.changes.push(change);
                    log.changes.sort_unstable();
                });
            }
            if next {
                self.move_on(&mut b, change, by);
                self.drain(&mut b, by);
            }
        }
        self.block = Some(b);
    }

    fn move_on(&mut self, b: &mut Block, change: Change, by: By) {
        b.revision = Some(change.revision);
        let (list, copy) = self.parts(b, by);
        self.list = list.map(|members| (b.incarnation, members | 1 << (change.revision - 1))).or(self.list);
        let made = Copy { incarnation: b.incarnation, row: change.revision, likes: change.likes };
        let logged = if b.logged > 0 { self.log.likes } else { 0 };
        let patched = copy.map(|old| old.patched(change)).or(change.content.then_some(made));
        self.copy = patched.map(|copy| copy.liked(logged)).or(self.copy);
    }

    fn drain(&mut self, b: &mut Block, by: By) {
        while let Some(change) = b.revision.filter(|_| b.logged > 0).and_then(|at| self.log.of(at + 1)) {
            self.move_on(b, change, by);
        }
        if !b.is_open(by) {
            self.settle(b, by);
        }
    }

    pub(super) fn like(&mut self, likes: Number, by: By) {
        let Some(mut b) = self.present(by) else { return };
        if let (_, Some(copy)) = self.parts(&b, by) {
            self.copy = Some(copy.liked(likes));
        }
        let open = b.is_open(by) && by.keeps(Rule::LikesAreLogged);
        if (open || by.keeps(Rule::BlocksBehindLogLikes) && b.is_behind()) && likes > self.log.likes {
            self.note(&mut b, by, |log| log.likes = likes);
            self.block = Some(b);
        }
    }

    pub(super) fn fill(&mut self, ticket: Ticket, kind: Kind, rows: Rows, force: Option<Token>, by: By) -> Filled {
        let Some(mut b) = self.present(by) else { return Filled::Refused };
        let known = if by.keeps(Rule::TicketsHaveNames) { b.has(ticket, by) } else { ticket.sequence >= b.torn };
        let valid = known && by.now <= ticket.until;
        if b.incarnation != ticket.incarnation || by.keeps(Rule::FillsShowTickets) && !valid {
            return Filled::Refused;
        }
        let whole = self.whole(&mut b, by);
        let filled = if whole { self.take(&mut b, ticket, (kind, rows), force, by) } else { Filled::Refused };
        match filled {
            Filled::Kept => {
                self.drain(&mut b, by);
                self.release(&mut b, ticket, kind, by);
            }
            // A count is decremented here, and again when the lease is released.
            Filled::Refused if whole && !by.keeps(Rule::TicketsHaveNames) => self.release(&mut b, ticket, kind, by),
            Filled::Refused | Filled::Behind => {}
        }
        self.block = Some(b);
        filled
    }

    fn take(&mut self, b: &mut Block, of: Ticket, (kind, rows): (Kind, Rows), force: Option<Token>, by: By) -> Filled {
        let mut list = members(rows.revision);
        match (kind, b.revision) {
            (Kind::Page, Some(at)) if rows.revision > at => {
                let Some(fresh) = force else { return Filled::Behind };
                if by.keeps(Rule::NewerFillsBeginAnew) {
                    b.incarnation = fresh;
                    // All other fill leases belong to the old incarnation.
                    b.tickets = b.weight(of.name, by);
                }
                b.revision = Some(rows.revision);
            }
            (Kind::Page, Some(at)) if by.keeps(Rule::LateFillsAreBrought) => {
                for revision in rows.revision + 1..=at {
                    if self.log.of(revision).is_none() {
                        return Filled::Refused;
                    }
                    list |= 1 << (revision - 1);
                }
            }
            (Kind::Page, Some(_)) => {}
            (Kind::Page, None) => b.revision = Some(rows.revision),
            (Kind::Comment, None) => return Filled::Refused,
            (Kind::Comment, Some(at)) if by.keeps(Rule::NewerCommentsWait) && rows.revision > at => {
                return if force.is_some() { Filled::Refused } else { Filled::Behind };
            }
            (Kind::Comment, Some(_)) => {}
        }
        if kind == Kind::Page {
            b.known = b.known.max(rows.revision);
            let kept = self.parts(b, by).0.unwrap_or(0);
            self.list = Some((b.incarnation, kept | list));
        }
        if self.parts(b, by).1.is_none() {
            let copy = Copy { incarnation: b.incarnation, row: rows.revision, likes: rows.likes };
            let logged = self.log.changes.iter().filter(|change| b.revision.is_some_and(|at| change.revision <= at));
            self.copy = Some(logged.fold(copy, |copy, change| copy.patched(*change)).liked(self.log.likes));
        }
        Filled::Kept
    }

    /// Advances the relay, and reports the commits: the highest revision, and likes. Returns
    /// `false` if its cursor is not at the expected position.
    pub(super) fn advance(&mut self, (from, to): (Number, Number), told: Told, by: By) -> bool {
        let Some((at, generation)) = self.cursor else { return false };
        if at != from && by.keeps(Rule::CursorInTheSlot) {
            return false;
        }
        if let Some((mut b, revision)) = self.present(by).zip(told.revision.filter(|_| by.keeps(Rule::RelayRaises)))
            && b.revision.is_none_or(|at| at < revision)
        {
            b.known = b.known.max(revision);
            self.block = Some(b);
        }
        told.likes.into_iter().for_each(|likes| self.like(likes, by));
        self.cursor = Some((to, generation));
        true
    }
}
