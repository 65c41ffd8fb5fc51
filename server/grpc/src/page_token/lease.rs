//! The tokens of leases. They follow from the caller, the moderator and the request under the keys
//! of page tokens, so that a repeat of a claim finds its leases and no other caller can name them.

use aes_gcm_siv::Nonce;
use aes_gcm_siv::aead::{Aead, Payload};
use riposte_core::request::RequestId;
use riposte_core::review::LeaseToken;
use riposte_core::{Caller, Error, MemberId, Result};

use super::{NONCE_BYTES, PageTokenCodec};

/// The beginning of what is authenticated. That of a page token is its version, one byte.
const LEASE: &[u8] = b"review lease";

impl PageTokenCodec {
    /// Returns the tokens that the leases of a claim may have, one for each key of the ring; new
    /// leases get the first. A token is the tag of AES-GCM-SIV over nothing but the claim. With
    /// this cipher a fixed nonce gives away no more than that two tags are equal. A claim without a
    /// request id cannot be repeated: its token is random.
    ///
    /// # Errors
    /// [`Error::Internal`] if the cipher fails, which does not happen for texts of this length.
    pub(crate) fn lease_tokens(
        &self,
        caller: &Caller,
        moderator: &MemberId,
        id: Option<RequestId>,
    ) -> Result<Vec<LeaseToken>> {
        let Some(id) = id else { return Ok(vec![LeaseToken(rand::random())]) };
        let mut claim = LEASE.to_vec();
        for part in [caller.name().as_bytes(), moderator.as_str().as_bytes(), &id.as_bytes()[..]] {
            claim.extend((part.len() as u64).to_be_bytes());
            claim.extend(part);
        }
        let ring = self.ring.load();
        let tokens = ring.iter().map(|key| {
            let payload = Payload { msg: &[], aad: &claim };
            let tag = key.encrypt(&Nonce::from([0; NONCE_BYTES]), payload).ok();
            let tag = tag.and_then(|tag| <[u8; 16]>::try_from(tag).ok());
            tag.map(LeaseToken).ok_or_else(|| Error::internal("a lease token could not be made"))
        });
        tokens.collect()
    }
}

#[cfg(test)]
mod tests {
    use riposte_core::request::RequestId;
    use riposte_core::{Caller, MemberId};

    use super::PageTokenCodec;

    #[test]
    fn a_token_follows_from_key_caller_moderator_and_request() {
        let codec = PageTokenCodec::new(vec![[7; 32]]);
        let [web, app] = ["web", "app"].map(Caller::unrestricted);
        let [mod_1, mod_2] = ["mod-1", "mod-2"].map(|id| MemberId::stored(id.to_owned()));
        let [first, second] = [1, 2].map(|byte| RequestId::from_bytes([byte; 16]));
        let token = |codec: &PageTokenCodec, caller, moderator, id: &RequestId| {
            let tokens = codec.lease_tokens(caller, moderator, Some(*id)).expect("tokens");
            assert_eq!(tokens.len(), 1, "one for each key");
            tokens[0]
        };
        let one = token(&codec, &web, &mod_1, &first);
        assert_eq!(token(&codec, &web, &mod_1, &first), one);
        let others = [
            token(&codec, &app, &mod_1, &first),
            token(&codec, &web, &mod_2, &first),
            token(&codec, &web, &mod_1, &second),
            token(&PageTokenCodec::new(vec![[8; 32]]), &web, &mod_1, &first),
        ];
        assert!(others.iter().all(|other| *other != one));
        let swapped = PageTokenCodec::new(vec![[8; 32], [7; 32]]);
        let tokens = swapped.lease_tokens(&web, &mod_1, Some(first)).expect("tokens");
        assert_eq!(tokens, [others[3], one], "the new key comes first, and the former one still counts");
    }
}
