//! The settings with which the records of an import are read.

/// The name of a page that becomes the subject's object id, in formats that have both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum SubjectBy {
    /// The system's own id of the page (Disqus identifier, WordPress post id), else its path.
    #[default]
    Id,
    /// Path and query of the page's address, else the system's id.
    Path,
}

/// Settings for all records of one import.
#[derive(Debug, Clone)]
pub(crate) struct ReadSettings {
    pub(crate) source: String,
    pub(crate) object_type: String,
    /// Salt for the hashes of e-mail addresses and names.
    pub(crate) salt: String,
    pub(crate) subject_by: SubjectBy,
}
