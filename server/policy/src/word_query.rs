//! The words that a search asks for.

use crate::normalizer::Normalizer;
use crate::tokens::{RunForm, Token};
use riposte_core::Violation;
use std::collections::BTreeSet;

/// The maximum number of code points of the words of a query.
pub const MAX_QUERY_CODE_POINTS: usize = 256;
/// The maximum number of words and phrases of a query.
pub const MAX_QUERY_WORDS: usize = 16;

/// Words and phrases, each of which must occur in a text. No words occur in every text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordQuery {
    /// The tokens of each word or phrase, at least one.
    phrases: Vec<Vec<QueryToken>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct QueryToken {
    text: String,
    form: RunForm,
}

impl WordQuery {
    /// Parses words that arrived as `field`: words and phrases in double quotes, separated by white
    /// space. A word is one token, and its parts a phrase if it has several, as `foo-bar`.
    ///
    /// # Errors
    /// One violation: too many code points or words, a quote without its pair or inside a word, or
    /// a word without letter and digit.
    pub fn parse(normalizer: &Normalizer, field: &str, words: &str) -> Result<Self, Violation> {
        let violation = |description: String| Violation::field(field, description);
        let length = words.chars().count();
        if length > MAX_QUERY_CODE_POINTS {
            let description = format!("must have at most {MAX_QUERY_CODE_POINTS} code points, has {length}");
            return Err(violation(description));
        }
        let parts = parts(words).map_err(violation)?;
        if parts.len() > MAX_QUERY_WORDS {
            let description = format!("must have at most {MAX_QUERY_WORDS} words and phrases, has {}", parts.len());
            return Err(violation(description));
        }
        let mut phrases = Vec::with_capacity(parts.len());
        for (n, part) in parts.into_iter().enumerate() {
            let runs = normalizer.token_runs(part);
            if runs.is_empty() {
                return Err(violation(format!("word {} has no letter and no digit", n + 1)));
            }
            let owned = |token: Token<'_>| QueryToken { text: token.text.to_owned(), form: token.form };
            phrases.push(runs.tokens().map(owned).collect());
        }
        Ok(Self { phrases })
    }

    /// Returns `true` if the query has no words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.phrases.is_empty()
    }

    /// Returns the terms that each text with all words has among its own
    /// ([`Normalizer::search_terms`]). Other texts may have them too.
    #[must_use]
    pub fn terms(&self) -> BTreeSet<String> {
        let tokens = self.phrases.iter().flatten().map(QueryToken::as_token);
        let terms = tokens.flat_map(|token| {
            let has_pairs = token.pairs().next().is_some();
            token.pairs().chain(token.code_points().filter(move |_| !has_pairs))
        });
        terms.map(str::to_owned).collect()
    }

    /// Returns `true` if all words and phrases occur in a text. A word is a token, or a part of a
    /// run of a script without spaces between words. A phrase is a sequence of tokens, at whose
    /// ends may be parts of such runs.
    #[must_use]
    pub fn is_in(&self, normalizer: &Normalizer, text: &str) -> bool {
        if self.is_empty() {
            return true;
        }
        let runs = normalizer.token_runs(text);
        let tokens: Vec<Token<'_>> = runs.tokens().collect();
        self.phrases.iter().all(|phrase| occurs(phrase, &tokens))
    }
}

impl QueryToken {
    fn as_token(&self) -> Token<'_> {
        Token { text: &self.text, form: self.form }
    }

    /// Compares with a token of a text: in full, or by `part` if both have no spaces.
    fn fits(&self, token: &Token<'_>, part: fn(&str, &str) -> bool) -> bool {
        self.form == token.form
            && match self.form {
                RunForm::Word => token.text == self.text,
                RunForm::Unspaced => part(token.text, &self.text),
            }
    }
}

/// Returns `true` if a phrase occurs in the tokens of a text.
fn occurs(phrase: &[QueryToken], tokens: &[Token<'_>]) -> bool {
    let [first, middle @ .., last] = phrase else {
        return phrase.iter().all(|only| tokens.iter().any(|token| only.fits(token, |text, own| text.contains(own))));
    };
    tokens.windows(phrase.len()).any(|window| {
        let [begin, inner @ .., end] = window else { return false };
        first.fits(begin, |text, own| text.ends_with(own))
            && std::iter::zip(middle, inner).all(|(own, token)| own.as_token() == *token)
            && last.fits(end, |text, own| text.starts_with(own))
    })
}

/// Returns the words, and the phrases without their quotes.
fn parts(words: &str) -> Result<Vec<&str>, String> {
    let mut parts = Vec::new();
    let mut rest = words.trim_start();
    while !rest.is_empty() {
        let n = parts.len() + 1;
        let (part, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').ok_or_else(|| format!("phrase {n} has no closing quote"))?,
            None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        // Behind a word there is white space, or nothing.
        if part.contains('"') || after.starts_with(|c: char| !c.is_whitespace()) {
            return Err(format!("word {n} has a quote inside; a phrase is quoted as a whole"));
        }
        parts.push(part);
        rest = after.trim_start();
    }
    Ok(parts)
}

#[cfg(test)]
mod tests;
