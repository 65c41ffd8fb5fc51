//! An automaton over patterns, each of one or more entries.

use daachorse::errors::Result;
use daachorse::{CharwiseDoubleArrayAhoCorasick, CharwiseDoubleArrayAhoCorasickBuilder, MatchKind};
use std::ops::{ControlFlow, Range};

pub(super) struct Automaton {
    automaton: CharwiseDoubleArrayAhoCorasick<u32>,
    patterns: Vec<Pattern>,
    /// The entries of the patterns, one pattern after the other.
    entries: Vec<u32>,
}

struct Pattern {
    /// The first of its entries; they end at the first one of the next pattern.
    first: u32,
    code_points: u32,
}

impl Automaton {
    /// Builds an automaton of patterns with their entries. Equal patterns are one. Returns `None`
    /// without patterns.
    pub(super) fn build(mut patterns: Vec<(String, u32)>) -> Result<Option<Self>> {
        if patterns.is_empty() {
            return Ok(None);
        }
        patterns.sort_unstable();
        let mut distinct: Vec<Pattern> = Vec::with_capacity(patterns.len());
        let mut words: Vec<(&str, u32)> = Vec::with_capacity(patterns.len());
        for (at, (word, _)) in (0..).zip(&patterns) {
            if words.last().is_none_or(|(last, _)| last != word) {
                words.push((word, distinct.len() as u32));
                distinct.push(Pattern { first: at, code_points: word.chars().count() as u32 });
            }
        }
        // A hit of the longest pattern alone is not enough: an entry that begins earlier would hide
        // an allowed word, and one that is no word here a shorter one inside it.
        let builder = CharwiseDoubleArrayAhoCorasickBuilder::new().match_kind(MatchKind::Standard);
        // With thousands of patterns a word may begin nearly everywhere, so a prefilter only costs.
        let builder = builder.use_prefilter(false);
        let automaton = builder.build_with_values(words)?;
        let entries = patterns.iter().map(|(_, entry)| *entry).collect();
        Ok(Some(Self { automaton, patterns: distinct, entries }))
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.automaton.heap_bytes() + size_of_val(self.patterns.as_slice()) + size_of_val(self.entries.as_slice())
    }

    /// Calls `hit` for each pattern in a text, also for those that overlap, in the order of their
    /// ends.
    pub(super) fn find(
        &self,
        text: &str,
        mut hit: impl FnMut(PatternHit<'_>, &mut CodePoints<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut code_points = CodePoints { text, byte: 0, before: 0 };
        for found in self.automaton.find_overlapping_iter(text) {
            let number = found.value() as usize;
            let pattern = &self.patterns[number];
            let end = self.patterns.get(number + 1).map_or(self.entries.len(), |next| next.first as usize);
            let entries = &self.entries[pattern.first as usize..end];
            let bytes = found.start()..found.end();
            hit(PatternHit { bytes, length: pattern.code_points, entries }, &mut code_points)?;
        }
        ControlFlow::Continue(())
    }
}

/// A pattern that was found.
pub(super) struct PatternHit<'a> {
    /// Its range in bytes.
    pub(super) bytes: Range<usize>,
    /// Its length in code points.
    pub(super) length: u32,
    pub(super) entries: &'a [u32],
}

/// Positions of a text in code points, asked for in ascending order.
pub(super) struct CodePoints<'t> {
    text: &'t str,
    byte: usize,
    /// The number of code points before `byte`.
    before: u32,
}

impl CodePoints<'_> {
    /// Returns the range of a hit in code points. Hits that are not asked for cost nothing.
    pub(super) fn range(&mut self, hit: &PatternHit<'_>) -> Range<u32> {
        self.before += self.text[self.byte..hit.bytes.end].chars().count() as u32;
        self.byte = hit.bytes.end;
        self.before - hit.length..self.before
    }
}
