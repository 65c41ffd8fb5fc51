//! The source of a configuration value.

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
    /// A command-line flag without its value, as in `--listen` or `--set server.listen`.
    Flag(String),
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
