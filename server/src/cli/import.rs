//! `riposte import`: imports comments from other systems through AdminService.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use tokio::sync::watch;

use super::ask;
use super::exit::{Failure, PARTLY, USAGE};
use super::transfer::interrupt::{self, INTERRUPTED, command_line};
use super::transfer::ordering::{self, Orphans};
use super::transfer::progress::ImportProgress;
use super::transfer::read::{ImportFormat, PreparedImport, ReadRequest, SubjectBy};
use super::transfer::rejects::Rejects;
use super::transfer::send::{self, ImportShared};
use super::transfer::summary::ImportSummary;
use super::transfer::throttle::Throttle;
use super::transfer::totals::ImportTotals;
use super::transfer::votes::VotePolicy;

const RULES: &str = "\
Rules:
  Order        Parents before replies, otherwise by time; floors follow that order.
  Again        Items are known by source and external id. A second import changes nothing, so
               after any break (Ctrl-C, a lost server) the same command goes on where it stopped.
  Orphans      A reply whose parent is neither in the files nor on the server: see --orphans.
  Empty texts  A comment without text is rejected, unless a comment with text hangs below it:
               then it comes in as a tombstone (deleted by its author when it was written), which
               keeps the thread.
  Deleted      Comments deleted in the source come in as tombstones, without their text.
  Long texts   A text or value beyond the server's bounds is rejected, never cut.
  People       CSV: the member ids of the file. Others: <source>:<username>, or a salted hash of
               e-mail or name. An e-mail address is never stored; an IP address only as client
               information, which no public service shows.
  Votes        Votes known only as numbers come in as members named ~synthetic:…; --votes skip
               leaves them out.
  Texts        HTML of Disqus and WordPress becomes plain text; Markdown of Isso and Commento
               stays as it is.
  Rejects      The rejects file holds JSON lines with the reason beside each record. Mend the
               records and import that file with --format jsonl.
  Memory       csv, disqus, wordpress, isso and commento are held in memory whole; jsonl a few
               subjects at a time.

Exit codes: 0 all brought in, 6 some rejected, 130 stopped by Ctrl-C; else as `riposte --help`
says. The whole story: docs/import.md.";

/// What to import, and how.
#[derive(Debug, clap::Args)]
#[command(after_long_help = RULES)]
pub(super) struct Args {
    /// Files to bring in, plain or gzip
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// What the files are
    #[arg(long, value_enum)]
    format: ImportFormat,
    /// For csv: says what the columns are; see docs/import.md
    #[arg(long, value_name = "MAP.toml", required_if_eq("format", "csv"))]
    map: Option<PathBuf>,
    /// Address of the server's admin port
    #[arg(long, value_name = "URL", env = "RIPOSTE_ADMIN_TARGET", default_value = "http://127.0.0.1:7172")]
    target: String,
    /// Names where the comments come from, 1-64 bytes [default: the map's, else the format's name]
    #[arg(long, value_name = "NAME")]
    source: Option<String>,
    /// Object type of the subjects [default: the map's, else page]
    #[arg(long, value_name = "TYPE")]
    object_type: Option<String>,
    /// What names a page: the source's own id for it, or its path
    #[arg(long, value_enum, default_value_t)]
    subject_by: SubjectBy,
    /// Secret that goes into the hashes of e-mail addresses and names, so that nobody can try them out; keep it for the
    /// next import [default: the source]
    #[arg(long, value_name = "TEXT", env = "RIPOSTE_MEMBER_SALT", hide_env_values = true, default_value = "")]
    member_salt: String,
    /// What happens to a reply whose parent is neither in the files nor on the server
    #[arg(long, value_enum, default_value_t)]
    orphans: Orphans,
    /// What happens to votes known only as numbers
    #[arg(long, value_enum, default_value_t)]
    votes: VotePolicy,
    /// Where rejects go; replaced if it is there [default: <FILE>.rejects.jsonl in the current folder]
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,
    /// Read and check everything, send nothing; writes rejects only with --rejects
    #[arg(long)]
    dry_run: bool,
    /// Most items sent in a second, reached within ten seconds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_rps: Option<u32>,
    /// Most items without an answer, over all streams
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    in_flight: u32,
    /// Streams at once; a subject stays on one of them
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    streams: u32,
    /// Seconds that the server may be out of reach before the import gives up
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    patience: u32,
}

impl Args {
    /// Runs the import and reports its outcome.
    pub(super) async fn run(self) -> Result<ExitCode> {
        let prepared = self.request().prepare()?;
        let rejects_path = self.rejects.clone().unwrap_or_else(|| Rejects::default_path(&self.files));
        if self.files.contains(&rejects_path) {
            let message = "the rejects would replace one of the files to read; name another with --rejects";
            return Err(Failure::new(USAGE, message).into());
        }
        if self.dry_run {
            return self.check(prepared).await;
        }
        let rejects = Rejects::new(Some(rejects_path.clone()), &prepared.settings.source);
        let tally = Arc::new(ImportTotals::default());
        let progress = Arc::new(ImportProgress::start(&tally));
        let shared = Arc::new(self.shared(&prepared, rejects, &tally, &progress));
        let client = ask::admin(&self.target)?;
        let (stop, stopped) = watch::channel(false);
        let streams = usize::try_from(self.streams)?;
        let sending = send::run(prepared, &client, streams, &shared, &stopped);
        let outcome = tokio::select! {
            outcome = Box::pin(sending) => outcome,
            () = interrupt::second(&stop, &progress) => return Ok(ExitCode::from(INTERRUPTED)),
        };
        let rejects = shared.rejects.lock().unwrap_or_else(PoisonError::into_inner).take();
        let by_reason = rejects.map_or_else(|| Ok(Default::default()), Rejects::finish)?;
        let elapsed = progress.elapsed();
        drop(progress);
        println!(
            "{}",
            ImportSummary { tally: &tally, by_reason: &by_reason, rejects: Some(&rejects_path), elapsed }.text()
        );
        if *stopped.borrow() {
            eprintln!(
                "stopped; what was answered is kept. To go on, run the same command again:\n  {}",
                command_line("")
            );
            return Ok(ExitCode::from(INTERRUPTED));
        }
        outcome.map_err(going_on)?;
        Ok(if by_reason.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(PARTLY) })
    }

    fn request(&self) -> ReadRequest {
        ReadRequest {
            files: self.files.clone(),
            format: self.format,
            map: self.map.clone(),
            source: self.source.clone(),
            object_type: self.object_type.clone(),
            salt: self.member_salt.clone(),
            subject_by: self.subject_by,
        }
    }

    fn shared(
        &self,
        prepared: &PreparedImport,
        rejects: Rejects,
        tally: &Arc<ImportTotals>,
        progress: &Arc<ImportProgress>,
    ) -> ImportShared {
        let progress = Arc::clone(progress);
        ImportShared {
            tally: Arc::clone(tally),
            source: prepared.settings.source.clone(),
            votes: self.votes,
            orphans: self.orphans,
            window: usize::try_from(self.in_flight.div_ceil(self.streams)).unwrap_or(1),
            pace: Throttle::new(self.max_rps),
            patience: Duration::from_secs(self.patience.into()),
            outage: AtomicBool::new(false),
            say: Box::new(move |text| progress.say(text)),
            rejects: Mutex::new(Some(rejects)),
        }
    }

    /// Reads and orders everything without a server.
    async fn check(self, prepared: PreparedImport) -> Result<ExitCode> {
        let mut rejects = Rejects::new(self.rejects.clone(), &prepared.settings.source);
        let read = move || -> Result<(Found, Rejects)> {
            let mut found = Found::default();
            prepared.read(&mut |group| {
                let batch = ordering::arrange(group, self.orphans);
                found.add(&batch);
                batch.rejects.into_iter().try_for_each(|reject| rejects.add(reject))
            })?;
            Ok((found, rejects))
        };
        let (found, rejects) = tokio::task::spawn_blocking(read).await??;
        println!("{}", found.text());
        println!("{} would be rejected before they are sent", rejects.total());
        let by_reason = rejects.finish()?;
        by_reason.iter().for_each(|(reason, count)| println!("  {count:>7}  {reason}"));
        Ok(if by_reason.is_empty() && found.orphans == 0 { ExitCode::SUCCESS } else { ExitCode::from(PARTLY) })
    }
}

/// Adds the command that continues the import. Another run completes what an unavailable server
/// left undone, but never repairs an error in the files.
fn going_on(error: anyhow::Error) -> anyhow::Error {
    if !error.chain().any(|cause| cause.is::<tonic::Status>()) {
        return error;
    }
    error.context(format!("not all was brought in; to go on, run `{}` again", command_line("")))
}

/// The findings of a dry run.
#[derive(Debug, Default)]
struct Found {
    subjects: u64,
    comments: u64,
    orphans: u64,
    likes: u64,
    votes: u64,
}

impl Found {
    fn add(&mut self, batch: &ordering::SubjectBatch) {
        self.subjects += u64::from(batch.sends_subject);
        for planned in &batch.comments {
            self.comments += 1;
            self.orphans += u64::from(planned.orphan);
            self.votes += planned.comment.votes.total();
        }
        self.likes += u64::try_from(batch.likes.len()).unwrap_or(u64::MAX);
    }

    fn text(&self) -> String {
        let Self { subjects, comments, orphans, likes, votes } = self;
        format!(
            "nothing was sent: {subjects} subjects, {comments} comments, {likes} likes, {votes} votes known only as numbers\n\
             {orphans} of the comments answer one that is not in the files: the server would be asked"
        )
    }
}
