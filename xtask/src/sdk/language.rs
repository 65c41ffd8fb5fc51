use clap::ValueEnum;

/// A language that has an SDK, in the folder of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    Rust,
    Go,
    Java,
    Python,
    Typescript,
}

impl Language {
    /// Returns all languages.
    pub(crate) fn all() -> Vec<Self> {
        Self::value_variants().to_vec()
    }

    /// Returns the name of the language, which is also the name of its folder.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Go => "go",
            Self::Java => "java",
            Self::Python => "python",
            Self::Typescript => "typescript",
        }
    }
}
