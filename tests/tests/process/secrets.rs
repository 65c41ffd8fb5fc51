//! Secrets in files that change while the process runs: passwords of databases and of Redis, keys
//! of page tokens.

mod databases;
mod page_tokens;
mod redis;

use std::path::PathBuf;

use anyhow::{Context, Result};
use riposte_tests::{Server, command, until};

use super::metrics::ask;

/// The interval after which the server detects a change.
const SOON: [&str; 2] = ["--set", "auth.reload_interval=1s"];

/// Files with one secret each.
struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Result<Self> {
        Ok(Self(tempfile::tempdir()?))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file atomically, as an operator's tools do.
    fn write(&self, name: &str, text: &str) -> Result<()> {
        std::fs::write(self.path("new"), format!("{text}\n"))?;
        Ok(std::fs::rename(self.path("new"), self.path(name))?)
    }
}

/// Returns the value of the metric in the line that begins with `name`.
async fn metric(server: &Server, name: &str) -> Result<u64> {
    let text = ask(server.metrics_target(), "GET", "/metrics").await?;
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    value.map_or(Ok(0), |value| value.parse().with_context(|| format!("{name} {value}")))
}

/// Changes a file or account that the server reloads, and returns when the server uses it.
async fn taken(server: &Server, change: impl FnOnce() -> Result<()>) -> Result<()> {
    const USED: &str = "riposte_reloads_total{outcome=\"used\"}";
    let before = metric(server, USED).await?;
    change()?;
    until("the change is used", || async { Ok(metric(server, USED).await? > before) }).await
}

/// Makes an invalid change, and returns when the server refuses it.
async fn refused(server: &Server, change: impl FnOnce() -> Result<()>) -> Result<()> {
    change()?;
    until("the change is refused", || async { Ok(metric(server, "riposte_files_refused").await? == 1) }).await
}

#[tokio::test]
async fn a_secret_that_cannot_be_read_at_the_start_is_named_by_key_and_file_and_never_shown() -> Result<()> {
    let files = Files::new()?;
    files.write("wrong", "hush-hush")?;
    let wrong = files.path("wrong").display().to_string();
    let source = format!("store.sources=[{{url_file=\"{wrong}\"}}]");
    let (cache, key) = (format!("cache.url_file={wrong}"), format!("page_tokens.key_files=[\"{wrong}\"]"));
    let dev = ["dev", "--listen", "127.0.0.1:0", "--set", "cache.kind=redis", "--set"];
    let serve = ["serve", "--allow-insecure", "--set", "server.listen=127.0.0.1:0", "--set"];
    for (verb, set, named) in [
        (&serve[..], &source, "store.sources.0.url_file"),
        (&["migrate", "status", "--set"], &source, "store.sources.0.url_file"),
        (&dev, &cache, "cache.url_file"),
        (&["dev", "--listen", "127.0.0.1:0", "--set"], &key, "page_tokens.key_files.0"),
    ] {
        let output = command::run([verb, &[set.as_str()]].concat()).await?.ended(2)?.says(&[named, &wrong, "must"])?;
        anyhow::ensure!(!output.err.contains("hush-hush"), "a secret is shown: {}", output.err);
    }
    let doctor = ["doctor", "--dev", "--set", "cache.kind=redis", "--set", &cache, "--set", &key];
    let output = command::run(doctor).await?.ended(1)?;
    for named in ["cache.url_file", "page_tokens.key_files.0"] {
        anyhow::ensure!(output.out.contains(named) && !output.out.contains("hush-hush"), "{}", output.out);
    }
    let output = command::run(["config", "print", "--dev", "--set", &key]).await?.ended(0)?;
    anyhow::ensure!(output.out.contains(&wrong) && !output.out.contains("hush-hush"), "{}", output.out);
    Ok(())
}
