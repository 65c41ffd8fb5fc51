//! Standard output of commands whose answer is long.

use std::io::{self, ErrorKind, Write};

/// Writes `text`. Whoever reads may have had enough, as `head` has: a closed pipe ends the job and is no fault.
///
/// # Errors
/// Any other failure to write.
pub(super) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}
