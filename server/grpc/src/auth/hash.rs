//! Bearer tokens, which are stored as hashes only.

use std::fmt;

use rand::Rng;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use sha2::{Digest, Sha256};

/// The SHA-256 of a token. A token is 32 random bytes, so a plain hash is enough: they cannot be
/// tried exhaustively.
///
/// A token is found by its hash. The duration of the lookup depends on the hash of the sent
/// token and reveals nothing about the known ones; an attacker able to choose tokens by the bytes
/// of their hash could also find a matching one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TokenHash([u8; 32]);

impl TokenHash {
    /// Returns the hash of a token as it is sent.
    #[must_use]
    pub fn of(token: &str) -> Self {
        Self(Sha256::digest(token.as_bytes()).into())
    }

    /// Returns a new token and its hash.
    #[must_use]
    pub fn new_token() -> (String, Self) {
        let mut bytes = [0; 32];
        rand::rng().fill_bytes(&mut bytes);
        let token = format!("riposte_{}", hex(&bytes));
        let hash = Self::of(&token);
        (token, hash)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl fmt::Display for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for TokenHash {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TokenHash {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let text = String::deserialize(input)?;
        let byte_at = |at: usize| text.get(at..at + 2).and_then(|two| u8::from_str_radix(two, 16).ok());
        let mut hash = [0; 32];
        for (at, byte) in hash.iter_mut().enumerate() {
            let parsed = byte_at(2 * at).filter(|_| text.len() == 64);
            *byte = parsed.ok_or_else(|| {
                D::Error::custom("must be a SHA-256 in 64 hexadecimal digits; `riposte token` makes one")
            })?;
        }
        Ok(Self(hash))
    }
}

#[cfg(test)]
mod tests {
    use super::TokenHash;

    #[test]
    fn a_hash_is_read_as_it_is_written_and_is_that_of_its_token() {
        let (token, hash) = TokenHash::new_token();
        assert!(token.len() == 72 && TokenHash::of(&token) == hash && TokenHash::of("riposte_") != hash);
        let text = serde_json::to_string(&hash).unwrap();
        assert_eq!(serde_json::from_str::<TokenHash>(&text).unwrap(), hash);
        assert_eq!(
            TokenHash::of("abc").to_string(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "FIPS 180-2, appendix B.1"
        );
        for bad in ["\"\"", "\"ab\"", &format!("\"{}\"", "g".repeat(64)), &format!("\"{}\"", "é".repeat(32))] {
            assert!(serde_json::from_str::<TokenHash>(bad).is_err(), "{bad}");
        }
    }
}
