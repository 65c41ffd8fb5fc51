//! Files that are read again while the process runs: callers, certificates and secrets.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Error, Result};
use riposte_cache::CacheSettings;
use riposte_settings::ConfigErrors;
use riposte_store::{SqlStore, StoreSettings};
use riposte_telemetry::Metrics;
use tokio::task::JoinHandle;

use super::credentials::ServerCredentials;
use crate::cache_stack::CacheStack;
use crate::config::Config;
use riposte_grpc::PageTokenCodec;
use riposte_grpc::page_token::PageTokenSettings;

/// The files that the configuration names, as of the last check.
#[derive(Debug)]
pub(super) struct WatchedFiles {
    parts: Vec<FileSet>,
    interval: Duration,
}

/// The components that use the files.
#[derive(Debug)]
pub(super) struct Reloaders {
    pub(super) credentials: ServerCredentials,
    pub(super) store: SqlStore,
    pub(super) cache: CacheStack,
    pub(super) tokens: PageTokenCodec,
    secrets: Secrets,
}

/// The settings that name the files of secrets.
#[derive(Debug)]
struct Secrets {
    store: StoreSettings,
    cache: CacheSettings,
    page_tokens: PageTokenSettings,
}

/// Files that are read together. Parts are independent: a broken certificate does not keep out a
/// caller that was just added.
#[derive(Debug)]
struct FileSet {
    what: What,
    paths: Vec<PathBuf>,
    seen: Vec<FileIdentity>,
    /// True if the last content that was read cannot be used.
    refused: bool,
}

#[derive(Debug, Clone, Copy)]
enum What {
    Callers,
    Keys,
    Certificates,
    /// The address of a data source, counted from 0.
    Source(usize),
    Cache,
    PageTokenKeys,
}

/// The identity, change time and length of a file, which show that it was changed. A mounted secret
/// is a link whose destination changes, so the metadata of the file is read and not that of the
/// link.
type FileIdentity = Option<[i64; 5]>;

impl WatchedFiles {
    /// Records the state of the files before they are read, so that a change in between causes
    /// another read.
    pub(super) fn record(config: &Config) -> Self {
        let (auth, tls) = (&config.auth, &config.server.tls);
        let mut parts = vec![
            FileSet::of(What::Callers, &auth.callers_file),
            FileSet::of(What::Keys, &auth.jwt.jwks_file),
            FileSet::of(What::Certificates, [&tls.cert_file, &tls.key_file, &tls.client_ca_file].into_iter().flatten()),
            FileSet::of(What::Cache, &config.cache.url_file),
            FileSet::of(What::PageTokenKeys, &config.page_tokens.key_files),
        ];
        let sources = config.store.sources.iter().enumerate();
        parts.extend(sources.map(|(place, source)| FileSet::of(What::Source(place), &source.url_file)));
        Self { parts, interval: auth.reload_interval.duration() }
    }

    /// Checks the files at every interval. A file that cannot be used is reported, and the data
    /// that was read before stays.
    pub(super) fn watch(mut self, readers: Reloaders, metrics: Metrics) -> JoinHandle<()> {
        let mut ticks = tokio::time::interval(self.interval);
        tokio::spawn(async move {
            loop {
                ticks.tick().await;
                for number in 0..self.parts.len() {
                    let (changed, refused) = self.parts[number].check();
                    // A rejected file may become usable without a change of its own: through a new
                    // account, or the permissions of its folder.
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
                        Ok(()) => tracing::info!(file = ?what, "a changed file was reloaded"),
                        Err(error) => {
                            let error = format!("{error:#}");
                            tracing::error!(file = ?what, error, "a changed file was rejected; the earlier content stays in use");
                        }
                    }
                }
            }
        })
    }
}

impl Reloaders {
    /// Returns the components that receive the changed files of `config`.
    pub(super) fn new(
        config: &Config,
        credentials: ServerCredentials,
        store: SqlStore,
        cache: CacheStack,
        tokens: PageTokenCodec,
    ) -> Self {
        credentials.log_ungranted();
        let Config { store: from_store, cache: from_cache, page_tokens, .. } = config.clone();
        let secrets = Secrets { store: from_store, cache: from_cache, page_tokens };
        Self { credentials, store, cache, tokens, secrets }
    }

    async fn read_again(&self, what: What) -> Result<()> {
        match what {
            What::Callers => self.credentials.read_callers(),
            What::Keys => self.credentials.read_keys(),
            What::Certificates => self.credentials.read_certificates(),
            What::Source(place) => self.read_source(place).await,
            What::Cache => self.read_cache().await,
            What::PageTokenKeys => {
                self.tokens.exchange(&self.secrets.page_tokens.ring()?);
                Ok(())
            }
        }
    }

    async fn read_source(&self, place: usize) -> Result<()> {
        let address = self.secrets.store.address(place).map_err(ConfigErrors::from)?;
        let Some(source) = self.store.sources().all().get(place) else { return Ok(()) };
        source
            .exchange(address.expose())
            .await
            .map_err(|reason| Error::msg(format!("store.sources.{place}.url_file: {reason}")))
    }

    async fn read_cache(&self) -> Result<()> {
        let Some(address) = self.secrets.cache.address().map_err(ConfigErrors::from)? else { return Ok(()) };
        self.cache.exchange(&address).await.map_err(|reason| Error::msg(format!("cache.url_file: {reason}")))
    }
}

impl FileSet {
    fn of<'f>(what: What, files: impl IntoIterator<Item = &'f PathBuf>) -> Self {
        let paths: Vec<PathBuf> = files.into_iter().cloned().collect();
        Self { what, seen: identities(&paths), paths, refused: false }
    }

    /// Checks the files. Returns true in the first field if they changed since the last check, and
    /// in the second if their last content cannot be used.
    fn check(&mut self) -> (bool, bool) {
        let found = identities(&self.paths);
        (std::mem::replace(&mut self.seen, found) != self.seen, self.refused)
    }
}

fn identities(paths: &[PathBuf]) -> Vec<FileIdentity> {
    let identity = |path: &PathBuf| {
        let file = std::fs::metadata(path).ok()?;
        let [node, length] = [file.ino(), file.size()].map(u64::cast_signed);
        Some([node, length, file.mtime_nsec(), file.ctime(), file.ctime_nsec()])
    };
    paths.iter().map(identity).collect()
}
