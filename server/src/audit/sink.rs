//! The thread that writes records: those that wait go together, with one write and one sync.

use std::io::{self, Stdout, Write};

use tokio::sync::{mpsc, oneshot};

/// Lines that are written at once.
const TOGETHER: usize = 256;

/// What lines are written to.
pub(super) trait AuditTarget: Send + 'static {
    /// Appends whole lines; they are where they should be when it returns.
    fn append(&mut self, lines: &str) -> io::Result<()>;
}

impl AuditTarget for Stdout {
    fn append(&mut self, lines: &str) -> io::Result<()> {
        let mut lock = self.lock();
        lock.write_all(lines.as_bytes())?;
        lock.flush()
    }
}

/// The way to the thread, which ends when nobody holds one any more.
///
/// It has no bound of its own. A call waits for its line before it does anything else, so there are never more such lines than
/// calls under way; of lines that nobody waits for there are as many as the windows of `door` let through, and one for each call given up.
#[derive(Debug, Clone)]
pub(super) struct AuditSink(mpsc::UnboundedSender<Line>);

#[derive(Debug)]
struct Line {
    text: String,
    /// `None` where nobody waits.
    written: Option<oneshot::Sender<Result<(), String>>>,
}

impl AuditSink {
    /// Starts the thread. `lost` hears of each line that nobody waited for and that could not be written.
    pub(super) fn to(mut target: impl AuditTarget, lost: impl Fn() + Send + 'static) -> io::Result<Self> {
        let (sender, mut lines) = mpsc::unbounded_channel();
        std::thread::Builder::new().name("riposte-audit".to_owned()).spawn(move || {
            let mut batch = Vec::new();
            while lines.blocking_recv_many(&mut batch, TOGETHER) > 0 {
                write(&mut target, std::mem::take(&mut batch), &lost);
            }
        })?;
        Ok(Self(sender))
    }

    /// Writes a line, and waits until it is written.
    pub(super) async fn write(&self, text: String) -> Result<(), String> {
        let (written, answer) = oneshot::channel();
        let gone = || "its thread ended".to_owned();
        self.0.send(Line { text, written: Some(written) }).map_err(|_| gone())?;
        answer.await.unwrap_or_else(|_| Err(gone()))
    }

    /// Writes a line for which nobody waits.
    pub(super) fn leave(&self, text: String) {
        // Only a thread that panicked is gone while somebody holds the way to it, and every call is told so.
        let _ = self.0.send(Line { text, written: None });
    }
}

fn write(target: &mut impl AuditTarget, batch: Vec<Line>, lost: &impl Fn()) {
    let text: String = batch.iter().map(|line| line.text.as_str()).collect();
    let outcome = target.append(&text).map_err(|error| error.to_string());
    for Line { text, written } in batch {
        match (written, &outcome) {
            // Who gave up waiting meanwhile was told so.
            (Some(written), outcome) => drop(written.send(outcome.clone())),
            (None, Ok(())) => {}
            (None, Err(error)) => {
                lost();
                tracing::error!(error, record = text.trim_end(), "a record of the audit log is lost");
            }
        }
    }
}
