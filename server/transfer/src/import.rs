//! A complete import: reads files, sends their records, and reports the outcome to a person.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use riposte_sdk::Connection;
use riposte_sdk::v1::admin_service_client::AdminServiceClient;
use tokio::sync::watch;

use super::console;
use super::dry_run;
use super::error::TransferError;
use super::interrupt::{InterruptSignals, command_line};
use super::ordering::Orphans;
use super::progress::ImportProgress;
use super::read::{PreparedImport, ReadRequest};
use super::rejects::Rejects;
use super::send;
use super::sender::is_transient;
use super::shared::ImportShared;
use super::summary::ImportSummary;
use super::throttle::Throttle;
use super::totals::ImportTotals;
use super::votes::VotePolicy;

/// The options of an import.
#[derive(Debug, Clone)]
pub struct ImportOptions {
    /// The files to read.
    pub read: ReadRequest,
    /// The policy for replies without their parent.
    pub orphans: Orphans,
    /// The policy for votes known only as numbers.
    pub votes: VotePolicy,
    /// The file of the rejects. The default name is used for an import, none for a dry run.
    pub rejects: Option<PathBuf>,
    /// The most items sent in a second.
    pub max_rps: Option<u32>,
    /// The most items without a response, over all streams.
    pub outstanding: u32,
    /// The number of streams.
    pub streams: u32,
    /// The longest time that the server may be unreachable before the import gives up.
    pub outage_limit: Duration,
}

/// The outcome of an import that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportOutcome {
    /// Every record was imported, or could be.
    Complete,
    /// Some records were rejected, or may be.
    SomeRejected,
    /// A signal stopped the import.
    Interrupted,
}

/// An import whose options and mapping file have been validated.
#[derive(Debug)]
pub struct Import {
    prepared: PreparedImport,
    options: ImportOptions,
    rejects_path: PathBuf,
}

impl ImportOptions {
    /// Checks everything that can be checked before a file is read.
    ///
    /// # Errors
    /// A file is missing; the mapping file is missing, superfluous or invalid; an option has a
    /// value that would reject every record ([`TransferError::OptionInvalid`]); the rejects would
    /// replace an input ([`TransferError::RejectsReplaceInput`]).
    pub fn prepare(self) -> Result<Import> {
        let prepared = self.read.clone().prepare()?;
        prepared.check_files()?;
        let ReadRequest { files, map, url_map, .. } = &self.read;
        let rejects_path = self.rejects.clone().unwrap_or_else(|| Rejects::default_path(files));
        let mut inputs = files.iter().chain(map).chain(url_map);
        if inputs.any(|input| is_same_file(input, &rejects_path)) {
            return Err(TransferError::RejectsReplaceInput.into());
        }
        Ok(Import { prepared, options: self, rejects_path })
    }
}

/// Returns true for two names of one file.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    one == other || real(one).is_some_and(|one| Some(one) == real(other))
}

impl Import {
    /// Returns the file that the rejects are written to, which a dry run does only if it is named.
    #[must_use]
    pub fn rejects_path(&self) -> &Path {
        &self.rejects_path
    }

    /// Reads and orders everything, sends nothing, and writes the findings to standard output.
    ///
    /// # Errors
    /// The first error in a file; the rejects file cannot be written.
    pub async fn dry_run(self) -> Result<ImportOutcome> {
        let Self { prepared, options, .. } = self;
        let mut signals = InterruptSignals::install()?;
        let totals = Arc::new(ImportTotals::default());
        let progress = ImportProgress::start(&totals);
        prepared.check_disk_space()?.iter().for_each(|text| progress.show_message(text));
        let mut rejects = Rejects::new(options.rejects, &prepared.settings.source);
        let read = move || {
            let found = dry_run::read(&prepared, options.orphans, &totals, &mut rejects);
            found.map(|found| (found, rejects))
        };
        let reading = send::spawn_reader(read)?;
        let (found, rejects) = tokio::select! {
            found = reading => found.context("the reader broke down")??,
            _ = signals.next() => return Ok(ImportOutcome::Interrupted),
        };
        drop(progress);
        console::line(&found.text())?;
        console::line(&format!("{} would be rejected before they are sent", rejects.total()))?;
        let by_reason = rejects.finish(true)?;
        by_reason.iter().try_for_each(|(reason, count)| console::line(&format!("  {count:>7}  {reason}")))?;
        let complete = by_reason.is_empty() && found.orphans == 0;
        Ok(if complete { ImportOutcome::Complete } else { ImportOutcome::SomeRejected })
    }

    /// Sends everything to the server and writes a summary to standard output.
    ///
    /// # Errors
    /// The first of these: a file that cannot be parsed (nothing is imported), a server that cannot
    /// be reached or rejects the import, a rejects file that cannot be written.
    pub async fn run(self, client: &AdminServiceClient<Connection>) -> Result<ImportOutcome> {
        let Self { prepared, options, rejects_path } = self;
        let mut signals = InterruptSignals::install()?;
        let rejects = Rejects::new(Some(rejects_path.clone()), &prepared.settings.source);
        let totals = Arc::new(ImportTotals::default());
        let progress = Arc::new(ImportProgress::start(&totals));
        prepared.check_disk_space()?.iter().for_each(|text| progress.show_message(text));
        let shared = Arc::new(options.shared(&prepared, rejects, &totals, &progress));
        let (stop, stopped) = watch::channel(false);
        let streams = usize::try_from(options.streams)?;
        let sending = send::run(prepared, client, streams, &shared, &stopped);
        let outcome = tokio::select! {
            outcome = Box::pin(sending) => outcome,
            () = signals.second(&stop, &progress) => return Ok(ImportOutcome::Interrupted),
        };
        let rejects = shared.rejects.lock().unwrap_or_else(PoisonError::into_inner).take();
        let is_complete = outcome.is_ok() && !*stopped.borrow();
        let by_reason = rejects.map_or_else(|| Ok(Default::default()), |rejects| rejects.finish(is_complete))?;
        let elapsed = progress.elapsed();
        drop(progress);
        // An import that fails before its first item has nothing to sum up.
        if outcome.is_ok() || totals.done.get() > 0 || !by_reason.is_empty() {
            let rejects = Some(rejects_path.as_path());
            console::line(&ImportSummary { totals: &totals, by_reason: &by_reason, rejects, elapsed }.text())?;
        }
        if *stopped.borrow() {
            console::note(&format!(
                "the import stopped; acknowledged items are stored. To continue, run the same command again:\n  {}",
                command_line("")
            ));
            return Ok(ImportOutcome::Interrupted);
        }
        outcome.map_err(with_next_command)?;
        Ok(if by_reason.is_empty() { ImportOutcome::Complete } else { ImportOutcome::SomeRejected })
    }
}

impl ImportOptions {
    fn shared(
        &self,
        prepared: &PreparedImport,
        rejects: Rejects,
        totals: &Arc<ImportTotals>,
        progress: &Arc<ImportProgress>,
    ) -> ImportShared {
        let progress = Arc::clone(progress);
        ImportShared {
            totals: Arc::clone(totals),
            source: prepared.settings.source.clone(),
            votes: self.votes,
            orphans: self.orphans,
            window: usize::try_from(self.outstanding.div_ceil(self.streams)).unwrap_or(1),
            throttle: Throttle::new(self.max_rps),
            outage_limit: self.outage_limit,
            outage: AtomicBool::new(false),
            report: Box::new(move |text| progress.show_message(text)),
            rejects: Mutex::new(Some(rejects)),
        }
    }
}

/// Adds the command that continues the import. Another run completes what an unavailable server
/// left undone, but never repairs an error in the files, nor one for which the server refuses the
/// import.
fn with_next_command(error: anyhow::Error) -> anyhow::Error {
    let may_succeed = error.chain().filter_map(|cause| cause.downcast_ref::<tonic::Status>()).any(is_transient);
    if !may_succeed {
        return error;
    }
    error.context(format!("the import is incomplete; to continue, run `{}` again", command_line("")))
}
