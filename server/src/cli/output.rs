//! The output of commands.

use std::io::{self, ErrorKind, Write};

/// Writes a line; see [`write`].
///
/// # Errors
/// Those of [`write`].
pub(super) fn line(text: &str) -> io::Result<()> {
    write(&format!("{text}\n"))
}

/// Writes a line for people to standard error. A closed pipe does not end the command.
pub(super) fn note(text: &str) {
    let _written = writeln!(io::stderr(), "{text}");
}

/// Returns a number with the noun that it counts: `1 subject`, `2 subjects`.
pub(super) fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Writes `text`. A closed pipe ends the command without an error, because a reader such as `head`
/// may stop early.
///
/// # Errors
/// Any other write error.
pub(super) fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}
