//! The violations of one request, collected while it is parsed.

use riposte_core::{Error, Reason, Violation};

use crate::rpc_error::{ErrorMetadata, RpcError};

/// All violations of one request so far.
#[derive(Debug, Default)]
pub(crate) struct Violations {
    found: Vec<Violation>,
    metadata: ErrorMetadata,
}

/// One violation or several, as parsers return them.
pub(crate) struct FieldViolations(Vec<Violation>);

impl From<Violation> for FieldViolations {
    fn from(violation: Violation) -> Self {
        Self(vec![violation])
    }
}

impl From<Vec<Violation>> for FieldViolations {
    fn from(violations: Vec<Violation>) -> Self {
        Self(violations)
    }
}

impl Violations {
    /// Returns the value of a field, or `None` and records its violations.
    pub(crate) fn take<T, V: Into<FieldViolations>>(&mut self, parsed: Result<T, V>) -> Option<T> {
        parsed.map_err(|violations| self.found.extend(violations.into().0)).ok()
    }

    /// Adds metadata for the error that is returned if the request has violations.
    pub(crate) fn add_metadata(&mut self, name: &'static str, value: impl ToString) {
        self.metadata = std::mem::take(&mut self.metadata).with(name, value);
    }

    /// Returns true if a violation with this reason has been recorded.
    pub(crate) fn has(&self, reason: Reason) -> bool {
        self.found.iter().any(|violation| violation.reason == reason)
    }

    /// Returns the error of a request that has this violation, with those recorded before.
    pub(crate) fn with(mut self, violation: Violation) -> RpcError {
        self.found.push(violation);
        RpcError::about(Error::Invalid(self.found), self.metadata)
    }

    /// Returns all values at once.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every violation.
    pub(crate) fn all<P: FieldParts>(self, parts: P) -> Result<P::Values, RpcError> {
        let Self { found, metadata } = self;
        if !found.is_empty() {
            return Err(RpcError::about(Error::Invalid(found), metadata));
        }
        parts.values().ok_or_else(|| Error::internal("a field was lost without a violation").into())
    }
}

/// A tuple of optional fields.
pub(crate) trait FieldParts {
    /// The tuple of the field values.
    type Values;

    /// Returns the values; `None` if one is missing.
    fn values(self) -> Option<Self::Values>;
}

macro_rules! parts {
    ($($($part:ident)+;)+) => {$(
        impl<$($part),+> FieldParts for ($(Option<$part>,)+) {
            type Values = ($($part,)+);

            #[expect(non_snake_case, reason = "a part is named like its type")]
            fn values(self) -> Option<Self::Values> {
                let ($($part,)+) = self;
                Some(($($part?,)+))
            }
        }
    )+};
}

parts! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
}
