//! Records that wait for later parts of their file: in memory while they are few, else in a file
//! without a name, which the system removes with the process.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The most bytes that stay in memory.
const MEMORY_BYTES_MAX: usize = 4 << 20;

/// A list of records that is written once and then read once, in the same order.
#[derive(Debug)]
pub(crate) struct HeldRecords {
    folder: PathBuf,
    memory: Vec<u8>,
    file: Option<BufWriter<File>>,
}

impl HeldRecords {
    /// Creates an empty list; a file of it lies in `folder`.
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), memory: Vec::new(), file: None }
    }

    /// Returns true if nothing was added.
    pub(crate) fn is_empty(&self) -> bool {
        self.memory.is_empty() && self.file.is_none()
    }

    /// Adds a record.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn add<T: Serialize>(&mut self, record: &T) -> Result<()> {
        serde_json::to_writer(&mut self.memory, record)?;
        self.memory.push(b'\n');
        if self.memory.len() < MEMORY_BYTES_MAX {
            return Ok(());
        }
        let context = || format!("cannot write to the spool folder {}", self.folder.display());
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(BufWriter::new(tempfile::tempfile_in(&self.folder).with_context(context)?)),
        };
        file.write_all(&self.memory).with_context(context)?;
        self.memory.clear();
        Ok(())
    }

    /// Passes every record to `each` and leaves the list empty.
    ///
    /// # Errors
    /// The file cannot be read; or the error of `each`.
    pub(crate) fn drain<T: DeserializeOwned>(&mut self, each: &mut dyn FnMut(T) -> Result<()>) -> Result<()> {
        if let Some(file) = self.file.take() {
            let context = || format!("cannot read from the spool folder {}", self.folder.display());
            let mut file = file.into_inner().with_context(context)?;
            file.seek(SeekFrom::Start(0)).with_context(context)?;
            for line in BufReader::new(file).split(b'\n') {
                each(serde_json::from_slice(&line.with_context(context)?)?)?;
            }
        }
        for line in std::mem::take(&mut self.memory).split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            each(serde_json::from_slice(line)?)?;
        }
        Ok(())
    }
}

/// A list of records that are read by their places.
#[derive(Debug)]
pub(crate) struct IndexedRecords {
    folder: PathBuf,
    memory: Vec<u8>,
    file: Option<File>,
    /// The size of the file.
    written: u64,
}

impl IndexedRecords {
    /// Creates an empty list; a file of it lies in `folder`.
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), memory: Vec::new(), file: None, written: 0 }
    }

    /// Adds a record and returns its place.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn add<T: Serialize>(&mut self, record: &T) -> Result<(u64, u32)> {
        let start = self.memory.len();
        serde_json::to_writer(&mut self.memory, record)?;
        let place = (self.written + u64::try_from(start)?, u32::try_from(self.memory.len() - start)?);
        if self.memory.len() >= MEMORY_BYTES_MAX {
            let context = || format!("cannot write to the spool folder {}", self.folder.display());
            let file = match &mut self.file {
                Some(file) => file,
                None => self.file.insert(tempfile::tempfile_in(&self.folder).with_context(context)?),
            };
            file.write_all(&self.memory).with_context(context)?;
            self.written += u64::try_from(self.memory.len())?;
            self.memory.clear();
        }
        Ok(place)
    }

    /// Returns the record at a place.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn get<T: DeserializeOwned>(&self, (offset, length): (u64, u32)) -> Result<T> {
        let length = usize::try_from(length)?;
        if let Some(start) = offset.checked_sub(self.written) {
            let bytes = self.memory.get(usize::try_from(start)?..).and_then(|rest| rest.get(..length));
            return Ok(serde_json::from_slice(bytes.context("the spool is damaged")?)?);
        }
        let mut bytes = vec![0; length];
        let file = self.file.as_ref().context("the spool is damaged")?;
        let context = || format!("cannot read from the spool folder {}", self.folder.display());
        file.read_exact_at(&mut bytes, offset).with_context(context)?;
        Ok(serde_json::from_slice(&bytes)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_found_by_their_places_in_memory_and_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let mut held = IndexedRecords::new(folder.path());
        let places: Vec<_> = (0..30_000_u32).map(|n| held.add(&(n, "x".repeat(200))).unwrap()).collect();
        assert!(held.file.is_some() && !held.memory.is_empty());
        for n in [29_999, 0, 12_345_u32] {
            let (found, _): (u32, String) = held.get(places[n as usize]).unwrap();
            assert_eq!(found, n);
        }
    }

    #[test]
    fn records_come_back_in_order_from_memory_and_from_a_file_without_a_name() {
        let folder = tempfile::tempdir().unwrap();
        for count in [0_u32, 3, 40_000] {
            let mut held = HeldRecords::new(folder.path());
            assert!(held.is_empty());
            (0..count).for_each(|n| held.add(&(n, "x".repeat(200))).unwrap());
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
            let mut read = Vec::new();
            held.drain::<(u32, String)>(&mut |(n, _)| {
                read.push(n);
                Ok(())
            })
            .unwrap();
            assert_eq!(read, (0..count).collect::<Vec<_>>());
            assert!(held.is_empty());
        }
    }
}
