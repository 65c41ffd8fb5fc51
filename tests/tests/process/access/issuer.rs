//! A JWT issuer for one test.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Result, anyhow};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};

const NAME: &str = "https://issuer.test";
const AUDIENCE: &str = "riposte";

/// A JWT issuer, with the file of its public keys in a folder.
pub(super) struct Issuer {
    folder: tempfile::TempDir,
}

/// A signing key of the issuer.
pub(super) struct Key {
    id: String,
    pair: Ed25519KeyPair,
}

/// Returns the system time in seconds since 1970.
#[expect(clippy::disallowed_methods, reason = "tokens end in the server's time")]
pub(super) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or_default()
}

impl Issuer {
    pub(super) fn new() -> Result<Self> {
        Ok(Self { folder: tempfile::tempdir()? })
    }

    /// Replaces the published keys, atomically.
    pub(super) fn publish(&self, keys: &[&Key]) -> Result<()> {
        let public =
            |key: &&Key| json!({"kty": "OKP", "crv": "Ed25519", "kid": key.id, "x": text(key.pair.public_key())});
        self.replace(&json!({ "keys": keys.iter().map(public).collect::<Vec<_>>() }).to_string())
    }

    /// Publishes an invalid file.
    pub(super) fn publish_broken(&self) -> Result<()> {
        self.replace("{\"keys\": [")
    }

    /// Returns the settings of a server that trusts this issuer.
    pub(super) fn settings(&self) -> Vec<String> {
        let sets = [
            format!("auth.jwt.jwks_file={}", self.path().display()),
            format!("auth.jwt.issuer={NAME}"),
            format!("auth.jwt.audiences=[\"{AUDIENCE}\"]"),
            "auth.jwt.leeway=0s".to_owned(),
            "auth.reload_interval=1s".to_owned(),
        ];
        sets.into_iter().flat_map(|set| ["--set".to_owned(), set]).collect()
    }

    fn replace(&self, text: &str) -> Result<()> {
        let new = self.folder.path().join("new");
        std::fs::write(&new, text)?;
        Ok(std::fs::rename(new, self.path())?)
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("jwks.json")
    }
}

impl Key {
    pub(super) fn new(id: &str) -> Result<Self> {
        let random = SystemRandom::new();
        let made = Ed25519KeyPair::generate_pkcs8(&random).map_err(|_| anyhow!("no key"))?;
        let pair = Ed25519KeyPair::from_pkcs8(made.as_ref()).map_err(|error| anyhow!("{error}"))?;
        Ok(Self { id: id.to_owned(), pair })
    }

    /// Returns a token for Riposte with this subject, valid for the given number of seconds.
    pub(super) fn token(&self, subject: &str, seconds: i64) -> String {
        self.claiming(&json!({"iss": NAME, "aud": AUDIENCE, "sub": subject, "exp": now() + seconds}))
    }

    /// Returns a token for another audience.
    pub(super) fn token_for(&self, audience: &str, subject: &str) -> String {
        self.claiming(&json!({"iss": NAME, "aud": audience, "sub": subject, "exp": now() + 600}))
    }

    fn claiming(&self, claims: &Value) -> String {
        let head = json!({"alg": "EdDSA", "typ": "JWT", "kid": self.id});
        let message = format!("{}.{}", text(head.to_string()), text(claims.to_string()));
        let signature = self.pair.sign(message.as_bytes());
        format!("{message}.{}", text(signature))
    }
}

fn text(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
