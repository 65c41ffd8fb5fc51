//! Callers by JWT (RFC 7519): signed by an issuer that is trusted, meant for us, in its time. Who the caller is stands in
//! one claim, which the file of callers knows, so that roles and object types stay there: no claim grants anything.

mod keys;
mod provider;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, Validation, decode, decode_header};
use moka::sync::Cache;
use riposte_core::Millis;
use serde::Deserialize;
use serde_json::{Number, Value};

use super::TokenHash;
use super::failure::AuthFailure;
use keys::KeySet;

/// The longest subject, in bytes.
pub(super) const MAX_SUBJECT: usize = 512;
/// Tokens that are remembered. An issuer's callers are few; who has more of them pays some signatures.
const REMEMBERED: u64 = 1_024;
/// Kinds of tokens (`typ`) that are taken: RFC 7519, 5.1, and RFC 9068, 2.1. Others are signed by the same keys for other
/// ends (RFC 8725, 3.11).
const KINDS: [&str; 2] = ["jwt", "at+jwt"];

/// What a token must hold.
#[derive(Debug, Clone)]
pub struct JwtRequirements {
    /// Its `iss`.
    pub issuer: String,
    /// At least one of these is in its `aud`.
    pub audiences: Vec<String>,
    /// The claim that says who the caller is.
    pub claim: String,
    /// How far clocks may differ, at both ends of its time.
    pub leeway: std::time::Duration,
}

/// The keys and terms, and the tokens that were verified with them.
///
/// A signature costs some 50 µs of a core (RSA of 2048 bits), 120 µs (P-256, Ed25519) or 1.5 ms (P-384), a token that is
/// remembered 1 µs, most of which is its hash. Only what was verified is remembered, so forged tokens displace nothing; and
/// with new keys nothing is.
#[derive(Debug)]
pub struct JwtVerifier {
    keys: KeySet,
    terms: JwtRequirements,
    verified: Cache<TokenHash, Verified>,
}

/// What is known of a token.
#[derive(Debug, Clone)]
struct Verified {
    subject: Arc<str>,
    /// From then on it is expired, leeway included.
    ends: Millis,
}

#[derive(Deserialize)]
struct Claims {
    exp: Number,
    nbf: Option<Number>,
    /// One text: the library takes a list too, which no issuer means.
    #[serde(rename = "iss")]
    _iss: String,
    #[serde(flatten)]
    others: HashMap<String, Value>,
}

impl JwtRequirements {
    /// The same in the words of the library. Times are looked at here, by our own clock: those of a token that is
    /// remembered have to be in any case.
    fn validation(&self, algorithm: Algorithm) -> Validation {
        let mut validation = Validation::new(algorithm);
        validation.validate_exp = false;
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        validation.set_issuer(std::slice::from_ref(&self.issuer));
        validation.set_audience(&self.audiences);
        validation
    }
}

impl JwtVerifier {
    /// With the keys of a file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(path: &Path, terms: JwtRequirements) -> Result<Self, String> {
        let within = |error| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| within(error.to_string()))?;
        Self::parse(&text, terms).map_err(within)
    }

    fn parse(text: &str, terms: JwtRequirements) -> Result<Self, String> {
        provider::install();
        let keys = KeySet::parse(text, &terms)?;
        Ok(Self { keys, terms, verified: Cache::new(REMEMBERED) })
    }

    /// Whether a token has the form of a JWT: three parts. A token of ours has no dot.
    pub(super) fn looks_like(token: &str) -> bool {
        token.split('.').count() == 3
    }

    /// The subject of a token with this hash.
    ///
    /// # Errors
    /// What keeps it from being believed now.
    pub(super) fn subject(&self, token: &str, hash: TokenHash, now: Millis) -> Result<Arc<str>, AuthFailure> {
        let verified = match self.verified.get(&hash) {
            Some(verified) => verified,
            None => {
                let verified = self.verify(token, now)?;
                self.verified.insert(hash, verified.clone());
                verified
            }
        };
        if now < verified.ends { Ok(verified.subject) } else { Err(AuthFailure::Expired) }
    }

    fn verify(&self, token: &str, now: Millis) -> Result<Verified, AuthFailure> {
        let header = decode_header(token).map_err(|_| AuthFailure::Malformed)?;
        let kind = header.typ.as_deref().map(str::to_ascii_lowercase);
        let kind = kind.as_deref().map(|kind| kind.strip_prefix("application/").unwrap_or(kind));
        // What is critical to its issuer is unknown to us (RFC 7515, 4.1.11).
        if header.crit.is_some() || kind.is_some_and(|kind| !KINDS.contains(&kind)) {
            return Err(AuthFailure::Malformed);
        }
        let key = header.kid.as_deref().and_then(|id| self.keys.get(id)).ok_or(AuthFailure::Key)?;
        let Claims { exp, nbf, others, .. } =
            decode::<Claims>(token, &key.public, &key.validation).map_err(|error| why(error.kind()))?.claims;
        let leeway = i64::try_from(self.terms.leeway.as_millis()).unwrap_or(i64::MAX);
        let ends = Millis(millis(&exp)?.saturating_add(leeway));
        let begins = nbf.as_ref().map(millis).transpose()?.unwrap_or(i64::MIN).saturating_sub(leeway);
        if now < Millis(begins) {
            return Err(AuthFailure::Early);
        }
        if now >= ends {
            return Err(AuthFailure::Expired);
        }
        let subject = others.get(&self.terms.claim).and_then(Value::as_str).ok_or(AuthFailure::Claim)?;
        if (1..=MAX_SUBJECT).contains(&subject.len()) {
            Ok(Verified { subject: subject.into(), ends })
        } else {
            Err(AuthFailure::Claim)
        }
    }
}

/// Seconds since 1970, with or without a fraction, in milliseconds.
fn millis(seconds: &Number) -> Result<i64, AuthFailure> {
    let whole = seconds.as_i64().map(|seconds| seconds.saturating_mul(1_000));
    // Far beyond both ends of time it saturates.
    let millis = whole.or_else(|| seconds.as_f64().map(|seconds| (seconds * 1_000.0) as i64));
    millis.ok_or(AuthFailure::Claim)
}

/// What the library says of a token whose key was found.
fn why(error: &ErrorKind) -> AuthFailure {
    if let ErrorKind::InvalidSignature = error {
        AuthFailure::Signature
    } else if let ErrorKind::InvalidAlgorithm = error {
        AuthFailure::Algorithm
    } else if let ErrorKind::InvalidIssuer = error {
        AuthFailure::Issuer
    } else if let ErrorKind::InvalidAudience = error {
        AuthFailure::Audience
    } else if let ErrorKind::MissingRequiredClaim(_) | ErrorKind::Json(_) = error {
        AuthFailure::Claim
    } else {
        AuthFailure::Malformed
    }
}
