//! Notes on entries, by list and kind.

use super::{EntryNote, NoteKind};
use std::collections::BTreeMap;
use std::fmt;

/// The number of lines that a summary names.
const LINES: usize = 10;

/// The notes of one kind on one list. The text names the first ten lines and no word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteSummary {
    /// The number of the list, as given.
    pub list: usize,
    /// The kind.
    pub kind: NoteKind,
    /// The lines; never empty.
    pub lines: Vec<u32>,
}

impl fmt::Display for NoteSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named: Vec<String> = self.lines.iter().take(LINES).map(u32::to_string).collect();
        let noun = if self.lines.len() == 1 { "line" } else { "lines" };
        write!(f, "{noun} {}", named.join(", "))?;
        if self.lines.len() > LINES {
            write!(f, " and {} more", self.lines.len() - LINES)?;
        }
        write!(f, ": {}", self.kind.words())
    }
}

/// Returns a summary for each list and kind of note.
#[must_use]
pub fn note_summaries(notes: impl IntoIterator<Item = EntryNote>) -> Vec<NoteSummary> {
    let mut lines: BTreeMap<(usize, NoteKind), Vec<u32>> = BTreeMap::new();
    for note in notes {
        lines.entry((note.list, note.kind)).or_default().push(note.line);
    }
    lines.into_iter().map(|((list, kind), lines)| NoteSummary { list, kind, lines }).collect()
}
