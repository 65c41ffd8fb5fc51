//! The list to which a token is bound.

use std::sync::Arc;

use riposte_core::{Caller, CommentId, SubjectKey};
use sha2::{Digest, Sha256};

/// A list as one caller reads it: the caller, the method, the parent object, and the order. The
/// page size, `min_revision` and `fresh` may differ between pages and are not part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenContext {
    parts: Vec<TokenPart>,
}

/// A part of the description of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenPart {
    /// The name of the caller.
    Caller(String),
    /// The name of the method.
    Method(String),
    /// The subject whose list it is.
    Subject(SubjectKey),
    /// The comment whose list it is.
    Comment(CommentId),
    /// An order, a filter, a bound, or a name.
    Argument(String),
}

/// Maps the list that a call reads to the list to which its tokens are bound.
pub type TokenBinding = Arc<dyn Fn(&TokenContext) -> TokenContext + Send + Sync>;

impl FromIterator<TokenPart> for TokenContext {
    fn from_iter<I: IntoIterator<Item = TokenPart>>(parts: I) -> Self {
        Self { parts: parts.into_iter().collect() }
    }
}

impl TokenContext {
    /// Creates the context of a list that `caller` reads by `method`.
    #[must_use]
    pub fn new(caller: &Caller, method: &str) -> Self {
        [TokenPart::Caller(caller.name().to_owned()), TokenPart::Method(method.to_owned())].into_iter().collect()
    }

    /// Binds the list to a subject.
    #[must_use]
    pub fn subject(self, key: &SubjectKey) -> Self {
        self.with(TokenPart::Subject(key.clone()))
    }

    /// Binds the list to a comment.
    #[must_use]
    pub fn comment(self, id: CommentId) -> Self {
        self.with(TokenPart::Comment(id))
    }

    /// Adds an argument: an order, a filter, a bound, or a name.
    #[must_use]
    pub fn argument(self, value: impl ToString) -> Self {
        self.with(TokenPart::Argument(value.to_string()))
    }

    /// Returns the parts in their order.
    #[must_use]
    pub fn parts(&self) -> &[TokenPart] {
        &self.parts
    }

    fn with(mut self, part: TokenPart) -> Self {
        self.parts.push(part);
        self
    }

    /// Returns 16 bytes of the hash, which identify the context.
    pub(super) fn hash(&self) -> [u8; 16] {
        let mut hash = Sha256::new();
        // Each text follows its length, so that no two contexts have the same input.
        let mut add = |text: &[u8]| {
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text);
        };
        for part in &self.parts {
            match part {
                TokenPart::Caller(text) | TokenPart::Method(text) | TokenPart::Argument(text) => add(text.as_bytes()),
                TokenPart::Subject(key) => {
                    add(key.object_type().as_str().as_bytes());
                    add(key.object_id().as_bytes());
                }
                TokenPart::Comment(id) => add(&id.get().to_be_bytes()),
            }
        }
        let mut head = [0; 16];
        head.copy_from_slice(&hash.finalize()[..16]);
        head
    }
}
