//! A clock of its own for a process: libfaketime, told by a file how far it is off.

use std::ffi::OsStr;
use std::path::PathBuf;

use anyhow::Result;

/// The wall clock of the processes that are given its variables. Their monotonic clock runs on.
#[derive(Debug)]
pub struct Clock {
    library: PathBuf,
    folder: tempfile::TempDir,
    file: PathBuf,
}

impl Clock {
    /// A clock that is right; `None`, said loudly, where libfaketime is not installed.
    ///
    /// # Errors
    /// When there is no place for its file.
    pub fn new() -> Result<Option<Self>> {
        let mut libraries = std::fs::read_dir("/usr/lib")?.flatten();
        let library = libraries.find_map(|folder| {
            let library = folder.path().join("faketime/libfaketimeMT.so.1");
            library.is_file().then_some(library)
        });
        let Some(library) = library else {
            eprintln!("SKIPPED clocks that step: libfaketime is not installed");
            return Ok(None);
        };
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("clock");
        let clock = Self { library, folder, file };
        clock.set(0)?;
        Ok(Some(clock))
    }

    /// Puts the clock so many seconds ahead, or behind.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn set(&self, seconds: i32) -> Result<()> {
        // Replaced and not rewritten: it is read at every look at the clock.
        let next = self.folder.path().join("next");
        std::fs::write(&next, format!("{seconds:+}\n"))?;
        Ok(std::fs::rename(next, &self.file)?)
    }

    /// What makes a process go by it.
    pub fn variables(&self) -> [(&'static str, &OsStr); 4] {
        [
            ("LD_PRELOAD", self.library.as_os_str()),
            ("FAKETIME_TIMESTAMP_FILE", self.file.as_os_str()),
            ("FAKETIME_NO_CACHE", OsStr::new("1")),
            ("FAKETIME_DONT_FAKE_MONOTONIC", OsStr::new("1")),
        ]
    }
}
