//! Source files as one stream each: a file, a pipe or standard input (`-`) is opened once and read
//! forward only.
//!
//! Gzip is detected by its magic bytes. Positions are counted as bytes pass. Bytes that are not
//! UTF-8 become [`NOT_UTF8`], so that the record that contains them can be rejected and the rest of
//! the file is read.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, Cursor, Read};
use std::path::Path;

use anyhow::{Context, Result};
use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Serialize};

/// The size limit of a record, in bytes. A longer record means a broken file (an open quote, a
/// missing end tag), not a comment.
pub(crate) const RECORD_BYTES_MAX: usize = 16 << 20;
/// Stands for bytes that are not UTF-8. It is a noncharacter of Unicode, so no text has it.
pub(crate) const NOT_UTF8: char = '\u{fdd0}';
/// The fault of a file of rows that ends inside quotes or an escape.
pub(crate) const OPEN_VALUE: &str = "the file ends inside a value: it is cut off, or a quote is left open";
/// The name of standard input among the files.
pub(crate) const STDIN: &str = "-";
const BUFFER_BYTES: usize = 64 << 10;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const UTF8_MARK: &[u8] = "\u{feff}".as_bytes();

/// A place in a file: the first byte of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct SourcePosition {
    /// The number of the record, counted from 1; 0 if it is not known.
    pub(crate) record: u64,
    /// The line, counted from 1.
    pub(crate) line: u64,
    /// The offset in the unpacked file, counted from 0.
    pub(crate) byte: u64,
}

impl fmt::Display for SourcePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { record, line, byte } = self;
        match record {
            0 => write!(f, "line {line}, byte {byte}"),
            _ => write!(f, "record {record}, line {line}, byte {byte}"),
        }
    }
}

/// A source file that fails instead of reading an endless record into memory.
pub(crate) struct Input {
    raw: Box<dyn Read + Send>,
    name: String,
    buffer: Vec<u8>,
    start: usize,
    /// Read bytes of a character whose end has not been read.
    tail: Vec<u8>,
    is_at_end: bool,
    is_gzip: bool,
    place: SourcePosition,
    /// The bytes that were read since the last record ended.
    bytes_in_record: usize,
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input").field("name", &self.name).field("place", &self.place).finish_non_exhaustive()
    }
}

impl Input {
    /// Opens a file, plain or gzip; `-` is standard input.
    ///
    /// # Errors
    /// The file cannot be read, or its byte order mark indicates UTF-16 or UTF-32.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let name = path.display();
        let raw: Box<dyn Read + Send> = match path.as_os_str() == STDIN {
            true => Box::new(io::stdin()),
            false => Box::new(File::open(path).with_context(|| format!("cannot open {name}"))?),
        };
        let name = base_name(path);
        Self::from_reader(raw, &name).with_context(|| format!("cannot read {name}"))
    }

    /// Reads bytes in the same way.
    ///
    /// # Errors
    /// Same as for [`Self::open`].
    pub(crate) fn from_reader(mut raw: impl Read + Send + 'static, name: &str) -> Result<Self> {
        let mut magic = [0; 2];
        let length = read_up_to(&mut raw, &mut magic)?;
        let start = magic.get(..length).unwrap_or_default().to_vec();
        let is_gzip = start == GZIP_MAGIC;
        let raw = Cursor::new(start).chain(raw);
        let raw: Box<dyn Read + Send> = if is_gzip { Box::new(MultiGzDecoder::new(raw)) } else { Box::new(raw) };
        let place = SourcePosition { record: 0, line: 1, byte: 0 };
        let (buffer, tail) = (Vec::new(), Vec::new());
        let name = name.to_owned();
        let is_at_end = false;
        let mut input = Self { raw, name, buffer, start: 0, tail, is_at_end, is_gzip, place, bytes_in_record: 0 };
        input.fill_from_raw()?;
        if input.buffer.starts_with(UTF8_MARK) {
            input.consume(UTF8_MARK.len());
        }
        Ok(input)
    }

    /// Returns the name of the file, for messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the place of the next byte.
    pub(crate) fn place(&self) -> SourcePosition {
        self.place
    }

    /// Returns up to 64 KiB from the start of the file, before anything is consumed.
    pub(crate) fn head(&self) -> &[u8] {
        self.buffer.get(self.start..).unwrap_or_default()
    }

    /// Marks the end of a record.
    pub(crate) fn end_record(&mut self) {
        self.bytes_in_record = self.head().len();
    }

    /// Returns true if nothing follows.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn is_finished(&mut self) -> io::Result<bool> {
        Ok(self.fill_buf()?.is_empty())
    }

    /// Returns an error about the file at this place.
    pub(crate) fn error_at(&self, place: SourcePosition, message: &str) -> anyhow::Error {
        anyhow::anyhow!("{}: {place}: {message}", self.name)
    }

    /// Reads the next 64 KiB and replaces what is not UTF-8.
    fn fill_from_raw(&mut self) -> io::Result<()> {
        let mut bytes = std::mem::take(&mut self.tail);
        let retained = bytes.len();
        bytes.resize(BUFFER_BYTES, 0);
        let read = read_up_to(&mut self.raw, bytes.get_mut(retained..).unwrap_or_default());
        let read = read.map_err(|error| match self.is_gzip {
            true => io::Error::new(error.kind(), format!("the gzip data is cut off or damaged: {error}")),
            false => error,
        })?;
        bytes.truncate(retained + read);
        self.is_at_end = retained + read < BUFFER_BYTES;
        self.bytes_in_record += read;
        if self.bytes_in_record > RECORD_BYTES_MAX + BUFFER_BYTES {
            let limit = RECORD_BYTES_MAX >> 20;
            let text = format!("one record is longer than {limit} MiB; is a quote or a tag left open?");
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        if let Some(text) = Some(&bytes).filter(|_| self.place.byte == 0).and_then(|bytes| foreign_form(bytes)) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        (self.buffer, self.tail) = valid_utf8(bytes, self.is_at_end);
        self.start = 0;
        Ok(())
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let length = available.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..length), available.get(..length)) {
            to.copy_from_slice(from);
        }
        self.consume(length);
        Ok(length)
    }
}

impl BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.start >= self.buffer.len() && !self.is_at_end {
            self.fill_from_raw()?;
        }
        Ok(self.head())
    }

    fn consume(&mut self, length: usize) {
        let consumed = self.buffer.get(self.start..).and_then(|rest| rest.get(..length)).unwrap_or_default();
        self.place.line += memchr::memchr_iter(b'\n', consumed).map(|_| 1).sum::<u64>();
        self.place.byte += u64::try_from(consumed.len()).unwrap_or_default();
        self.start += length;
    }
}

/// The first bytes of compressed files that are not unpacked here, with the program that does.
const PACKED: [(&[u8], &str); 6] = [
    (b"\x28\xb5\x2f\xfd", "zstd -dc"),
    (b"\xfd7zXZ\0", "xz -dc"),
    (b"BZh91AY&SY", "bzip2 -dc"),
    (b"PK\x03\x04", "unzip -p"),
    (b"\x04\x22\x4d\x18", "lz4 -dc"),
    (b"7z\xbc\xaf\x27\x1c", "7z x -so"),
];

/// Returns the remedy for a file whose first bytes are no UTF-8 text and no gzip.
fn foreign_form(bytes: &[u8]) -> Option<String> {
    if let Some((_, program)) = PACKED.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Some(format!("the file is compressed; unpack it first: {program} FILE | riposte import -"));
    }
    let encoding = match bytes {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => "UTF-32",
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "UTF-16",
        // Without a mark of the byte order: every second byte of ASCII is zero.
        [1..=255, 0, 1..=255, 0, ..] => "UTF-16LE",
        [0, 1..=255, 0, 1..=255, ..] => "UTF-16BE",
        _ => return None,
    };
    Some(format!("the file is {encoding}; convert it to UTF-8 first (iconv -f {encoding} -t UTF-8)"))
}

/// Fills as much of `buffer` as there is; a pipe returns its bytes in pieces of any size.
fn read_up_to(raw: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while let Some(rest) = buffer.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match raw.read(rest) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

/// Returns the bytes with [`NOT_UTF8`] in place of each invalid sequence, and the start of a
/// character whose end follows.
fn valid_utf8(mut bytes: Vec<u8>, is_at_end: bool) -> (Vec<u8>, Vec<u8>) {
    let Err(error) = std::str::from_utf8(&bytes) else { return (bytes, Vec::new()) };
    if error.error_len().is_none() && !is_at_end {
        let tail = bytes.split_off(error.valid_up_to());
        return (bytes, tail);
    }
    let mut out = String::with_capacity(bytes.len());
    let mut tail = Vec::new();
    let last = bytes.utf8_chunks().count();
    for (number, chunk) in (1..).zip(bytes.utf8_chunks()) {
        out.push_str(chunk.valid());
        let is_cut = number == last && !is_at_end && is_start_of_character(chunk.invalid());
        match (chunk.invalid().is_empty(), is_cut) {
            (true, _) => {}
            (false, true) => tail = chunk.invalid().to_vec(),
            (false, false) => out.push(NOT_UTF8),
        }
    }
    (out.into_bytes(), tail)
}

fn is_start_of_character(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

/// Returns the file's name without its folders, for messages and default names.
pub(crate) fn base_name(path: &Path) -> String {
    if path.as_os_str() == STDIN {
        return "standard input".to_owned();
    }
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn text_of(bytes: &[u8]) -> String {
        let mut input = Input::from_reader(Cursor::new(bytes.to_vec()), "x").unwrap();
        let mut text = String::new();
        input.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn gzip_is_known_by_its_first_bytes_even_in_several_members() {
        let mut gzip = Vec::new();
        for part in ["one\n", "two\n"] {
            let mut member = GzEncoder::new(Vec::new(), Compression::fast());
            member.write_all(part.as_bytes()).unwrap();
            gzip.extend(member.finish().unwrap());
        }
        assert_eq!(text_of(&gzip), "one\ntwo\n");
    }

    #[test]
    fn utf16_is_refused_and_a_utf8_mark_is_skipped() {
        let cases: [(&[u8], &str); 6] = [
            (b"\xff\xfea\0", "UTF-16;"),
            (b"<\0?\0x\0", "UTF-16LE"),
            (b"\0<\0?\0x", "UTF-16BE"),
            (b"\xff\xfe\0\0a\0\0\0", "UTF-32"),
            (b"\x28\xb5\x2f\xfdxx", "zstd -dc"),
            (b"PK\x03\x04xx", "unzip -p"),
        ];
        for (bytes, words) in cases {
            let error = Input::from_reader(Cursor::new(bytes.to_vec()), "x").unwrap_err();
            assert!(error.to_string().contains(words), "{error}");
        }
        assert_eq!(text_of("\u{feff}a".as_bytes()), "a");
    }

    #[test]
    fn gzip_that_is_cut_off_says_so() {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(&vec![b'a'; 1 << 20]).unwrap();
        let packed = gzip.finish().unwrap();
        for length in [2, 20, packed.len() / 2, packed.len() - 1] {
            let read = Input::from_reader(Cursor::new(packed[..length].to_vec()), "x")
                .and_then(|mut input| Ok(input.read_to_string(&mut String::new())?));
            assert!(format!("{:#}", read.unwrap_err()).contains("cut off"), "{length}");
        }
    }

    #[test]
    fn a_hundred_megabytes_without_an_end_are_not_held() {
        let mut input = Input::from_reader(io::repeat(b'x').take(100 << 20), "x").unwrap();
        let mut line = Vec::new();
        let error = input.read_until(b'\n', &mut line).unwrap_err();
        assert!(error.to_string().contains("16 MiB"), "{error}");
        assert!(line.len() <= RECORD_BYTES_MAX + BUFFER_BYTES);
        input.end_record();
        assert!(input.fill_buf().is_ok());
    }

    #[test]
    fn invalid_bytes_are_marked_and_characters_across_buffers_are_kept() {
        assert_eq!(text_of(b"a\xffb\xe4\xb8"), format!("a{NOT_UTF8}b{NOT_UTF8}"));
        let long = format!("x{}", "语".repeat(BUFFER_BYTES));
        assert_eq!(text_of(long.as_bytes()), long);
        let mut broken = long.into_bytes();
        broken.splice(3..3, [0xff]);
        assert_eq!(text_of(&broken).matches(NOT_UTF8).count(), 1 + 1 + 1, "the split character is two bad pieces");
    }

    #[test]
    fn places_are_counted_as_bytes_pass_even_in_small_pieces() {
        struct Drops(Cursor<Vec<u8>>);
        impl Read for Drops {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let length = buffer.len().min(1);
                self.0.read(buffer.get_mut(..length).unwrap_or_default())
            }
        }
        let mut input = Input::from_reader(Drops(Cursor::new(b"a\nb\nc".to_vec())), "x").unwrap();
        assert_eq!(input.head(), b"a\nb\nc");
        input.consume(3);
        assert_eq!(input.place(), SourcePosition { record: 0, line: 2, byte: 3 });
        assert!(!input.is_finished().unwrap());
        input.consume(2);
        assert!(input.is_finished().unwrap());
    }
}
