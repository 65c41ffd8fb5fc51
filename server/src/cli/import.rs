//! `riposte import`: imports comments from other systems through AdminService.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use riposte_transfer::import::{ImportOptions, ImportOutcome};
use riposte_transfer::{ImportFormat, Orphans, ReadRequest, SubjectBy, VotePolicy};

use super::connect::AdminAddress;
use super::exit::{INTERRUPTED, PARTIAL};
use super::output_file;
use crate::clock::SystemClock;

const RULES: &str = "\
Rules:
- Order: Parents before replies, otherwise by time; floors follow that order.
- Repetition: Items are identified by source and external id. A second import changes nothing: \
after an interruption (Ctrl-C, an unreachable server) the same command resumes.
- Orphans: A reply whose parent is neither in the files nor on the server: see --orphans.
- Empty texts: A comment without text is rejected, unless a comment with text replies to it: it \
is then imported as a tombstone (deleted by its author when it was created), which keeps the \
thread.
- Deleted: Comments deleted in the source are imported as tombstones, without their text.
- Long texts: A text or value beyond the server's limits is rejected, never truncated.
- People: as the map says for CSV and JSON; from others <source>:<username>, or a salted hash of \
e-mail or name. An e-mail address is never stored; an IP address only as client information, \
which no public service shows.
- Votes: Votes known only as numbers are imported as likes of members named ~synthetic:…; \
--votes skip omits them.
- Texts: HTML of Disqus and WordPress becomes plain text; Markdown of Isso and Commento stays as \
it is.
- Rejects: The rejects file contains JSON lines, each with a record and its reason. Correct the \
records and import that file with --format jsonl.
- Private: A WordPress post that the public cannot read becomes a hidden subject; only comments \
and reviews come in, not the notes of a shop's orders.
- Times: A time that cannot be read rejects its record. A comment up to a day after the present \
is as old as the import; one later than that is rejected.
- Nothing read: A file of another system, and files without any record (see --allow-empty), are \
errors.

Exit codes: 0 all imported, 6 some rejected, 130 stopped by Ctrl-C; otherwise as `riposte --help` \
says. Details: docs/import.md.";

/// The input and the limits of an import.
#[derive(Debug, clap::Args)]
#[command(after_long_help = RULES)]
pub(super) struct Args {
    /// The files to import, plain or gzip; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The format of the files
    #[arg(long, value_enum)]
    format: ImportFormat,
    /// For csv and json: the meaning of the fields; see docs/import.md
    #[arg(long, value_name = "MAP.toml", required_if_eq_any([("format", "csv"), ("format", "json")]))]
    map: Option<PathBuf>,
    #[command(flatten)]
    target: AdminAddress,
    /// The name of the comments' source, 1-64 bytes [default: the map's, else the format's name]
    #[arg(long, value_name = "NAME")]
    source: Option<String>,
    /// The object type of the subjects [default: the map's, else page]
    #[arg(long, value_name = "TYPE")]
    object_type: Option<String>,
    /// The id of a page: the source's own id for it, its path, or its address
    #[arg(long, value_enum, default_value_t)]
    subject_by: SubjectBy,
    /// A file with lines `old,new`: addresses of pages and those that replace them
    #[arg(long, value_name = "FILE")]
    url_map: Option<PathBuf>,
    /// Leave out the query of addresses: all of it, or these parameters
    #[arg(long, value_name = "NAME,…", num_args = 0..=1, require_equals = true, default_missing_value = "",
          value_delimiter = ',')]
    strip_query: Option<Vec<String>>,
    /// The IANA zone of local times in exports that name no zone, such as WordPress' [default: UTC]
    #[arg(long, value_name = "ZONE", default_value = "", hide_default_value = true)]
    timezone: String,
    /// For wordpress: types of comments that are imported in addition to comments and reviews
    #[arg(long, value_name = "TYPE,…", value_delimiter = ',')]
    comment_types: Vec<String>,
    /// Accept files without any record
    #[arg(long)]
    allow_empty: bool,
    /// The folder of temporary files, which need about twice the space of the unpacked files; they
    /// have no names and vanish with the process [default: the folder of the rejects]
    #[arg(long, value_name = "DIR")]
    spool: Option<PathBuf>,
    /// A secret that is part of the hashes of e-mail addresses and names, so that they cannot be
    /// guessed; reuse it in later imports [default: the source]
    #[arg(long, value_name = "TEXT", env = "RIPOSTE_MEMBER_SALT", hide_env_values = true, default_value = "")]
    member_salt: String,
    /// The treatment of a reply whose parent is neither in the files nor on the server
    #[arg(long, value_enum, default_value_t)]
    orphans: Orphans,
    /// The treatment of votes that are known only as numbers
    #[arg(long, value_enum, default_value_t)]
    votes: VotePolicy,
    /// The file for rejected items; replaced if it exists [default: <FILE>.rejects.jsonl in the
    /// current folder]
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,
    /// Read and check everything without sending it; rejected items are written only with --rejects
    #[arg(long)]
    dry_run: bool,
    /// The most items sent per second; the rate rises to it within ten seconds
    #[arg(long, allow_negative_numbers = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_rps: Option<u32>,
    /// The most items without a response, over all streams
    #[arg(long, allow_negative_numbers = true, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    in_flight: u32,
    /// The number of concurrent streams; a subject stays on one of them
    #[arg(long, allow_negative_numbers = true, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    streams: u32,
    /// Seconds for which the server may be unreachable before the import gives up
    #[arg(long, allow_negative_numbers = true, value_name = "SECONDS", default_value_t = 60)]
    patience: u32,
}

impl Args {
    /// Runs the import and returns the exit code of its outcome.
    pub(super) async fn run(self) -> Result<ExitCode> {
        let (target, dry_run) = (self.target.clone(), self.dry_run);
        let writes_rejects = !dry_run || self.rejects.is_some();
        let spool = self.spool.clone();
        let import = self.options().prepare()?;
        if writes_rejects {
            output_file::check(import.rejects_path(), "--rejects FILE")?;
        }
        if let Some(folder) = &spool {
            output_file::check_folder(folder, "--spool DIR")?;
        }
        let outcome = if dry_run { import.dry_run().await? } else { import.run(&target.client()?).await? };
        Ok(match outcome {
            ImportOutcome::Complete => ExitCode::SUCCESS,
            ImportOutcome::SomeRejected => ExitCode::from(PARTIAL),
            ImportOutcome::Interrupted => ExitCode::from(INTERRUPTED),
        })
    }

    fn options(self) -> ImportOptions {
        let rejects_folder = self.rejects.as_deref().and_then(Path::parent).filter(|folder| *folder != Path::new(""));
        let spool = self.spool.unwrap_or_else(|| rejects_folder.unwrap_or(Path::new(".")).to_owned());
        let strip_query = self.strip_query.map(|names| names.into_iter().filter(|name| !name.is_empty()).collect());
        let read = ReadRequest {
            map: self.map,
            source: self.source,
            object_type: self.object_type,
            salt: self.member_salt,
            subject_by: self.subject_by,
            url_map: self.url_map,
            strip_query,
            timezone: self.timezone,
            comment_types: self.comment_types,
            allow_empty: self.allow_empty,
            ..ReadRequest::new(self.files, self.format, spool, SystemClock.unix_millis())
        };
        ImportOptions {
            read,
            orphans: self.orphans,
            votes: self.votes,
            rejects: self.rejects,
            max_rps: self.max_rps,
            outstanding: self.in_flight,
            streams: self.streams,
            outage_limit: Duration::from_secs(self.patience.into()),
        }
    }
}
