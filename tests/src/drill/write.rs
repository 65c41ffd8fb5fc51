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

const CALLERS: usize = 16;

/// The record of acknowledged comments.
#[derive(Debug)]
struct Book {
    file: std::fs::File,
    acknowledged: usize,
    /// The time of the last one, and the longest time without any.
    last: Instant,
    gap: Duration,
}

/// Writes until standard input ends.
pub(super) async fn write(client: &Client, file: &Path) -> Result<()> {
    let file = std::fs::OpenOptions::new().create(true).append(true).open(file)?;
    let book = Arc::new(Mutex::new(Book { file, acknowledged: 0, last: Instant::now(), gap: Duration::ZERO }));
    let (failed, (stop, stopped)) = (Arc::new(AtomicUsize::new(0)), watch::channel(false));
    let callers = (0..CALLERS).map(|caller| {
        let (client, book, failed) = (client.clone(), Arc::clone(&book), Arc::clone(&failed));
        let stopped = stopped.clone();
        tokio::spawn(async move {
            for turn in 0_usize.. {
                if *stopped.borrow() {
                    break;
                }
                let say = Say { client: client.clone(), key: subject(caller + turn * CALLERS) };
                let text = format!("{} of {caller}, {}", turn + 1, std::process::id());
                match say.comment("m", &text).await {
                    Ok(comment) => locked(&book).note(comment.id, &text)?,
                    Err(status) => {
                        failed.fetch_add(1, Ordering::Relaxed);
                        if status.code() != Code::DeadlineExceeded {
                            // No server is running: repeats without a pause would be most of the
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
    let (book, failed) = (locked(&book), failed.load(Ordering::Relaxed));
    let gap = book.gap.as_secs_f64();
    println!(
        "{} acknowledged, {failed} calls failed, the longest time without an answer {gap:.2} s",
        book.acknowledged
    );
    Ok(())
}

impl Book {
    /// Records an acknowledged comment.
    fn note(&mut self, id: i64, text: &str) -> Result<()> {
        let now = Instant::now();
        if self.acknowledged > 0 {
            self.gap = self.gap.max(now - self.last);
        }
        self.last = now;
        self.acknowledged += 1;
        writeln!(self.file, "{id} {text}").context("cannot note what was acknowledged")
    }
}

fn locked(book: &Mutex<Book>) -> MutexGuard<'_, Book> {
    book.lock().unwrap_or_else(PoisonError::into_inner)
}
