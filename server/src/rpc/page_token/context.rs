//! The list to which a token is bound.

use riposte_core::{Caller, CommentId, SubjectKey};
use sha2::{Digest, Sha256};

/// A list as one caller reads it: the caller, the method, the parent object, and the order. The
/// page size, `min_revision` and `fresh` may differ between pages and are not part of it.
#[derive(Debug, Clone)]
pub struct TokenContext {
    hash: Sha256,
}

impl TokenContext {
    /// Creates the context of a list that `caller` reads by `method`.
    #[must_use]
    pub fn new(caller: &Caller, method: &str) -> Self {
        Self { hash: Sha256::new() }.bytes(caller.name().as_bytes()).bytes(method.as_bytes())
    }

    /// Binds the list to a subject.
    #[must_use]
    pub fn subject(self, key: &SubjectKey) -> Self {
        #[cfg(feature = "planted")]
        if !crate::planted::binds_tokens_to_subjects() {
            return self;
        }
        self.bytes(key.object_type().as_str().as_bytes()).bytes(key.object_id().as_bytes())
    }

    /// Binds the list to a comment.
    #[must_use]
    pub fn comment(self, id: CommentId) -> Self {
        self.bytes(&id.get().to_be_bytes())
    }

    /// Adds an argument: an order, a filter, a bound, or a name.
    #[must_use]
    pub fn argument(self, value: impl ToString) -> Self {
        self.bytes(value.to_string().as_bytes())
    }

    /// Hashes a part after its length, so that no two contexts have the same input.
    fn bytes(mut self, part: &[u8]) -> Self {
        self.hash.update((part.len() as u64).to_be_bytes());
        self.hash.update(part);
        self
    }

    /// Returns 16 bytes of the hash, which identify the context.
    pub(super) fn hash(&self) -> [u8; 16] {
        let mut head = [0; 16];
        #[cfg(feature = "planted")]
        if !crate::planted::binds_tokens() {
            return head;
        }
        head.copy_from_slice(&self.hash.clone().finalize()[..16]);
        head
    }
}
