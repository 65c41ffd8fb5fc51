//! The settings of authentication.

use super::JwtRequirements;
use riposte_settings::{ErrorScope, TimeSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{path::PathBuf, time::Duration};

/// Callers and their authentication.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct AuthSettings {
    /// The file of admitted callers, with the hashes of their tokens, their identities, roles and
    /// object types. Without it every caller is admitted.
    pub callers_file: Option<PathBuf>,
    /// Callers that present JWTs.
    pub jwt: JwtSettings,
    /// Interval at which this file and those of JWTs, TLS and secrets are checked for changes.
    pub reload_interval: TimeSpan,
    /// Accepts every insecure choice: any caller, plaintext, SQLite, page token keys generated at
    /// startup.
    pub allow_insecure: bool,
}

/// Requirements for JWTs.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct JwtSettings {
    /// The public keys of the issuer, as a JSON Web Key Set. Without it no JWT is accepted.
    pub jwks_file: Option<PathBuf>,
    /// The issuer, exactly as tokens name it in `iss`.
    pub issuer: String,
    /// The names of this service: a token is accepted only if its `aud` contains one of them.
    pub audiences: Vec<String>,
    /// The claim that holds the caller's name in the callers file.
    pub caller_claim: String,
    /// Largest difference between the clocks of this process and the issuer.
    pub leeway: TimeSpan,
}

impl AuthSettings {
    /// Adds an error for each value that is out of bounds or conflicts with another one.
    pub fn validate(&self, report: &mut ErrorScope<'_>) {
        report.path("callers_file", self.callers_file.as_ref());
        let interval = self.reload_interval.duration();
        let is_valid = (Duration::from_secs(1)..=Duration::from_secs(3_600)).contains(&interval);
        report.require(is_valid, "reload_interval", "must be 1s to 1h");
        let has_roles = self.jwt.jwks_file.is_none() || self.callers_file.is_some();
        report.require(
            has_roles,
            "callers_file",
            "is required with jwt.jwks_file: it contains the roles of callers that present a JWT",
        );
    }
}

impl JwtSettings {
    /// Returns the key file and the requirements for tokens, or `None` if no JWT is accepted.
    pub fn requirements(&self) -> Option<(PathBuf, JwtRequirements)> {
        let Self { jwks_file, issuer, audiences, caller_claim, leeway } = self.clone();
        Some((jwks_file?, JwtRequirements { issuer, audiences, claim: caller_claim, leeway: leeway.duration() }))
    }

    /// Adds an error for each value that is out of bounds or conflicts with another one.
    pub fn validate(&self, report: &mut ErrorScope<'_>) {
        let Self { jwks_file, issuer, audiences, caller_claim, leeway } = self;
        report.path("jwks_file", jwks_file.as_ref());
        let has_audiences = !audiences.is_empty() && audiences.iter().all(|audience| !audience.is_empty());
        if jwks_file.is_some() {
            report.require(
                !issuer.is_empty(),
                "issuer",
                "is required with jwks_file: tokens of other issuers with the same keys are not accepted",
            );
            report.require(
                has_audiences,
                "audiences",
                "is required with jwks_file: tokens for other services are not accepted",
            );
        } else {
            let is_unset = issuer.is_empty() && audiences.is_empty();
            report.require(is_unset, "jwks_file", "is required with issuer and audiences");
        }
        // These claims do not identify the caller.
        let identifies_caller = !["", "iss", "aud", "exp", "nbf", "iat", "jti"].contains(&caller_claim.as_str());
        report.require(
            identifies_caller,
            "caller_claim",
            "must be a claim that identifies the caller, such as sub or azp",
        );
        let is_valid = leeway.duration() <= Duration::from_secs(120);
        report.require(is_valid, "leeway", "must be 0s to 2min");
    }
}
