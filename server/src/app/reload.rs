//! Files that are read again while the process runs: callers, certificates, secrets, word lists,
//! and those of the connections with outside services.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Error, Result};
use riposte_cache::CacheSettings;
use riposte_pipeline::LocalPolicy;
use riposte_policy::Day;
use riposte_settings::ConfigErrors;
use riposte_store::{SqlStore, StoreSettings};
use riposte_telemetry::Metrics;
use tokio::task::JoinHandle;

use super::background_thread;
use super::credentials::ServerCredentials;
use super::outside_services::OutsideServices;
use crate::cache_stack::CacheStack;
use crate::clock::SystemClock;
use crate::config::Config;
use riposte_grpc::PageTokenCodec;
use riposte_grpc::page_token::PageTokenSettings;

/// The files that the configuration names, as of the last check.
#[derive(Debug)]
pub(super) struct WatchedFiles {
    file_sets: Vec<FileSet>,
    interval: Duration,
}

/// The components that use the files.
#[derive(Debug)]
pub(super) struct Reloaders {
    pub(super) credentials: ServerCredentials,
    pub(super) store: SqlStore,
    pub(super) cache: CacheStack,
    pub(super) tokens: PageTokenCodec,
    pub(super) policy: LocalPolicy,
    services: OutsideServices,
    secrets: Secrets,
}

/// The settings that name the files of secrets.
#[derive(Debug)]
struct Secrets {
    store: StoreSettings,
    cache: CacheSettings,
    page_tokens: PageTokenSettings,
}

/// Files that are read together. Sets are independent: a broken certificate does not prevent the
/// reload of a changed callers file.
#[derive(Debug)]
struct FileSet {
    content: FileContent,
    paths: Vec<PathBuf>,
    identities_before: Vec<FileIdentity>,
    /// True if the last content that was read cannot be used.
    rejected: bool,
}

#[derive(Debug, Clone, Copy)]
enum FileContent {
    Callers,
    Keys,
    Certificates,
    /// The address of a data source, counted from 0.
    Source(usize),
    Cache,
    PageTokenKeys,
    WordLists,
    Filter,
    Accounts,
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
        let mut file_sets = vec![
            FileSet::new(FileContent::Callers, &auth.callers_file),
            FileSet::new(FileContent::Keys, &auth.jwt.jwks_file),
            FileSet::new(
                FileContent::Certificates,
                [&tls.cert_file, &tls.key_file, &tls.client_ca_file].into_iter().flatten(),
            ),
            FileSet::new(FileContent::Cache, &config.cache.url_file),
            FileSet::new(FileContent::PageTokenKeys, &config.page_tokens.key_files),
            FileSet::new(FileContent::WordLists, config.policy.lists.iter().map(|list| &list.file)),
            FileSet::new(FileContent::Filter, config.filter.connection_files()),
            FileSet::new(FileContent::Accounts, config.accounts.connection_files()),
        ];
        let sources = config.store.sources.iter().enumerate();
        file_sets.extend(sources.map(|(index, source)| FileSet::new(FileContent::Source(index), &source.url_file)));
        Self { file_sets, interval: auth.reload_interval.duration() }
    }

    /// Checks the files at every interval. A file that cannot be used is reported, and the data
    /// that was read before stays.
    pub(super) fn watch(mut self, reloaders: Reloaders, metrics: Metrics) -> JoinHandle<()> {
        let mut ticks = tokio::time::interval(self.interval);
        tokio::spawn(async move {
            loop {
                ticks.tick().await;
                for index in 0..self.file_sets.len() {
                    let (changed, rejected) = self.file_sets[index].check();
                    // A rejected file may become usable without a change of its own: through a new
                    // account, or the permissions of its folder.
                    let content = self.file_sets[index].content;
                    if !changed && !rejected && !reloaders.is_outdated(content) {
                        continue;
                    }
                    let read = reloaders.reload(content).await;
                    self.file_sets[index].rejected = read.is_err();
                    if !changed && (read.is_err() || !rejected) {
                        continue;
                    }
                    metrics.reloaded(read.is_ok(), self.rejected());
                    match read {
                        Ok(()) => tracing::info!(file = ?content, "a changed file was reloaded"),
                        Err(error) => {
                            let error = format!("{error:#}");
                            tracing::error!(file = ?content, error, "a changed file was rejected; the earlier content stays in use");
                        }
                    }
                }
            }
        })
    }
}

impl WatchedFiles {
    /// The number of sets that cannot be used. Word lists have a metric of their own.
    fn rejected(&self) -> usize {
        let counts = |set: &&FileSet| set.rejected && !matches!(set.content, FileContent::WordLists);
        self.file_sets.iter().filter(counts).count()
    }
}

impl Reloaders {
    /// Returns the components that receive the changed files of `config`.
    pub(super) fn new(
        config: &Config,
        credentials: ServerCredentials,
        (store, cache): (SqlStore, CacheStack),
        tokens: PageTokenCodec,
        (policy, services): (LocalPolicy, OutsideServices),
    ) -> Self {
        credentials.log_ungranted();
        let Config { store: store_settings, cache: cache_settings, page_tokens, .. } = config.clone();
        let secrets = Secrets { store: store_settings, cache: cache_settings, page_tokens };
        Self { credentials, store, cache, tokens, policy, services, secrets }
    }

    async fn reload(&self, content: FileContent) -> Result<()> {
        match content {
            FileContent::Callers => self.credentials.read_callers(),
            FileContent::Keys => self.credentials.read_keys(),
            FileContent::Certificates => self.credentials.read_certificates(),
            FileContent::Source(source) => self.read_source(source).await,
            FileContent::Cache => self.read_cache().await,
            FileContent::PageTokenKeys => {
                self.tokens.replace_keys(&self.secrets.page_tokens.ring()?);
                Ok(())
            }
            FileContent::WordLists => self.read_word_lists().await,
            FileContent::Filter => Ok(self.services.filter.as_ref().map_or(Ok(()), |filter| filter.reload())?),
            FileContent::Accounts => {
                Ok(self.services.accounts.as_ref().map_or(Ok(()), |accounts| accounts.reload())?)
            }
        }
    }

    /// Returns `true` if the content of these files depends on the day, and was read on another.
    fn is_outdated(&self, content: FileContent) -> bool {
        matches!(content, FileContent::WordLists) && self.policy.is_outdated(today())
    }

    /// Reads and compiles the word lists, which takes up to seconds.
    async fn read_word_lists(&self) -> Result<()> {
        let policy = self.policy.clone();
        background_thread::run("riposte-lists", move || policy.reload(today())).await?.map_err(|errors| {
            let lists: Vec<String> = errors.0.iter().map(ToString::to_string).collect();
            Error::msg(lists.join("; "))
        })
    }

    async fn read_source(&self, index: usize) -> Result<()> {
        let address = self.secrets.store.address(index).map_err(ConfigErrors::from)?;
        let Some(source) = self.store.sources().all().get(index) else { return Ok(()) };
        source
            .exchange(address.expose())
            .await
            .map_err(|reason| Error::msg(format!("store.sources.{index}.url_file: {reason}")))
    }

    async fn read_cache(&self) -> Result<()> {
        let Some(address) = self.secrets.cache.address().map_err(ConfigErrors::from)? else { return Ok(()) };
        self.cache.exchange(&address).await.map_err(|reason| Error::msg(format!("cache.url_file: {reason}")))
    }
}

impl FileSet {
    fn new<'f>(content: FileContent, files: impl IntoIterator<Item = &'f PathBuf>) -> Self {
        let paths: Vec<PathBuf> = files.into_iter().cloned().collect();
        Self { content, identities_before: identities(&paths), paths, rejected: false }
    }

    /// Checks the files. Returns true in the first field if they changed since the last check, and
    /// in the second if their last content cannot be used.
    fn check(&mut self) -> (bool, bool) {
        let found = identities(&self.paths);
        (std::mem::replace(&mut self.identities_before, found) != self.identities_before, self.rejected)
    }
}

/// Returns the present day, on which entries of word lists expire.
pub(super) fn today() -> Day {
    Day::at_millis(SystemClock.unix_millis())
}

fn identities(paths: &[PathBuf]) -> Vec<FileIdentity> {
    let identity = |path: &PathBuf| {
        let file = std::fs::metadata(path).ok()?;
        let [node, length] = [file.ino(), file.size()].map(u64::cast_signed);
        Some([node, length, file.mtime_nsec(), file.ctime(), file.ctime_nsec()])
    };
    paths.iter().map(identity).collect()
}
