//! How the process stops: softly at the first signal, at once at the second.

use std::io;
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

/// A request from outside to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopSignal {
    /// SIGINT, as Ctrl-C sends it to every process of the terminal's foreground group.
    Interrupt,
    /// SIGTERM, sent to this process.
    Terminate,
}

/// The signals that ask this process to stop. From the moment it exists they no longer end the process by themselves.
#[derive(Debug)]
pub struct StopSignals {
    interrupt: Stream,
    terminate: Stream,
}

/// How a stop ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Running calls finished, or the time for them was over.
    Soft,
    /// A second signal cut it short.
    Hard,
}

impl StopSignals {
    /// Starts listening.
    ///
    /// # Errors
    /// If the system refuses a handler.
    pub fn listen() -> io::Result<Self> {
        Ok(StopSignals { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Waits for the next request to stop. Safe to drop half-way: no signal is lost by it.
    pub async fn next(&mut self) -> StopSignal {
        tokio::select! {
            _ = self.interrupt.recv() => StopSignal::Interrupt,
            _ = self.terminate.recv() => StopSignal::Terminate,
        }
    }

    /// Runs `stop` to its end, or until a second signal says that nobody waits for it any more.
    pub async fn or_at_once(&mut self, stop: impl Future<Output = ()>) -> Stop {
        tokio::select! {
            () = stop => Stop::Soft,
            _ = self.next() => Stop::Hard,
        }
    }
}
