//! The tokens of texts, by which texts are searched and compared.

use std::fmt;

use crate::domain::error::Violation;
use crate::domain::search::TextKey;

/// Makes tokens of texts. Case and width do not matter, accents do. All texts and queries of a
/// process have tokens of the same rules, and none of them waits for anything.
pub trait TextTokens: Send + Sync + fmt::Debug {
    /// Returns the key that a stored text shares with its duplicates; `None` for a text without
    /// letters, marks and digits, which has no duplicates.
    fn text_key(&self, text: &str) -> Option<TextKey>;

    /// Returns the hosts of the links in a stored text, in small letters, each once. The domains of
    /// mail addresses are none.
    fn links(&self, text: &str) -> Vec<String>;

    /// Parses words that arrived as `field`: words and phrases in double quotes, separated by white
    /// space; at most 256 code points and 16 words and phrases.
    ///
    /// # Errors
    /// One violation of these bounds, or for a quote without its pair or inside a word, or for a
    /// word without letter and digit.
    fn words(&self, field: &str, words: &str) -> Result<Box<dyn SearchWords>, Violation>;
}

/// The words of a query.
pub trait SearchWords: Send + Sync + fmt::Debug {
    /// Returns `true` if there are no words.
    fn is_empty(&self) -> bool;

    /// Returns `true` if each word and phrase occurs in a stored text. No words occur in every
    /// text.
    fn are_in(&self, text: &str) -> bool;
}
