//! Ctrl-C during a long job: the first one stops it in an orderly way, the second one at once.

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use super::progress::ImportProgress;

/// Requests a stop of the job at the first Ctrl-C or SIGTERM; returns at the second.
pub(crate) async fn wait_for_second_signal(stop: &watch::Sender<bool>, progress: &ImportProgress) {
    wait_for_signal().await;
    stop.send_replace(true);
    progress.show_message("stopping after the responses to what was sent; Ctrl-C again stops now");
    wait_for_signal().await;
}

/// Waits for Ctrl-C or SIGTERM.
pub(crate) async fn wait_for_signal() {
    let Ok(mut terminate) = signal(SignalKind::terminate()) else { return std::future::pending().await };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
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
