//! The shutdown of the process: graceful at the first signal, immediate at the second.

use std::io;
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

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
    /// Starts listening.
    ///
    /// # Errors
    /// If the system refuses a handler.
    pub fn listen() -> io::Result<Self> {
        Ok(StopSignals { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Waits for the next request to stop. Cancel-safe: a dropped call loses no signal.
    pub async fn next(&mut self) -> StopSignal {
        tokio::select! {
            _ = self.interrupt.recv() => StopSignal::Interrupt,
            _ = self.terminate.recv() => StopSignal::Terminate,
        }
    }

    /// Runs `stop` to its end, or until a second signal asks for an immediate stop.
    pub async fn until_second_signal(&mut self, stop: impl Future<Output = ()>) -> StopOutcome {
        tokio::select! {
            () = stop => StopOutcome::Graceful,
            _ = self.next() => StopOutcome::Immediate,
        }
    }
}
