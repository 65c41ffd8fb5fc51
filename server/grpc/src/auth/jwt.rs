//! Authentication by JWT (RFC 7519): signed by a trusted issuer, intended for this audience, and
//! within its validity. One claim identifies the caller, which the file of callers maps to its
//! roles and object types: no claim grants anything.

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

/// The maximum length of a subject, in bytes.
pub(super) const MAX_SUBJECT: usize = 512;
/// The number of verified tokens in the cache. An issuer has few callers; with more of them some
/// signatures are verified again.
const MAX_VERIFIED: u64 = 1_024;
/// Accepted types of tokens (`typ`): RFC 7519, 5.1, and RFC 9068, 2.1. The same keys sign other
/// types for other purposes (RFC 8725, 3.11).
const TOKEN_TYPES: [&str; 2] = ["jwt", "at+jwt"];

/// The claims that a token must contain.
#[derive(Debug, Clone)]
pub struct JwtRequirements {
    /// The required `iss`.
    pub issuer: String,
    /// The accepted audiences, of which `aud` must contain at least one.
    pub audiences: Vec<String>,
    /// The claim that identifies the caller.
    pub claim: String,
    /// The maximum difference of clocks, applied at both ends of the validity.
    pub leeway: std::time::Duration,
}

/// The keys and requirements, and a cache of the tokens verified with them.
///
/// A signature costs some 50 µs of a core (RSA of 2048 bits), 120 µs (P-256, Ed25519) or 1.5 ms
/// (P-384), a cached token 1 µs, most of which is its hash. Only verified tokens are cached, so
/// forged tokens displace nothing; new keys start with an empty cache.
#[derive(Debug)]
pub struct JwtVerifier {
    keys: KeySet,
    requirements: JwtRequirements,
    verified: Cache<TokenHash, VerifiedToken>,
}

/// The cached result of a verification.
#[derive(Debug, Clone)]
struct VerifiedToken {
    subject: Arc<str>,
    /// The time from which the token is expired, leeway included.
    expires: Millis,
}

#[derive(Deserialize)]
struct Claims {
    exp: Number,
    nbf: Option<Number>,
    /// One text. The library also accepts a list, which no issuer uses.
    #[serde(rename = "iss")]
    _iss: String,
    #[serde(flatten)]
    others: HashMap<String, Value>,
}

impl JwtRequirements {
    /// Returns the requirements as settings of the library. Validity times are checked here, by the
    /// service's own clock, since those of a cached token must be checked in any case.
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
    /// Reads the keys of a file.
    ///
    /// # Errors
    /// The fault of the file.
    pub fn read(path: &Path, requirements: JwtRequirements) -> Result<Self, String> {
        let within = |error| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| within(error.to_string()))?;
        Self::parse(&text, requirements).map_err(within)
    }

    fn parse(text: &str, requirements: JwtRequirements) -> Result<Self, String> {
        provider::install();
        let keys = KeySet::parse(text, &requirements)?;
        Ok(Self { keys, requirements, verified: Cache::new(MAX_VERIFIED) })
    }

    /// Returns true if a token has the form of a JWT: three parts. An opaque token has no dot.
    pub(super) fn is_jwt(token: &str) -> bool {
        token.split('.').count() == 3
    }

    /// Returns the subject of a token with this hash.
    ///
    /// # Errors
    /// The reason why the token is not accepted now.
    pub(super) fn subject(&self, token: &str, hash: TokenHash, now: Millis) -> Result<Arc<str>, AuthFailure> {
        let verified = match self.verified.get(&hash) {
            Some(verified) => verified,
            None => {
                let verified = self.verify(token, now)?;
                self.verified.insert(hash, verified.clone());
                verified
            }
        };
        if now < verified.expires { Ok(verified.subject) } else { Err(AuthFailure::Expired) }
    }

    fn verify(&self, token: &str, now: Millis) -> Result<VerifiedToken, AuthFailure> {
        let header = decode_header(token).map_err(|_| AuthFailure::Malformed)?;
        let token_type = header.typ.as_deref().map(str::to_ascii_lowercase);
        let token_type = token_type.as_deref().map(|name| name.strip_prefix("application/").unwrap_or(name));
        // Critical extensions of the issuer are not supported (RFC 7515, 4.1.11).
        if header.crit.is_some() || token_type.is_some_and(|name| !TOKEN_TYPES.contains(&name)) {
            return Err(AuthFailure::Malformed);
        }
        let key = header.kid.as_deref().and_then(|id| self.keys.get(id)).ok_or(AuthFailure::Key)?;
        let Claims { exp, nbf, others, .. } =
            decode::<Claims>(token, &key.public, &key.validation).map_err(|error| failure_of(error.kind()))?.claims;
        let leeway = i64::try_from(self.requirements.leeway.as_millis()).unwrap_or(i64::MAX);
        let expires = Millis(millis(&exp)?.saturating_add(leeway));
        let valid_from = nbf.as_ref().map(millis).transpose()?.unwrap_or(i64::MIN).saturating_sub(leeway);
        if now < Millis(valid_from) {
            return Err(AuthFailure::NotYetValid);
        }
        if now >= expires {
            return Err(AuthFailure::Expired);
        }
        let subject = others.get(&self.requirements.claim).and_then(Value::as_str).ok_or(AuthFailure::Claim)?;
        if (1..=MAX_SUBJECT).contains(&subject.len()) {
            Ok(VerifiedToken { subject: subject.into(), expires })
        } else {
            Err(AuthFailure::Claim)
        }
    }
}

/// Converts seconds since 1970, with or without a fraction, to milliseconds.
fn millis(seconds: &Number) -> Result<i64, AuthFailure> {
    let integer = seconds.as_i64().map(|seconds| seconds.saturating_mul(1_000));
    // The conversion saturates far beyond both ends of time.
    let millis = integer.or_else(|| seconds.as_f64().map(|seconds| (seconds * 1_000.0) as i64));
    millis.ok_or(AuthFailure::Claim)
}

/// Maps an error of the library for a token whose key was found.
fn failure_of(error: &ErrorKind) -> AuthFailure {
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
