//! Finds the place where an unfinished export can be resumed: its complete subjects, and the end of
//! the last one.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use flate2::bufread::GzDecoder;

use super::jsonl::{JsonLine, Scope};

/// The object ids of the complete subjects of a file.
pub(crate) type FinishedSubjects = HashSet<String>;

/// Reads an unfinished export. Returns its complete subjects, and the offset at which the last one
/// ends; the caller must cut off everything after that offset.
///
/// # Errors
/// The file cannot be read, or belongs to another export.
pub(crate) fn scan(part: &Path, gzip: bool, scope: &Scope) -> Result<(FinishedSubjects, u64)> {
    let mut file = BufReader::new(File::open(part)?);
    let mut scan = Scan { scope, finished: FinishedSubjects::new(), end: 0 };
    match gzip {
        true => scan.scan_gzip_members(&mut file)?,
        false => scan.scan_lines(&mut file)?,
    }
    Ok((scan.finished, scan.end))
}

#[derive(Debug)]
struct Scan<'a> {
    scope: &'a Scope,
    finished: FinishedSubjects,
    end: u64,
}

impl Scan<'_> {
    /// Reads plain lines. A subject is complete when the next one begins, so the last one never
    /// counts as complete.
    fn scan_lines(&mut self, file: &mut impl BufRead) -> Result<()> {
        let (mut line, mut offset, mut open_subject) = (Vec::new(), 0, None);
        loop {
            let line_start = offset;
            line.clear();
            offset += u64::try_from(file.read_until(b'\n', &mut line)?)?;
            if !line.ends_with(b"\n") {
                return Ok(());
            }
            if line_start == 0 {
                self.check_header(&line)?;
                self.end = offset;
            } else if let Some(object_id) = subject_of(&line) {
                self.finished.extend(open_subject.replace(object_id));
                self.end = line_start;
            }
        }
    }

    /// Reads a gzip file. The header and each subject are separate gzip members, so a member that
    /// can be unpacked is complete.
    fn scan_gzip_members(&mut self, file: &mut (impl BufRead + Seek)) -> Result<()> {
        while !file.fill_buf()?.is_empty() {
            let mut line = Vec::new();
            let mut member = BufReader::new(GzDecoder::new(&mut *file));
            let unpacked = member.read_until(b'\n', &mut line).and_then(|_| io::copy(&mut member, &mut io::sink()));
            if unpacked.is_err() {
                break;
            }
            drop(member);
            match self.end {
                0 => self.check_header(&line)?,
                _ => self.finished.extend(subject_of(&line)),
            }
            self.end = file.stream_position()?;
        }
        Ok(())
    }

    fn check_header(&self, line: &[u8]) -> Result<()> {
        let header: JsonLine =
            serde_json::from_slice(line).context("it does not begin with the header of an export")?;
        ensure!(header.scope.is_some(), "it does not begin with the header of an export");
        if header.scope.as_ref() != Some(self.scope) {
            bail!("it is an export of {:?}, not of {:?}", header.scope, self.scope);
        }
        Ok(())
    }
}

fn subject_of(line: &[u8]) -> Option<String> {
    if !line.starts_with(b"{\"subject\"") {
        return None;
    }
    let line: JsonLine = serde_json::from_slice(line).ok()?;
    line.subject.map(|subject| subject.key.object_id)
}
