//! The cached data: the candidates, the relevant fields of their subject entry, the log of likes,
//! the cursor.

use super::{PreviewCandidates, Rule};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Redis {
    /// The position of the relay, and the generation.
    pub(super) cursor: Option<(u8, u8)>,
    pub(super) entry: Option<SubjectEntry>,
    /// The last reply that was reported while a fill lease was outstanding.
    pub(super) log: u8,
    /// The incarnation, and the last commit up to which the candidates are complete.
    pub(super) candidates: Option<(u8, u8)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct SubjectEntry {
    incarnation: u8,
    generation: u8,
    /// The outstanding fill leases, one bit for each name, and their expiry.
    fill_leases: u8,
    until: u8,
    /// The expected content of the log.
    logged: u8,
}

/// The right to fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct FillLease {
    name: u8,
    incarnation: u8,
    until: u8,
    /// The position of the relay at the grant.
    given: u8,
}

impl Redis {
    fn present(&self) -> Option<SubjectEntry> {
        let (entry, (_, generation)) = self.entry.zip(self.cursor)?;
        (entry.generation == generation).then_some(entry)
    }

    /// Returns the last commit up to which the candidates are complete, if they can be read.
    pub(super) fn chosen(&self, of: &PreviewCandidates) -> Option<u8> {
        let (entry, (incarnation, chosen)) = self.present().zip(self.candidates)?;
        (entry.incarnation == incarnation || !of.keeps(Rule::CandidatesCarryTheirEntry)).then_some(chosen)
    }

    /// Returns the entry for a change; if its log was evicted, all fill leases are revoked.
    fn with_checked_log(&mut self) -> Option<SubjectEntry> {
        let mut entry = self.present()?;
        if entry.logged != self.log {
            (self.log, entry.logged, entry.fill_leases) = (0, 0, 0);
        }
        Some(entry)
    }

    pub(super) fn open(&mut self, name: u8, fresh: u8, now: u8) -> Option<FillLease> {
        let (given, generation) = self.cursor?;
        let mut entry = self.with_checked_log().unwrap_or_else(|| {
            self.log = 0;
            SubjectEntry { incarnation: fresh, generation, fill_leases: 0, until: now, logged: 0 }
        });
        if entry.fill_leases == 0 || now > entry.until {
            (entry.fill_leases, entry.logged, self.log) = (0, 0, 0);
        }
        (entry.fill_leases, entry.until) = (entry.fill_leases | 1 << name, now);
        self.entry = Some(entry);
        Some(FillLease { name, incarnation: entry.incarnation, until: now, given })
    }

    /// Applies the likes of the reply that a commit moved up.
    pub(super) fn like(&mut self, commit: u8, now: u8, of: &PreviewCandidates) {
        let Some(mut entry) = self.with_checked_log() else { return };
        if self.chosen(of).is_some_and(|chosen| chosen < commit) && of.keeps(Rule::LikesRemoveCandidates) {
            self.candidates = None;
        }
        if entry.fill_leases != 0 && now <= entry.until && of.keeps(Rule::LikesAreLogged) {
            self.log = self.log.max(commit);
            entry.logged = self.log;
        }
        self.entry = Some(entry);
    }

    pub(super) fn fill(&mut self, lease: FillLease, rank_index: u8, now: u8, of: &PreviewCandidates) {
        let Some(mut entry) = self.with_checked_log() else { return };
        let out = entry.incarnation == lease.incarnation && entry.fill_leases & 1 << lease.name != 0;
        if out && now <= lease.until {
            let known = lease.given <= rank_index || !of.keeps(Rule::RankIndexContainsReports);
            if known {
                self.candidates = (self.log <= rank_index).then_some((entry.incarnation, rank_index));
            }
            entry.fill_leases &= !(1 << lease.name);
            if entry.fill_leases == 0 {
                (entry.logged, self.log) = (0, 0);
            }
        }
        self.entry = Some(entry);
    }
}
