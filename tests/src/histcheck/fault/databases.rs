//! The database servers. The task runner that started this program also started them, and kills and
//! restarts them on request.

use anyhow::{Result, ensure};

/// Sends orders to the task runner on standard output. A line on standard input reports the
/// completion of each order. The task runner limits the duration of an order; standard input ends
/// when the task runner ends.
#[derive(Debug)]
pub(crate) struct Databases;

impl Databases {
    /// Ends databases by SIGKILL; numbers begin with 1.
    pub(crate) async fn kill(&mut self, numbers: &[u8]) -> Result<()> {
        order("kill", numbers).await
    }

    /// Suspends databases (SIGSTOP).
    pub(crate) async fn pause(&mut self, numbers: &[u8]) -> Result<()> {
        order("pause", numbers).await
    }

    /// Resumes databases (SIGCONT).
    pub(crate) async fn resume(&mut self, numbers: &[u8]) -> Result<()> {
        order("resume", numbers).await
    }

    /// Makes every flush of a database to its disk fail until the database exits, and starts it
    /// again.
    pub(crate) async fn fail_sync(&mut self, number: u8) -> Result<()> {
        order("fail-sync", &[number]).await
    }

    /// Fills the disk of a database for a moment, and starts the database again.
    pub(crate) async fn fill_disk(&mut self, number: u8) -> Result<()> {
        order("fill-disk", &[number]).await
    }

    /// Starts databases again, on their data and at their addresses; returns when they accept
    /// connections.
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
    let mut reply = String::new();
    let read = tokio::task::spawn_blocking(move || std::io::stdin().read_line(&mut reply).map(|_| reply));
    let reply = read.await??;
    ensure!(reply.trim_end() == "done", "the reply to the order {verb} is {reply:?}");
    Ok(())
}
