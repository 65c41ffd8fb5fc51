//! Why a migration did not go through, in words for whoever runs it.

use std::fmt;

/// The result of a run.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a run stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The tables of a source were made for another layout.
    Refused {
        /// The number of the source.
        source: usize,
        /// What differs.
        text: String,
    },
    /// A source could not be reached, or a statement failed; what was made stays, and the next run goes on behind it.
    Failed {
        /// The number of the source.
        source: usize,
        /// What the server says.
        text: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Refused { source, text } | Self::Failed { source, text }) = self;
        write!(f, "data source {}: {text}", source + 1)
    }
}

impl std::error::Error for Error {}
