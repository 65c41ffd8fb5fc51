//! The shutdown of the process: graceful at the first signal, immediate at the second.

use std::io;
use std::time::Duration;
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};
use tokio::time::Instant;

/// The time after a SIGTERM in which further ones are repeats of it: a supervisor and a shell may
/// both pass one on, which asks for no other stop.
pub const REPEAT_INTERVAL: Duration = Duration::from_secs(1);

/// A request to stop from outside the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopSignal {
    /// SIGINT, as Ctrl-C sends it to every process of the terminal's foreground group.
    Interrupt,
    /// SIGTERM, sent to this process.
    Terminate,
}

/// The signals that ask this process to stop. While this value exists they do not end the process
/// by themselves.
#[derive(Debug)]
pub struct StopSignals {
    interrupt: Stream,
    terminate: Stream,
    /// The time of the first SIGTERM.
    terminated: Option<Instant>,
    repeat_interval: Duration,
}

/// The way in which a stop ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopOutcome {
    /// Running calls finished, or the time for them ran out.
    Graceful,
    /// A second signal cut the stop short.
    Immediate,
}

impl StopSignals {
    /// Starts listening. A SIGTERM within `repeat_interval` of the first, in production
    /// [`REPEAT_INTERVAL`], is a repeat of it.
    ///
    /// # Errors
    /// If the system refuses a handler.
    pub fn listen(repeat_interval: Duration) -> io::Result<Self> {
        let (interrupt, terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        Ok(StopSignals { interrupt, terminate, terminated: None, repeat_interval })
    }

    /// Waits for the next request to stop. Cancel-safe: a dropped call loses no signal.
    pub async fn next(&mut self) -> StopSignal {
        tokio::select! {
            _ = self.interrupt.recv() => StopSignal::Interrupt,
            _ = self.terminate.recv() => {
                self.terminated.get_or_insert_with(Instant::now);
                StopSignal::Terminate
            }
        }
    }

    /// Runs `stop` to its end, or until a second signal asks for an immediate stop. A repeat
    /// of the first SIGTERM is no second signal.
    pub async fn until_second_signal(&mut self, stop: impl Future<Output = ()>) -> StopOutcome {
        tokio::select! {
            () = stop => StopOutcome::Graceful,
            () = self.second() => StopOutcome::Immediate,
        }
    }

    async fn second(&mut self) {
        loop {
            let first = self.terminated;
            let repeat_interval = self.repeat_interval;
            let is_repeat = |at: Instant| at.elapsed() < repeat_interval;
            match self.next().await {
                StopSignal::Terminate if first.is_some_and(is_repeat) => {
                    tracing::info!("a SIGTERM right after the first is ignored; a later one stops at once");
                }
                StopSignal::Terminate | StopSignal::Interrupt => return,
            }
        }
    }
}
