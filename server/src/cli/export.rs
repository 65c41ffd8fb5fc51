//! `riposte export`: writes subjects as JSON lines that `riposte import --format jsonl` accepts.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use riposte_transfer::export::{ExportOptions, ExportOutcome};

use super::connect::AdminAddress;
use super::exit::{Failure, INTERRUPTED, USAGE};
use super::output_file;

const RULES: &str = "\
The output begins with a header line. For each subject it contains the subject, its comments \
(parents first) and its likes. Imported comments keep their source and external id; comments \
created on this server, and all comments of a subject that has both kinds, are identified by \
comment id with the source `riposte`. Comments keep their states; shadowed ones are exported as \
HIDDEN, deleted ones as tombstones without text. Deleted subjects are omitted. After an import \
into another server, everything is equal except ids and floors.

A file is written as FILE.part and renamed when it is complete. After an interruption, --resume \
continues after the last complete subject.";

/// The content and the destination of an export.
#[derive(Debug, clap::Args)]
#[command(after_long_help = RULES)]
pub(super) struct Args {
    /// The object type of the subjects
    #[arg(long, value_name = "TYPE")]
    object_type: String,
    /// Export only this subject
    #[arg(long, value_name = "ID")]
    object_id: Option<String>,
    /// The file to write, or - for standard output
    #[arg(long, value_name = "FILE", default_value = "-")]
    out: PathBuf,
    /// Compress with gzip; implied by the name FILE.gz
    #[arg(long)]
    gzip: bool,
    /// Continue the unfinished FILE.part of an earlier run
    #[arg(long)]
    resume: bool,
    /// Replace FILE if it exists
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    target: AdminAddress,
}

impl Args {
    /// Runs the export and returns the exit code of its outcome.
    pub(super) async fn run(self) -> Result<ExitCode> {
        let gzip = self.gzip || self.out.extension().is_some_and(|extension| extension == "gz");
        let path = (self.out.as_os_str() != "-").then_some(self.out);
        if path.is_none() && self.resume {
            return Err(Failure::new(USAGE, "--resume needs --out FILE").into());
        }
        if let Some(path) = &path {
            output_file::check(path, "--out FILE")?;
        }
        let client = self.target.client()?;
        let (resume, overwrite) = (self.resume, self.overwrite);
        let (object_type, object_id) = (self.object_type, self.object_id);
        let outcome = ExportOptions { object_type, object_id, path, gzip, resume, overwrite }.run(client).await?;
        Ok(match outcome {
            ExportOutcome::Complete => ExitCode::SUCCESS,
            ExportOutcome::Interrupted => ExitCode::from(INTERRUPTED),
        })
    }
}
