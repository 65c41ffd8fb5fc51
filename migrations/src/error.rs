//! Errors of a migration run, worded for operators.

use std::fmt;

/// The result of a run.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why a run stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The tables of a source were created for another layout.
    Refused {
        /// The number of the source.
        source: usize,
        /// The difference.
        text: String,
    },
    /// A source could not be reached, or a statement failed. Tables that were created stay, and the
    /// next run continues after them.
    Failed {
        /// The number of the source.
        source: usize,
        /// The server's error text.
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
