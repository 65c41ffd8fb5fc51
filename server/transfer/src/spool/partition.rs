//! One part of a spool: bytes in memory, of which the first may have gone to a file.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::record::{self, HEAD_BYTES, Head};
use crate::group::GroupEntry;

/// The bytes that a partition with a file collects before it writes them.
const WRITE_BYTES: usize = 64 << 10;

/// A sequence of records.
#[derive(Debug, Default)]
pub(crate) struct Partition {
    file: Option<File>,
    /// The size of the file.
    written: u64,
    buffer: Vec<u8>,
}

impl Partition {
    /// Adds a record.
    pub(super) fn add(&mut self, head: &Head, body: &[u8]) {
        head.write(&mut self.buffer);
        self.buffer.extend_from_slice(body);
    }

    /// Returns the number of bytes in memory.
    pub(super) fn buffered(&self) -> usize {
        self.buffer.len()
    }

    /// Writes what is in memory to a file in `folder` if it is much.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn flush_if_full(&mut self, folder: &Path) -> Result<()> {
        if self.buffer.len() < WRITE_BYTES {
            return Ok(());
        }
        let context = || format!("cannot write to the spool folder {} (see --spool)", folder.display());
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(tempfile::tempfile_in(folder).with_context(context)?),
        };
        file.write_all(&self.buffer).with_context(context)?;
        self.written += u64::try_from(self.buffer.len())?;
        self.buffer.clear();
        Ok(())
    }

    /// Passes the heads of all records to `each`, in order.
    ///
    /// # Errors
    /// The file cannot be read; or the error of `each`.
    pub(super) fn each_head(&self, each: &mut dyn FnMut(Head) -> Result<()>) -> Result<()> {
        if let Some(mut file) = self.file.as_ref() {
            file.seek(SeekFrom::Start(0)).context("cannot read the spool")?;
            let mut reader = BufReader::with_capacity(WRITE_BYTES, file);
            let mut offset = 0;
            while offset < self.written {
                let mut bytes = [0; HEAD_BYTES];
                reader.read_exact(&mut bytes).context("cannot read the spool")?;
                offset += u64::try_from(HEAD_BYTES)?;
                let head = Head::parse(&bytes, offset).context("the spool is damaged")?;
                reader.seek_relative(head.length.into()).context("cannot read the spool")?;
                offset += u64::from(head.length);
                each(head)?;
            }
            ensure!(offset == self.written, "the spool is damaged");
        }
        let mut position = 0;
        while let Some(bytes) = self.buffer.get(position..).and_then(|rest| rest.first_chunk()) {
            position += HEAD_BYTES;
            let head = Head::parse(bytes, self.written + u64::try_from(position)?).context("the spool is damaged")?;
            position += usize::try_from(head.length)?;
            each(head)?;
        }
        Ok(())
    }

    /// Reads the body of a record.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn body_bytes(&self, head: &Head) -> Result<Vec<u8>> {
        let length = usize::try_from(head.length)?;
        if let Some(position) = head.offset.checked_sub(self.written) {
            let position = usize::try_from(position)?;
            let body = self.buffer.get(position..).and_then(|rest| rest.get(..length));
            return Ok(body.context("the spool is damaged")?.to_vec());
        }
        let mut body = vec![0; length];
        let file = self.file.as_ref().context("the spool is damaged")?;
        file.read_exact_at(&mut body, head.offset).context("cannot read the spool")?;
        Ok(body)
    }

    /// Reads a record.
    ///
    /// # Errors
    /// Same as for [`Self::body_bytes`].
    pub(crate) fn entry(&self, head: &Head) -> Result<GroupEntry> {
        record::decode(&self.body_bytes(head)?)
    }
}
