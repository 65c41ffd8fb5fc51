//! Who comes in, and how: callers, keys of JWTs and certificates, read again while the process runs.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::{Error, Result};
use riposte_core::ports::Clock;
use tokio::task::JoinHandle;

use super::tls::Tls;
use crate::auth::{Callers, Guard, Jwt};
use crate::config::{Auth, Config, Tls as Files};
use crate::telemetry::Metrics;

/// The callers that are known, and what secures their connections.
#[derive(Debug, Clone)]
pub(super) struct Door {
    pub(super) guard: Guard,
    pub(super) tls: Option<Tls>,
    auth: Auth,
    files: Files,
    parts: Vec<Part>,
    metrics: Metrics,
}

/// Files that are read together. Each part by itself: a broken certificate keeps no caller out who was just let in.
#[derive(Debug, Clone)]
struct Part {
    what: What,
    paths: Vec<PathBuf>,
    seen: Vec<Stamp>,
    /// Whether what was read last cannot be used.
    refused: bool,
}

#[derive(Debug, Clone, Copy)]
enum What {
    Callers,
    Keys,
    Certificates,
}

/// What tells that a file was changed: when it was written, and how long it is. A secret that is mounted is a link that
/// leads elsewhere after its change, so the file is asked and not the link.
type Stamp = Option<(SystemTime, u64)>;

impl Door {
    /// As the configuration says: without a file of callers everybody is admitted.
    pub(super) fn open(config: &Config, clock: Arc<dyn Clock>, metrics: Metrics) -> Result<Self> {
        let (auth, files) = (config.auth.clone(), config.server.tls.clone());
        let certificates = [&files.cert_file, &files.key_file, &files.client_ca_file];
        // Looked at before they are read: what changes in between is read again.
        let parts = vec![
            Part::of(What::Callers, &[&auth.callers_file]),
            Part::of(What::Keys, &[&auth.jwt.jwks_file]),
            Part::of(What::Certificates, &certificates),
        ];
        let callers = callers(&auth)?.unwrap_or_else(Callers::everybody);
        let guard = Guard::new(callers, jwt(&auth)?, clock, metrics.clone());
        let tls = Tls::open(&files, &metrics)?;
        Ok(Self { guard, tls, auth, files, parts, metrics })
    }

    /// Looks at the files again and again. One that cannot be used is told, and what was read before it stays.
    pub(super) fn watch(mut self) -> JoinHandle<()> {
        let mut ticks = tokio::time::interval(self.auth.reload_interval.duration());
        tokio::spawn(async move {
            loop {
                ticks.tick().await;
                for number in 0..self.parts.len() {
                    let Some(what) = self.parts[number].changed() else { continue };
                    let read = self.read_again(what);
                    self.parts[number].refused = read.is_err();
                    self.metrics.reloaded(read.is_ok(), self.parts.iter().filter(|part| part.refused).count());
                    match read {
                        Ok(()) => tracing::info!(?what, "a changed file was read again"),
                        Err(error) => {
                            let error = format!("{error:#}");
                            tracing::error!(?what, error, "a changed file cannot be used; what was read before stays");
                        }
                    }
                }
            }
        })
    }

    fn read_again(&self, what: What) -> Result<()> {
        match what {
            What::Callers => callers(&self.auth)?.into_iter().for_each(|callers| self.guard.exchange(callers)),
            What::Keys => jwt(&self.auth)?.into_iter().for_each(|jwt| self.guard.exchange_keys(jwt)),
            What::Certificates => self.tls.as_ref().map_or(Ok(()), |tls| tls.reload(&self.files, &self.metrics))?,
        }
        Ok(())
    }
}

fn callers(auth: &Auth) -> Result<Option<Callers>> {
    auth.callers_file.as_deref().map(Callers::read).transpose().map_err(Error::msg)
}

fn jwt(auth: &Auth) -> Result<Option<Jwt>> {
    auth.jwt.terms().map(|(path, terms)| Jwt::read(&path, terms)).transpose().map_err(Error::msg)
}

impl Part {
    fn of(what: What, files: &[&Option<PathBuf>]) -> Self {
        let paths: Vec<PathBuf> = files.iter().copied().flatten().cloned().collect();
        Self { what, seen: stamps(&paths), paths, refused: false }
    }

    /// What it is, if it is not as it was when it was looked at last.
    fn changed(&mut self) -> Option<What> {
        let found = stamps(&self.paths);
        (std::mem::replace(&mut self.seen, found) != self.seen).then_some(self.what)
    }
}

fn stamps(paths: &[PathBuf]) -> Vec<Stamp> {
    let stamp = |path: &PathBuf| {
        let file = std::fs::metadata(path).ok()?;
        Some((file.modified().ok()?, file.len()))
    };
    paths.iter().map(stamp).collect()
}
