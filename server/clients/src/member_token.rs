//! The names of members that the filter sees.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use riposte_core::{MemberId, ObjectType};
use riposte_settings::{KEY_FORM, Secret};

/// Makes the tokens of members: the same for each member under an object type, until the key is
/// replaced. The filter cannot find the member from it.
#[derive(Debug)]
pub struct MemberTokens(hmac::Key);

impl MemberTokens {
    /// Makes tokens by a key.
    #[must_use]
    pub fn new(key: &[u8; 32]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, key))
    }

    /// Reads the key from a file: 32 bytes in base64.
    ///
    /// # Errors
    /// The file, which is named, cannot be read or has no such key.
    pub fn read(path: &Path) -> Result<Self, String> {
        let key = Secret::read(path)?.key().ok_or_else(|| format!("{} {KEY_FORM}", path.display()))?;
        Ok(Self::new(&key))
    }

    /// Returns the token of a member.
    #[must_use]
    pub fn token(&self, object_type: &ObjectType, member: &MemberId) -> String {
        let name = [object_type.as_str().as_bytes(), &[0], member.as_str().as_bytes()].concat();
        URL_SAFE_NO_PAD.encode(hmac::sign(&self.0, &name))
    }
}

#[cfg(test)]
mod tests {
    use super::MemberTokens;
    use riposte_core::{MemberId, ObjectType};

    #[test]
    fn a_token_depends_on_key_type_and_member_and_names_none() {
        let token = |key: u8, object_type: &str, member: &str| {
            let object_type = ObjectType::stored(object_type.to_owned());
            MemberTokens::new(&[key; 32]).token(&object_type, &MemberId::stored(member.to_owned()))
        };
        let one = token(1, "video", "member7");
        assert_eq!(one, token(1, "video", "member7"));
        for other in [token(2, "video", "member7"), token(1, "article", "member7"), token(1, "video", "member8")] {
            assert_ne!(one, other);
        }
        assert_ne!(token(1, "ab", "c"), token(1, "a", "bc"));
        assert!(!one.contains("member7") && one.len() == 43);
    }

    #[test]
    fn a_file_without_a_key_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        std::fs::write(&file, "c2hvcnQ=").unwrap();
        assert!(MemberTokens::read(&file).unwrap_err().contains("32 bytes"));
        std::fs::write(&file, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n").unwrap();
        assert!(MemberTokens::read(&file).is_ok());
    }
}
