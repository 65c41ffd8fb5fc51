//! The calling service.

/// Who makes the call: an authenticated service, not a person.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Caller {
    name: String,
}

impl Caller {
    /// The caller that authentication found.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into() }
    }

    /// The name that request keys, page tokens and the log carry.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}
