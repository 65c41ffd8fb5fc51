//! Who comes in, and how: callers, keys of JWTs and certificates.

use std::sync::Arc;

use anyhow::{Error, Result};
use riposte_core::Policies;
use riposte_core::ports::Clock;

use super::tls::TlsServer;
use crate::auth::{Authenticator, Callers, JwtVerifier};
use crate::config::{AuthSettings, Config, ConfigError, ConfigErrors, TlsSettings as Files};
use crate::telemetry::Metrics;

/// The callers that are known, and what secures their connections.
#[derive(Debug, Clone)]
pub(super) struct ServerCredentials {
    pub(super) guard: Authenticator,
    pub(super) tls: Option<TlsServer>,
    auth: AuthSettings,
    files: Files,
    policies: Policies,
    metrics: Metrics,
}

impl ServerCredentials {
    /// As the configuration says: without a file of callers everybody is admitted.
    ///
    /// # Errors
    /// Every file that cannot be used, by its key.
    pub(super) fn open(config: &Config, clock: Arc<dyn Clock>, metrics: Metrics) -> Result<Self, ConfigErrors> {
        let (auth, files) = (config.auth.clone(), config.server.tls.clone());
        let mut faults = Vec::new();
        let callers = used(callers(&auth), "auth.callers_file", &mut faults);
        let keys = used(jwt(&auth), "auth.jwt.jwks_file", &mut faults);
        let tls = used(TlsServer::open(&files, &metrics), "server.tls", &mut faults);
        if !faults.is_empty() {
            return Err(ConfigErrors(faults));
        }
        let guard = Authenticator::new(callers.unwrap_or_else(Callers::everybody), keys, clock, metrics.clone());
        Ok(Self { guard, tls, auth, files, policies: config.policies(), metrics })
    }

    /// What callers were granted and this server does not serve, each in words.
    pub(super) fn ungranted(&self) -> Vec<String> {
        self.guard.ungranted(&self.policies)
    }

    /// Tells the log of it.
    pub(super) fn tell_unserved(&self) {
        self.ungranted().iter().for_each(|what| tracing::warn!(what, "a caller was granted what is not served here"));
    }

    /// Reads the file of callers again; calls from now on are of these.
    pub(super) fn read_callers(&self) -> Result<()> {
        callers(&self.auth)?.into_iter().for_each(|callers| self.guard.exchange(callers));
        self.tell_unserved();
        Ok(())
    }

    /// Reads the keys of JWTs again.
    pub(super) fn read_keys(&self) -> Result<()> {
        jwt(&self.auth)?.into_iter().for_each(|jwt| self.guard.exchange_keys(jwt));
        Ok(())
    }

    /// Reads the certificates again.
    pub(super) fn read_certificates(&self) -> Result<()> {
        self.tls.as_ref().map_or(Ok(()), |tls| tls.reload(&self.files, &self.metrics))
    }
}

/// What was read, or the fault of the key that says where it lies.
fn used<T>(read: Result<Option<T>>, key: &str, faults: &mut Vec<ConfigError>) -> Option<T> {
    read.unwrap_or_else(|error| {
        faults.push(ConfigError::at(key, format!("{error:#}")));
        None
    })
}

fn callers(auth: &AuthSettings) -> Result<Option<Callers>> {
    auth.callers_file.as_deref().map(Callers::read).transpose().map_err(Error::msg)
}

fn jwt(auth: &AuthSettings) -> Result<Option<JwtVerifier>> {
    auth.jwt.terms().map(|(path, terms)| JwtVerifier::read(&path, terms)).transpose().map_err(Error::msg)
}
