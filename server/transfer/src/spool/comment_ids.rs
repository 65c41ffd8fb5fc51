//! The ids of all comments of an import, whatever their subjects are: in memory while they are few,
//! else in files without names, of which each is sorted when it is first searched.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The most ids in memory before files are created. It is small in tests, so that they have files.
const MEMORY_IDS_MAX: usize = if cfg!(test) { 1 << 10 } else { 1 << 20 };
/// The most ids of one file that wait in memory.
const BUFFER_IDS: usize = if cfg!(test) { 1 << 4 } else { 1 << 13 };
/// The number of files: one for each first byte of an id.
const FILES: usize = 256;
const ID_BYTES: usize = 8;

/// A set of hashed ids.
#[derive(Debug)]
pub(crate) struct CommentIds {
    folder: PathBuf,
    memory: Vec<u64>,
    is_sorted: bool,
    files: Vec<IdFile>,
}

#[derive(Debug, Default)]
struct IdFile {
    file: Option<File>,
    buffer: Vec<u64>,
    /// The number of ids in the file.
    written: usize,
    is_sorted: bool,
}

impl CommentIds {
    /// Creates an empty set; its files lie in `folder`.
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), memory: Vec::new(), is_sorted: false, files: Vec::new() }
    }

    /// Adds an id. All of them are added before one is searched.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn add(&mut self, id: u64) -> Result<()> {
        if self.files.is_empty() {
            self.memory.push(id);
            if self.memory.len() < MEMORY_IDS_MAX {
                return Ok(());
            }
            self.files.resize_with(FILES, IdFile::default);
            let memory = std::mem::take(&mut self.memory);
            return memory.into_iter().try_for_each(|id| self.add_to_file(id));
        }
        self.add_to_file(id)
    }

    fn add_to_file(&mut self, id: u64) -> Result<()> {
        let Self { folder, files, .. } = self;
        let Some(part) = files.get_mut(file_of(id)) else { return Ok(()) };
        part.buffer.push(id);
        if part.buffer.len() < BUFFER_IDS {
            return Ok(());
        }
        part.flush(folder)
    }

    /// Returns true if the set has this id.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub(crate) fn contains(&mut self, id: u64) -> Result<bool> {
        if self.files.is_empty() {
            if !std::mem::replace(&mut self.is_sorted, true) {
                self.memory.sort_unstable();
            }
            return Ok(self.memory.binary_search(&id).is_ok());
        }
        let Self { folder, files, .. } = self;
        files.get_mut(file_of(id)).map_or(Ok(false), |part| part.contains(id, folder))
    }
}

impl IdFile {
    fn flush(&mut self, folder: &Path) -> Result<()> {
        let context = || format!("cannot write to the spool folder {} (see --spool)", folder.display());
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(tempfile::tempfile_in(folder).with_context(context)?),
        };
        file.write_all(&bytes_of(&self.buffer)).with_context(context)?;
        self.written += self.buffer.len();
        self.buffer.clear();
        Ok(())
    }

    fn contains(&mut self, id: u64, folder: &Path) -> Result<bool> {
        if !self.is_sorted {
            self.flush(folder)?;
            self.sort()?;
        }
        let Some(file) = &self.file else { return Ok(false) };
        let (mut start, mut end) = (0, self.written);
        while start < end {
            let middle = start + (end - start) / 2;
            let mut bytes = [0; ID_BYTES];
            let offset = u64::try_from(middle * ID_BYTES)?;
            file.read_exact_at(&mut bytes, offset).context("cannot read the spool")?;
            match u64::from_le_bytes(bytes) {
                found if found == id => return Ok(true),
                found if found < id => start = middle + 1,
                _ => end = middle,
            }
        }
        Ok(false)
    }

    fn sort(&mut self) -> Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let mut bytes = Vec::with_capacity(self.written * ID_BYTES);
        file.seek(SeekFrom::Start(0)).context("cannot read the spool")?;
        file.read_to_end(&mut bytes).context("cannot read the spool")?;
        let mut ids: Vec<u64> =
            bytes.chunks_exact(ID_BYTES).filter_map(|id| Some(u64::from_le_bytes(*id.first_chunk()?))).collect();
        ids.sort_unstable();
        file.write_all_at(&bytes_of(&ids), 0).context("cannot write the spool")?;
        self.is_sorted = true;
        Ok(())
    }
}

fn file_of(id: u64) -> usize {
    usize::try_from(id >> 56).unwrap_or_default() % FILES
}

fn bytes_of(ids: &[u64]) -> Vec<u8> {
    ids.iter().flat_map(|id| id.to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_in_memory_and_in_files_without_names() {
        let folder = tempfile::tempdir().unwrap();
        let id = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for count in [0, 10, 20_000_u64] {
            let mut ids = CommentIds::new(folder.path());
            (0..count).for_each(|n| ids.add(id(n)).unwrap());
            assert_eq!(ids.files.is_empty(), count < 1000);
            assert!((0..count).all(|n| ids.contains(id(n)).unwrap()), "{count}");
            assert!((count..count + 500).all(|n| !ids.contains(id(n)).unwrap()), "{count}");
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }
}
