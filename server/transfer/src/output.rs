//! The destination of an export: standard output, or a file that appears when it is complete; until
//! then the export can be resumed.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::jsonl::{self, Scope};
use super::resume::{self, FinishedSubjects};

/// An open export. The data of one call of [`ExportOutput::append`] is one gzip member, so that a
/// broken file can be cut back to the last complete subject.
#[derive(Debug)]
pub(crate) struct ExportOutput {
    destination: Destination,
    gzip: bool,
    /// The header, while nothing is written: a server that does not answer, or refuses the export,
    /// leaves no output.
    header: Option<Vec<u8>>,
}

#[derive(Debug)]
enum Destination {
    Stdout,
    File { file: BufWriter<File>, part: PathBuf, path: PathBuf },
}

/// The file to write, and the policy for existing files.
#[derive(Debug, Clone)]
pub(crate) struct OutputTarget {
    /// `None` stands for standard output.
    pub(crate) path: Option<PathBuf>,
    pub(crate) gzip: bool,
    /// Resume the unfinished file of an earlier run.
    pub(crate) resume: bool,
    /// Replace a finished file.
    pub(crate) overwrite: bool,
}

impl OutputTarget {
    /// Opens the output; with `resume`, cuts an unfinished file back to its last complete subject.
    ///
    /// # Errors
    /// A file already exists, or the unfinished file belongs to another export or cannot be read.
    pub(crate) fn open(&self, scope: &Scope) -> Result<(ExportOutput, FinishedSubjects)> {
        let Some(path) = &self.path else {
            let (destination, header) = (Destination::Stdout, Some(header(scope)?));
            return Ok((ExportOutput { destination, gzip: self.gzip, header }, FinishedSubjects::new()));
        };
        ensure!(self.overwrite || !path.exists(), "{} exists; --overwrite replaces it", path.display());
        let part = part_path(path);
        let unfinished = part.exists();
        if unfinished && !self.resume {
            bail!("{} is an unfinished export; --resume continues it, or remove it", part.display());
        }
        let context = || format!("cannot write {}", part.display());
        let (finished, end) = match unfinished {
            true => {
                resume::scan(&part, self.gzip, scope).with_context(|| format!("cannot continue {}", part.display()))?
            }
            false => (FinishedSubjects::new(), 0),
        };
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&part).with_context(context)?;
        file.set_len(end).with_context(context)?;
        let mut file = BufWriter::new(file);
        file.seek(io::SeekFrom::Start(end)).with_context(context)?;
        let destination = Destination::File { file, part, path: path.clone() };
        let header = if end == 0 { Some(header(scope)?) } else { None };
        Ok((ExportOutput { destination, gzip: self.gzip, header }, finished))
    }
}

impl ExportOutput {
    /// Writes the lines of one subject.
    ///
    /// # Errors
    /// The output cannot be written.
    pub(crate) fn append(&mut self, lines: &mut impl Read) -> Result<()> {
        self.write_header()?;
        self.write(lines)
    }

    /// Returns true if nothing is written yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.header.is_some()
    }

    /// Removes the unfinished file.
    ///
    /// # Errors
    /// The file cannot be removed.
    pub(crate) fn discard(self) -> Result<()> {
        let Destination::File { part, .. } = self.destination else { return Ok(()) };
        std::fs::remove_file(&part).with_context(|| format!("cannot remove {}", part.display()))
    }

    fn write_header(&mut self) -> Result<()> {
        self.header.take().map_or(Ok(()), |header| self.write(&mut header.as_slice()))
    }

    fn write(&mut self, lines: &mut impl Read) -> Result<()> {
        match &mut self.destination {
            Destination::Stdout => copy(lines, &mut io::stdout().lock(), self.gzip),
            Destination::File { file, .. } => copy(lines, file, self.gzip),
        }
        .context("cannot write the export")
    }

    /// Moves a file to its final name, safely on disk.
    ///
    /// # Errors
    /// The output cannot be written.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.write_header()?;
        let Destination::File { mut file, part, path } = self.destination else { return Ok(()) };
        let context = || format!("cannot finish {}", path.display());
        file.flush().with_context(context)?;
        file.get_ref().sync_all().with_context(context)?;
        std::fs::rename(&part, &path).with_context(context)
    }
}

fn copy(lines: &mut impl Read, out: &mut impl Write, gzip: bool) -> io::Result<()> {
    if gzip {
        let mut member = GzEncoder::new(&mut *out, Compression::default());
        io::copy(lines, &mut member)?;
        member.finish()?;
    } else {
        io::copy(lines, out)?;
    }
    out.flush()
}

fn header(scope: &Scope) -> Result<Vec<u8>> {
    let mut line = Vec::new();
    jsonl::write_header(&mut line, Some(scope))?;
    Ok(line)
}

/// Returns the path of the unfinished file of an export.
pub(crate) fn part_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

#[cfg(test)]
mod tests;
