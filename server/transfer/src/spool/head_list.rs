//! The heads of one subject's records by their numbers, in the order of the file: in memory, or in
//! a file of their own if they are many, so that the memory does not grow with a subject.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use anyhow::{Context, Result};

use super::record::{HEAD_BYTES, Head};

/// The most heads of a subject that are in memory.
const MEMORY_HEADS_MAX: u32 = 1 << 16;
/// The bytes of a head in a file: the offset of its body, then the head.
const ENTRY_BYTES: usize = 8 + HEAD_BYTES;
const BUFFER_BYTES: usize = 64 << 10;

/// The heads of one subject.
#[derive(Debug)]
pub(crate) struct HeadList {
    len: u32,
    place: HeadStore,
}

#[derive(Debug)]
enum HeadStore {
    Memory(Vec<Head>),
    File(BufWriter<File>),
}

impl HeadList {
    /// Creates an empty list for `count` heads; its file, if it needs one, lies in `folder`.
    ///
    /// # Errors
    /// The file cannot be created.
    pub(super) fn new(count: u32, folder: &Path) -> Result<Self> {
        let place = if count <= MEMORY_HEADS_MAX {
            HeadStore::Memory(Vec::with_capacity(usize::try_from(count)?))
        } else {
            let file = tempfile::tempfile_in(folder);
            let file = file.with_context(|| format!("cannot write to the spool folder {}", folder.display()))?;
            HeadStore::File(BufWriter::with_capacity(BUFFER_BYTES, file))
        };
        Ok(Self { len: 0, place })
    }

    /// Adds a head.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn push(&mut self, head: Head) -> Result<()> {
        self.len += 1;
        match &mut self.place {
            HeadStore::Memory(heads) => heads.push(head),
            HeadStore::File(file) => {
                let mut bytes = Vec::with_capacity(ENTRY_BYTES);
                bytes.extend(head.offset.to_le_bytes());
                head.write(&mut bytes);
                file.write_all(&bytes).context("cannot write the spool")?;
            }
        }
        Ok(())
    }

    /// Ends the writing; only then are the heads read.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn finish(&mut self) -> Result<()> {
        match &mut self.place {
            HeadStore::Memory(_) => Ok(()),
            HeadStore::File(file) => file.flush().context("cannot write the spool"),
        }
    }

    /// Returns the number of heads.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// Returns the head with this number, counted from 0.
    ///
    /// # Errors
    /// The file cannot be read, or there is no such head.
    pub(crate) fn get(&self, index: u32) -> Result<Head> {
        match &self.place {
            HeadStore::Memory(heads) => heads.get(usize::try_from(index)?).copied().context("there is no such record"),
            HeadStore::File(file) => {
                let mut bytes = [0; ENTRY_BYTES];
                let offset = u64::from(index) * u64::try_from(ENTRY_BYTES)?;
                file.get_ref().read_exact_at(&mut bytes, offset).context("cannot read the spool")?;
                parse(&bytes)
            }
        }
    }

    /// Passes every head with its number to `each`, in order.
    ///
    /// # Errors
    /// The file cannot be read; or the error of `each`.
    pub(crate) fn each(&self, each: &mut dyn FnMut(u32, &Head) -> Result<()>) -> Result<()> {
        match &self.place {
            HeadStore::Memory(heads) => (0..).zip(heads).try_for_each(|(index, head)| each(index, head)),
            HeadStore::File(file) => {
                let mut file = file.get_ref();
                file.seek(SeekFrom::Start(0)).context("cannot read the spool")?;
                let mut reader = BufReader::with_capacity(BUFFER_BYTES, file);
                for index in 0..self.len {
                    let mut bytes = [0; ENTRY_BYTES];
                    reader.read_exact(&mut bytes).context("cannot read the spool")?;
                    each(index, &parse(&bytes)?)?;
                }
                Ok(())
            }
        }
    }
}

fn parse(bytes: &[u8; ENTRY_BYTES]) -> Result<Head> {
    let parsed = || {
        let (offset, head) = bytes.split_first_chunk()?;
        Head::parse(head.first_chunk()?, u64::from_le_bytes(*offset))
    };
    parsed().context("the spool is damaged")
}
