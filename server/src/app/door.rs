//! Who comes in, and how: callers, keys of JWTs and certificates.

use std::sync::Arc;

use anyhow::{Error, Result};
use riposte_core::Policies;
use riposte_core::ports::Clock;

use super::tls::Tls;
use crate::auth::{Callers, Guard, Jwt};
use crate::config::{Auth, Config, Fault, Faults, Tls as Files};
use crate::telemetry::Metrics;

/// The callers that are known, and what secures their connections.
#[derive(Debug, Clone)]
pub(super) struct Door {
    pub(super) guard: Guard,
    pub(super) tls: Option<Tls>,
    auth: Auth,
    files: Files,
    policies: Policies,
    metrics: Metrics,
}

impl Door {
    /// As the configuration says: without a file of callers everybody is admitted.
    ///
    /// # Errors
    /// Every file that cannot be used, by its key.
    pub(super) fn open(config: &Config, clock: Arc<dyn Clock>, metrics: Metrics) -> Result<Self, Faults> {
        let (auth, files) = (config.auth.clone(), config.server.tls.clone());
        let mut faults = Vec::new();
        let callers = used(callers(&auth), "auth.callers_file", &mut faults);
        let keys = used(jwt(&auth), "auth.jwt.jwks_file", &mut faults);
        let tls = used(Tls::open(&files, &metrics), "server.tls", &mut faults);
        if !faults.is_empty() {
            return Err(Faults(faults));
        }
        let guard = Guard::new(callers.unwrap_or_else(Callers::everybody), keys, clock, metrics.clone());
        Ok(Self { guard, tls, auth, files, policies: config.policies(), metrics })
    }

    /// What callers were granted and this server does not serve, each in words.
    pub(super) fn unserved(&self) -> Vec<String> {
        self.guard.unserved(&self.policies)
    }

    /// Tells the log of it.
    pub(super) fn tell_unserved(&self) {
        self.unserved().iter().for_each(|what| tracing::warn!(what, "a caller was granted what is not served here"));
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
fn used<T>(read: Result<Option<T>>, key: &str, faults: &mut Vec<Fault>) -> Option<T> {
    read.unwrap_or_else(|error| {
        faults.push(Fault::at(key, format!("{error:#}")));
        None
    })
}

fn callers(auth: &Auth) -> Result<Option<Callers>> {
    auth.callers_file.as_deref().map(Callers::read).transpose().map_err(Error::msg)
}

fn jwt(auth: &Auth) -> Result<Option<Jwt>> {
    auth.jwt.terms().map(|(path, terms)| Jwt::read(&path, terms)).transpose().map_err(Error::msg)
}
