//! The benchmarks. Each is a list of rows, a file of figures and a document with a table.

use std::fmt;

/// One benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Book {
    /// Creates and likes.
    Write,
    /// Pages and states.
    Read,
    /// The feed of events and the topic.
    Events,
}

impl Book {
    /// The file of figures, below cargo's build directory.
    pub(super) fn json(self) -> String {
        format!("bench/{self}.json")
    }

    /// The document that explains the rows.
    pub(super) fn document(self) -> String {
        format!("docs/benchmarks/{self}.md")
    }
}

impl fmt::Display for Book {
    /// The name on the command line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Write => "write",
            Self::Read => "read",
            Self::Events => "events",
        })
    }
}
