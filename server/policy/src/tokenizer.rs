//! The port by which the domain searches and compares texts.

use crate::normalizer::Normalizer;
use crate::rule_inputs::links;
use crate::word_query::WordQuery;
use riposte_core::Violation;
use riposte_core::ports::{SearchWords, TextTokens};
use riposte_core::search::TextKey;
use std::sync::Arc;

/// Makes the tokens of texts and queries for the domain.
#[derive(Debug, Clone)]
pub struct Tokenizer {
    normalizer: Arc<Normalizer>,
}

#[derive(Debug)]
struct ParsedWords {
    normalizer: Arc<Normalizer>,
    query: WordQuery,
}

impl Tokenizer {
    /// Creates a tokenizer that normalizes as the policy does.
    #[must_use]
    pub const fn new(normalizer: Arc<Normalizer>) -> Self {
        Self { normalizer }
    }
}

impl TextTokens for Tokenizer {
    fn text_key(&self, text: &str) -> Option<TextKey> {
        self.normalizer.text_key(text)
    }

    fn links(&self, text: &str) -> Vec<String> {
        let copy = self.normalizer.match_copy(text);
        links::hosts(copy.as_str()).into_iter().map(str::to_owned).collect()
    }

    fn words(&self, field: &str, words: &str) -> Result<Box<dyn SearchWords>, Violation> {
        let query = WordQuery::parse(&self.normalizer, field, words)?;
        Ok(Box::new(ParsedWords { normalizer: Arc::clone(&self.normalizer), query }))
    }
}

impl SearchWords for ParsedWords {
    fn is_empty(&self) -> bool {
        self.query.is_empty()
    }

    fn are_in(&self, text: &str) -> bool {
        self.query.is_in(&self.normalizer, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_gives_the_words_the_links_and_the_key_of_a_text() {
        let tokens: Box<dyn TextTokens> = Box::new(Tokenizer::new(Arc::new(Normalizer::default())));
        let words = tokens.words("words", "cat \"big dog\"").unwrap();
        assert!(!words.is_empty() && words.are_in("A BIG dog, a cat.") && !words.are_in("a dog, a big cat"));
        let none = tokens.words("words", " \u{3000}").unwrap();
        assert!(none.is_empty() && none.are_in("anything"));
        assert_eq!(tokens.words("query.words", "\"open").unwrap_err().field, "query.words");
        assert_eq!(tokens.links("ＨＴＴＰ://Example.ORG/ and A.com"), ["a.com", "example.org"]);
        assert_eq!(tokens.text_key("Cat!"), tokens.text_key("ｃａｔ"));
        assert!(tokens.text_key("cat").is_some() && tokens.text_key("?!").is_none());
    }
}
