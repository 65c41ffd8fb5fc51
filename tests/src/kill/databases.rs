//! The databases belong to the task runner that started this program: it kills and starts them as it is told.

use anyhow::{Result, ensure};

/// Orders go out on standard output; each is answered by a line on standard input. The task runner bounds what an
/// order may take, and its end is the end of the input.
#[derive(Debug)]
pub(crate) struct Databases;

impl Databases {
    /// Ends databases by SIGKILL; numbers begin with 1.
    pub(crate) async fn kill(&mut self, numbers: &[u8]) -> Result<()> {
        order("kill", numbers).await
    }

    /// Lets databases stand still (SIGSTOP).
    pub(crate) async fn pause(&mut self, numbers: &[u8]) -> Result<()> {
        order("pause", numbers).await
    }

    /// Lets databases go on (SIGCONT).
    pub(crate) async fn resume(&mut self, numbers: &[u8]) -> Result<()> {
        order("resume", numbers).await
    }

    /// Lets whatever a database flushes to its disk fail until it dies of it, and starts it again.
    pub(crate) async fn fail_sync(&mut self, number: u8) -> Result<()> {
        order("fail-sync", &[number]).await
    }

    /// Lets the disk of a database be full for a moment, and starts it anew.
    pub(crate) async fn fill_disk(&mut self, number: u8) -> Result<()> {
        order("fill-disk", &[number]).await
    }

    /// Starts databases again, on their data and at their addresses; returns when they greet.
    pub(crate) async fn start(&mut self, numbers: &[u8]) -> Result<()> {
        order("start", numbers).await
    }
}

async fn order(verb: &'static str, numbers: &[u8]) -> Result<()> {
    if numbers.is_empty() {
        return Ok(());
    }
    let numbers: Vec<String> = numbers.iter().map(u8::to_string).collect();
    println!("@{verb} {}", numbers.join(" "));
    let mut answer = String::new();
    let read = tokio::task::spawn_blocking(move || std::io::stdin().read_line(&mut answer).map(|_| answer));
    let answer = read.await??;
    ensure!(answer.trim_end() == "done", "the databases: {verb} was answered by {answer:?}");
    Ok(())
}
