//! JWT signatures by the cryptography library that TLS already uses. The providers of the JWT
//! library would add a second one, and one of them has RSA code with an open timing attack
//! (RUSTSEC-2023-0071).

use jsonwebtoken::crypto::{CryptoProvider, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result};
use jsonwebtoken::signature::{Error, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA384,
    RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256, RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512,
    RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |_, _| Err(ErrorKind::UnsupportedAlgorithm.into()),
    verifier_factory: verifier,
    // Used only by code that creates key sets.
    key_utils: KeyUtils::new_unimplemented(),
};

/// Installs this provider in the library for the whole process. Repeated calls have no effect.
pub(super) fn install() {
    let _ = PROVIDER.install_default();
}

/// Verifies with one key, by one algorithm.
struct KeyVerifier {
    algorithm: Algorithm,
    primitive: Primitive,
    key: DecodingKey,
}

/// The implementation of an algorithm in the cryptography library.
enum Primitive {
    Rsa(&'static RsaParameters),
    Curve(&'static dyn VerificationAlgorithm),
}

/// # Errors
/// An algorithm that is not for public keys, or a key of another kind.
fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    let primitive = match algorithm {
        Algorithm::RS256 => Primitive::Rsa(&RSA_PKCS1_2048_8192_SHA256),
        Algorithm::RS384 => Primitive::Rsa(&RSA_PKCS1_2048_8192_SHA384),
        Algorithm::RS512 => Primitive::Rsa(&RSA_PKCS1_2048_8192_SHA512),
        Algorithm::PS256 => Primitive::Rsa(&RSA_PSS_2048_8192_SHA256),
        Algorithm::PS384 => Primitive::Rsa(&RSA_PSS_2048_8192_SHA384),
        Algorithm::PS512 => Primitive::Rsa(&RSA_PSS_2048_8192_SHA512),
        Algorithm::ES256 => Primitive::Curve(&ECDSA_P256_SHA256_FIXED),
        Algorithm::ES384 => Primitive::Curve(&ECDSA_P384_SHA384_FIXED),
        Algorithm::EdDSA => Primitive::Curve(&ED25519),
        Algorithm::HS256 | Algorithm::HS384 | Algorithm::HS512 | _ => {
            return Err(ErrorKind::UnsupportedAlgorithm.into());
        }
    };
    if key.family() != algorithm.family() {
        return Err(ErrorKind::InvalidKeyFormat.into());
    }
    Ok(Box::new(KeyVerifier { algorithm: *algorithm, primitive, key: key.clone() }))
}

impl Verifier<Vec<u8>> for KeyVerifier {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> std::result::Result<(), Error> {
        let verified = match (&self.primitive, self.key.kind()) {
            (Primitive::Rsa(parameters), DecodingKeyKind::RsaModulusExponent { n, e }) => {
                RsaPublicKeyComponents { n, e }.verify(parameters, message, signature)
            }
            (Primitive::Curve(curve), DecodingKeyKind::SecretOrDer(point)) => {
                UnparsedPublicKey::new(*curve, point).verify(message, signature)
            }
            (Primitive::Rsa(_), DecodingKeyKind::SecretOrDer(_))
            | (Primitive::Curve(_), DecodingKeyKind::RsaModulusExponent { .. }) => return Err(Error::new()),
        };
        verified.map_err(|_| Error::new())
    }
}

impl JwtVerifier for KeyVerifier {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
