//! The keys that verify JWTs, from a key set (RFC 7517).
//!
//! A key verifies by one algorithm only, regardless of the token (RFC 8725, 3.1): the `alg` of the
//! key, or the one that its kind implies. So neither `none` nor a public key used as a secret is
//! accepted.

use std::collections::HashMap;

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyOperations, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind, Validation};
use serde::Deserialize;
use serde_json::Value;

use super::JwtRequirements;

/// The size of the modulus of an RSA key, in bytes: 2048 to 8192 bits.
const MODULUS_BYTES: std::ops::RangeInclusive<usize> = 256..=1_024;

/// The algorithms of RSA keys. The first is the default of OpenID Connect.
const RSA: [Algorithm; 6] =
    [Algorithm::RS256, Algorithm::RS384, Algorithm::RS512, Algorithm::PS256, Algorithm::PS384, Algorithm::PS512];

/// One key, and the requirements on a token signed with it.
#[derive(Debug)]
pub(super) struct VerificationKey {
    pub(super) public: DecodingKey,
    pub(super) validation: Validation,
}

/// The keys of a set, by their ids.
#[derive(Debug, Default)]
pub(super) struct KeySet(HashMap<String, VerificationKey>);

/// A key set as its file contains it.
#[derive(Deserialize)]
struct Set {
    keys: Vec<Value>,
}

impl KeySet {
    /// Returns the keys of a set that can verify signatures. Other keys are logged and ignored,
    /// since issuers publish keys of many kinds in one set.
    ///
    /// # Errors
    /// The fault: a key that is secret, weak or contradictory, an id that is missing or used twice,
    /// or no key at all.
    pub(super) fn parse(text: &str, requirements: &JwtRequirements) -> Result<Self, String> {
        let Set { keys: found } = serde_json::from_str(text).map_err(|error| format!("is no key set: {error}"))?;
        let mut keys = HashMap::new();
        for (index, value) in found.into_iter().enumerate() {
            let within = |error: String| format!("key {}: {error}", index + 1);
            let Some((id, key)) = key(value, requirements).map_err(within)? else {
                tracing::info!(key = index + 1, "a key of the key set cannot verify tokens and is ignored");
                continue;
            };
            if keys.insert(id.clone(), key).is_some() {
                return Err(within(format!("the kid {id:?} is given twice")));
            }
        }
        if keys.is_empty() { Err("no key in it verifies tokens".to_owned()) } else { Ok(Self(keys)) }
    }

    /// Returns the key with this id.
    pub(super) fn get(&self, id: &str) -> Option<&VerificationKey> {
        self.0.get(id)
    }
}

/// Parses a key with its id; returns `None` for a key that is not for signatures, or of an
/// unsupported kind.
fn key(value: Value, requirements: &JwtRequirements) -> Result<Option<(String, VerificationKey)>, String> {
    // The private part of a key of any kind (RFC 7518, 6.2.2, 6.3.2, 6.4.1; RFC 8037, 2).
    if value.get("d").is_some() || value.get("k").is_some() {
        return Err("is secret; a set for verification holds public keys only".to_owned());
    }
    let jwk: Jwk = serde_json::from_value(value).map_err(|error| error.to_string())?;
    let Jwk { common, .. } = &jwk;
    let is_for_signatures = common.public_key_use.as_ref().is_none_or(|key_use| *key_use == PublicKeyUse::Signature);
    let can_verify =
        common.key_operations.as_ref().is_none_or(|operations| operations.contains(&KeyOperations::Verify));
    let algorithm = algorithm(&jwk)?.filter(|_| is_for_signatures && can_verify);
    let Some(algorithm) = algorithm else { return Ok(None) };
    let id = common.key_id.clone().filter(|id| !id.is_empty()).ok_or("has no kid")?;
    let public = DecodingKey::from_jwk(&jwk).map_err(|error| error.to_string())?;
    check_size(&public, algorithm)?;
    Ok(Some((id, VerificationKey { public, validation: requirements.validation(algorithm) })))
}

/// Returns the one algorithm of a key; `None` for keys that cannot be used here.
fn algorithm(jwk: &Jwk) -> Result<Option<Algorithm>, String> {
    // The first one applies if the key names none.
    let possible = match &jwk.algorithm {
        AlgorithmParameters::RSA(_) => &RSA[..],
        AlgorithmParameters::EllipticCurve(point) => match point.curve {
            EllipticCurve::P256 => &[Algorithm::ES256],
            EllipticCurve::P384 => &[Algorithm::ES384],
            EllipticCurve::P521 | EllipticCurve::Ed25519 | _ => return Ok(None),
        },
        AlgorithmParameters::OctetKeyPair(point) if point.curve == EllipticCurve::Ed25519 => &[Algorithm::EdDSA],
        AlgorithmParameters::OctetKeyPair(_) | AlgorithmParameters::OctetKey(_) | AlgorithmParameters::Other(_) | _ => {
            return Ok(None);
        }
    };
    let Some(named) = jwk.common.key_algorithm else { return Ok(possible.first().copied()) };
    match named.to_string().parse() {
        // Usually an encryption algorithm.
        Err(_) => Ok(None),
        Ok(named) if possible.contains(&named) => Ok(Some(named)),
        Ok(_) => Err(format!("alg {named} does not go with its kind")),
    }
}

/// Rejects at the start a key that would otherwise be rejected with every token.
fn check_size(public: &DecodingKey, algorithm: Algorithm) -> Result<(), String> {
    match public.kind() {
        DecodingKeyKind::RsaModulusExponent { n, .. } if MODULUS_BYTES.contains(&n.len()) && n[0] != 0 => Ok(()),
        DecodingKeyKind::RsaModulusExponent { .. } => Err("an RSA key has 2048 to 8192 bits here".to_owned()),
        DecodingKeyKind::SecretOrDer(point) => {
            let curves = [(Algorithm::ES256, 1 + 2 * 32), (Algorithm::ES384, 1 + 2 * 48), (Algorithm::EdDSA, 32)];
            if curves.contains(&(algorithm, point.len())) { Ok(()) } else { Err("is no point of its curve".to_owned()) }
        }
    }
}
