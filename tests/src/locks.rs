//! Locks on files of a server, which stall it as another process would.

use std::fs::{File, OpenOptions};
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result};
use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;

/// The bytes of a SQLite file by which its users lock it. While another process holds them, the
/// database cannot be opened.
pub const SQLITE_FILE: Range<i64> = 0x4000_0000..0x4000_0200;
/// The byte of the file `-shm` by which the writer of a SQLite database is locked. While another
/// process holds it, reads work and writes wait.
pub const SQLITE_WRITER: Range<i64> = 120..121;

/// Locks bytes of a file until the returned file is dropped. This process must not open the file
/// otherwise: closing it would release the lock.
///
/// # Errors
/// If the file does not exist, or the system refuses the lock. A lock that another process holds is
/// waited for.
pub fn lock(path: &Path, bytes: Range<i64>) -> Result<File> {
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    let request = libc::flock {
        l_type: i16::try_from(libc::F_WRLCK)?,
        l_whence: i16::try_from(libc::SEEK_SET)?,
        l_start: bytes.start,
        l_len: bytes.end - bytes.start,
        l_pid: 0,
    };
    fcntl(&file, FcntlArg::F_SETLKW(&request)).with_context(|| format!("cannot lock {}", path.display()))?;
    Ok(file)
}
