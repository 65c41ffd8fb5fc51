//! Continuous writes of comments.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use futures::future::join_all;
use riposte_sdk::Client;
use tokio::sync::watch;
use tonic::Code;

use super::subject;
use crate::Say;

/// Number of concurrent callers.
const CALLERS: usize = 16;

/// The record of acknowledged comments.
#[derive(Debug)]
struct AcknowledgedLog {
    file: std::fs::File,
    /// Number of acknowledged comments.
    count: usize,
    /// Time of the last acknowledgement.
    last: Instant,
    /// The longest time without an acknowledgement.
    longest_gap: Duration,
}

/// Writes until standard input ends.
pub(super) async fn write(client: &Client, file: &Path) -> Result<()> {
    let file = std::fs::OpenOptions::new().create(true).append(true).open(file)?;
    let log =
        Arc::new(Mutex::new(AcknowledgedLog { file, count: 0, last: Instant::now(), longest_gap: Duration::ZERO }));
    let (failed, (stop, stopped)) = (Arc::new(AtomicUsize::new(0)), watch::channel(false));
    let callers = (0..CALLERS).map(|caller| {
        let (client, log, failed) = (client.clone(), Arc::clone(&log), Arc::clone(&failed));
        let stopped = stopped.clone();
        tokio::spawn(async move {
            for round in 0_usize.. {
                if *stopped.borrow() {
                    break;
                }
                let say = Say { client: client.clone(), key: subject(caller + round * CALLERS) };
                let text = format!("{} of {caller}, {}", round + 1, std::process::id());
                match say.comment("m", &text).await {
                    Ok(comment) => locked(&log).append(comment.id, &text)?,
                    Err(status) => {
                        failed.fetch_add(1, Ordering::Relaxed);
                        if status.code() != Code::DeadlineExceeded {
                            // No server is running: retries without a pause would be most of the
                            // load.
                            tokio::time::sleep(Duration::from_millis(20)).await;
                        }
                    }
                }
            }
            anyhow::Ok(())
        })
    });
    let callers = join_all(callers);
    tokio::task::spawn_blocking(move || {
        let read = std::io::stdin().read_to_end(&mut Vec::new());
        stop.send_replace(true);
        read
    });
    for caller in callers.await {
        caller??;
    }
    let (log, failed) = (locked(&log), failed.load(Ordering::Relaxed));
    let gap = log.longest_gap.as_secs_f64();
    println!(
        "{} acknowledged, {failed} calls failed, the longest time without an acknowledgement {gap:.2} s",
        log.count
    );
    Ok(())
}

impl AcknowledgedLog {
    /// Records an acknowledged comment.
    fn append(&mut self, id: i64, text: &str) -> Result<()> {
        let now = Instant::now();
        if self.count > 0 {
            self.longest_gap = self.longest_gap.max(now - self.last);
        }
        self.last = now;
        self.count += 1;
        writeln!(self.file, "{id} {text}").context("cannot record an acknowledged comment")
    }
}

fn locked(log: &Mutex<AcknowledgedLog>) -> MutexGuard<'_, AcknowledgedLog> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}
