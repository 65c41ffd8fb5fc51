//! Lists of words and what each of them asks for.

mod parse;

use crate::day::Day;
use crate::outcome::PolicyOutcome;

pub use parse::ListError;
pub(crate) use parse::version_of;

/// The largest number of entries of all lists together.
pub const MAX_ENTRIES: usize = 200_000;
/// The largest number of code points of an entry.
pub const MAX_ENTRY_CODE_POINTS: usize = 64;

/// The places of a text at which an entry is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchMode {
    /// As a word: the code points before and after it are no digit, no mark and no letter of the
    /// script at that end of the entry.
    Word,
    /// Anywhere.
    Part,
}

impl MatchMode {
    /// Returns the mode of this name, as list files and the configuration write it.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "word" => Some(Self::Word),
            "part" => Some(Self::Part),
            _ => None,
        }
    }
}

/// The effect of a list or a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ListEffect {
    /// Its hits decide.
    #[default]
    Live,
    /// Its hits are recorded and have no effect.
    DryRun,
}

/// An entry of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordEntry {
    /// The word or phrase, as it was written.
    pub word: String,
    /// The id of the entry in its list.
    pub id: String,
    /// The line of the file, from 1.
    pub line: u32,
    /// The outcome that a hit asks for.
    pub outcome: PolicyOutcome,
    /// The code of a decision that follows.
    pub code: String,
    /// The places at which it is found; `None` leaves it to the scripts of the entry.
    pub mode: Option<MatchMode>,
    /// The first day on which it is not found any more.
    pub expires: Option<Day>,
}

/// The values of a list for the entries that name none themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListSettings {
    /// The name of the list.
    pub name: String,
    /// The outcome that a hit asks for.
    pub outcome: PolicyOutcome,
    /// The code of a decision that follows.
    pub code: String,
    /// The places at which an entry is found; `None` leaves it to the scripts of the entry.
    pub mode: Option<MatchMode>,
    /// The effect of the hits.
    pub effect: ListEffect,
}

/// A list of words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordList {
    /// The name of the list.
    pub name: String,
    /// The version: the first 16 hex digits of the SHA-256 of the file.
    pub version: String,
    /// The effect of its hits.
    pub effect: ListEffect,
    /// The entries, in the order of the file.
    pub entries: Vec<WordEntry>,
}
