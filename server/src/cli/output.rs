//! Standard output of commands with long output.

use std::io::{self, ErrorKind, Write};

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
