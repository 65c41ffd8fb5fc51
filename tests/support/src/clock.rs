//! A clock for a single process: libfaketime, which reads its offset from a file.

use std::ffi::OsStr;
use std::path::PathBuf;

use anyhow::Result;

/// The wall clock of the processes that are started with its variables. Their monotonic clock is
/// unchanged.
#[derive(Debug)]
pub struct Clock {
    library: PathBuf,
    folder: tempfile::TempDir,
    file: PathBuf,
}

impl Clock {
    /// Creates a clock without an offset; `None`, with a notice on standard error, if libfaketime
    /// is not installed.
    ///
    /// # Errors
    /// If the file cannot be created.
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

    /// Sets the offset of the clock in seconds, positive for ahead and negative for behind.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn set(&self, seconds: i32) -> Result<()> {
        // The file is replaced and not rewritten, because the process reads it at every use of the
        // clock.
        let next = self.folder.path().join("next");
        std::fs::write(&next, format!("{seconds:+}\n"))?;
        Ok(std::fs::rename(next, &self.file)?)
    }

    /// Returns the environment variables that make a process use this clock.
    pub fn variables(&self) -> [(&'static str, &OsStr); 4] {
        [
            ("LD_PRELOAD", self.library.as_os_str()),
            ("FAKETIME_TIMESTAMP_FILE", self.file.as_os_str()),
            ("FAKETIME_NO_CACHE", OsStr::new("1")),
            ("FAKETIME_DONT_FAKE_MONOTONIC", OsStr::new("1")),
        ]
    }
}
