//! The keys of texts with equal tokens.

use std::fmt;

/// The key of a text, which its duplicates share: the first 128 bits of a SHA-256 of its tokens in
/// order. The port [`TextTokens`](crate::ports::TextTokens) makes it. A text without tokens has
/// none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextKey(pub [u8; 16]);

impl fmt::Display for TextKey {
    /// Writes 32 hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::TextKey;

    #[test]
    fn a_key_is_written_as_32_digits() {
        let mut key = TextKey([0; 16]);
        key.0[15] = 0xab;
        assert_eq!(key.to_string(), format!("{}ab", "0".repeat(30)));
    }
}
