//! Conversion of files to subjects: selects the format and returns one group after another.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use super::group::{GroupEntry, GroupSink, Groups};
use super::map::{self, Map};
use super::read_settings::{ReadSettings, SubjectBy};
use super::{commento, csv, disqus, isso, jsonl, wordpress};

/// A format from which comments can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ImportFormat {
    /// Any CSV files, by a mapping file (`--map`).
    Csv,
    /// The XML export of Disqus.
    Disqus,
    /// The XML export (WXR) of WordPress.
    #[value(name = "wordpress")]
    WordPress,
    /// Isso's generic JSON (its Disqus and WordPress files go by those formats).
    Isso,
    /// The JSON export of Commento.
    Commento,
    /// The format of `riposte export` and of the rejects file: lines of JSON.
    Jsonl,
}

/// The request to read files.
#[derive(Debug, Clone)]
pub struct ReadRequest {
    /// The files, plain or gzip.
    pub files: Vec<PathBuf>,
    /// The format of all files.
    pub format: ImportFormat,
    /// The mapping file, which CSV needs and no other format has.
    pub map: Option<PathBuf>,
    /// The name of the source; by default that of the mapping file, else that of the format.
    pub source: Option<String>,
    /// The object type of the subjects; by default that of the mapping file, else `page`.
    pub object_type: Option<String>,
    /// The salt of the hashes of e-mail addresses and names; if empty, the source.
    pub salt: String,
    /// The name of a page that becomes the object id.
    pub subject_by: SubjectBy,
}

/// Files whose format, mapping and settings have been validated.
#[derive(Debug)]
pub(crate) struct PreparedImport {
    files: Vec<PathBuf>,
    format: ImportFormat,
    map: Option<Map>,
    pub(crate) settings: ReadSettings,
}

impl ReadRequest {
    /// Checks everything that can be checked before a file is read.
    ///
    /// # Errors
    /// CSV without a mapping file, a mapping file with another format, an invalid mapping file.
    pub(crate) fn prepare(self) -> Result<PreparedImport> {
        let map = match (self.format, &self.map) {
            (ImportFormat::Csv, None) => bail!("--format csv needs --map MAP.toml, which says what the columns are"),
            (ImportFormat::Csv, Some(path)) => Some(map::load(path)?),
            (_, Some(_)) => bail!("--map is for --format csv"),
            (_, None) => None,
        };
        let source = self.source.or_else(|| map.as_ref().map(|map| map.source.clone()));
        let source = source.unwrap_or_else(|| self.format.source().to_owned());
        let object_type_of_map = map.as_ref().map(|map| map.object_type.clone()).filter(|name| !name.is_empty());
        let object_type = self.object_type.or(object_type_of_map).unwrap_or_else(|| "page".to_owned());
        let salt = if self.salt.is_empty() { source.clone() } else { self.salt };
        let settings = ReadSettings { source, object_type, salt, subject_by: self.subject_by };
        Ok(PreparedImport { files: self.files, format: self.format, map, settings })
    }
}

impl PreparedImport {
    /// Returns the number of records in the files, if the format can count them without parsing all
    /// of them first.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(crate) fn records(&self) -> Result<Option<u64>> {
        match self.format {
            ImportFormat::Jsonl => self.files.iter().map(|file| jsonl::count(file)).sum::<Result<u64>>().map(Some),
            ImportFormat::Csv
            | ImportFormat::Disqus
            | ImportFormat::WordPress
            | ImportFormat::Isso
            | ImportFormat::Commento => Ok(None),
        }
    }

    /// Passes the subjects to `sink` one after another. JSON lines are passed on as they are read
    /// and may name a subject again later. The other formats spread a subject over the file, so
    /// they are read completely first.
    ///
    /// # Errors
    /// The first error in a file, with file and line; or the error of `sink`.
    pub(crate) fn read(&self, sink: GroupSink<'_>) -> Result<()> {
        if self.format == ImportFormat::Jsonl {
            return self.files.iter().try_for_each(|file| jsonl::read(file, sink));
        }
        let mut groups = Groups::default();
        self.read_entries(&mut |entry| groups.add(entry))?;
        groups.into_groups().into_iter().try_for_each(sink)
    }

    fn read_entries(&self, out: &mut dyn FnMut(GroupEntry)) -> Result<()> {
        let settings = &self.settings;
        match (self.format, &self.map) {
            (ImportFormat::Csv, Some(map)) => csv::read(&self.files, map, settings, out),
            (ImportFormat::Csv, None) | (ImportFormat::Jsonl, _) => bail!("this format is not read whole"),
            (ImportFormat::Disqus, _) => self.files.iter().try_for_each(|file| disqus::read(file, settings, out)),
            (ImportFormat::WordPress, _) => self.files.iter().try_for_each(|file| wordpress::read(file, settings, out)),
            (ImportFormat::Isso, _) => self.files.iter().try_for_each(|file| isso::read(file, settings, out)),
            (ImportFormat::Commento, _) => self.files.iter().try_for_each(|file| commento::read(file, settings, out)),
        }
        .with_context(|| format!("reading {} as {:?}", self.names(), self.format))
    }

    fn names(&self) -> String {
        let names: Vec<String> = self.files.iter().map(|file| file.display().to_string()).collect();
        names.join(", ")
    }
}

impl ImportFormat {
    /// Returns the default name of the source.
    fn source(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Disqus => "disqus",
            Self::WordPress => "wordpress",
            Self::Isso => "isso",
            Self::Commento => "commento",
            Self::Jsonl => "riposte",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::Group;

    fn request(file: PathBuf, format: ImportFormat) -> ReadRequest {
        let (source, object_type, salt) = (None, None, String::new());
        ReadRequest { files: vec![file], format, map: None, source, object_type, salt, subject_by: SubjectBy::Id }
    }

    #[test]
    fn a_mapping_file_belongs_to_csv_and_to_nothing_else() {
        let csv = request(PathBuf::from("x"), ImportFormat::Csv);
        assert!(csv.prepare().unwrap_err().to_string().contains("--map"));
        let other = ReadRequest { map: Some(PathBuf::from("m")), ..request(PathBuf::from("x"), ImportFormat::Isso) };
        assert!(other.prepare().is_err());
    }

    #[test]
    fn the_real_exports_of_other_systems_are_read_whole() {
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
            let mut count = |group: Group| {
                found.0 += usize::from(group.subject.is_some());
                found.1 += group.comments.len();
                found.2 += group.rejects.len();
                Ok(())
            };
            request(folder.join(file), format).prepare().unwrap().read(&mut count).unwrap();
            assert_eq!(found, expected, "{file}");
        }
    }
}
