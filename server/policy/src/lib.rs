//! The local policy of a text: normalisation, word lists and rules, which together say what speaks
//! against a text. The functions are pure: the caller reads the files, knows the day and the facts
//! of the member, and decides what follows from an outcome. The tokens by which texts are searched
//! and compared come from the same normalisation.
//!
//! This crate must never read a file, a clock or the environment, and never write a text, a word or
//! a hit to a log.

pub mod fuzz;

mod characters;
mod day;
mod folded;
mod mask;
mod match_copy;
mod matcher;
mod normalizer;
mod outcome;
mod rule;
mod rule_inputs;
mod text_findings;
mod text_range;
mod tokenizer;
mod tokens;
mod word_list;
mod word_query;

pub use day::Day;
pub use mask::masked;
pub use match_copy::MatchCopy;
pub use matcher::{
    EntryNote, Findings, Hit, HitEffect, MAX_HEAP_BYTES, MAX_HITS, Matcher, MatcherError, NoteKind, NoteSummary,
    note_summaries,
};
pub use normalizer::Normalizer;
pub use outcome::PolicyOutcome;
pub use rule::{Comparison, Fact, MAX_RULES, MAX_TERMS, Rule, RuleError, RuleSet, RuleTerm};
pub use rule_inputs::{MemberInputs, RuleInputs};
pub use text_findings::{DecisiveFinding, TextFindings};
pub use text_range::TextRange;
pub use tokenizer::Tokenizer;
pub use word_list::{
    ListEffect, ListError, ListSettings, MAX_ENTRIES, MAX_ENTRY_CODE_POINTS, MatchMode, WordEntry, WordList,
};
pub use word_query::{MAX_QUERY_CODE_POINTS, MAX_QUERY_WORDS, WordQuery};
