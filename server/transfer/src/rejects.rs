//! The file of records that could not be imported. It is itself valid input: correct a line and
//! import the file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::input::{STDIN, base_name};
use super::jsonl;
use super::record::{Record, Reject};

/// Collects rejects. The file appears under its name when it is complete, and only if there are
/// rejects.
#[derive(Debug)]
pub(crate) struct Rejects {
    /// `None` if rejects are only counted.
    path: Option<PathBuf>,
    /// Written for records without a source, so that the file can be imported without `--source`.
    source: String,
    file: Option<BufWriter<File>>,
    by_reason: BTreeMap<String, u64>,
}

impl Rejects {
    /// Creates a collector that writes to `path` or only counts; no file is created yet.
    pub(crate) fn new(path: Option<PathBuf>, source: &str) -> Self {
        Self { path, source: source.to_owned(), file: None, by_reason: BTreeMap::new() }
    }

    /// Returns the default path of the rejects file: in the current folder, named after the first
    /// input file.
    pub(crate) fn default_path(files: &[PathBuf]) -> PathBuf {
        let name = match files.first() {
            Some(file) if file.as_os_str() == STDIN => "stdin".to_owned(),
            Some(file) => base_name(file),
            None => "import".to_owned(),
        };
        PathBuf::from(format!("{name}.rejects.jsonl"))
    }

    /// Adds a reject.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn add(&mut self, mut reject: Reject) -> Result<()> {
        *self.by_reason.entry(reject.problem.reason.clone()).or_insert(0) += 1;
        let source = match &mut reject.record {
            Record::Subject(subject) => &mut subject.source,
            Record::Comment(comment) => &mut comment.source,
            Record::Like(like) => &mut like.source,
        };
        source.get_or_insert_with(|| self.source.clone());
        let Some(path) = &self.path else { return Ok(()) };
        let context = || format!("cannot write the rejects file {}", path.display());
        if self.file.is_none() {
            let mut file = BufWriter::new(File::create(part_path(path)).with_context(context)?);
            jsonl::write_header(&mut file, None).with_context(context)?;
            self.file = Some(file);
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        jsonl::write(file, &reject.record, Some(&reject.problem)).with_context(context)
    }

    /// Returns the number of rejects.
    pub(crate) fn total(&self) -> u64 {
        self.by_reason.values().sum()
    }

    /// Moves the file to its final name, and returns the number of rejects for each reason. Without
    /// rejects, a complete import removes the file of an earlier one, whose rejects are no longer
    /// any.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn finish(mut self, is_complete: bool) -> Result<BTreeMap<String, u64>> {
        let by_reason = std::mem::take(&mut self.by_reason);
        let Some(path) = &self.path else { return Ok(by_reason) };
        let context = || format!("cannot write the rejects file {}", path.display());
        let Some(file) = &mut self.file else {
            if is_complete && path.is_file() {
                std::fs::remove_file(path).with_context(context)?;
            }
            return Ok(by_reason);
        };
        file.flush().with_context(context)?;
        std::fs::rename(part_path(path), path).with_context(context)?;
        self.file = None;
        Ok(by_reason)
    }
}

impl Drop for Rejects {
    /// Removes a file that is not complete, such as on a full disk.
    fn drop(&mut self) {
        if let Some((path, _file)) = self.path.as_ref().zip(self.file.take()) {
            // The failure that ends the import is reported, not this one.
            drop(std::fs::remove_file(part_path(path)));
        }
    }
}

fn part_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Comment, Problem};

    #[test]
    fn the_file_appears_when_it_is_complete_and_names_its_source() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.jsonl");
        let mut rejects = Rejects::new(Some(path.clone()), "isso");
        let comment = Comment { external_id: "1".to_owned(), ..Comment::default() };
        let problem = Problem::new("TEXT_EMPTY", "it has no text");
        rejects.add(Reject { record: Record::Comment(comment), problem }).unwrap();
        assert!(!path.exists());
        assert_eq!(rejects.finish(true).unwrap(), BTreeMap::from([("TEXT_EMPTY".to_owned(), 1)]));
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(
            text.contains("\"source\":\"isso\"") && text.contains("\"rejected\":{\"reason\":\"TEXT_EMPTY\""),
            "{text}"
        );
    }

    #[test]
    fn without_rejects_there_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.jsonl");
        let finish = |is_complete| Rejects::new(Some(path.clone()), "isso").finish(is_complete).unwrap();
        assert!(finish(true).is_empty());
        assert!(!path.exists() && !part_path(&path).exists());
        std::fs::write(&path, "of an earlier import").unwrap();
        finish(false);
        assert!(path.exists(), "an import that failed says nothing of its records");
        finish(true);
        assert!(!path.exists() && !part_path(&path).exists());
    }

    #[test]
    fn an_import_that_fails_leaves_no_part_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let mut rejects = Rejects::new(Some(folder.path().join("r.jsonl")), "isso");
        let record = Record::Comment(Comment::default());
        rejects.add(Reject { record, problem: Problem::new("TEXT_EMPTY", "it has no text") }).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        drop(rejects);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
