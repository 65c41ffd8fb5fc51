//! The compilation of lists.

use super::{Automaton, CompiledEntry, ListName, Matcher};
use crate::characters::CharClass;
use crate::day::Day;
use crate::match_copy::MatchCopy;
use crate::normalizer::Normalizer;
use crate::word_list::{MAX_ENTRIES, MatchMode, WordList};
use std::borrow::Borrow;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// The largest size of the automata of a matcher.
pub const MAX_HEAP_BYTES: usize = 64 << 20;
/// Latin entries of up to this number of letters are found in many innocent words or names.
const SHORT: usize = 3;

/// A reason not to take the lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatcherError {
    /// The lists have this number of entries, more than [`MAX_ENTRIES`].
    TooManyEntries(usize),
    /// The automata take this number of bytes, more than [`MAX_HEAP_BYTES`].
    TooLarge(usize),
    /// The entries are beyond the size of an automaton.
    NotBuilt,
}

impl fmt::Display for MatcherError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyEntries(count) => {
                write!(f, "{count} entries in all lists: at most {MAX_ENTRIES} are possible")
            }
            Self::TooLarge(bytes) => {
                let (mib, most) = (bytes.div_ceil(1 << 20), MAX_HEAP_BYTES >> 20);
                write!(f, "the entries of all lists take {mib} MiB: at most {most} MiB are possible")
            }
            Self::NotBuilt => f.write_str("the entries of all lists are too many or too long"),
        }
    }
}

impl std::error::Error for MatcherError {}

/// A remark on an entry, which does not contain its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EntryNote {
    /// The number of the list, as given.
    pub list: usize,
    /// The line of the entry.
    pub line: u32,
    /// The remark.
    pub kind: NoteKind,
}

/// A kind of remark on an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NoteKind {
    /// The entry has expired: it is skipped.
    Expired,
    /// Nothing of the entry is left after normalisation: it is skipped.
    EmptySkipped,
    /// One Han or Kana character without a mode, which is a part of many words: it is skipped.
    SingleSkipped,
    /// A Latin word of a few letters, which is often a name or an abbreviation.
    Short,
    /// Digits, punctuation and spaces only.
    NoLetter,
}

impl NoteKind {
    /// Returns the remark as words that follow the subject "entry".
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Expired => "skipped: it has expired",
            Self::EmptySkipped => "skipped: nothing visible is left of it after normalisation",
            Self::SingleSkipped => "skipped: one Han or Kana character is a part of many words; give it a mode",
            Self::Short => "a short Latin word is often a name or an abbreviation",
            Self::NoLetter => "digits and punctuation alone are found in many texts",
        }
    }
}

impl Matcher {
    /// Compiles lists for a day. Returns with it what there is to say about their entries.
    ///
    /// # Errors
    /// If the lists are too large.
    pub fn new<L: Borrow<WordList>>(
        normalizer: Arc<Normalizer>,
        lists: &[L],
        today: Day,
    ) -> Result<(Self, Vec<EntryNote>), MatcherError> {
        let total = lists.iter().map(|list| list.borrow().entries.len()).sum();
        if total > MAX_ENTRIES {
            return Err(MatcherError::TooManyEntries(total));
        }
        let mut builder = Builder::new(&normalizer, today);
        for (number, list) in lists.iter().enumerate() {
            builder.add(number, list.borrow());
        }
        let Builder { entries, plain, skeletons, notes, .. } = builder;
        let automaton = |patterns| Automaton::build(patterns).map_err(|_| MatcherError::NotBuilt);
        let (plain, skeletons) = (automaton(plain)?, automaton(skeletons)?);
        let names = lists.iter().map(Borrow::borrow).map(|list| ListName {
            name: list.name.clone(),
            version: list.version.clone(),
            effect: list.effect,
        });
        let matcher = Self { lists: names.collect(), normalizer, entries, plain, skeletons };
        match matcher.heap_bytes() {
            bytes if bytes > MAX_HEAP_BYTES => Err(MatcherError::TooLarge(bytes)),
            _ => Ok((matcher, notes)),
        }
    }
}

struct Builder<'n> {
    normalizer: &'n Normalizer,
    today: Day,
    entries: Vec<CompiledEntry>,
    codes: HashMap<String, Arc<str>>,
    plain: Vec<(String, u32)>,
    skeletons: Vec<(String, u32)>,
    notes: Vec<EntryNote>,
}

impl<'n> Builder<'n> {
    fn new(normalizer: &'n Normalizer, today: Day) -> Self {
        let (entries, plain, skeletons, notes) = Default::default();
        Self { normalizer, today, entries, codes: HashMap::new(), plain, skeletons, notes }
    }

    fn add(&mut self, list: usize, words: &WordList) {
        for entry in &words.entries {
            let copy = self.normalized(&entry.word);
            let mut note = |kind| self.notes.push(EntryNote { list, line: entry.line, kind });
            if entry.expires.is_some_and(|day| day <= self.today) {
                note(NoteKind::Expired);
                continue;
            }
            if copy.text.is_empty() {
                note(NoteKind::EmptySkipped);
                continue;
            }
            let ends = Ends::of(self.normalizer, &copy.text);
            if ends.is_single && entry.mode.is_none() {
                note(NoteKind::SingleSkipped);
                continue;
            }
            if ends.is_short {
                note(NoteKind::Short);
            }
            if ends.is_plain {
                note(NoteKind::NoLetter);
            }
            let mode = entry.mode.unwrap_or(if ends.are_spaced { MatchMode::Word } else { MatchMode::Part });
            let number = self.entries.len() as u32;
            if self.normalizer.has_confusables(&copy) {
                self.skeletons.push((self.normalizer.entry_skeleton(&copy), number));
            }
            self.plain.push((copy.text, number));
            let code = self.codes.entry(entry.code.clone()).or_insert_with(|| Arc::from(entry.code.as_str()));
            let (id, code) = (entry.id.as_str().into(), Arc::clone(code));
            self.entries.push(CompiledEntry { list: list as u32, id, code, outcome: entry.outcome, mode });
        }
    }

    /// Returns an entry in the form of a match copy, without spaces around it.
    fn normalized(&self, word: &str) -> MatchCopy {
        let copy = self.normalizer.match_copy(word);
        let mut copy = if copy.has_marks { self.normalizer.without_marks(&copy) } else { copy };
        // Only the text counts from now on.
        copy.spans = None;
        let trimmed = copy.text.trim();
        if trimmed.len() < copy.text.len() {
            copy.text = trimmed.to_owned();
        }
        copy
    }
}

/// Returns `true` for digits, punctuation and spaces, but not for symbols such as emoji.
fn is_plain(c: char) -> bool {
    let group = c.general_category_group();
    matches!(group, GeneralCategoryGroup::Number | GeneralCategoryGroup::Punctuation | GeneralCategoryGroup::Separator)
}

/// Details of a normalized entry.
struct Ends {
    /// It begins and ends with letters or digits of scripts that separate words by spaces.
    are_spaced: bool,
    /// It is one character of a script without spaces.
    is_single: bool,
    /// It consists of a few Latin letters.
    is_short: bool,
    /// It consists of digits, punctuation and spaces.
    is_plain: bool,
}

impl Ends {
    fn of(normalizer: &Normalizer, text: &str) -> Self {
        let characters = || text.chars().map(|c| normalizer.characters.get(c));
        let is_spaced = |at: Option<crate::characters::Character>| {
            at.is_some_and(|at| match at.class {
                CharClass::Letter => !at.scripts.is_unspaced(),
                CharClass::Digit => true,
                CharClass::Mark | CharClass::Other => false,
            })
        };
        // A vowel sign at the end of a word is a mark of its last letter.
        let without_marks = || characters().filter(|at| at.class != CharClass::Mark);
        let count = text.chars().count();
        Self {
            are_spaced: is_spaced(without_marks().next()) && is_spaced(without_marks().next_back()),
            is_single: count == 1 && characters().all(|at| at.class == CharClass::Letter && at.scripts.is_unspaced()),
            is_short: count <= SHORT && characters().all(|at| at.script == unicode_script::Script::Latin),
            is_plain: text.chars().all(is_plain),
        }
    }
}
