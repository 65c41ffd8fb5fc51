//! `riposte export`: writes subjects as JSON lines that `riposte import --format jsonl` accepts.

use std::io::{Seek, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::{Context, Result, anyhow};
use riposte_sdk::Connection;
use riposte_sdk::v1::ListSubjectsRequest;
use riposte_sdk::v1::admin_service_client::AdminServiceClient;
use tempfile::SpooledTempFile;
use tokio::sync::watch;

use super::ask;
use super::exit::{Failure, NOT_FOUND, USAGE};
use super::transfer::export::{self, SubjectExport};
use super::transfer::interrupt::{self, INTERRUPTED, command_line};
use super::transfer::jsonl::Scope;
use super::transfer::output::{ExportOutput, OutputTarget};
use super::transfer::progress::ImportProgress;
use super::transfer::record::Key;
use super::transfer::resume::FinishedSubjects;
use super::transfer::totals::ImportTotals;
use super::transfer::wire;

/// Bytes of one subject that are held in memory before they go to a temporary file.
const SPOOL_BYTES: usize = 16 << 20;
const PAGE: i32 = 100;
/// Attempts for one subject before the export gives up.
const TRIES: u32 = 5;

const RULES: &str = "\
The lines: a header, then for each subject itself, its comments (parents first), its likes.
Comments keep the source and external id they were imported with; comments written here, and all
of a subject that has both kinds, are named by comment id under the source `riposte`. Pending,
rejected and shadowed comments are written as HIDDEN; deleted ones as tombstones without text;
deleted subjects are left out. Imported into another server, or an empty one, all is equal but
for ids and floors.

A file is written as FILE.part and takes its name when it is whole. After a break, --resume goes
on behind the last whole subject.";

/// What to export, and where to.
#[derive(Debug, clap::Args)]
#[command(after_long_help = RULES)]
pub(super) struct Args {
    /// Object type of the subjects
    #[arg(long, value_name = "TYPE")]
    object_type: String,
    /// One subject only
    #[arg(long, value_name = "ID")]
    object_id: Option<String>,
    /// File to write, or - for standard output
    #[arg(long, value_name = "FILE", default_value = "-")]
    out: PathBuf,
    /// Pack with gzip; goes without saying for a FILE.gz
    #[arg(long)]
    gzip: bool,
    /// Go on with the unfinished FILE.part of an earlier run
    #[arg(long)]
    resume: bool,
    /// Replace FILE if it is there
    #[arg(long)]
    overwrite: bool,
    /// Address of the server's admin port
    #[arg(long, value_name = "URL", env = "RIPOSTE_ADMIN_TARGET", default_value = "http://127.0.0.1:7172")]
    target: String,
}

/// A running export.
#[derive(Debug)]
struct Run {
    client: AdminServiceClient<Connection>,
    output: ExportOutput,
    done: FinishedSubjects,
    tally: Arc<ImportTotals>,
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

impl Args {
    /// Runs the export. The lines go to the output, messages for people to standard error.
    pub(super) async fn run(self) -> Result<ExitCode> {
        let path = (self.out.as_os_str() != "-").then(|| self.out.clone());
        if path.is_none() && self.resume {
            return Err(Failure::new(USAGE, "--resume needs --out FILE").into());
        }
        let gzip = self.gzip || self.out.extension().is_some_and(|extension| extension == "gz");
        let scope = Scope { object_type: self.object_type.clone(), object_id: self.object_id.clone() };
        let client = ask::admin(&self.target)?;
        let to_file = path.is_some();
        let target = OutputTarget { path, gzip, resume: self.resume, overwrite: self.overwrite };
        let (output, done) = target.open(&scope)?;
        let tally = Arc::new(ImportTotals::default());
        let progress = ImportProgress::start(&tally);
        let (stop, stopped) = watch::channel(false);
        let mut run = Run { client, output, done, tally, stop: stopped.clone(), totals: Totals::default() };
        let outcome = tokio::select! {
            outcome = Box::pin(run.all(scope)) => outcome,
            () = interrupt::second(&stop, &progress) => return Ok(ExitCode::from(INTERRUPTED)),
        };
        let elapsed = progress.elapsed();
        drop(progress);
        let resume = if to_file { "--resume" } else { "" };
        outcome.with_context(|| format!("not all was exported; to go on:\n  {}\n", command_line(resume)))?;
        if *stopped.borrow() {
            eprintln!("stopped behind a whole subject. To go on:\n  {}", command_line(resume));
            return Ok(ExitCode::from(INTERRUPTED));
        }
        run.output.finish()?;
        let Totals { subjects, comments, likes, deleted } = run.totals;
        let seconds = elapsed.as_secs_f64();
        eprintln!("exported {subjects} subjects, {comments} comments, {likes} likes in {seconds:.1} s");
        if deleted > 0 {
            eprintln!("left out {deleted} deleted subjects");
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Run {
    async fn all(&mut self, scope: Scope) -> Result<()> {
        if let Some(object_id) = scope.object_id {
            self.tally.total.add(1);
            let key = Key { object_type: scope.object_type, object_id };
            self.subject(&key).await?;
            if self.totals.deleted > 0 {
                let message = format!("the subject {}/{} is deleted", key.object_type, key.object_id);
                return Err(Failure::new(NOT_FOUND, message).into());
            }
            return Ok(());
        }
        let mut page_token = String::new();
        loop {
            let request = ListSubjectsRequest {
                object_type: scope.object_type.clone(),
                page_size: PAGE,
                page_token: page_token.clone(),
            };
            let page = self.client.list_subjects(request).await?.into_inner();
            self.tally.total.add(u64::try_from(page.subjects.len())?);
            self.tally.total_known.store(page.next_page_token.is_empty(), Ordering::Relaxed);
            for subject in page.subjects {
                if *self.stop.borrow() {
                    return Ok(());
                }
                let key = wire::key(subject.key);
                if !self.done.contains(&key.object_id) {
                    self.subject(&key).await?;
                }
                self.tally.done.add(1);
            }
            if page.next_page_token.is_empty() {
                return Ok(());
            }
            page_token = page.next_page_token;
        }
    }

    /// Exports one subject. If the connection breaks, it starts again from the beginning, because
    /// nothing of the subject has been written yet.
    async fn subject(&mut self, key: &Key) -> Result<()> {
        let mut tries = 1;
        loop {
            let mut lines = SpooledTempFile::new(SPOOL_BYTES);
            let error = match export::subject(&mut self.client, key, &mut lines).await {
                Ok(exported) => return self.write(exported, lines),
                Err(error) => error,
            };
            let broken =
                error.downcast_ref::<tonic::Status>().is_some_and(|status| status.code() == tonic::Code::Unavailable);
            if !broken || tries == TRIES {
                return Err(error).with_context(|| format!("exporting {}/{}", key.object_type, key.object_id));
            }
            tokio::time::sleep(std::time::Duration::from_millis(100) * (1 << tries)).await;
            tries += 1;
        }
    }

    fn write(&mut self, exported: SubjectExport, mut lines: SpooledTempFile) -> Result<()> {
        let (comments, likes) = match exported {
            SubjectExport::Whole { comments, likes } => (comments, likes),
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
