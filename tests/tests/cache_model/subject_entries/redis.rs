//! The cached data of one subject with one list and one comment, and the functions on it; each is
//! one step.
//!
//! Every revision adds a member to the list and rewrites the comment, so that at revision v the
//! list is {1, …, v} and the comment's row is v. Likes only grow: their number is their revision.

use super::parts::{
    By, Change, ChangeLog, Copy, FillKind, FillLease, FillOutcome, Report, Rows, SubjectEntry, Token, Value, members,
};
use super::rules::Rule;

/// All keys on one server.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct Redis {
    /// The position of the relay, and the generation.
    pub(super) cursor: Option<(Value, Token)>,
    pub(super) entry: Option<SubjectEntry>,
    /// The incarnation that the list belongs to, and one bit for each member.
    pub(super) list: Option<(Token, u8)>,
    pub(super) copy: Option<Copy>,
    pub(super) log: ChangeLog,
}

impl Redis {
    /// Returns the subject entry, if it belongs to the current generation.
    pub(super) fn present(&self, by: By) -> Option<SubjectEntry> {
        let (entry, (_, generation)) = self.entry.zip(self.cursor)?;
        (entry.generation == generation || !by.keeps(Rule::OldGenerationsAreNone)).then_some(entry)
    }

    /// Returns the subject entry with its revision, if it can be read.
    pub(super) fn answering(&self, by: By) -> Option<(SubjectEntry, Value)> {
        let entry = self.present(by)?;
        let revision = entry.revision?;
        (revision >= entry.known || !by.keeps(Rule::EntriesAreReadAtW)).then_some((entry, revision))
    }

    /// Returns the list and the comment, as far as they belong to this entry.
    pub(super) fn parts(&self, entry: &SubjectEntry, by: By) -> (Option<u8>, Option<Copy>) {
        let of = |incarnation| incarnation == entry.incarnation || !by.keeps(Rule::PartsCarryTheirEntry);
        let list = self.list.filter(|(incarnation, _)| of(*incarnation)).map(|(_, members)| members);
        (list, self.copy.filter(|copy| of(copy.incarnation)))
    }

    pub(super) fn open(&mut self, kind: FillKind, name: u8, fresh: Token, by: By) -> Option<FillLease> {
        let (_, generation) = self.cursor?;
        let mut b = self.present(by).unwrap_or_else(|| {
            self.log = ChangeLog::default();
            SubjectEntry { incarnation: fresh, generation, ..SubjectEntry::default() }
        });
        let taken = match kind {
            FillKind::Page => b.lease.is_some_and(|until| until >= by.now),
            FillKind::Comment => b.revision.is_none() && by.keeps(Rule::CommentsNeedARevision),
        };
        if !taken {
            if !b.is_open(by) {
                self.close_log(&mut b, by);
            }
            self.check_log(&mut b, by);
            b.fill_leases += b.weight(name, by);
            b.until = by.now;
            b.lease = if kind == FillKind::Page { Some(by.now) } else { b.lease };
        }
        self.entry = Some(b);
        (!taken).then_some(FillLease { name, incarnation: b.incarnation, until: by.now, sequence: b.sequence })
    }

    pub(super) fn close(&mut self, lease: FillLease, kind: FillKind, by: By) {
        if let Some(mut b) = self.present(by).filter(|b| b.incarnation == lease.incarnation) {
            self.release(&mut b, lease, kind, by);
            self.entry = Some(b);
        }
    }

    fn release(&mut self, b: &mut SubjectEntry, lease: FillLease, kind: FillKind, by: By) {
        if kind == FillKind::Page && b.lease == Some(lease.until) {
            b.lease = None;
        }
        if b.has(lease, by) {
            b.fill_leases -= b.weight(lease.name, by);
        }
        if !b.is_open(by) {
            self.close_log(b, by);
        }
    }

    /// Removes data that is no longer needed. Changes that wait for their predecessors stay; while
    /// the entry is behind, likes stay too.
    fn close_log(&mut self, b: &mut SubjectEntry, by: By) {
        b.fill_leases = 0;
        if b.logged == 0 {
            return;
        }
        self.log.changes.retain(|change| b.revision.is_none_or(|at| change.revision > at));
        if !(by.keeps(Rule::EntriesBehindLogLikes) && b.is_behind()) {
            self.log.likes = 0;
        }
        b.logged = self.log.length();
    }

    /// Returns true if the log is complete; otherwise no holder of a fill lease can use it.
    fn check_log(&mut self, b: &mut SubjectEntry, by: By) -> bool {
        let is = b.logged == self.log.length() || !by.keeps(Rule::LogIsComplete);
        if !is {
            b.sequence += u8::from(!by.keeps(Rule::FillLeasesHaveNames));
            b.torn = b.sequence;
            (b.fill_leases, b.logged) = (0, 0);
            self.log = ChangeLog::default();
        }
        is
    }

    fn note(&mut self, b: &mut SubjectEntry, by: By, write: impl FnOnce(&mut ChangeLog)) {
        self.check_log(b, by);
        b.sequence += u8::from(!by.keeps(Rule::FillLeasesHaveNames));
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
        self.entry = Some(b);
    }

    fn move_on(&mut self, b: &mut SubjectEntry, change: Change, by: By) {
        b.revision = Some(change.revision);
        let (list, copy) = self.parts(b, by);
        self.list = list.map(|members| (b.incarnation, members | 1 << (change.revision - 1))).or(self.list);
        let made = Copy { incarnation: b.incarnation, row: change.revision, likes: change.likes };
        let logged = if b.logged > 0 { self.log.likes } else { 0 };
        let patched = copy.map(|old| old.patched(change)).or(change.content.then_some(made));
        self.copy = patched.map(|copy| copy.liked(logged)).or(self.copy);
    }

    fn drain(&mut self, b: &mut SubjectEntry, by: By) {
        while let Some(change) = b.revision.filter(|_| b.logged > 0).and_then(|at| self.log.of(at + 1)) {
            self.move_on(b, change, by);
        }
        if !b.is_open(by) {
            self.close_log(b, by);
        }
    }

    pub(super) fn like(&mut self, likes: Value, by: By) {
        let Some(mut b) = self.present(by) else { return };
        if let (_, Some(copy)) = self.parts(&b, by) {
            self.copy = Some(copy.liked(likes));
        }
        let open = b.is_open(by) && by.keeps(Rule::LikesAreLogged);
        if (open || by.keeps(Rule::EntriesBehindLogLikes) && b.is_behind()) && likes > self.log.likes {
            self.note(&mut b, by, |log| log.likes = likes);
            self.entry = Some(b);
        }
    }

    pub(super) fn fill(
        &mut self,
        lease: FillLease,
        kind: FillKind,
        rows: Rows,
        force: Option<Token>,
        by: By,
    ) -> FillOutcome {
        let Some(mut b) = self.present(by) else { return FillOutcome::Refused };
        let known = if by.keeps(Rule::FillLeasesHaveNames) { b.has(lease, by) } else { lease.sequence >= b.torn };
        let valid = known && by.now <= lease.until;
        if b.incarnation != lease.incarnation || by.keeps(Rule::FillsPresentLeases) && !valid {
            return FillOutcome::Refused;
        }
        let complete = self.check_log(&mut b, by);
        let filled = if complete { self.take(&mut b, lease, (kind, rows), force, by) } else { FillOutcome::Refused };
        match filled {
            FillOutcome::Stored => {
                self.drain(&mut b, by);
                self.release(&mut b, lease, kind, by);
            }
            // A count is decremented here, and again when the lease is released.
            FillOutcome::Refused if complete && !by.keeps(Rule::FillLeasesHaveNames) => {
                self.release(&mut b, lease, kind, by)
            }
            FillOutcome::Refused | FillOutcome::Behind => {}
        }
        self.entry = Some(b);
        filled
    }

    fn take(
        &mut self,
        b: &mut SubjectEntry,
        of: FillLease,
        (kind, rows): (FillKind, Rows),
        force: Option<Token>,
        by: By,
    ) -> FillOutcome {
        let mut list = members(rows.revision);
        match (kind, b.revision) {
            (FillKind::Page, Some(at)) if rows.revision > at => {
                let Some(fresh) = force else { return FillOutcome::Behind };
                if by.keeps(Rule::NewerFillsBeginAnew) {
                    b.incarnation = fresh;
                    // All other fill leases belong to the old incarnation.
                    b.fill_leases = b.weight(of.name, by);
                }
                b.revision = Some(rows.revision);
            }
            (FillKind::Page, Some(at)) if by.keeps(Rule::LateFillsAreBrought) => {
                for revision in rows.revision + 1..=at {
                    if self.log.of(revision).is_none() {
                        return FillOutcome::Refused;
                    }
                    list |= 1 << (revision - 1);
                }
            }
            (FillKind::Page, Some(_)) => {}
            (FillKind::Page, None) => b.revision = Some(rows.revision),
            (FillKind::Comment, None) => return FillOutcome::Refused,
            (FillKind::Comment, Some(at)) if by.keeps(Rule::NewerCommentsWait) && rows.revision > at => {
                return if force.is_some() { FillOutcome::Refused } else { FillOutcome::Behind };
            }
            (FillKind::Comment, Some(_)) => {}
        }
        if kind == FillKind::Page {
            b.known = b.known.max(rows.revision);
            let stored = self.parts(b, by).0.unwrap_or(0);
            self.list = Some((b.incarnation, stored | list));
        }
        if self.parts(b, by).1.is_none() {
            let copy = Copy { incarnation: b.incarnation, row: rows.revision, likes: rows.likes };
            let logged = self.log.changes.iter().filter(|change| b.revision.is_some_and(|at| change.revision <= at));
            self.copy = Some(logged.fold(copy, |copy, change| copy.patched(*change)).liked(self.log.likes));
        }
        FillOutcome::Stored
    }

    /// Advances the relay, and reports the commits: the highest revision, and likes. Returns
    /// `false` if its cursor is not at the expected position.
    pub(super) fn advance(&mut self, (from, to): (Value, Value), reported: Report, by: By) -> bool {
        let Some((at, generation)) = self.cursor else { return false };
        if at != from && by.keeps(Rule::CursorInTheSlot) {
            return false;
        }
        if let Some((mut b, revision)) = self.present(by).zip(reported.revision.filter(|_| by.keeps(Rule::RelayRaises)))
            && b.revision.is_none_or(|at| at < revision)
        {
            b.known = b.known.max(revision);
            self.entry = Some(b);
        }
        reported.likes.into_iter().for_each(|likes| self.like(likes, by));
        self.cursor = Some((to, generation));
        true
    }
}
