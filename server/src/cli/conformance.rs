//! `riposte conformance`: checks a filter or an account service that another team provides, before
//! a server calls it.

use super::exit::{ERROR, Failure, UNAVAILABLE, USAGE};
use super::output;
use clap::Subcommand;
use riposte_clients::conformance::{Check, check_accounts, check_filter};
use riposte_clients::{Connection, Endpoint, EndpointError, EndpointFiles, Limits};
use riposte_core::{MemberId, ObjectType};
use riposte_settings::TimeSpan;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

const EXAMPLES: &str = "\
Each check is one line. A check that fails names the breach, what was sent and what to change.

Without a scheme, an address on the loopback interface is called without TLS and every other one with TLS.

Examples:
  riposte conformance filter --target 127.0.0.1:7180
  riposte conformance filter --target filter.example:443 --ca-file ca.pem --token-file token
  riposte conformance account --target 127.0.0.1:7180 --member m7";

#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Args {
    #[command(subcommand)]
    service: Service,
}

#[derive(Debug, Subcommand)]
enum Service {
    /// Check a service of riposte.filter.v1, which judges texts
    #[command(after_long_help = EXAMPLES)]
    Filter {
        #[command(flatten)]
        target: ServiceTarget,
        /// The time in which a response must come; at most 500ms
        #[arg(long, value_name = "DURATION", default_value = "80ms")]
        deadline: TimeSpan,
    },
    /// Check a service of riposte.account.v1, which knows the accounts of members
    #[command(after_long_help = EXAMPLES)]
    Account {
        #[command(flatten)]
        target: ServiceTarget,
        /// The time in which a response must come; at most 500ms
        #[arg(long, value_name = "DURATION", default_value = "60ms")]
        deadline: TimeSpan,
        /// The object type under which members are asked about
        #[arg(long, value_name = "TYPE", default_value = "video")]
        object_type: String,
        /// A member that exists
        #[arg(long, value_name = "MEMBER")]
        member: Option<String>,
    },
}

#[derive(Debug, clap::Args)]
struct ServiceTarget {
    /// The address of the service
    #[arg(long, value_name = "HOST:PORT")]
    target: String,
    /// The authorities in PEM that are trusted, in place of those of the public web
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
    /// A client certificate in PEM
    #[arg(long, value_name = "FILE", requires = "key_file")]
    cert_file: Option<PathBuf>,
    /// The key of the client certificate
    #[arg(long, value_name = "FILE", requires = "cert_file")]
    key_file: Option<PathBuf>,
    /// A file with a bearer token
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

impl Args {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let checks = match self.service {
            Service::Filter { target, deadline } => {
                let deadline = checked_deadline(deadline)?;
                check_filter(target.connect().await?, deadline).await
            }
            Service::Account { target, deadline, object_type, member } => {
                let deadline = checked_deadline(deadline)?;
                let unusable = |what: String| Failure::new(USAGE, what);
                ObjectType::parse("object_type", &object_type)
                    .map_err(|fault| unusable(format!("--object-type {object_type:?}: {}", fault.description)))?;
                if let Some(member) = &member {
                    MemberId::parse("member", member)
                        .map_err(|fault| unusable(format!("--member {member:?}: {}", fault.description)))?;
                }
                check_accounts(target.connect().await?, deadline, &object_type, member.as_deref()).await
            }
        };
        output::write(&report(&checks))?;
        let failed = checks.iter().filter(|check| !check.breaches.is_empty()).count();
        if failed == 0 {
            return Ok(ExitCode::SUCCESS);
        }
        Err(Failure::new(ERROR, format!("{failed} of {} checks failed", checks.len())).into())
    }
}

impl ServiceTarget {
    async fn connect(self) -> anyhow::Result<Connection> {
        let Self { target, ca_file, cert_file, key_file, token_file } = self;
        let usage = |error: EndpointError| Failure::new(USAGE, format!("--target {target}: {error}"));
        let endpoint = Endpoint::parse(&target).map_err(|error| Failure::new(USAGE, format!("--target: {error}")))?;
        let files = EndpointFiles { ca_file, cert_file, key_file, token_file };
        let connected = endpoint.connect(&files).await;
        Ok(connected.map_err(|error| match error {
            EndpointError::Connect(reason) => {
                Failure::new(UNAVAILABLE, format!("cannot reach {endpoint}: {reason}; is the service running there?"))
            }
            EndpointError::File(_) => Failure::new(USAGE, error.to_string()),
            EndpointError::Address(_) | EndpointError::Plaintext(_) | EndpointError::Files(_) => usage(error),
        })?)
    }
}

fn checked_deadline(deadline: TimeSpan) -> Result<Duration, Failure> {
    let span = deadline.duration();
    if span.is_zero() || span > Limits::MAX_TIMEOUT {
        let what = format!("--deadline {deadline}: must be 1ms to {}ms", Limits::MAX_TIMEOUT.as_millis());
        return Err(Failure::new(USAGE, what));
    }
    Ok(span)
}

/// Returns a line for each check, and below one that failed its breaches. A service that breaks
/// every response in one way fails many checks with one cause, so the first breaches are enough.
fn report(checks: &[Check]) -> String {
    const SHOWN: usize = 3;
    let mut report = String::new();
    for Check { name, sent, took, breaches } in checks {
        let result = if breaches.is_empty() { "ok  " } else { "FAIL" };
        report += &format!("{result}  {name} ({} ms)\n", took.as_millis());
        if breaches.is_empty() {
            continue;
        }
        report += &format!("      sent    {sent}\n");
        for breach in breaches.iter().take(SHOWN) {
            let what = output::printable(&breach.to_string());
            report += &format!("      breach  {what}\n      change  {}\n", breach.change);
        }
        if breaches.len() > SHOWN {
            report += &format!("      and {} more\n", breaches.len() - SHOWN);
        }
    }
    report
}
