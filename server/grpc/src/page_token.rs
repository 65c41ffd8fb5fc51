//! Page tokens: sealed positions in lists, which clients can neither read, change nor create.
//!
//! A token is the base64url encoding of version (1 byte) · nonce (12) · AES-256-GCM-SIV of a
//! `PageToken` message and its tag (16). It has at most 128 bytes, except in threads that are 32
//! levels deep with more than half a million replies. It contains a hash of the caller, the method
//! and every argument that shapes the list. Nothing is parsed before it is authenticated. Tokens of
//! the stable orders do not expire: the floors and paths in them never change.

mod context;
mod cursor;
pub(crate) mod fuzz;
mod internal {
    pub(super) mod v1 {
        #![allow(
            clippy::all,
            clippy::allow_attributes,
            unreachable_pub,
            reason = "generated code; its style is prost's"
        )]

        include!("generated/riposte.internal.v1.rs");
    }
}
mod lease;
mod network;
mod settings;

use std::sync::Arc;

use aes_gcm_siv::aead::{Aead, KeyInit, Payload};
use aes_gcm_siv::{Aes256GcmSiv, Nonce};
use arc_swap::ArcSwap;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use prost::Message;
use riposte_core::{Error, Millis, Result};

pub use context::{TokenBinding, TokenContext, TokenPart};
pub use cursor::{FloorStep, TokenCursor};
use internal::v1;
pub use settings::PageTokenSettings;

/// The first byte of every token; authenticated with the rest.
const VERSION: u8 = 1;
const NONCE_BYTES: usize = 12;
/// The maximum length of a token's text.
const MAX_TEXT: usize = 512;

/// Seals and opens page tokens with a ring of keys. Clones share the ring, which can be replaced
/// while calls run.
#[derive(Clone)]
pub struct PageTokenCodec {
    ring: Arc<ArcSwap<Vec<Aes256GcmSiv>>>,
    /// `None` binds a token to the complete context of its list.
    binding: Option<TokenBinding>,
}

impl std::fmt::Debug for PageTokenCodec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PageTokenCodec").field("keys", &self.ring.load().len()).finish_non_exhaustive()
    }
}

impl PageTokenCodec {
    /// Creates a codec with a ring of keys: the first key seals, all keys open. To change a key,
    /// add the new one in second place in every process, then swap the two, then drop the old one.
    /// An empty ring receives a random key, whose tokens end with the process.
    #[must_use]
    pub fn new(keys: Vec<[u8; 32]>) -> Self {
        let keys = if keys.is_empty() { vec![rand::random()] } else { keys };
        Self { ring: Arc::new(ArcSwap::from_pointee(ciphers(&keys))), binding: None }
    }

    /// If `binding` is given, binds tokens to the context that it derives from the context of their
    /// list.
    #[must_use]
    pub fn bound_by(self, binding: Option<TokenBinding>) -> Self {
        Self { binding, ..self }
    }

    /// Replaces the ring. `keys` has at least one key. Tokens that no key of the new ring has
    /// sealed are rejected.
    pub fn replace_keys(&self, keys: &[[u8; 32]]) {
        self.ring.store(Arc::new(ciphers(keys)));
    }

    /// Returns the token that continues at `cursor` of the list described by `context`.
    ///
    /// # Errors
    /// [`Error::Internal`] if the cipher fails, which does not happen for texts of this length.
    pub fn seal(&self, context: &TokenContext, cursor: &TokenCursor, now: Millis) -> Result<String> {
        let token = v1::PageToken {
            issued: now.0.div_euclid(1000),
            context: self.hash_of(context).to_vec(),
            cursor: Some(cursor.to_message()),
        };
        let nonce: [u8; NONCE_BYTES] = rand::random();
        let ring = self.ring.load();
        let key = ring.first().ok_or_else(|| Error::internal("no page token key"))?;
        let sealed = key
            .encrypt(&Nonce::from(nonce), Payload { msg: &token.encode_to_vec(), aad: &[VERSION] })
            .map_err(|_| Error::internal("a page token could not be sealed"))?;
        Ok(URL_SAFE_NO_PAD.encode([&[VERSION], &nonce[..], &sealed].concat()))
    }

    /// Returns the cursor of a token, which must belong to the list described by `context`.
    ///
    /// # Errors
    /// [`Error::PageTokenInvalid`] for a text that this ring did not seal;
    /// [`Error::PageTokenMismatch`] for a token of another list.
    pub fn open(&self, context: &TokenContext, text: &str) -> Result<TokenCursor> {
        let token = self.unseal(text).ok_or(Error::PageTokenInvalid)?;
        if token.context != self.hash_of(context) {
            return Err(Error::PageTokenMismatch);
        }
        token.cursor.and_then(TokenCursor::from_message).ok_or(Error::PageTokenInvalid)
    }

    fn hash_of(&self, context: &TokenContext) -> [u8; 16] {
        self.binding.as_ref().map_or_else(|| context.hash(), |binding| binding(context).hash())
    }

    fn unseal(&self, text: &str) -> Option<v1::PageToken> {
        if text.len() > MAX_TEXT {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (version, bytes) = bytes.split_first()?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE_BYTES>()?;
        let payload = || Payload { msg: sealed, aad: std::slice::from_ref(version) };
        let opened = self.ring.load().iter().find_map(|key| key.decrypt(&Nonce::from(*nonce), payload()).ok())?;
        (*version == VERSION).then(|| v1::PageToken::decode(opened.as_slice()).ok()).flatten()
    }
}

fn ciphers(keys: &[[u8; 32]]) -> Vec<Aes256GcmSiv> {
    keys.iter().map(|key| Aes256GcmSiv::new(&(*key).into())).collect()
}

#[cfg(test)]
mod tests;
