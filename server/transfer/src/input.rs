//! Source files: gzip detected by its magic bytes, UTF-8 only, and a bounded record size in memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};
use flate2::read::MultiGzDecoder;

/// The size limit of a record, in bytes. A longer record means a broken file (an open quote, a
/// missing end tag), not a comment.
pub(crate) const RECORD_BYTES_MAX: usize = 16 << 20;
const BUFFER_BYTES: usize = 64 << 10;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// A source file that fails instead of reading an endless record into memory.
pub(crate) type Input = BufReader<BoundedReader>;

/// The number of bytes that were read since the last record ended. A format's reader resets it
/// after each record.
#[derive(Debug, Clone, Default)]
pub(crate) struct RecordMeter {
    bytes_in_record: Arc<AtomicUsize>,
}

impl RecordMeter {
    /// Marks the end of a record.
    pub(crate) fn reset(&self) {
        self.bytes_in_record.store(0, Ordering::Relaxed);
    }
}

/// A reader that fails when a record exceeds its size limit.
pub(crate) struct BoundedReader {
    inner: Box<dyn Read + Send>,
    meter: RecordMeter,
}

impl std::fmt::Debug for BoundedReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guarded").field("meter", &self.meter).finish_non_exhaustive()
    }
}

impl Read for BoundedReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let bytes_in_record = self.meter.bytes_in_record.fetch_add(read, Ordering::Relaxed) + read;
        if bytes_in_record > RECORD_BYTES_MAX + BUFFER_BYTES {
            let text =
                format!("one record is longer than {} MiB; is a quote or a tag left open?", RECORD_BYTES_MAX >> 20);
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        Ok(read)
    }
}

/// Opens a file, plain or gzip, for reading record by record.
///
/// # Errors
/// The file cannot be read, or its byte order mark indicates UTF-16 or UTF-32.
pub(crate) fn open(path: &Path) -> Result<(Input, RecordMeter)> {
    let name = path.display();
    let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
    from_reader(file).with_context(|| format!("cannot read {name}"))
}

/// Opens bytes in the same way.
///
/// # Errors
/// Same as for [`open`].
pub(crate) fn from_reader(bytes: impl Read + Send + 'static) -> Result<(Input, RecordMeter)> {
    let mut raw = BufReader::with_capacity(BUFFER_BYTES, bytes);
    let is_gzip = raw.fill_buf()?.starts_with(&GZIP_MAGIC);
    let inner: Box<dyn Read + Send> = if is_gzip { Box::new(MultiGzDecoder::new(raw)) } else { Box::new(raw) };
    let meter = RecordMeter::default();
    let mut input = BufReader::with_capacity(BUFFER_BYTES, BoundedReader { inner, meter: meter.clone() });
    let start = input.fill_buf()?;
    if start.starts_with(&[0xff, 0xfe]) || start.starts_with(&[0xfe, 0xff]) {
        bail!("the file is UTF-16; convert it to UTF-8 first (iconv -f UTF-16 -t UTF-8)");
    }
    if start.starts_with("\u{feff}".as_bytes()) {
        input.consume("\u{feff}".len());
    }
    Ok((input, meter))
}

/// Reads a whole file of up to `bytes_max` bytes, for formats that must be parsed as one document.
///
/// # Errors
/// Same as for [`open`]; the file is larger, or is not UTF-8 (with the line of the first bad byte).
pub(crate) fn read_all(path: &Path, bytes_max: usize) -> Result<String> {
    let name = path.display();
    let (mut input, meter) = open(path)?;
    let mut bytes = Vec::new();
    loop {
        let chunk = input.fill_buf().with_context(|| format!("cannot read {name}"))?;
        if chunk.is_empty() {
            break;
        }
        if bytes.len() + chunk.len() > bytes_max {
            bail!("{name} is larger than {} MiB; this format is read whole, so split it by page", bytes_max >> 20);
        }
        bytes.extend_from_slice(chunk);
        let length = chunk.len();
        input.consume(length);
        meter.reset();
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let line = 1 + error.as_bytes().iter().take(valid).filter(|byte| **byte == b'\n').count();
            bail!("{name}:{line}: not UTF-8")
        }
    }
}

/// Returns the line, counted from 1, that contains the byte at `offset`. It reads the file again,
/// so it is only for error messages.
pub(crate) fn line_at(path: &Path, offset: u64) -> Option<u64> {
    let (input, meter) = open(path).ok()?;
    let mut line = 1;
    for byte in input.take(offset).bytes() {
        meter.reset();
        if byte.ok()? == b'\n' {
            line += 1;
        }
    }
    Some(line)
}

/// Returns the file's name without its folders, for messages and default names.
pub(crate) fn base_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    #[test]
    fn gzip_is_known_by_its_first_bytes_even_in_several_members() {
        let mut gzip = Vec::new();
        for part in ["one\n", "two\n"] {
            let mut member = GzEncoder::new(Vec::new(), Compression::fast());
            member.write_all(part.as_bytes()).unwrap();
            gzip.extend(member.finish().unwrap());
        }
        let (mut input, _) = from_reader(Cursor::new(gzip)).unwrap();
        let mut text = String::new();
        input.read_to_string(&mut text).unwrap();
        assert_eq!(text, "one\ntwo\n");
    }

    #[test]
    fn utf16_is_refused_and_a_utf8_mark_is_skipped() {
        assert!(from_reader(Cursor::new(vec![0xff, 0xfe, b'a', 0])).unwrap_err().to_string().contains("UTF-16"));
        let (mut input, _) = from_reader(Cursor::new("\u{feff}a".as_bytes().to_vec())).unwrap();
        let mut text = String::new();
        input.read_to_string(&mut text).unwrap();
        assert_eq!(text, "a");
    }

    #[test]
    fn a_hundred_megabytes_without_an_end_are_not_held() {
        let (mut input, meter) = from_reader(io::repeat(b'x').take(100 << 20)).unwrap();
        let mut line = Vec::new();
        let error = input.read_until(b'\n', &mut line).unwrap_err();
        assert!(error.to_string().contains("16 MiB"), "{error}");
        assert!(line.len() <= RECORD_BYTES_MAX + BUFFER_BYTES);
        meter.reset();
        assert!(input.fill_buf().is_ok());
    }

    #[test]
    fn a_broken_file_is_named_with_its_line() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"a\nb\xffc\n").unwrap();
        let error = read_all(file.path(), 1 << 20).unwrap_err().to_string();
        assert!(error.ends_with(":2: not UTF-8"), "{error}");
        assert!(read_all(file.path(), 2).is_err());
        assert_eq!(line_at(file.path(), 3), Some(2));
    }
}
