//! What the process says while it runs. Log lines go to standard error: pretty for people, JSON for machines.
//!
//! A line never holds the body of a message, a token or a key: fields are ids, names, codes and durations.

mod metrics;

use crate::config::{Log, LogFormat};
use std::io::{self, IsTerminal};
use tracing_subscriber::{
    filter::Targets,
    fmt,
    layer::SubscriberExt,
    util::{SubscriberInitExt, TryInitError},
};

pub use metrics::Metrics;

/// Starts logging for the whole process.
///
/// # Errors
/// If logging was started before.
pub fn start(log: &Log) -> Result<(), TryInitError> {
    let Log { format, filter } = log;
    // The configuration was refused if any part of the filter is malformed.
    let filter = filter.parse::<Targets>().unwrap_or_default();
    let terminal = io::stderr().is_terminal();
    let json = match format {
        LogFormat::Auto => !terminal,
        LogFormat::Pretty => false,
        LogFormat::Json => true,
    };
    let registry = tracing_subscriber::registry().with(filter);
    let lines = fmt::layer().with_writer(io::stderr);
    if json {
        registry.with(lines.json().flatten_event(true).with_current_span(true).with_span_list(false)).try_init()
    } else {
        registry.with(lines.with_ansi(terminal)).try_init()
    }
}
