//! Source files as one stream each: a file, a pipe or standard input (`-`) is opened once and read
//! forward only.
//!
//! Gzip is detected by its magic bytes. Positions are counted as bytes pass. A byte that is not
//! UTF-8 becomes a mark, so that the record that contains it can be rejected and the rest of the
//! file is read (see [`super::marks`]).

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, Cursor, Read};
use std::path::Path;

use anyhow::{Context, Result};
use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Serialize};

use super::excerpt::{MESSAGE_CHARS_MAX, excerpt};
use super::marks::{NOT_UTF8, is_mark, push_escaped};

/// The size limit of a record, in bytes. A longer record means a broken file (an open quote, a
/// missing end tag), not a comment.
pub(crate) const RECORD_BYTES_MAX: usize = 16 << 20;
/// The bytes that remain of a longer record.
pub(crate) const CUT_BYTES: usize = 64 << 10;
/// The fault of a record that is too long.
pub(crate) const TOO_LONG: &str = "it is longer than 16 MiB; only its start is here";
/// The bytes with which the UTF-8 of the three characters begins.
const MARK_PREFIX: &[u8] = b"\xef\xb7";
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
    /// The marks in the buffer.
    marks: Vec<Mark>,
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
        let mut input = Self {
            raw,
            name: name.to_owned(),
            buffer: Vec::new(),
            start: 0,
            tail: Vec::new(),
            marks: Vec::new(),
            is_at_end: false,
            is_gzip,
            place,
            bytes_in_record: 0,
        };
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

    /// Appends what follows to `record`, up to the end of a line or of what is in memory, and
    /// returns its length and true for the end of a line. What is beyond the size limit of a record
    /// is dropped: of such a record the first [`CUT_BYTES`] remain, and `is_cut` becomes true.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn read_piece(&mut self, record: &mut Vec<u8>, is_cut: &mut bool) -> io::Result<(usize, bool)> {
        let available = self.fill_buf()?;
        let end = memchr::memchr(b'\n', available);
        let length = end.map_or(available.len(), |end| end + 1);
        if !*is_cut && record.len() + length > RECORD_BYTES_MAX {
            *is_cut = true;
            cut(record);
        }
        if *is_cut {
            self.consume(length);
            self.end_record();
        } else {
            record.extend_from_slice(available.get(..length).unwrap_or_default());
            self.consume(length);
        }
        Ok((length, end.is_some()))
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
        anyhow::anyhow!("{}: {place}: {}", self.name, excerpt(message, MESSAGE_CHARS_MAX))
    }

    /// Reads the next 64 KiB and replaces what is not UTF-8.
    fn fill_from_raw(&mut self) -> io::Result<()> {
        let mut bytes = std::mem::take(&mut self.tail);
        let retained = bytes.len();
        bytes.resize(BUFFER_BYTES, 0);
        let read = read_up_to(&mut self.raw, bytes.get_mut(retained..).unwrap_or_default());
        let read = read.map_err(|error| match self.is_gzip {
            true => {
                let fault = "the gzip data is cut off or damaged, or something else follows it";
                io::Error::new(error.kind(), fault)
            }
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
        (self.buffer, self.tail, self.marks) = valid_utf8(bytes, self.is_at_end);
        self.start = 0;
        Ok(())
    }
}

/// Shortens a record that is too long to what its rejection keeps, at the end of a character.
pub(crate) fn cut(record: &mut Vec<u8>) {
    let is_start = |byte: &u8| byte & 0xc0 != 0x80;
    let length = (0..=CUT_BYTES.min(record.len())).rev().find(|length| record.get(*length).is_none_or(is_start));
    record.truncate(length.unwrap_or_default());
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
        let end = self.start + consumed.len();
        let passed_marks = self.marks.iter().filter(|mark| (self.start..end).contains(&mark.last));
        let added: usize = passed_marks.map(|mark| mark.added).sum();
        let count = |bytes: usize| u64::try_from(bytes).unwrap_or_default();
        let passed = self.place.byte + count(consumed.len());
        self.place.byte = passed.saturating_sub(count(added));
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

/// A mark in the buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    /// The offset of its last byte.
    last: usize,
    /// The bytes that it has more than the file.
    added: usize,
}

/// Returns the bytes with a mark for each invalid one, the start of a character whose end follows,
/// and the marks.
fn valid_utf8(mut bytes: Vec<u8>, is_at_end: bool) -> (Vec<u8>, Vec<u8>, Vec<Mark>) {
    let has_marks = memchr::memmem::find(&bytes, MARK_PREFIX).is_some();
    match std::str::from_utf8(&bytes) {
        Ok(_) if !has_marks => return (bytes, Vec::new(), Vec::new()),
        Err(error) if !has_marks && error.error_len().is_none() && !is_at_end => {
            let tail = bytes.split_off(error.valid_up_to());
            return (bytes, tail, Vec::new());
        }
        Ok(_) | Err(_) => {}
    }
    let mut out = String::with_capacity(bytes.len());
    let (mut tail, mut marks) = (Vec::new(), Vec::new());
    let last = bytes.utf8_chunks().count();
    for (number, chunk) in (1..).zip(bytes.utf8_chunks()) {
        for c in chunk.valid().chars() {
            push_escaped(&mut out, c);
            if is_mark(c) {
                marks.push(Mark { last: out.len() - 1, added: 1 });
            }
        }
        if number == last && !is_at_end && is_start_of_character(chunk.invalid()) {
            tail = chunk.invalid().to_vec();
            break;
        }
        for byte in chunk.invalid() {
            let start = out.len();
            out.push_str(&format!("{NOT_UTF8}{byte:02x}"));
            marks.push(Mark { last: out.len() - 1, added: out.len() - start - 1 });
        }
    }
    (out.into_bytes(), tail, marks)
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
    use crate::marks::ESCAPE;

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
        assert_eq!(text_of(b"a\xffb\xe4\xb8"), format!("a{NOT_UTF8}ffb{NOT_UTF8}e4{NOT_UTF8}b8"));
        let long = format!("x{}", "语".repeat(BUFFER_BYTES));
        assert_eq!(text_of(long.as_bytes()), long);
        let mut broken = long.into_bytes();
        broken.splice(3..3, [0xff]);
        assert_eq!(text_of(&broken).matches(NOT_UTF8).count(), 1 + 3, "the bytes of the split character are bad");
    }

    #[test]
    fn places_are_those_of_the_file_after_bytes_that_are_not_utf8() {
        let mut input = Input::from_reader(Cursor::new(b"a\xff\xfe\nb".to_vec()), "x").unwrap();
        for (consumed, byte) in [(1, 1), (5, 2), (5, 3), (1, 4)] {
            input.consume(consumed);
            assert_eq!(input.place().byte, byte);
        }
        assert_eq!(input.place().line, 2);
        let mut input = Input::from_reader(Cursor::new("a\u{fdd0}\u{fdd2}\nb".as_bytes()), "x").unwrap();
        for (consumed, byte) in [(1, 1), (4, 4), (4, 7), (1, 8)] {
            input.consume(consumed);
            assert_eq!(input.place().byte, byte);
        }
    }

    #[test]
    fn characters_that_are_marks_here_are_escaped_in_any_buffer() {
        let text = "\u{fdd0}e9 \u{fdd1}d800 \u{fdd2} \u{fdd3}";
        assert_eq!(text_of(text.as_bytes()), format!("{ESCAPE}0e9 {ESCAPE}1d800 {ESCAPE}2 \u{fdd3}"));
        let long = format!("x{}", "\u{fdd1}".repeat(BUFFER_BYTES));
        assert_eq!(text_of(long.as_bytes()).matches(&format!("{ESCAPE}1")).count(), BUFFER_BYTES);
        assert_eq!(text_of(b"\xef\xb7\x90\xff"), format!("{ESCAPE}0{NOT_UTF8}ff"));
    }

    #[test]
    fn a_line_beyond_the_limit_is_cut_and_the_next_one_is_complete() {
        let raw = Cursor::new("語".repeat(RECORD_BYTES_MAX / 2)).chain(Cursor::new("\nnext\n"));
        let mut input = Input::from_reader(raw, "x").unwrap();
        let line = |input: &mut Input| {
            let (mut line, mut is_cut) = (Vec::new(), false);
            while !input.read_piece(&mut line, &mut is_cut).unwrap().1 {}
            input.end_record();
            (String::from_utf8(line).unwrap(), is_cut)
        };
        let (long, is_cut) = line(&mut input);
        assert!(is_cut && long.len() <= CUT_BYTES && long.len() > CUT_BYTES - 4);
        assert_eq!(line(&mut input), ("next\n".to_owned(), false));
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
