//! `riposte-fakes`: a filter and an account service that answer as a script says.

use std::fs;
use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Parser;
use riposte_fakes::{CallFault, Fakes, Script};
use riposte_settings::TimeSpan;

const HELP: &str = "\
A script is a TOML file; every key is optional:
  [filter]
  outcome = \"allow\"                     # of texts without a word below
  words = { spam = \"hold\", scam = \"reject\" }
  [filter.calls]
  latency = \"5ms\"
  fault = \"double-key\"                  # one of the values of --fault
  every = 2                             # only each second call has the fault
  [accounts]
  others = { level = 1 }                # the account of every other member
  members = { m7 = { state = \"banned\" }, m8 = { exists = false } }
  [accounts.calls]
  latency = \"5ms\"

The flags replace what a script says about the calls of both services.

Examples:
  riposte-fakes
  riposte-fakes --script fakes.toml --latency 40ms
  riposte-fakes --fault unavailable --every 10";

/// Serve a filter and an account service that allow every text and know every member, unless a
/// script says something else.
#[derive(Debug, Parser)]
#[command(name = "riposte-fakes", version, max_term_width = 100, after_help = HELP)]
struct Args {
    /// The address of both services; port 0 takes any free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7180")]
    listen: SocketAddr,
    /// A script
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// The wait before each response
    #[arg(long, value_name = "DURATION")]
    latency: Option<TimeSpan>,
    /// The fault of the calls
    #[arg(long, value_enum, value_name = "FAULT")]
    fault: Option<CallFault>,
    /// Only each call of this number has the fault
    #[arg(long, value_name = "NUMBER", requires = "fault", value_parser = clap::value_parser!(u32).range(1..))]
    every: Option<u32>,
}

impl Args {
    fn script(&self) -> Result<Script> {
        let mut script = match &self.script {
            Some(file) => {
                let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
                toml::from_str(&text).with_context(|| file.display().to_string())?
            }
            None => Script::default(),
        };
        for calls in [&mut script.filter.calls, &mut script.accounts.calls] {
            calls.latency = self.latency.or(calls.latency);
            calls.fault = self.fault.or(calls.fault);
            calls.every = self.every.unwrap_or(calls.every);
        }
        Ok(script)
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let args = Args::parse();
    let fakes = Fakes::start(args.listen, args.script()?).await?;
    writeln!(std::io::stdout(), "riposte-fakes serves a filter and an account service at {}", fakes.address())?;
    fakes.run().await
}

#[cfg(test)]
mod tests {
    use super::{Args, HELP};
    use clap::{CommandFactory, Parser};
    use riposte_fakes::{CallFault, Outcome, Script, State};

    #[test]
    fn the_declaration_of_the_command_line_is_valid() {
        Args::command().debug_assert();
    }

    #[test]
    fn the_script_of_the_help_is_read() {
        let lines = HELP.lines().skip(1).take_while(|line| !line.is_empty());
        let script: Script = toml::from_str(&lines.collect::<Vec<_>>().join("\n")).unwrap();
        assert_eq!(script.filter.words["spam"], Outcome::Hold);
        assert_eq!(script.filter.calls.fault_of(1), None);
        assert_eq!(script.filter.calls.fault_of(2), Some(CallFault::DoubleKey));
        assert_eq!(script.accounts.members["m7"].state, State::Banned);
        assert!(!script.accounts.members["m8"].exists && script.accounts.others.exists);
    }

    #[test]
    fn flags_replace_what_the_script_says_about_calls() {
        let folder = std::env::temp_dir().join(format!("riposte-fakes-{}.toml", std::process::id()));
        std::fs::write(&folder, "[filter.calls]\nlatency = \"5ms\"\nfault = \"never\"\n").unwrap();
        let args = Args::parse_from(["riposte-fakes", "--script", folder.to_str().unwrap(), "--fault", "too-long"]);
        let script = args.script().unwrap();
        std::fs::remove_file(&folder).unwrap();
        assert_eq!(script.filter.calls.fault, Some(CallFault::TooLong));
        assert_eq!(script.accounts.calls.fault, Some(CallFault::TooLong));
        assert_eq!(script.filter.calls.wait().as_millis(), 5);
    }
}
