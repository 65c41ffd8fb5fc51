//! Secret values, which can be used but never formatted in the clear.

use base64::{Engine, prelude::BASE64_STANDARD};
use serde::{Deserialize, Serialize, Serializer};
use std::{fmt, fs, path::Path};

/// The replacement for a secret in all output.
pub const MASK: &str = "********";

/// Error text for an invalid key.
pub const KEY_FORM: &str = "must be 32 bytes in base64, as `openssl rand -base64 32` makes them";

/// A secret. It cannot be formatted in the clear: `Display`, `Debug` and `Serialize` all give the
/// mask.
#[derive(Clone, Deserialize, PartialEq, Eq)]
#[serde(transparent)]
pub struct Secret(String);

/// The address of a data source, as in `mysql://user:password@host:3306/database`. It is formatted
/// without its user, password and options.
#[derive(Clone, Deserialize, PartialEq, Eq)]
#[serde(transparent)]
pub struct SourceUrl(String);

impl Secret {
    /// Returns the secret itself. Every caller of this function could leak it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns the content of a file, without surrounding white space.
    ///
    /// # Errors
    /// The file cannot be read. The text names the file and nothing of its content.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
        Ok(Self(text.trim().to_owned()))
    }

    /// Returns the 32 bytes that the secret encodes in base64, or `None` if it does not.
    pub fn key(&self) -> Option<[u8; 32]> {
        BASE64_STANDARD.decode(self.0.trim()).ok()?.try_into().ok()
    }
}

impl SourceUrl {
    /// Returns the whole address with its password. Every caller of this function could leak it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns the content of a file if it is an address that `fits` accepts; `form` describes the
    /// required form.
    ///
    /// # Errors
    /// The file cannot be read or its address does not fit. The text names the file and nothing of
    /// its content.
    pub fn read(path: &Path, fits: fn(&Self) -> bool, form: &str) -> Result<Self, String> {
        let address = Self(Secret::read(path)?.0);
        if fits(&address) { Ok(address) } else { Err(format!("{} {form}", path.display())) }
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl fmt::Display for SourceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without a scheme it is unknown which part is the password, so nothing is shown.
        let Some((scheme, rest)) = self.0.split_once("://") else {
            return f.write_str(MASK);
        };
        // The last `@` ends the credentials, because a password may contain one and a host cannot.
        // Options may hold secrets too.
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
