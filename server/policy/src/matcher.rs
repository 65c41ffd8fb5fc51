//! The search for the entries of lists in a text.

mod automaton;
mod build;
mod notes;
mod resolve;

use crate::characters::CharClass;
use crate::match_copy::MatchCopy;
use crate::normalizer::Normalizer;
use crate::outcome::PolicyOutcome;
use crate::text_range::TextRange;
use crate::word_list::{ListEffect, MatchMode};
use automaton::Automaton;
use std::fmt;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

pub use build::{EntryNote, MAX_HEAP_BYTES, MatcherError, NoteKind};
pub use notes::{NoteSummary, note_summaries};
pub use resolve::{Findings, Hit, HitEffect};

/// The largest number of hits of live lists in a text: one more ends the search. Of the hits of
/// lists in dry run the first ones are recorded, up to the same number.
pub const MAX_HITS: usize = 256;

/// The entries of all lists of an object type, ready for the search.
pub struct Matcher {
    normalizer: Arc<Normalizer>,
    lists: Vec<ListName>,
    entries: Vec<CompiledEntry>,
    /// The normalized entries.
    plain: Option<Automaton>,
    /// The skeletons of entries with confusable letters.
    skeletons: Option<Automaton>,
}

/// A list without its entries.
#[derive(Debug)]
struct ListName {
    name: String,
    version: String,
    effect: ListEffect,
}

/// An entry without its word.
#[derive(Debug)]
struct CompiledEntry {
    list: u32,
    id: Box<str>,
    code: Arc<str>,
    outcome: PolicyOutcome,
    mode: MatchMode,
}

/// An entry found at a range of the stored text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct FoundEntry {
    span: TextRange,
    entry: u32,
}

impl fmt::Debug for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never the words.
        f.debug_struct("Matcher").field("lists", &self.lists).field("entries", &self.entries.len()).finish()
    }
}

impl Matcher {
    /// Returns the number of entries.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.entries.len()
    }

    /// Returns the bytes of the automata.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        [&self.plain, &self.skeletons].into_iter().flatten().map(Automaton::heap_bytes).sum()
    }

    /// Finds the entries in a text with its normalized copy, and says what they ask for together.
    #[must_use]
    pub fn find(&self, text: &str, copy: &MatchCopy) -> Findings<'_> {
        let mut found = Vec::new();
        let ended = self.find_in(text, copy, &mut found);
        found.sort_unstable();
        self.resolve(&found, ended.is_break())
    }

    fn find_in(&self, text: &str, copy: &MatchCopy, found: &mut Vec<FoundEntry>) -> ControlFlow<()> {
        self.search(self.plain.as_ref(), copy, None, found)?;
        let unmarked = copy.has_marks.then(|| self.normalizer.without_marks(copy));
        if let Some(unmarked) = &unmarked {
            self.search(self.plain.as_ref(), unmarked, None, found)?;
        }
        if copy.is_mixed && self.skeletons.is_some() {
            for skeleton in self.normalizer.skeletons(text, unmarked.as_ref().unwrap_or(copy)) {
                self.search(self.skeletons.as_ref(), &skeleton.copy, Some(&skeleton.mixed), found)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Adds the entries that an automaton finds in a copy; with `within` only those that overlap
    /// one of these ranges of the copy. Breaks after too many.
    fn search(
        &self,
        automaton: Option<&Automaton>,
        copy: &MatchCopy,
        within: Option<&[Range<u32>]>,
        found: &mut Vec<FoundEntry>,
    ) -> ControlFlow<()> {
        let Some(automaton) = automaton else { return ControlFlow::Continue(()) };
        automaton.find(&copy.text, |hit, code_points| {
            let (mut is_word, mut range) = (None, None);
            for entry in hit.entries {
                let fits = match self.entries[*entry as usize].mode {
                    MatchMode::Part => true,
                    MatchMode::Word => *is_word.get_or_insert_with(|| self.is_word(&copy.text, &hit.bytes)),
                };
                if !fits {
                    continue;
                }
                let at = range.get_or_insert_with(|| code_points.range(&hit));
                let overlaps = |range: &Range<u32>| range.start < at.end && at.start < range.end;
                if within.is_some_and(|ranges| !ranges.iter().any(overlaps)) {
                    break;
                }
                let new = FoundEntry { span: copy.span(at.start, at.end), entry: *entry };
                // A word may be found in more than one copy, and twice in a cluster.
                if found.contains(&new) {
                    continue;
                }
                let effect = self.effect(*entry);
                match (found.iter().filter(|other| self.effect(other.entry) == effect).count(), effect) {
                    (MAX_HITS, ListEffect::Live) => return ControlFlow::Break(()),
                    (MAX_HITS, ListEffect::DryRun) => {}
                    (_, ListEffect::Live | ListEffect::DryRun) => found.push(new),
                }
            }
            ControlFlow::Continue(())
        })
    }

    /// Returns the effect of the list of an entry.
    fn effect(&self, entry: u32) -> ListEffect {
        self.lists[self.entries[entry as usize].list as usize].effect
    }

    /// Returns `true` if no code point around these bytes belongs to the word in them.
    fn is_word(&self, text: &str, bytes: &Range<usize>) -> bool {
        let hit = &text[bytes.clone()];
        let before = text[..bytes.start].chars().next_back();
        let after = text[bytes.end..].chars().next();
        !self.continues(before, hit.chars()) && !self.continues(after, hit.chars().rev())
    }

    /// Returns `true` if a code point continues the word that begins, or ends, with these ones.
    fn continues(&self, neighbour: Option<char>, word: impl Iterator<Item = char>) -> bool {
        let Some(neighbour) = neighbour else { return false };
        let character = |c| self.normalizer.characters.get(c);
        let near = character(neighbour);
        match near.class {
            CharClass::Digit | CharClass::Mark => true,
            CharClass::Other => false,
            CharClass::Letter => {
                let end = word.map(character).find(|end| end.class != CharClass::Mark);
                end.is_some_and(|end| end.script == near.script)
            }
        }
    }
}

#[cfg(test)]
mod tests;
