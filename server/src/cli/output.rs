//! The output of commands.

use std::io::{self, ErrorKind, Write};

/// Writes a line; see [`write`].
///
/// # Errors
/// Those of [`write`].
pub(super) fn line(text: &str) -> io::Result<()> {
    write(&format!("{text}\n"))
}

/// Writes a line of a command that runs for a long time, or until it is stopped. A closed pipe ends
/// the command: its error is reported as no fault.
///
/// # Errors
/// A write error, that of a closed pipe too.
pub(super) fn stream_line(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(format!("{text}\n").as_bytes()).and_then(|()| out.flush()).map_err(named)
}

/// Writes a line for people to standard error. A closed pipe does not end the command.
pub(super) fn note(text: &str) {
    let _written = writeln!(io::stderr(), "{text}");
}

/// Returns a number with the noun that it counts: `1 subject`, `2 subjects`.
pub(super) fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Returns a text of a member without the characters that a terminal would obey.
pub(super) fn printable(text: &str) -> String {
    let is_obeyed = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if is_obeyed(c) { '\u{fffd}' } else { c }).collect()
}

/// Writes `text`. A closed pipe ends the command without an error, because a reader such as `head`
/// may stop early.
///
/// # Errors
/// Any other write error.
pub(super) fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(named(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Returns a write error that names standard output.
#[expect(clippy::needless_pass_by_value, reason = "it replaces the error")]
fn named(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot write to standard output: {error}"))
}
