//! Values that must not be seen: they can be used, and never printed.

use base64::{Engine, prelude::BASE64_STANDARD};
use serde::{Deserialize, Serialize, Serializer};
use std::{fmt, fs, path::Path};

/// What stands in place of a secret wherever one would be printed.
pub const MASK: &str = "********";

/// What is said of a key that is none.
pub(super) const KEY_FORM: &str = "must be 32 bytes in base64, as `openssl rand -base64 32` makes them";

/// A secret. It has no way to print: `Display`, `Debug` and `Serialize` all give the mask.
#[derive(Clone, Deserialize, PartialEq, Eq)]
#[serde(transparent)]
pub struct Secret(String);

/// The address of a data source, as in `mysql://user:password@host:3306/database`.
/// It prints without its user, password and options.
#[derive(Clone, Deserialize, PartialEq, Eq)]
#[serde(transparent)]
pub struct SourceUrl(String);

impl Secret {
    /// The secret itself. Every caller of this is a place where it could leak.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// What a file holds, without the white space around it.
    ///
    /// # Errors
    /// In words that name the file and nothing of its content, when it cannot be read.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
        Ok(Self(text.trim().to_owned()))
    }

    /// The 32 bytes that the secret spells in base64, or nothing if it does not.
    pub fn key(&self) -> Option<[u8; 32]> {
        BASE64_STANDARD.decode(self.0.trim()).ok()?.try_into().ok()
    }
}

impl SourceUrl {
    /// The whole address with its password. Every caller of this is a place where it could leak.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// What a file holds, if it is an address that `fits`; `form` says of which form it must be.
    ///
    /// # Errors
    /// In words that name the file and nothing of its content, when it cannot be read or does not fit.
    pub fn read(path: &Path, fits: fn(&Self) -> bool, form: &str) -> Result<Self, String> {
        let address = Self(Secret::read(path)?.0);
        if fits(&address) { Ok(address) } else { Err(format!("{} {form}", path.display())) }
    }

    /// Whether the address names a server of the MySQL family.
    pub fn is_mysql(&self) -> bool {
        self.0.starts_with("mysql://") && self.0.len() > "mysql://".len() && riposte_store::is_address(&self.0)
    }

    /// Whether the address names a Redis or a cluster of them.
    pub fn is_redis(&self) -> bool {
        ["redis://", "rediss://", "redis-cluster://", "rediss-cluster://"].iter().any(|s| self.0.starts_with(s))
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl fmt::Display for SourceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without a scheme nothing says which part is the password, so nothing is shown.
        let Some((scheme, rest)) = self.0.split_once("://") else {
            return f.write_str(MASK);
        };
        // The last `@` ends the credentials: a password may contain one, a host cannot. Options may hold secrets too.
        let (credentials, place) = rest.rsplit_once('@').map_or(("", rest), |(_, place)| (MASK, place));
        let separator = if credentials.is_empty() { "" } else { "@" };
        let (place, options) = place.split_once('?').map_or((place, ""), |(place, _)| (place, "?********"));
        write!(f, "{scheme}://{credentials}{separator}{place}{options}")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for SourceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.collect_str(self)
    }
}

impl Serialize for SourceUrl {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::{Secret, SourceUrl};

    #[test]
    fn a_secret_prints_as_a_mask_by_every_road() {
        let secret = Secret("hunter2".into());
        let printed = format!("{secret} {secret:?} {}", serde_json::to_string(&secret).unwrap());
        assert!(!printed.contains("hunter2"), "{printed}");
    }

    #[test]
    fn an_address_prints_without_its_credentials_and_options() {
        for (url, printed) in [
            ("mysql://riposte:hun@ter2@db.example:3306/a", "mysql://********@db.example:3306/a"),
            ("mysql://db.example/a?ssl-key=hunter2", "mysql://db.example/a?********"),
            ("mysql://u:p?hunter2@db/a", "mysql://********@db/a"),
            ("riposte:hunter2@db", "********"),
        ] {
            let url = SourceUrl(url.into());
            assert_eq!(url.to_string(), printed);
            assert_eq!(format!("{url:?}"), printed);
        }
    }
}
