//! Ctrl-C in a long job: the first one stops it in order, the second one at once.

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use super::progress::ImportProgress;

/// Asks the job to stop at the first Ctrl-C or SIGTERM; returns at the second.
pub(crate) async fn second(stop: &watch::Sender<bool>, progress: &ImportProgress) {
    one().await;
    stop.send_replace(true);
    progress.say("stopping when what is under way is answered; Ctrl-C again stops now");
    one().await;
}

async fn one() {
    let Ok(mut terminate) = signal(SignalKind::terminate()) else { return std::future::pending().await };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
}

/// Returns the command as it was typed, quoted where a shell needs it, without secrets; `more` is
/// added unless it is already present.
pub(crate) fn command_line(more: &str) -> String {
    let mut words: Vec<String> = std::env::args().collect();
    if !more.is_empty() && !words.iter().any(|word| word == more) {
        words.push(more.to_owned());
    }
    shown(words)
}

fn shown(words: Vec<String>) -> String {
    let mut secret = false;
    let mut shown = Vec::new();
    for word in words {
        let hidden = std::mem::replace(&mut secret, word == "--member-salt");
        shown.push(match (hidden, word.starts_with("--member-salt=")) {
            (true, _) => "…".to_owned(),
            (false, true) => "--member-salt=…".to_owned(),
            (false, false) => quoted(word),
        });
    }
    shown.join(" ")
}

fn quoted(word: String) -> String {
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
        let shown = shown(words.map(str::to_owned).to_vec());
        assert_eq!(shown, r"riposte import 'it'\''s here.csv' --member-salt … --map a/b.toml --member-salt=… ''");
    }
}
