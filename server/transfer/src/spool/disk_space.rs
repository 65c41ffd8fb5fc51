//! The disk space that a spool needs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::input::STDIN;

/// The size of a spool, relative to that of a plain file. Rows with short texts take 2.8 times
/// their size.
const PLAIN_FACTOR: u64 = 3;
/// The size of a spool, relative to that of a gzip file.
const GZIP_FACTOR: u64 = 24;
/// Smaller files need no space: their records stay in memory.
const SMALL_BYTES: u64 = 8 << 20;

/// Returns a message about the space that reading `files` needs in `folder`, if it is much or
/// cannot be known.
///
/// # Errors
/// There is not that much space.
pub(crate) fn check(files: &[PathBuf], folder: &Path) -> Result<Option<String>> {
    let mut needed = 0;
    for file in files {
        // The reader says what is wrong with a file that is not there.
        let metadata = match std::fs::metadata(file) {
            Err(_) if file.as_os_str() != STDIN => continue,
            found => found.ok().filter(std::fs::Metadata::is_file),
        };
        let Some(metadata) = metadata else {
            let folder = folder.display();
            return Ok(Some(format!("the records are spooled to {folder}; the space that a pipe needs is not known")));
        };
        let is_gzip = file.extension().and_then(OsStr::to_str).is_some_and(|extension| extension == "gz");
        needed += metadata.len().saturating_mul(if is_gzip { GZIP_FACTOR } else { PLAIN_FACTOR });
    }
    if needed < SMALL_BYTES {
        return Ok(None);
    }
    let (mib, name, cure) = (needed >> 20, folder.display(), "name another folder with --spool DIR");
    let free = rustix::fs::statvfs(folder).map(|found| found.f_bavail.saturating_mul(found.f_frsize));
    match free {
        Ok(free) if free < needed => bail!(
            "the import needs about {mib} MiB of temporary files in {name}, where {} MiB are free; {cure}",
            free >> 20
        ),
        // The error names a path at random.
        Ok(_) if tempfile::tempfile_in(folder).is_err() => {
            bail!("the folder for temporary files, {name}, takes no files: let this user write there, or {cure}")
        }
        Ok(_) => Ok(Some(format!("the records are spooled to {name}, which needs about {mib} MiB"))),
        Err(error) => bail!("the folder for temporary files, {name}, cannot be used: {error}; {cure}"),
    }
}
