//! The formats of files that can be imported.

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
    /// Any JSON file, by a mapping file (`--map`); docs/import/ has those of known systems.
    Json,
}

impl ImportFormat {
    /// Returns the name of the format on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Disqus => "disqus",
            Self::WordPress => "wordpress",
            Self::Isso => "isso",
            Self::Commento => "commento",
            Self::Jsonl => "jsonl",
        }
    }

    /// Returns true if no two comments of a file have one id, whatever their subjects are.
    pub(crate) fn has_unique_ids(self) -> bool {
        match self {
            Self::Disqus | Self::WordPress | Self::Commento => true,
            // Isso's ids have their subject in them; a map may name any column.
            Self::Csv | Self::Json | Self::Isso | Self::Jsonl => false,
        }
    }

    /// Returns the default name of the source.
    pub(crate) fn source(self) -> &'static str {
        if self == Self::Jsonl { "riposte" } else { self.name() }
    }
}
