//! The settings with which the records of an import are read.

use jiff::tz::TimeZone;

use super::page::PageRules;
use super::record::Key;

/// Settings for all records of one import.
#[derive(Debug, Clone)]
pub(crate) struct ReadSettings {
    pub(crate) source: String,
    pub(crate) object_type: String,
    /// Salt for the hashes of e-mail addresses and names.
    pub(crate) salt: String,
    pub(crate) pages: PageRules,
    /// The zone of local times in exports that name no zone.
    pub(crate) zone: TimeZone,
    /// The types of WordPress comments that are imported in addition to the known ones.
    pub(crate) comment_types: Vec<String>,
}

impl ReadSettings {
    /// Returns the key of comments on an unknown page. An operator completes it in the rejects
    /// file.
    pub(crate) fn unknown_page(&self) -> Key {
        Key { object_type: self.object_type.clone(), object_id: String::new() }
    }
}

#[cfg(test)]
impl ReadSettings {
    /// Returns the settings of a test.
    pub(crate) fn of(source: &str) -> Self {
        Self {
            source: source.to_owned(),
            object_type: "page".to_owned(),
            salt: "s".to_owned(),
            pages: PageRules::default(),
            zone: TimeZone::UTC,
            comment_types: Vec::new(),
        }
    }
}
