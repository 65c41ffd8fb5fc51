//! Conversion of files to subjects: selects the format and returns one subject after another.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use anyhow::{Context, Result, bail, ensure};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::batch::BatchSink;
use super::check::RecordCheck;
use super::detect::{self, KnownFile};
use super::error::TransferError;
use super::format::ImportFormat;
use super::group::EntrySink;
use super::input::{Input, STDIN};
use super::map::{self, Map};
use super::names;
use super::ordering::{self, Orphans};
use super::page::{PageRules, StrippedQuery, SubjectBy};
use super::read_notes::ReadNotes;
use super::read_settings::ReadSettings;
use super::spool::{self, Spool};
use super::totals::ImportTotals;
use super::{commento, csv, disqus, isso, json, jsonl, wordpress};

/// The request to read files.
#[derive(Debug, Clone)]
pub struct ReadRequest {
    /// The files, plain or gzip; `-` is standard input.
    pub files: Vec<PathBuf>,
    /// The format of all files.
    pub format: ImportFormat,
    /// The mapping file, which CSV and JSON need and no other format has.
    pub map: Option<PathBuf>,
    /// The name of the source; by default that of the mapping file, else that of the format.
    pub source: Option<String>,
    /// The object type of the subjects; by default that of the mapping file, else `page`.
    pub object_type: Option<String>,
    /// The salt of the hashes of e-mail addresses and names; if empty, the source.
    pub salt: String,
    /// The name of a page that becomes the object id.
    pub subject_by: SubjectBy,
    /// A file with an old and a new address of a page on each line.
    pub url_map: Option<PathBuf>,
    /// The query of addresses is left out: all of it if the list is empty, else these parameters.
    pub strip_query: Option<Vec<String>>,
    /// The IANA zone of local times in exports that name no zone; empty for UTC.
    pub timezone: String,
    /// Types of WordPress comments that are imported in addition to the known ones.
    pub comment_types: Vec<String>,
    /// False if files without any record are an error.
    pub allow_empty: bool,
    /// The folder of temporary files.
    pub spool: PathBuf,
    /// The present, in milliseconds since 1970; later times are limited to it.
    pub now_ms: i64,
}

/// Files whose format, mapping and settings have been validated.
#[derive(Debug)]
pub(crate) struct PreparedImport {
    files: Vec<PathBuf>,
    format: ImportFormat,
    map: Option<Map>,
    allow_empty: bool,
    spool: PathBuf,
    now: Timestamp,
    pub(crate) settings: ReadSettings,
}

impl ReadRequest {
    /// Creates the request to read files with the defaults of all other options.
    #[must_use]
    pub fn new(files: Vec<PathBuf>, format: ImportFormat, spool: PathBuf, now_ms: i64) -> Self {
        Self {
            files,
            format,
            map: None,
            source: None,
            object_type: None,
            salt: String::new(),
            subject_by: SubjectBy::Id,
            url_map: None,
            strip_query: None,
            timezone: String::new(),
            comment_types: Vec::new(),
            allow_empty: false,
            spool,
            now_ms,
        }
    }

    /// Checks everything that can be checked before a file is read.
    ///
    /// # Errors
    /// CSV or JSON without a mapping file, a mapping file with another format, an invalid mapping
    /// file or address map, standard input among several files; an object type, source or zone that
    /// no record can have ([`TransferError::OptionInvalid`]).
    pub(crate) fn prepare(self) -> Result<PreparedImport> {
        let map = match (self.format, &self.map) {
            (ImportFormat::Csv | ImportFormat::Json, None) => {
                bail!("--format {} needs --map MAP.toml, which says what the fields are", self.format.name())
            }
            (ImportFormat::Csv | ImportFormat::Json, Some(path)) => {
                let map = map::load(path)?;
                let context = || format!("in the mapping file {}", path.display());
                map.check_format(self.format == ImportFormat::Csv).with_context(context)?;
                Some(map)
            }
            (_, Some(_)) => bail!("--map is for --format csv and json"),
            (_, None) => None,
        };
        let stdin_files = self.files.iter().filter(|file| file.as_os_str() == STDIN).count();
        ensure!(stdin_files <= 1, "standard input can be read once only; name - once");
        self.source.as_deref().map_or(Ok(()), check_source)?;
        self.object_type.as_deref().map_or(Ok(()), names::check_object_type)?;
        let source = self.source.or_else(|| map.as_ref().map(|map| map.source.clone()));
        let source = source.unwrap_or_else(|| self.format.source().to_owned());
        let object_type_of_map = map.as_ref().map(|map| map.object_type.clone()).filter(|name| !name.is_empty());
        let object_type = self.object_type.or(object_type_of_map).unwrap_or_else(|| "page".to_owned());
        let salt = if self.salt.is_empty() { source.clone() } else { self.salt };
        let zone = match self.timezone.as_str() {
            "" => TimeZone::UTC,
            name => TimeZone::get(name).map_err(|_unknown| TransferError::OptionInvalid {
                option: "--timezone",
                value: name.to_owned(),
                cure: "the zone is not known; write its IANA name, such as Europe/Madrid".to_owned(),
            })?,
        };
        let strip = match self.strip_query {
            None => StrippedQuery::None,
            Some(names) if names.is_empty() => StrippedQuery::All,
            Some(names) => StrippedQuery::Names(names),
        };
        let url_map = self.url_map.as_deref().map(PageRules::read_url_map).transpose()?.unwrap_or_default();
        let pages = PageRules { by: self.subject_by, strip, url_map };
        let comment_types = self.comment_types;
        let settings = ReadSettings { source, object_type, salt, pages, zone, comment_types };
        let (files, format, allow_empty, spool) = (self.files, self.format, self.allow_empty, self.spool);
        let now = Timestamp::from_millisecond(self.now_ms).context("the clock is wrong")?;
        Ok(PreparedImport { files, format, map, allow_empty, spool, now, settings })
    }
}

fn check_file(file: &Path) -> Result<()> {
    let context = || format!("cannot open {}", file.display());
    let metadata = std::fs::metadata(file).with_context(context)?;
    ensure!(!metadata.is_dir(), "{} is a folder; name the files in it", file.display());
    if metadata.is_file() {
        drop(File::open(file).with_context(context)?);
    }
    Ok(())
}

fn check_source(name: &str) -> Result<(), TransferError> {
    let invalid = |cure| TransferError::OptionInvalid { option: "--source", value: name.to_owned(), cure };
    names::source_fault(name).map_or(Ok(()), |cure| Err(invalid(cure)))
}

impl PreparedImport {
    /// Checks that every file can be opened, so that the last one of many is not found missing
    /// after the others are read. A pipe is not opened, because that is possible once.
    ///
    /// # Errors
    /// The first file that cannot be opened.
    pub(crate) fn check_files(&self) -> Result<()> {
        let files = self.files.iter().filter(|file| file.as_os_str() != STDIN);
        files.map(PathBuf::as_path).try_for_each(check_file).with_context(|| self.reading())
    }

    /// Returns a message about the space that temporary files need, if it is much.
    ///
    /// # Errors
    /// There is not that much space.
    pub(crate) fn check_disk_space(&self) -> Result<Option<String>> {
        spool::check_disk_space(&self.files, &self.spool)
    }

    /// Passes the subjects to `sink` one after another. A subject may be spread over the files, so
    /// all of them are read first. Counts records in `totals` as they are read, and adds what a
    /// person should know to `notes`.
    ///
    /// # Errors
    /// The first error in a file, with file and place; the error of `sink`; there is no record
    /// ([`TransferError::NothingRead`]).
    pub(crate) fn read(
        &self,
        orphans: Orphans,
        totals: &ImportTotals,
        notes: &mut ReadNotes,
        sink: BatchSink<'_>,
    ) -> Result<()> {
        let check = RecordCheck::new(self.format, &self.settings.source, self.now);
        let mut spool = Spool::new(&self.spool);
        if self.format.has_unique_ids() {
            spool = spool.with_unique_ids();
        }
        let mut checked = ReadNotes::default();
        self.read_entries(notes, &mut |mut entry| {
            check.apply(&mut entry, &mut checked);
            totals.read.add(1);
            spool.add(&entry)
        })?;
        notes.add(&checked);
        totals.total_known.store(true, Ordering::Relaxed);
        if notes.records == 0 && !self.allow_empty {
            return Err(TransferError::NothingRead { files: self.names() }.into());
        }
        ordering::write_batches(spool, orphans, sink)
    }

    fn read_entries(&self, notes: &mut ReadNotes, out: EntrySink<'_>) -> Result<()> {
        let (settings, spool) = (&self.settings, &self.spool);
        match (self.format, &self.map) {
            (ImportFormat::Csv, Some(map)) => csv::read(&self.files, map, settings, out),
            (ImportFormat::Json, Some(map)) => json::read(&self.files, map, settings, spool, out),
            (ImportFormat::Csv | ImportFormat::Json, None) => bail!("this format needs a mapping file"),
            (ImportFormat::Jsonl, _) => self.each_input(&mut |input| jsonl::read(input, out)),
            (ImportFormat::Disqus, _) => self.each_input(&mut |input| disqus::read(input, settings, spool, notes, out)),
            (ImportFormat::WordPress, _) => {
                self.each_input(&mut |input| wordpress::read(input, settings, spool, notes, out))
            }
            (ImportFormat::Isso, _) => self.each_input(&mut |input| isso::read(input, settings, spool, notes, out)),
            (ImportFormat::Commento, _) => self.each_input(&mut |input| commento::read(input, settings, spool, out)),
        }
        .with_context(|| self.reading())
    }

    fn reading(&self) -> String {
        format!("reading {} as {}", self.names(), self.format.name())
    }

    /// Opens each file once and refuses a file that begins as one of another system.
    fn each_input(&self, read: &mut dyn FnMut(Input) -> Result<()>) -> Result<()> {
        self.files.iter().try_for_each(|file| {
            let mut input = Input::open(file)?;
            match KnownFile::of(input.head()) {
                Some(known) if !known.fits(self.format) => {
                    bail!(detect::wrong_format(input.name(), known, self.format))
                }
                None if matches!(self.format, ImportFormat::Isso | ImportFormat::Commento) => {
                    detect::require_json(&input)?;
                    read(input)
                }
                None if self.format == ImportFormat::Jsonl && !input.is_finished()? => {
                    bail!("{} is no file of `riposte export`: its first line is no record of one", input.name())
                }
                Some(_) | None => read(input),
            }
        })
    }

    fn names(&self) -> String {
        let name = |file: &PathBuf| {
            if file == Path::new(STDIN) { "standard input".into() } else { file.display().to_string() }
        };
        let names: Vec<String> = self.files.iter().map(name).collect();
        names.join(", ")
    }
}

#[cfg(test)]
mod faults;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::SubjectBatch;

    fn request(file: PathBuf, format: ImportFormat) -> ReadRequest {
        ReadRequest::new(vec![file], format, std::env::temp_dir(), 4_000_000_000_000)
    }

    #[test]
    fn a_mapping_file_belongs_to_csv_and_to_nothing_else() {
        let csv = request(PathBuf::from("x"), ImportFormat::Csv);
        assert!(csv.prepare().unwrap_err().to_string().contains("--map"));
        let other = ReadRequest { map: Some(PathBuf::from("m")), ..request(PathBuf::from("x"), ImportFormat::Isso) };
        assert!(other.prepare().is_err());
    }

    #[test]
    fn the_real_exports_of_other_systems_are_read_completely() {
        let Some(folder) = std::env::var_os("RIPOSTE_TEST_DATA").map(PathBuf::from) else {
            eprintln!("SKIPPED: RIPOSTE_TEST_DATA is not set, so the real exports are not read");
            return;
        };
        let cases = [
            ("exports/isso/disqus.xml", ImportFormat::Disqus, (2, 5, 1)),
            ("exports/isso/wordpress.xml", ImportFormat::WordPress, (2, 8, 0)),
            ("exports/isso/generic.json", ImportFormat::Isso, (2, 2, 0)),
            ("exports/commento/commento.json", ImportFormat::Commento, (2, 3, 0)),
        ];
        for (file, format, expected) in cases {
            let mut found = (0, 0, 0);
            let mut count = |batch: SubjectBatch| {
                found.0 += usize::from(batch.requires_subject);
                found.1 += batch.comments.len();
                found.2 += batch.rejects.len();
                Ok(())
            };
            request(folder.join(file), format)
                .prepare()
                .unwrap()
                .read(Orphans::Tombstone, &ImportTotals::default(), &mut ReadNotes::default(), &mut count)
                .unwrap();
            assert_eq!(found, expected, "{file}");
        }
    }
}
