//! The credentials of the server: known callers, keys of JWTs and certificates.

use std::sync::Arc;

use anyhow::{Error, Result};
use riposte_core::Policies;
use riposte_core::ports::Clock;
use riposte_settings::{ConfigError, ConfigErrors};
use riposte_telemetry::Metrics;

use super::tls::TlsServer;
use crate::config::Config;
use crate::listener::TlsSettings as Files;
use riposte_grpc::auth::{AuthSettings, Authenticator, Callers, JwtVerifier};

/// The known callers, and the security of their connections.
#[derive(Debug, Clone)]
pub(super) struct ServerCredentials {
    pub(super) authenticator: Authenticator,
    pub(super) tls: Option<TlsServer>,
    auth: AuthSettings,
    files: Files,
    policies: Policies,
    metrics: Metrics,
}

impl ServerCredentials {
    /// Opens the configured files. Without a file of callers, every caller is admitted.
    ///
    /// # Errors
    /// Every file that cannot be used, by its key.
    pub(super) fn open(config: &Config, clock: Arc<dyn Clock>, metrics: Metrics) -> Result<Self, ConfigErrors> {
        let (auth, files) = (config.auth.clone(), config.server.tls.clone());
        let mut faults = Vec::new();
        let callers = value_or_record(callers(&auth), "auth.callers_file", &mut faults);
        let keys = value_or_record(jwt(&auth), "auth.jwt.jwks_file", &mut faults);
        let tls = value_or_record(TlsServer::open(&files, &metrics), "server.tls", &mut faults);
        if !faults.is_empty() {
            return Err(ConfigErrors(faults));
        }
        let authenticator =
            Authenticator::new(callers.unwrap_or_else(Callers::unrestricted), keys, clock, metrics.clone());
        Ok(Self { authenticator, tls, auth, files, policies: config.policies(), metrics })
    }

    /// Returns, as text, the object types that callers were granted and this server does not serve.
    pub(super) fn ungranted(&self) -> Vec<String> {
        self.authenticator.ungranted(&self.policies)
    }

    /// Logs the grants of unregistered object types as warnings.
    pub(super) fn log_ungranted(&self) {
        self.ungranted().iter().for_each(|grant| {
            tracing::warn!(grant, "the callers file grants an object type that this server does not serve")
        });
    }

    /// Reads the file of callers again. It applies to all following calls.
    pub(super) fn read_callers(&self) -> Result<()> {
        callers(&self.auth)?.into_iter().for_each(|callers| self.authenticator.replace_callers(callers));
        self.log_ungranted();
        Ok(())
    }

    /// Reads the keys of JWTs again.
    pub(super) fn read_keys(&self) -> Result<()> {
        jwt(&self.auth)?.into_iter().for_each(|jwt| self.authenticator.replace_keys(jwt));
        Ok(())
    }

    /// Reads the certificates again.
    pub(super) fn read_certificates(&self) -> Result<()> {
        self.tls.as_ref().map_or(Ok(()), |tls| tls.reload(&self.files, &self.metrics))
    }
}

/// Returns the data that was read, or records the fault under the key that names the file.
fn value_or_record<T>(read: Result<Option<T>>, key: &str, faults: &mut Vec<ConfigError>) -> Option<T> {
    read.unwrap_or_else(|error| {
        faults.push(ConfigError::at(key, format!("{error:#}")));
        None
    })
}

fn callers(auth: &AuthSettings) -> Result<Option<Callers>> {
    auth.callers_file.as_deref().map(Callers::read).transpose().map_err(Error::msg)
}

fn jwt(auth: &AuthSettings) -> Result<Option<JwtVerifier>> {
    auth.jwt
        .requirements()
        .map(|(path, requirements)| JwtVerifier::read(&path, requirements))
        .transpose()
        .map_err(Error::msg)
}
