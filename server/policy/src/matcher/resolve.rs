//! The outcome of all entries that were found.

use super::{FoundEntry, MAX_HITS, Matcher};
use crate::outcome::PolicyOutcome;
use crate::text_range::TextRange;
use crate::word_list::ListEffect;

/// The effect of a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HitEffect {
    /// It counts.
    Counts,
    /// It lies inside an allowed word and has no effect.
    Allowed,
    /// Its list is in dry run, so it has no effect.
    DryRun,
}

/// An entry that was found in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit<'m> {
    /// The name of the list.
    pub list: &'m str,
    /// The version of the list.
    pub version: &'m str,
    /// The id of the entry.
    pub entry: &'m str,
    /// The code of a decision that follows.
    pub code: &'m str,
    /// The outcome that the entry asks for.
    pub outcome: PolicyOutcome,
    /// The range of the stored text.
    pub span: TextRange,
    /// The effect of the hit.
    pub effect: HitEffect,
}

/// All hits in a text, and what they ask for together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings<'m> {
    /// The strongest outcome of the hits that count.
    pub outcome: PolicyOutcome,
    /// The hits by their positions: at most [`MAX_HITS`] of live lists, and as many of others.
    pub hits: Vec<Hit<'m>>,
    /// The search ended before the end of the text, because of too many hits.
    pub too_many_hits: bool,
}

impl Default for Findings<'_> {
    fn default() -> Self {
        Self { outcome: PolicyOutcome::Allow, hits: Vec::new(), too_many_hits: false }
    }
}

impl<'m> Findings<'m> {
    /// The id of the rule that asks for [`PolicyOutcome::Hold`] where a text has too many hits.
    pub const TOO_MANY_HITS: &'static str = "too_many_hits";

    /// Returns the hit that a decision is about: the longest one of those with the outcome. `None`
    /// if the outcome comes from no hit.
    #[must_use]
    pub fn decisive(&self) -> Option<&Hit<'m>> {
        let counted = self.hits.iter().filter(|hit| hit.effect == HitEffect::Counts && hit.outcome == self.outcome);
        // Of equally long ones the first.
        counted.filter(|hit| hit.outcome != PolicyOutcome::Allow).rev().max_by_key(|hit| hit.span.code_points())
    }

    /// Returns the ranges that are masked, if the text is shown at all.
    #[must_use]
    pub fn masks(&self) -> Vec<TextRange> {
        self.masking().map(|hit| hit.span).collect()
    }

    /// Returns the longest hit that is masked, and of equally long ones the first.
    #[must_use]
    pub fn decisive_mask(&self) -> Option<&Hit<'m>> {
        self.masking().rev().max_by_key(|hit| hit.span.code_points())
    }

    /// Returns the hits that are masked, by their positions.
    pub fn masking(&self) -> impl DoubleEndedIterator<Item = &Hit<'m>> {
        self.hits.iter().filter(|hit| counts(hit) && hit.outcome == PolicyOutcome::Mask)
    }
}

impl Matcher {
    /// Decides which of the entries count. `too_many` says that the search ended early.
    pub(super) fn resolve(&self, found: &[FoundEntry], too_many: bool) -> Findings<'_> {
        debug_assert!(found.len() <= 2 * MAX_HITS);
        let mut hits: Vec<Hit<'_>> = found.iter().map(|found| self.hit(*found)).collect();
        let allowed: Vec<TextRange> =
            hits.iter().filter(|hit| hit.outcome == PolicyOutcome::Allow && counts(hit)).map(|hit| hit.span).collect();
        for hit in hits.iter_mut().filter(|hit| hit.outcome != PolicyOutcome::Allow && counts(hit)) {
            if allowed.iter().any(|allowed| allowed.contains(hit.span)) {
                hit.effect = HitEffect::Allowed;
            }
        }
        let strongest = hits.iter().filter(|hit| counts(hit)).map(|hit| hit.outcome).max();
        // The rest of the text was not searched, so the text is not shown.
        let least = if too_many { PolicyOutcome::Hold } else { PolicyOutcome::Allow };
        Findings { outcome: strongest.unwrap_or(least).max(least), hits, too_many_hits: too_many }
    }

    fn hit(&self, found: FoundEntry) -> Hit<'_> {
        let entry = &self.entries[found.entry as usize];
        let list = &self.lists[entry.list as usize];
        let effect = match list.effect {
            ListEffect::Live => HitEffect::Counts,
            ListEffect::DryRun => HitEffect::DryRun,
        };
        Hit {
            list: &list.name,
            version: &list.version,
            entry: &entry.id,
            code: &entry.code,
            outcome: entry.outcome,
            span: found.span,
            effect,
        }
    }
}

fn counts(hit: &Hit<'_>) -> bool {
    hit.effect == HitEffect::Counts
}
