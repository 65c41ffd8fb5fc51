//! The requirement of each method on its caller. The roles are in methods.yaml.

use riposte_core::{Caller, Error, Role};

use crate::generated::methods::method;

/// The requirement of a method on its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MethodAccess {
    /// No requirement: every client that reaches the port may check its health.
    Open,
    /// A known caller.
    Known,
    /// A known caller with this role.
    Role(Role),
}

impl MethodAccess {
    /// Checks that a known caller may make the call.
    ///
    /// # Errors
    /// [`Error::CallerNotAllowed`] for a caller without the role.
    pub(crate) fn allows(self, caller: &Caller) -> Result<(), Error> {
        match self {
            Self::Role(role) if !caller.has(role) => Err(Error::CallerNotAllowed),
            Self::Role(_) | Self::Known | Self::Open => Ok(()),
        }
    }
}

/// Returns the requirement of the method at this path. A path outside the contract returns
/// UNIMPLEMENTED to known callers.
pub(super) fn required_access(path: &str) -> MethodAccess {
    match method(path) {
        Some(method) => MethodAccess::Role(method.role),
        None if path.starts_with("/grpc.health.") => MethodAccess::Open,
        None => MethodAccess::Known,
    }
}

#[cfg(test)]
mod tests {
    use riposte_core::Role;

    use super::{MethodAccess, required_access};

    #[test]
    fn methods_require_a_role_and_other_paths_do_not() {
        assert_eq!(required_access("/riposte.v1.CommentService/GetComment"), MethodAccess::Role(Role::Reader));
        assert_eq!(required_access("/grpc.health.v1.Health/Check"), MethodAccess::Open);
        assert_eq!(required_access("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"), MethodAccess::Known);
        assert_eq!(required_access("/riposte.v1.CommentService/DropAll"), MethodAccess::Known);
    }
}
