//! Files that are read again while the process runs: who may call, certificates, and what is secret.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Error, Result};
use riposte_store::SqlStore;
use tokio::task::JoinHandle;

use super::credentials::ServerCredentials;
use crate::cache_stack::CacheStack;
use crate::config::{self, Config};
use crate::rpc::PageTokenCodec;
use crate::telemetry::Metrics;

/// The files that the configuration names, as they were when they were looked at last.
#[derive(Debug)]
pub(super) struct WatchedFiles {
    parts: Vec<Part>,
    interval: Duration,
}

/// What the files are read for.
#[derive(Debug)]
pub(super) struct Reloaders {
    pub(super) door: ServerCredentials,
    pub(super) store: SqlStore,
    pub(super) copies: CacheStack,
    pub(super) tokens: PageTokenCodec,
    secrets: Secrets,
}

/// Where secrets are read from.
#[derive(Debug)]
struct Secrets {
    store: config::StoreSettings,
    cache: config::CacheSettings,
    page_tokens: config::PageTokenSettings,
}

/// Files that are read together. Each part by itself: a broken certificate keeps no caller out who was just let in.
#[derive(Debug)]
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
    /// The address of a data source, from 0 on.
    Source(usize),
    Cache,
    PageTokenKeys,
}

/// What tells that a file was changed: which one it is, when anything about it last changed, and how long it is. A secret that is
/// mounted is a link that leads elsewhere after its change, so the file is asked and not the link.
type Stamp = Option<[i64; 5]>;

impl WatchedFiles {
    /// Looks at them before they are read: what changes in between is read again.
    pub(super) fn look(config: &Config) -> Self {
        let (auth, tls) = (&config.auth, &config.server.tls);
        let mut parts = vec![
            Part::of(What::Callers, &auth.callers_file),
            Part::of(What::Keys, &auth.jwt.jwks_file),
            Part::of(What::Certificates, [&tls.cert_file, &tls.key_file, &tls.client_ca_file].into_iter().flatten()),
            Part::of(What::Cache, &config.cache.url_file),
            Part::of(What::PageTokenKeys, &config.page_tokens.key_files),
        ];
        let sources = config.store.sources.iter().enumerate();
        parts.extend(sources.map(|(place, source)| Part::of(What::Source(place), &source.url_file)));
        Self { parts, interval: auth.reload_interval.duration() }
    }

    /// Looks at them again and again. One that cannot be used is told, and what was read before it stays.
    pub(super) fn watch(mut self, readers: Reloaders, metrics: Metrics) -> JoinHandle<()> {
        let mut ticks = tokio::time::interval(self.interval);
        tokio::spawn(async move {
            loop {
                ticks.tick().await;
                for number in 0..self.parts.len() {
                    let (changed, refused) = self.parts[number].look();
                    // What was refused may be mended elsewhere: by an account that is made, or by rights of the folder.
                    if !changed && !refused {
                        continue;
                    }
                    let what = self.parts[number].what;
                    let read = readers.read_again(what).await;
                    self.parts[number].refused = read.is_err();
                    if !changed && read.is_err() {
                        continue;
                    }
                    metrics.reloaded(read.is_ok(), self.parts.iter().filter(|part| part.refused).count());
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
}

impl Reloaders {
    /// What is exchanged when a file of `config` has changed.
    pub(super) fn new(
        config: &Config,
        door: ServerCredentials,
        store: SqlStore,
        copies: CacheStack,
        tokens: PageTokenCodec,
    ) -> Self {
        door.tell_unserved();
        let Config { store: from, cache, page_tokens, .. } = config.clone();
        Self { door, store, copies, tokens, secrets: Secrets { store: from, cache, page_tokens } }
    }

    async fn read_again(&self, what: What) -> Result<()> {
        match what {
            What::Callers => self.door.read_callers(),
            What::Keys => self.door.read_keys(),
            What::Certificates => self.door.read_certificates(),
            What::Source(place) => self.read_source(place).await,
            What::Cache => self.read_cache().await,
            What::PageTokenKeys => {
                self.tokens.exchange(&self.secrets.page_tokens.ring()?);
                Ok(())
            }
        }
    }

    async fn read_source(&self, place: usize) -> Result<()> {
        let address = self.secrets.store.address(place).map_err(config::ConfigErrors::from)?;
        let Some(source) = self.store.sources().all().get(place) else { return Ok(()) };
        source
            .exchange(address.expose())
            .await
            .map_err(|why| Error::msg(format!("store.sources.{place}.url_file: {why}")))
    }

    async fn read_cache(&self) -> Result<()> {
        let Some(address) = self.secrets.cache.address().map_err(config::ConfigErrors::from)? else { return Ok(()) };
        self.copies.exchange(&address).await.map_err(|why| Error::msg(format!("cache.url_file: {why}")))
    }
}

impl Part {
    fn of<'f>(what: What, files: impl IntoIterator<Item = &'f PathBuf>) -> Self {
        let paths: Vec<PathBuf> = files.into_iter().cloned().collect();
        Self { what, seen: stamps(&paths), paths, refused: false }
    }

    /// Whether it is not as it was when it was looked at last, and whether what was read then cannot be used.
    fn look(&mut self) -> (bool, bool) {
        let found = stamps(&self.paths);
        (std::mem::replace(&mut self.seen, found) != self.seen, self.refused)
    }
}

fn stamps(paths: &[PathBuf]) -> Vec<Stamp> {
    let stamp = |path: &PathBuf| {
        let file = std::fs::metadata(path).ok()?;
        let [node, length] = [file.ino(), file.size()].map(u64::cast_signed);
        Some([node, length, file.mtime_nsec(), file.ctime(), file.ctime_nsec()])
    };
    paths.iter().map(stamp).collect()
}
