//! An append-only file on a local disk, where one write is atomic, so several processes may share
//! it.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::sink::AuditTarget;

/// The wait for the end of an incomplete line, and the maximum number of waits while the file
/// grows.
const PAUSE: Duration = Duration::from_millis(50);
const MAX_CHECKS: usize = 20;
/// The mode of the file, readable by the owner only: records contain ids of members and texts of
/// moderators.
const MODE: u32 = 0o600;

/// The file, by its name: if it was moved away, another one is created in its place.
#[derive(Debug)]
pub(super) struct AuditFile {
    path: PathBuf,
    file: File,
    metadata: Metadata,
    /// True if the last line may be incomplete: a process was killed, or the disk was full.
    may_be_torn: bool,
}

impl AuditFile {
    /// Opens the file, or creates it.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).append(true).create(true).mode(MODE).open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_file() {
            // The name must survive a power failure as the lines do.
            folder(path)?.sync_all()?;
        }
        Ok(Self { path: path.to_owned(), file, metadata, may_be_torn: true })
    }

    /// Opens the file again if its name now belongs to another file, as after a rotation.
    fn reopen_if_moved(&mut self) -> io::Result<()> {
        let is_same = match std::fs::metadata(&self.path) {
            Ok(found) => (found.dev(), found.ino()) == (self.metadata.dev(), self.metadata.ino()),
            Err(error) if error.kind() == ErrorKind::NotFound => false,
            Err(error) => return Err(error),
        };
        if !is_same {
            *self = Self::open(&self.path)?;
        }
        Ok(())
    }

    /// Returns true if the last line is incomplete and stays so. Another process may be in the
    /// middle of a write.
    fn is_torn(&self) -> io::Result<bool> {
        let mut before = None;
        for _ in 0..MAX_CHECKS {
            let length = self.file.metadata()?.len();
            let Some(last) = length.checked_sub(1) else { return Ok(false) };
            let mut byte = [0];
            if self.file.read_at(&mut byte, last)? == 0 || byte == *b"\n" {
                return Ok(false);
            }
            if before.replace(length) == Some(length) {
                break;
            }
            std::thread::sleep(PAUSE);
        }
        Ok(true)
    }
}

fn folder(path: &Path) -> io::Result<File> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))
}

/// Checks that this account could append to the file. The file is neither written nor created: a
/// file created here would belong to the current account, which is perhaps not that of the server.
pub(super) fn can_append(path: &Path) -> io::Result<()> {
    match OpenOptions::new().read(true).append(true).open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            folder(path)?;
            let probe = path.with_file_name(format!(".riposte-{}", uuid::Uuid::new_v4()));
            OpenOptions::new().write(true).create_new(true).mode(MODE).open(&probe)?;
            std::fs::remove_file(probe)
        }
        opened => opened.map(drop),
    }
}

impl AuditTarget for AuditFile {
    fn append(&mut self, lines: &str) -> io::Result<()> {
        self.reopen_if_moved()?;
        let is_torn = self.may_be_torn && self.metadata.is_file() && self.is_torn()?;
        self.may_be_torn = true;
        // An incomplete line stays as it is, on a line of its own.
        let text = if is_torn { format!("\n{lines}") } else { lines.to_owned() };
        self.file.write_all(text.as_bytes())?;
        if self.metadata.is_file() {
            self.file.sync_data()?;
        }
        self.may_be_torn = false;
        Ok(())
    }
}
