//! Lines for people. A reader that stops early, such as `head`, ends no import or export.

use std::io::{self, ErrorKind, Write};

/// Writes a line to standard error. A closed pipe does not end the work.
pub(crate) fn note(text: &str) {
    let _written = writeln!(io::stderr(), "{text}");
}

/// Writes a line to standard output. A closed pipe is no error.
///
/// # Errors
/// Any other write error.
pub(crate) fn line(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(io::Error::new(error.kind(), format!("cannot write to standard output: {error}")))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}
