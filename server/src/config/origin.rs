//! Where a value came from.

use figment::{Metadata, Source};
use std::{fmt, path::PathBuf};

/// The source of one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The defaults inside the binary.
    Default,
    /// A profile inside the binary, by its name.
    Profile(String),
    /// A file, and the line of the key or of the nearest table around it.
    File(PathBuf, Option<usize>),
    /// An environment variable, by its name.
    Variable(String),
    /// A flag of the command line, as far as it names the key.
    Flag(String),
}

const DEFAULT: &str = "default";
const PROFILE: &str = "profile";
const FILE: &str = "file";
const VARIABLE: &str = "variable";
const FLAG: &str = "flag";

impl Origin {
    /// The origin in the form that figment carries beside each value.
    pub(super) fn metadata(&self) -> Metadata {
        match self {
            Origin::Default => Metadata::named(DEFAULT),
            Origin::Profile(name) => Metadata::from(PROFILE, Source::Custom(name.clone())),
            Origin::File(path, _) => Metadata::from(FILE, Source::File(path.clone())),
            Origin::Variable(name) => Metadata::from(VARIABLE, Source::Custom(name.clone())),
            Origin::Flag(name) => Metadata::from(FLAG, Source::Custom(name.clone())),
        }
    }

    /// Reads back what [`Origin::metadata`] wrote; the line of a file is not part of it.
    pub(super) fn of(metadata: &Metadata) -> Self {
        let name = || metadata.source.as_ref().and_then(Source::custom).unwrap_or_default().to_owned();
        match metadata.name.as_ref() {
            PROFILE => Origin::Profile(name()),
            VARIABLE => Origin::Variable(name()),
            FLAG => Origin::Flag(name()),
            FILE => {
                let path = metadata.source.as_ref().and_then(Source::file_path).unwrap_or_else(|| "".as_ref());
                Origin::File(path.to_owned(), None)
            }
            _ => Origin::Default,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::Profile(name) => write!(f, "profile {name}"),
            Origin::File(path, Some(line)) => write!(f, "{}, line {line}", path.display()),
            Origin::File(path, None) => write!(f, "{}", path.display()),
            Origin::Variable(name) => write!(f, "variable {name}"),
            Origin::Flag(name) => write!(f, "flag {name}"),
        }
    }
}
