//! A complete export: writes subjects as lines of JSON, and reports the outcome to a person.

mod subject;

use std::io::{Seek, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::{Context, Result, anyhow};
use riposte_sdk::Connection;
use riposte_sdk::v1::ListSubjectsRequest;
use riposte_sdk::v1::admin_service_client::AdminServiceClient;
use tempfile::SpooledTempFile;
use tokio::sync::watch;

use super::console::note;
use super::counted::count;
use super::error::TransferError;
use super::interrupt::{InterruptSignals, command_line};
use super::jsonl::Scope;
use super::names;
use super::output::{ExportOutput, OutputTarget};
use super::progress::ImportProgress;
use super::proto;
use super::record::Key;
use super::resume::FinishedSubjects;
use super::sender::is_transient;
use super::totals::ImportTotals;
use subject::SubjectExport;

/// The bytes of one subject that are kept in memory before they go to a temporary file.
const SPOOL_BYTES: usize = 16 << 20;
const PAGE_SIZE: i32 = 100;
/// Attempts for one subject before the export gives up.
const ATTEMPTS_MAX: u32 = 5;

/// The options of an export.
#[derive(Debug, Clone)]
pub struct ExportOptions {
    /// The object type of the subjects.
    pub object_type: String,
    /// The object id of the only subject to export; `None` for all subjects of the type.
    pub object_id: Option<String>,
    /// The file to write; `None` for standard output.
    pub path: Option<PathBuf>,
    /// Compress the output with gzip.
    pub gzip: bool,
    /// Resume the unfinished file of an earlier run.
    pub resume: bool,
    /// Replace a finished file.
    pub overwrite: bool,
}

/// The outcome of an export that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportOutcome {
    /// Every subject was exported.
    Complete,
    /// A signal stopped the export.
    Interrupted,
}

/// A running export.
#[derive(Debug)]
struct Run {
    client: AdminServiceClient<Connection>,
    output: ExportOutput,
    finished: FinishedSubjects,
    progress_totals: Arc<ImportTotals>,
    stop: watch::Receiver<bool>,
    totals: Totals,
}

#[derive(Debug, Default, Clone, Copy)]
struct Totals {
    subjects: u64,
    comments: u64,
    likes: u64,
    deleted: u64,
}

impl ExportOptions {
    /// Runs the export. The lines go to the output, messages for people to standard error.
    ///
    /// # Errors
    /// No object type has this name ([`TransferError::OptionInvalid`]); the output cannot be
    /// written or belongs to another export; the server fails or breaks the contract; the only
    /// subject is deleted ([`TransferError::SubjectDeleted`]).
    pub async fn run(self, client: AdminServiceClient<Connection>) -> Result<ExportOutcome> {
        let Self { object_type, object_id, path, gzip, resume, overwrite } = self;
        names::check_object_type(&object_type)?;
        let mut signals = InterruptSignals::install()?;
        let scope = Scope { object_type, object_id };
        let to_file = path.is_some();
        let (output, finished) = OutputTarget { path, gzip, resume, overwrite }.open(&scope)?;
        let progress_totals = Arc::new(ImportTotals::default());
        let progress = ImportProgress::start(&progress_totals);
        let (stop, stopped) = watch::channel(false);
        let mut run =
            Run { client, output, finished, progress_totals, stop: stopped.clone(), totals: Totals::default() };
        let outcome = tokio::select! {
            outcome = Box::pin(run.export_all(scope)) => outcome,
            () = signals.second(&stop, &progress) => return Ok(ExportOutcome::Interrupted),
        };
        let elapsed = progress.elapsed();
        drop(progress);
        // Only a file shows which subjects it has, so an export to standard output starts again.
        let next = if to_file && !(outcome.is_err() && run.output.is_empty()) {
            format!("To continue, run:\n  {}", command_line("--resume"))
        } else {
            format!("To start again, run:\n  {}", command_line(""))
        };
        if let Err(error) = outcome {
            return Err(run.fail(error, &next));
        }
        if *stopped.borrow() {
            note(&format!("the export stopped after a complete subject. {next}"));
            return Ok(ExportOutcome::Interrupted);
        }
        run.output.finish()?;
        let Totals { subjects, comments, likes, deleted } = run.totals;
        let seconds = elapsed.as_secs_f64();
        let (subjects, comments) = (count(subjects, "subject"), count(comments, "comment"));
        note(&format!("exported {subjects}, {comments}, {} in {seconds:.1} s", count(likes, "like")));
        if deleted > 0 {
            note(&format!("left out {}", count(deleted, "deleted subject")));
        }
        Ok(ExportOutcome::Complete)
    }
}

impl Run {
    /// Returns the error with which the export ends, and with it the next command unless the same
    /// command can only fail again. An export without content leaves no file.
    fn fail(self, error: anyhow::Error, next: &str) -> anyhow::Error {
        let is_empty = self.output.is_empty();
        let error = match is_empty.then(|| self.output.discard()) {
            Some(Err(left)) => error.context(format!("{left:#}")),
            Some(Ok(())) | None => error,
        };
        let status = error.chain().find_map(|cause| cause.downcast_ref::<tonic::Status>());
        let is_refused = is_empty && status.is_none_or(|status| !is_transient(status));
        if is_refused { error } else { error.context(format!("the export is incomplete. {next}\n")) }
    }

    async fn export_all(&mut self, scope: Scope) -> Result<()> {
        if let Some(object_id) = scope.object_id {
            self.progress_totals.total.add(1);
            let key = Key { object_type: scope.object_type, object_id };
            self.export_subject(&key).await?;
            if self.totals.deleted > 0 {
                let Key { object_type, object_id } = key;
                return Err(TransferError::SubjectDeleted { object_type, object_id }.into());
            }
            return Ok(());
        }
        let mut page_token = String::new();
        loop {
            let request = ListSubjectsRequest {
                object_type: scope.object_type.clone(),
                page_size: PAGE_SIZE,
                page_token: page_token.clone(),
            };
            let page = self.client.list_subjects(request).await?.into_inner();
            self.progress_totals.total.add(u64::try_from(page.subjects.len())?);
            self.progress_totals.total_known.store(page.next_page_token.is_empty(), Ordering::Relaxed);
            for subject in page.subjects {
                if *self.stop.borrow() {
                    return Ok(());
                }
                let key = proto::key(subject.key);
                if !self.finished.contains(&key.object_id) {
                    self.export_subject(&key).await?;
                }
                self.progress_totals.done.add(1);
            }
            if page.next_page_token.is_empty() {
                return Ok(());
            }
            page_token = page.next_page_token;
        }
    }

    /// Exports one subject. If the connection breaks, it starts again from the beginning, because
    /// nothing of the subject has been written yet.
    async fn export_subject(&mut self, key: &Key) -> Result<()> {
        let mut attempt = 1;
        loop {
            let mut lines = SpooledTempFile::new(SPOOL_BYTES);
            let error = match subject::write(&mut self.client, key, &mut lines).await {
                Ok(exported) => return self.append(exported, lines),
                Err(error) => error,
            };
            let is_unreachable =
                error.downcast_ref::<tonic::Status>().is_some_and(|status| status.code() == tonic::Code::Unavailable);
            if !is_unreachable || attempt == ATTEMPTS_MAX {
                return Err(error).with_context(|| format!("exporting {}/{}", key.object_type, key.object_id));
            }
            tokio::time::sleep(std::time::Duration::from_millis(100) * (1 << attempt)).await;
            attempt += 1;
        }
    }

    fn append(&mut self, exported: SubjectExport, mut lines: SpooledTempFile) -> Result<()> {
        let (comments, likes) = match exported {
            SubjectExport::Complete { comments, likes } => (comments, likes),
            SubjectExport::Deleted => {
                self.totals.deleted += 1;
                return Ok(());
            }
        };
        lines.flush()?;
        lines.rewind().map_err(|error| anyhow!("cannot read back a temporary file: {error}"))?;
        self.output.append(&mut lines)?;
        self.totals.subjects += 1;
        self.totals.comments += comments;
        self.totals.likes += likes;
        Ok(())
    }
}
