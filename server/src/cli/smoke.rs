//! `riposte smoke`: performs the calls of a client through the SDK on a few subjects of a running
//! service, and reverts them.

mod steps;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use futures::{StreamExt, stream};
use riposte_settings::TimeSpan;

use super::exit::Failure;
use super::{connect, output};

const RULES: &str = "\
On each of some subjects (smoke-1, smoke-2 …, created if they are missing) the command writes \
a comment, a reply and a like, checks that the list contains them, deletes both comments, and \
checks that the list no longer contains them. Every write with a response is durable.

The name of a subject determines its data source, therefore many subjects cover all data sources: \
with 24 for each, a data source that accepts no writes goes unnoticed once in a billion runs.

The caller needs the roles reader and writer on the object type. Its token is read from \
RIPOSTE_TOKEN, the certificate authority for https:// from RIPOSTE_TLS_CA, as in the SDKs. The \
subjects remain, with tombstones that no list shows.

For every subject that fails, standard error has a line with the failed step. The exit code is \
that of the first failure.

Examples:
  riposte smoke --object-type article
  riposte smoke --target https://riposte.example:7171 --object-type article --subjects 48";

/// The server and the extent of the test.
#[derive(Debug, clap::Args)]
#[command(after_long_help = RULES)]
pub(super) struct Args {
    /// The address of the public services
    #[arg(long, value_name = "URL", env = "RIPOSTE_TARGET", default_value = "http://127.0.0.1:7171")]
    target: String,
    /// The object type of the subjects
    #[arg(long, value_name = "TYPE")]
    object_type: String,
    /// The number of subjects
    #[arg(long, allow_negative_numbers = true, value_name = "COUNT", default_value = "24", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    subjects: u32,
    /// The number of subjects that are tested concurrently
    #[arg(long, allow_negative_numbers = true, value_name = "COUNT", default_value = "8", value_parser = clap::value_parser!(u16).range(1..=64))]
    parallel: u16,
    /// The longest wait until an address accepts connections
    #[arg(long, value_name = "DURATION", default_value = "10s")]
    wait: TimeSpan,
}

impl Args {
    /// Runs the smoke test. Messages for people go to standard error.
    pub(super) async fn run(self) -> Result<ExitCode> {
        let begin = Instant::now();
        let client = connect::public(&self.target)?;
        client.wait_ready(self.wait.duration()).await?;
        let outcomes = (1..=self.subjects).map(|number| {
            let subject = client.subject(&self.object_type, format!("smoke-{number}"));
            let client = client.clone();
            async move { (number, steps::run(&client, &subject).await) }
        });
        let mut outcomes = stream::iter(outcomes).buffer_unordered(usize::from(self.parallel));
        let (mut failed, mut first) = (0, None);
        while let Some((number, outcome)) = outcomes.next().await {
            if let Err(error) = outcome {
                output::note(&format!("smoke-{number}: {}", super::exit::words(&error)));
                failed += 1;
                first.get_or_insert(error);
            }
        }
        match first {
            None => {
                let elapsed = begin.elapsed();
                let subjects = output::count(self.subjects.into(), "subject");
                output::line(&format!("{subjects}: written, read, liked and deleted in {elapsed:.1?}"))?;
                Ok(ExitCode::SUCCESS)
            }
            Some(error) => {
                let code = super::exit::code(&error);
                Err(Failure::new(code, format!("{failed} of {} subjects failed", self.subjects)).into())
            }
        }
    }
}
