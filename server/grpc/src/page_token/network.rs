//! The tokens by which moderators distinguish networks without their addresses.

use std::net::IpAddr;

use aes_gcm_siv::Nonce;
use aes_gcm_siv::aead::{Aead, Payload};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use riposte_core::{Error, Millis, Result};

use super::{NONCE_BYTES, PageTokenCodec};

/// The beginning of what is authenticated. That of a page token is its version, one byte.
const NETWORK: &[u8] = b"network";
/// The time for which a network has one token.
const WEEK_MS: i64 = 7 * 86_400_000;

impl PageTokenCodec {
    /// Returns the token of the network (/24 or /48) of an address, for the week that contains
    /// `written`. Another first key of the ring gives another token. The token is the tag of
    /// AES-GCM-SIV over the network and the week, with an empty text.
    ///
    /// # Errors
    /// [`Error::Internal`] if the cipher fails, which does not happen for texts of this length.
    pub(crate) fn network_token(&self, address: IpAddr, written: Millis) -> Result<String> {
        let mut network = NETWORK.to_vec();
        network.extend(written.0.div_euclid(WEEK_MS).to_be_bytes());
        // A mapped IPv4 address is in its IPv4 network.
        match address.to_canonical() {
            IpAddr::V4(address) => network.extend(&address.octets()[..3]),
            IpAddr::V6(address) => network.extend(&address.octets()[..6]),
        }
        let ring = self.ring.load();
        let key = ring.first().ok_or_else(|| Error::internal("no page token key"))?;
        let tag = key.encrypt(&Nonce::from([0; NONCE_BYTES]), Payload { msg: &[], aad: &network });
        let tag = tag.map_err(|_| Error::internal("a network token could not be made"))?;
        Ok(URL_SAFE_NO_PAD.encode(tag))
    }
}

#[cfg(test)]
mod tests {
    use riposte_core::Millis;

    use super::{PageTokenCodec, WEEK_MS};

    #[test]
    fn a_network_has_one_token_for_a_week_and_a_key() {
        let codec = PageTokenCodec::new(vec![[7; 32]]);
        let token = |codec: &PageTokenCodec, address: &str, time| {
            codec.network_token(address.parse().expect("an address"), Millis(time)).expect("a token")
        };
        let one = token(&codec, "192.0.2.1", 0);
        assert_eq!(one.len(), 22);
        for same in ["192.0.2.254", "::ffff:192.0.2.7"] {
            assert_eq!(token(&codec, same, WEEK_MS - 1), one);
        }
        let others = [
            token(&codec, "192.0.3.1", 0),
            token(&codec, "192.0.2.1", WEEK_MS),
            token(&PageTokenCodec::new(vec![[8; 32]]), "192.0.2.1", 0),
            token(&codec, "2001:db8:1::1", 0),
        ];
        assert!(others.iter().all(|other| *other != one));
        assert_eq!(token(&codec, "2001:db8:1:2::9", 0), others[3], "a /48 is one network");
        assert_ne!(token(&codec, "2001:db8:2::1", 0), others[3]);
    }
}
