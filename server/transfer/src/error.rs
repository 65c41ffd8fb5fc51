//! The errors of this crate that a program distinguishes.

use std::fmt;

/// An error that has an exit code of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransferError {
    /// An option has a value that would fail every record, or every subject of an export.
    OptionInvalid {
        /// The option, such as `--object-type`.
        option: &'static str,
        /// Its value.
        value: String,
        /// The right form.
        cure: String,
    },
    /// The rejects file would replace one of the files to read.
    RejectsReplaceInput,
    /// The files to import have no record.
    NothingRead {
        /// Their names.
        files: String,
    },
    /// The only subject of an export is deleted.
    SubjectDeleted {
        /// The type of the object that the subject belongs to.
        object_type: String,
        /// The id of the object.
        object_id: String,
    },
}

impl fmt::Display for TransferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OptionInvalid { option, value, cure } => write!(f, "{option} {value:?}: {cure}"),
            Self::RejectsReplaceInput => {
                f.write_str("the rejects would replace one of the files to read; name another with --rejects")
            }
            Self::NothingRead { files } => {
                write!(f, "nothing was read: there is no record in {files}; if that is right, add --allow-empty")
            }
            Self::SubjectDeleted { object_type, object_id } => {
                write!(f, "the subject {object_type}/{object_id} is deleted")
            }
        }
    }
}

impl std::error::Error for TransferError {}
