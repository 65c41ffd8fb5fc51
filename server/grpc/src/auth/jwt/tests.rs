//! Tests of accepted tokens, and of every reason to reject one.

mod issuer;

use std::sync::Arc;
use std::time::Duration;

use ring::hmac;
use riposte_core::Millis;
use serde_json::{Value, json};

use super::{AuthFailure, JwtRequirements, JwtVerifier, KeySet, MAX_SUBJECT, TokenHash};
use issuer::{Issuer, base64};

/// In seconds.
const NOW: i64 = 1_800_000_000;
const LEEWAY: i64 = 30;

fn requirements() -> JwtRequirements {
    JwtRequirements {
        issuer: "https://issuer.example".to_owned(),
        audiences: vec!["riposte".to_owned(), "comments".to_owned()],
        claim: "sub".to_owned(),
        leeway: Duration::from_secs(LEEWAY as u64),
    }
}

fn jwt(issuer: &Issuer) -> JwtVerifier {
    JwtVerifier::parse(&issuer.set().to_string(), requirements()).unwrap()
}

fn claims() -> Value {
    json!({"iss": "https://issuer.example", "aud": "riposte", "sub": "web", "exp": NOW + 300, "nbf": NOW})
}

/// Returns the claims with one of them changed, or removed if null.
fn claims_with(name: &str, value: Value) -> Value {
    let mut claims = claims();
    claims[name] = value;
    claims.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    claims
}

fn head(alg: &str, kid: &str) -> Value {
    json!({"typ": "JWT", "alg": alg, "kid": kid})
}

fn verify_at(jwt: &JwtVerifier, token: &str, now: Millis) -> Result<Arc<str>, AuthFailure> {
    jwt.subject(token, TokenHash::of(token), now)
}

fn verify(jwt: &JwtVerifier, token: &str) -> Result<Arc<str>, AuthFailure> {
    verify_at(jwt, token, Millis(NOW * 1_000))
}

#[test]
fn every_algorithm_is_verified_with_its_key_and_with_no_other() {
    let issuer = Issuer::new();
    let (ours, others) = (jwt(&issuer), jwt(&Issuer::new()));
    let algorithms = [
        ("RS256", "rsa"),
        ("RS256", "RS256"),
        ("RS384", "RS384"),
        ("RS512", "RS512"),
        ("PS256", "PS256"),
        ("PS384", "PS384"),
        ("PS512", "PS512"),
        ("ES256", "p256"),
        ("ES384", "p384"),
        ("EdDSA", "ed"),
    ];
    for (alg, kid) in algorithms {
        let token = issuer.token(&head(alg, kid), &claims());
        assert_eq!(verify(&ours, &token).as_deref(), Ok("web"), "{alg} by {kid}");
        for (_, other) in algorithms.iter().filter(|(other, _)| *other != alg) {
            let token = issuer.token(&head(alg, other), &claims());
            assert_eq!(verify(&ours, &token), Err(AuthFailure::Algorithm), "{alg} by {other}");
        }
        // Signed by another issuer whose keys have the same ids; only the RSA key is the same in
        // all tests.
        if alg.starts_with('E') {
            assert_eq!(verify(&others, &token), Err(AuthFailure::Signature), "{alg} by {kid}");
        }
    }
}

#[test]
fn each_required_claim_of_a_token_is_verified() {
    let issuer = Issuer::new();
    let jwt = jwt(&issuer);
    let verify_claims = |claims: &Value| verify(&jwt, &issuer.token(&head("EdDSA", "ed"), claims));
    for (name, value) in [
        ("aud", json!("comments")),
        ("aud", json!(["other", "riposte"])),
        ("nbf", Value::Null),
        ("nbf", json!(NOW + LEEWAY)),
        ("nbf", json!(NOW as f64 - 0.5)),
        ("exp", json!(NOW - LEEWAY + 1)),
        ("exp", json!(NOW as f64 + 0.5)),
        ("exp", json!(1e18)),
        ("more", json!({"nested": [1, 2]})),
    ] {
        assert_eq!(verify_claims(&claims_with(name, value.clone())).as_deref(), Ok("web"), "{name} {value}");
    }
    for (name, value, failure) in [
        ("exp", json!(NOW - LEEWAY), AuthFailure::Expired),
        ("exp", json!(0), AuthFailure::Expired),
        ("exp", json!(-1), AuthFailure::Claim),
        ("exp", json!(1e300), AuthFailure::Claim),
        ("exp", Value::Null, AuthFailure::Claim),
        ("exp", json!((NOW + 300).to_string()), AuthFailure::Claim),
        ("nbf", json!(NOW + LEEWAY + 1), AuthFailure::NotYetValid),
        ("nbf", json!((NOW - 300).to_string()), AuthFailure::Claim),
        ("iss", json!("https://issuer.example/"), AuthFailure::Issuer),
        ("iss", json!(["https://issuer.example"]), AuthFailure::Claim),
        ("iss", Value::Null, AuthFailure::Claim),
        ("aud", json!("Riposte"), AuthFailure::Audience),
        ("aud", json!(["other"]), AuthFailure::Audience),
        ("aud", json!([]), AuthFailure::Audience),
        ("aud", json!(7), AuthFailure::Claim),
        ("aud", Value::Null, AuthFailure::Claim),
        ("sub", Value::Null, AuthFailure::Claim),
        ("sub", json!(["web"]), AuthFailure::Claim),
        ("sub", json!(""), AuthFailure::Claim),
        ("sub", json!("w".repeat(MAX_SUBJECT + 1)), AuthFailure::Claim),
    ] {
        assert_eq!(verify_claims(&claims_with(name, value.clone())), Err(failure), "{name} {value}");
    }
    assert_eq!(verify_claims(&json!([claims()])), Err(AuthFailure::Claim), "the claims are no object");
}

#[test]
fn another_claim_may_name_the_caller() {
    let issuer = Issuer::new();
    let requirements = JwtRequirements { claim: "azp".to_owned(), ..requirements() };
    let jwt = JwtVerifier::parse(&issuer.set().to_string(), requirements).unwrap();
    let token = |claims: &Value| issuer.token(&head("ES256", "p256"), claims);
    assert_eq!(verify(&jwt, &token(&claims_with("azp", json!("shop")))).as_deref(), Ok("shop"));
    assert_eq!(verify(&jwt, &token(&claims())), Err(AuthFailure::Claim));
}

#[test]
fn only_a_signature_of_the_named_key_makes_a_token_valid() {
    let issuer = Issuer::new();
    let jwt = jwt(&issuer);
    let plain = |head: &Value| format!("{}.{}.", base64(head.to_string()), base64(claims().to_string()));
    // An attacker knows the public RSA key: used as a secret, it would sign anything.
    let secrets = [issuer.rsa().to_string(), issuer.rsa()["n"].as_str().unwrap().to_owned(), String::new()];
    for secret in secrets {
        let message = plain(&head("HS256", "rsa"));
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
        let token = format!("{message}{}", base64(hmac::sign(&key, message.trim_end_matches('.').as_bytes())));
        assert_eq!(verify(&jwt, &token), Err(AuthFailure::Algorithm));
    }
    for (head, failure) in [
        (head("none", "rsa"), AuthFailure::Malformed),
        (head("None", "ed"), AuthFailure::Malformed),
        (head("ES512", "p384"), AuthFailure::Malformed),
        (json!({"kid": "ed"}), AuthFailure::Malformed),
        (head("EdDSA", "ed"), AuthFailure::Signature),
        (head("RS256", "rsa"), AuthFailure::Signature),
        (head("EdDSA", "other"), AuthFailure::Key),
        (head("EdDSA", ""), AuthFailure::Key),
        (json!({"alg": "EdDSA"}), AuthFailure::Key),
    ] {
        assert_eq!(verify(&jwt, &plain(&head)), Err(failure), "{head}");
    }
    // A curve other than that of the key, regardless of the header.
    for (alg, header, kid) in [("ES256", "ES384", "p384"), ("ES384", "ES256", "p256"), ("ES256", "EdDSA", "ed")] {
        let token = issuer.signed_as(alg, &head(header, kid), &claims());
        assert_eq!(verify(&jwt, &token), Err(AuthFailure::Signature), "{alg} as {header}");
    }
    // A key inside the token is ignored.
    let mut with_key = head("ES256", "p256");
    with_key["jwk"] = Issuer::new().curves()[0].clone();
    assert_eq!(verify(&jwt, &Issuer::new().token(&with_key, &claims())), Err(AuthFailure::Signature));
}

#[test]
fn a_token_with_any_changed_byte_is_rejected() {
    let issuer = Issuer::new();
    let jwt = jwt(&issuer);
    let token = issuer.token(&head("ES256", "p256"), &claims());
    assert!(verify(&jwt, &token).is_ok());
    let parts: Vec<&str> = token.split('.').collect();
    let other = base64(claims_with("sub", json!("admin")).to_string());
    assert_eq!(verify(&jwt, &[parts[0], &other, parts[2]].join(".")), Err(AuthFailure::Signature));
    for index in 0..token.len() {
        let mut bytes = token.clone().into_bytes();
        bytes[index] = if bytes[index] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(bytes).unwrap();
        assert!(verify(&jwt, &changed).is_err(), "byte {index}");
    }
    for odd in
        ["", ".", "..", "a.b.c", &token[..token.len() - 4], &format!("{token}.{}", parts[2]), &format!("{token}=")]
    {
        assert!(verify(&jwt, odd).is_err(), "{odd:?}");
    }
}

#[test]
fn tokens_of_other_types_are_rejected() {
    let issuer = Issuer::new();
    let jwt = jwt(&issuer);
    let of = |name: &str, value: Value| {
        let mut head = head("EdDSA", "ed");
        head[name] = value;
        verify(&jwt, &issuer.token(&head, &claims()))
    };
    for kind in ["JWT", "jwt", "at+jwt", "application/at+jwt"] {
        assert!(of("typ", json!(kind)).is_ok(), "{kind}");
    }
    for kind in ["logout+jwt", "dpop+jwt", "JWS", "application/"] {
        assert_eq!(of("typ", json!(kind)), Err(AuthFailure::Malformed), "{kind}");
    }
    assert_eq!(of("crit", json!(["b64"])), Err(AuthFailure::Malformed));
    assert!(verify(&jwt, &issuer.token(&json!({"alg": "EdDSA", "kid": "ed"}), &claims())).is_ok(), "no kind at all");
}

#[test]
fn a_cached_token_costs_no_signature_check_and_still_expires() {
    let issuer = Issuer::new();
    let mut jwt = jwt(&issuer);
    let [known, forged] = ["a", "b"].map(|jti| issuer.token(&head("ES384", "p384"), &claims_with("jti", json!(jti))));
    let forged = format!("{}AAAA", &forged[..forged.len() - 4]);
    assert!(verify(&jwt, &known).is_ok() && verify(&jwt, &forged) == Err(AuthFailure::Signature));
    // Without a key no token can be verified any more; only cached results remain.
    jwt.keys = KeySet::default();
    assert_eq!(verify(&jwt, &known).as_deref(), Ok("web"));
    assert_eq!(verify(&jwt, &forged), Err(AuthFailure::Key), "a rejected token is not cached");
    let expires = (NOW + 300 + LEEWAY) * 1_000;
    assert!(verify_at(&jwt, &known, Millis(expires - 1)).is_ok());
    assert_eq!(verify_at(&jwt, &known, Millis(expires)), Err(AuthFailure::Expired));
}

#[test]
fn an_invalid_key_set_is_rejected_with_the_reason() {
    let issuer = Issuer::new();
    let [p256, p384, ed] = issuer.curves();
    let with = |key: &Value, name: &str, value: Value| {
        let mut key = key.clone();
        key[name] = value;
        key
    };
    let rsa = with(&issuer.rsa(), "kid", json!("rsa"));
    for (keys, message) in [
        (json!([]), "no key in it"),
        (json!([with(&p256, "d", json!("AA"))]), "key 1: is secret"),
        (json!([ed, {"kty": "oct", "kid": "s", "k": "AAAA"}]), "key 2: is secret"),
        (json!([issuer.rsa()]), "no kid"),
        (json!([ed, p256, ed]), "key 3: the kid \"ed\" is given twice"),
        (json!([with(&rsa, "n", json!(base64([0xff; 128])))]), "2048 to 8192 bits"),
        (json!([with(&rsa, "n", json!(base64([0; 256])))]), "2048 to 8192 bits"),
        (json!([with(&rsa, "alg", json!("HS256"))]), "alg HS256 does not go with its kind"),
        (json!([with(&rsa, "alg", json!("ES256"))]), "alg ES256 does not go with its kind"),
        (json!([with(&p256, "alg", json!("ES384"))]), "alg ES384 does not go with its kind"),
        (json!([with(&p256, "crv", json!("P-384"))]), "no point of its curve"),
        (json!([with(&p384, "x", json!("?"))]), "key 1"),
        (json!([with(&ed, "x", json!("AAAA"))]), "no point of its curve"),
    ] {
        let error =
            JwtVerifier::parse(&json!({ "keys": keys }).to_string(), requirements()).map(drop).expect_err(message);
        assert!(error.contains(message), "{error:?} does not contain {message:?}");
    }
    for text in ["", "[]", "{}", "{\"keys\": {}}"] {
        assert!(JwtVerifier::parse(text, requirements()).map(drop).expect_err(text).contains("no key set"), "{text}");
    }
}

#[test]
fn keys_for_other_uses_are_ignored() {
    let issuer = Issuer::new();
    let [p256, p384, ed] = issuer.curves();
    let mut encrypts = p256;
    encrypts["use"] = json!("enc");
    let mut agrees = p384;
    agrees["alg"] = json!("ECDH-ES");
    let mut signs = issuer.rsa();
    signs["kid"] = json!("signs");
    signs["key_ops"] = json!(["sign"]);
    let unsupported = [
        json!({"kty": "EC", "kid": "a", "crv": "P-521", "x": "AA", "y": "AA"}),
        json!({"kty": "EC", "kid": "b", "crv": "secp256k1", "x": "AA", "y": "AA"}),
        json!({"kty": "AKP", "kid": "c", "alg": "ML-DSA-44", "pub": "AA"}),
    ];
    let keys = [&[encrypts, agrees, signs, ed][..], &unsupported].concat();
    let jwt = JwtVerifier::parse(&json!({ "keys": keys }).to_string(), requirements()).unwrap();
    for (alg, kid) in [("ES256", "p256"), ("ES384", "p384"), ("RS256", "signs"), ("ES256", "a")] {
        assert_eq!(verify(&jwt, &issuer.token(&head(alg, kid), &claims())), Err(AuthFailure::Key), "{kid}");
    }
    assert!(verify(&jwt, &issuer.token(&head("EdDSA", "ed"), &claims())).is_ok());
}
