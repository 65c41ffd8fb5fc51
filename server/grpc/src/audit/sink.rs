//! The thread that writes records. Waiting records are combined into one write and one sync.

use std::io::{self, Stdout, Write};

use tokio::sync::{mpsc, oneshot};

/// The maximum number of lines in one write.
const MAX_BATCH: usize = 256;

/// The destination of lines.
pub(super) trait AuditTarget: Send + 'static {
    /// Appends complete lines, which are durable in the destination when it returns.
    fn append(&mut self, lines: &str) -> io::Result<()>;
}

impl AuditTarget for Stdout {
    fn append(&mut self, lines: &str) -> io::Result<()> {
        let mut lock = self.lock();
        lock.write_all(lines.as_bytes())?;
        lock.flush()
    }
}

/// The channel to the thread, which ends when the last sender is dropped.
///
/// The channel has no bound of its own. A call waits for its line before it continues, so there
/// are never more such lines than running calls; lines that no call waits for are bounded by
/// the windows of `attempt`, plus one for each cancelled call.
#[derive(Debug, Clone)]
pub(super) struct AuditSink(mpsc::UnboundedSender<Line>);

#[derive(Debug)]
struct Line {
    text: String,
    /// `None` if no call waits for the line.
    result: Option<oneshot::Sender<Result<(), String>>>,
}

impl AuditSink {
    /// Starts the thread. `on_lost_record` is called for each line that no call waited for and that
    /// could not be written.
    pub(super) fn to(mut target: impl AuditTarget, on_lost_record: impl Fn() + Send + 'static) -> io::Result<Self> {
        let (sender, mut lines) = mpsc::unbounded_channel();
        std::thread::Builder::new().name("riposte-audit".to_owned()).spawn(move || {
            let mut batch = Vec::new();
            while lines.blocking_recv_many(&mut batch, MAX_BATCH) > 0 {
                write(&mut target, std::mem::take(&mut batch), &on_lost_record);
            }
        })?;
        Ok(Self(sender))
    }

    /// Writes a line, and waits until it is written.
    pub(super) async fn write(&self, text: String) -> Result<(), String> {
        let (result, outcome) = oneshot::channel();
        let ended = || "its thread ended".to_owned();
        self.0.send(Line { text, result: Some(result) }).map_err(|_| ended())?;
        outcome.await.unwrap_or_else(|_| Err(ended()))
    }

    /// Writes a line that no call waits for.
    pub(super) fn enqueue(&self, text: String) {
        // The thread ends before its last sender only after a panic, and then every call receives
        // an error.
        let _ = self.0.send(Line { text, result: None });
    }
}

fn write(target: &mut impl AuditTarget, batch: Vec<Line>, on_lost_record: &impl Fn()) {
    let text: String = batch.iter().map(|line| line.text.as_str()).collect();
    let outcome = target.append(&text).map_err(|error| error.to_string());
    for Line { text, result } in batch {
        match (result, &outcome) {
            // The call has stopped waiting if this fails.
            (Some(result), outcome) => drop(result.send(outcome.clone())),
            (None, Ok(())) => {}
            (None, Err(error)) => {
                on_lost_record();
                tracing::error!(error, record = text.trim_end(), "an audit record is lost");
            }
        }
    }
}
