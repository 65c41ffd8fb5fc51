//! The source of a configuration value.

use figment::{Metadata, Source};
use std::{fmt, path::PathBuf};

/// The source of one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueOrigin {
    /// The defaults inside the binary.
    Default,
    /// A profile inside the binary, by its name.
    Profile(String),
    /// A file, and the line of the key or of the nearest enclosing table.
    File(PathBuf, Option<usize>),
    /// An environment variable, by its name.
    Variable(String),
    /// A command-line flag, with as much of it as names the key.
    Flag(String),
}

const DEFAULT: &str = "default";
const PROFILE: &str = "profile";
const FILE: &str = "file";
const VARIABLE: &str = "variable";
const FLAG: &str = "flag";

impl ValueOrigin {
    /// Returns the origin in the form in which figment attaches it to each value.
    pub(super) fn metadata(&self) -> Metadata {
        match self {
            ValueOrigin::Default => Metadata::named(DEFAULT),
            ValueOrigin::Profile(name) => Metadata::from(PROFILE, Source::Custom(name.clone())),
            ValueOrigin::File(path, _) => Metadata::from(FILE, Source::File(path.clone())),
            ValueOrigin::Variable(name) => Metadata::from(VARIABLE, Source::Custom(name.clone())),
            ValueOrigin::Flag(name) => Metadata::from(FLAG, Source::Custom(name.clone())),
        }
    }

    /// Restores the origin that [`ValueOrigin::metadata`] encoded, without the line of a file.
    pub(super) fn of(metadata: &Metadata) -> Self {
        let name = || metadata.source.as_ref().and_then(Source::custom).unwrap_or_default().to_owned();
        match metadata.name.as_ref() {
            PROFILE => ValueOrigin::Profile(name()),
            VARIABLE => ValueOrigin::Variable(name()),
            FLAG => ValueOrigin::Flag(name()),
            FILE => {
                let path = metadata.source.as_ref().and_then(Source::file_path).unwrap_or_else(|| "".as_ref());
                ValueOrigin::File(path.to_owned(), None)
            }
            _ => ValueOrigin::Default,
        }
    }
}

impl fmt::Display for ValueOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueOrigin::Default => f.write_str("default"),
            ValueOrigin::Profile(name) => write!(f, "profile {name}"),
            ValueOrigin::File(path, Some(line)) => write!(f, "{}, line {line}", path.display()),
            ValueOrigin::File(path, None) => write!(f, "{}", path.display()),
            ValueOrigin::Variable(name) => write!(f, "variable {name}"),
            ValueOrigin::Flag(name) => write!(f, "flag {name}"),
        }
    }
}
