//! An issuer for tests: its keys, its key set, and tokens as any party could make them.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, EcdsaSigningAlgorithm,
    Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RSA_PKCS1_SHA384, RSA_PKCS1_SHA512, RSA_PSS_SHA256, RSA_PSS_SHA384,
    RSA_PSS_SHA512, RsaEncoding, RsaKeyPair,
};
use serde_json::{Value, json};

/// ring generates no RSA keys. This one is in a public repository and protects nothing.
const RSA_KEY: &[u8] = include_bytes!("rsa-key-for-tests-only.p8");

/// The keys, each under the id that is its field's name.
pub(super) struct Issuer {
    rsa: RsaKeyPair,
    p256: EcdsaKeyPair,
    p384: EcdsaKeyPair,
    ed: Ed25519KeyPair,
    random: SystemRandom,
}

pub(super) fn base64(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn curve(algorithm: &'static EcdsaSigningAlgorithm, random: &SystemRandom) -> EcdsaKeyPair {
    let document = EcdsaKeyPair::generate_pkcs8(algorithm, random).unwrap();
    EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), random).unwrap()
}

impl Issuer {
    pub(super) fn new() -> Self {
        let random = SystemRandom::new();
        let ed = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
        Self {
            rsa: RsaKeyPair::from_pkcs8(RSA_KEY).unwrap(),
            p256: curve(&ECDSA_P256_SHA256_FIXED_SIGNING, &random),
            p384: curve(&ECDSA_P384_SHA384_FIXED_SIGNING, &random),
            ed: Ed25519KeyPair::from_pkcs8(ed.as_ref()).unwrap(),
            random,
        }
    }

    /// Returns the RSA key, without an id or an algorithm.
    pub(super) fn rsa(&self) -> Value {
        let PublicKeyComponents::<Vec<u8>> { n, e } = self.rsa.public().into();
        json!({"kty": "RSA", "n": base64(n), "e": base64(e)})
    }

    /// Returns the elliptic-curve keys.
    pub(super) fn curves(&self) -> [Value; 3] {
        let point = |kid: &str, crv: &str, point: &[u8]| {
            let (x, y) = point[1..].split_at(point.len() / 2);
            json!({"kty": "EC", "kid": kid, "crv": crv, "x": base64(x), "y": base64(y)})
        };
        [
            point("p256", "P-256", self.p256.public_key().as_ref()),
            point("p384", "P-384", self.p384.public_key().as_ref()),
            json!({"kty": "OKP", "kid": "ed", "crv": "Ed25519", "x": base64(self.ed.public_key())}),
        ]
    }

    /// Returns the key set; the RSA key appears once as `rsa`, and once more for each of its
    /// algorithms, under that name.
    pub(super) fn set(&self) -> Value {
        let mut keys = self.curves().to_vec();
        for alg in ["rsa", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512"] {
            let mut key = self.rsa();
            key["kid"] = json!(alg);
            if alg != "rsa" {
                key["alg"] = json!(alg);
            }
            keys.push(key);
        }
        json!({ "keys": keys })
    }

    /// Returns a token with this header, signed by its `alg`; unsigned if that is not a public-key
    /// algorithm.
    pub(super) fn token(&self, head: &Value, claims: &Value) -> String {
        self.signed_as(head["alg"].as_str().unwrap_or_default(), head, claims)
    }

    /// Returns a token signed by an algorithm that may differ from its header.
    pub(super) fn signed_as(&self, alg: &str, head: &Value, claims: &Value) -> String {
        let message = format!("{}.{}", base64(head.to_string()), base64(claims.to_string()));
        let signature = self.sign(alg, message.as_bytes());
        format!("{message}.{}", base64(signature))
    }

    fn sign(&self, alg: &str, message: &[u8]) -> Vec<u8> {
        let rsa = |encoding: &'static dyn RsaEncoding| {
            let mut signature = vec![0; self.rsa.public().modulus_len()];
            self.rsa.sign(encoding, &self.random, message, &mut signature).unwrap();
            signature
        };
        match alg {
            "RS256" => rsa(&RSA_PKCS1_SHA256),
            "RS384" => rsa(&RSA_PKCS1_SHA384),
            "RS512" => rsa(&RSA_PKCS1_SHA512),
            "PS256" => rsa(&RSA_PSS_SHA256),
            "PS384" => rsa(&RSA_PSS_SHA384),
            "PS512" => rsa(&RSA_PSS_SHA512),
            "ES256" => self.p256.sign(&self.random, message).unwrap().as_ref().to_vec(),
            "ES384" => self.p384.sign(&self.random, message).unwrap().as_ref().to_vec(),
            "EdDSA" => self.ed.sign(message).as_ref().to_vec(),
            _ => Vec::new(),
        }
    }
}
