//! Ctrl-C during a long job: the first one stops it in an orderly way, the second one at once.

use anyhow::{Context, Result};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use super::progress::ImportProgress;

/// Ctrl-C and SIGTERM. They no longer end the process by themselves once this exists, so a job
/// creates it before it opens anything.
#[derive(Debug)]
pub(crate) struct InterruptSignals {
    interrupt: Signal,
    terminate: Signal,
}

impl InterruptSignals {
    /// Handles the signals from now on.
    ///
    /// # Errors
    /// The system refuses a handler.
    pub(crate) fn install() -> Result<Self> {
        let handle = |kind| signal(kind).context("cannot handle Ctrl-C and SIGTERM");
        Ok(Self { interrupt: handle(SignalKind::interrupt())?, terminate: handle(SignalKind::terminate())? })
    }

    /// Waits for the next signal, which may have come since the last call, and returns its name.
    pub(crate) async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "Ctrl-C",
            _ = self.terminate.recv() => "SIGTERM",
        }
    }

    /// Requests a stop of the job at the first signal; returns at the second.
    pub(crate) async fn second(&mut self, stop: &watch::Sender<bool>, progress: &ImportProgress) {
        let signal = self.next().await;
        stop.send_replace(true);
        progress.show_message(&format!("stopping after the responses to what was sent; {signal} again stops now"));
        self.next().await;
    }
}

/// Returns the command as it was typed, quoted where a shell needs it, without secrets; `option` is
/// added unless it is already present.
pub(crate) fn command_line(option: &str) -> String {
    let mut words: Vec<String> = std::env::args().collect();
    if !option.is_empty() && !words.iter().any(|word| word == option) {
        words.push(option.to_owned());
    }
    redacted(words)
}

fn redacted(words: Vec<String>) -> String {
    let mut secret = false;
    let mut shown = Vec::new();
    for word in words {
        let hidden = std::mem::replace(&mut secret, word == "--member-salt");
        shown.push(match (hidden, word.starts_with("--member-salt=")) {
            (true, _) => "…".to_owned(),
            (false, true) => "--member-salt=…".to_owned(),
            (false, false) => shell_quoted(word),
        });
    }
    shown.join(" ")
}

fn shell_quoted(word: String) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+~".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word;
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_can_be_pasted_into_a_shell_and_shows_no_secret() {
        let words = [
            "riposte",
            "import",
            "it's here.csv",
            "--member-salt",
            "s3cret",
            "--map",
            "a/b.toml",
            "--member-salt=x",
            "",
        ];
        let redacted = redacted(words.map(str::to_owned).to_vec());
        assert_eq!(redacted, r"riposte import 'it'\''s here.csv' --member-salt … --map a/b.toml --member-salt=… ''");
    }
}
