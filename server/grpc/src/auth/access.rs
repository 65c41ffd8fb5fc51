//! The requirement of each method on its caller. The roles are in methods.yaml.

use riposte_core::{Caller, Error, Role};

use crate::generated::methods::method;

/// The requirement of a method on its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MethodAccess {
    /// No requirement: every client that reaches the port may check its health.
    Anybody,
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
            Self::Role(_) | Self::Known | Self::Anybody => Ok(()),
        }
    }
}

/// Returns the requirement of the method at this path. A path outside the contract returns
/// UNIMPLEMENTED to known callers.
pub(super) fn needed(path: &str) -> MethodAccess {
    match method(path) {
        Some(method) => MethodAccess::Role(method.role),
        None if path.starts_with("/grpc.health.") => MethodAccess::Anybody,
        None => MethodAccess::Known,
    }
}

#[cfg(test)]
mod tests {
    use riposte_core::Role;

    use super::{MethodAccess, needed};

    #[test]
    fn methods_need_a_role_and_other_paths_none() {
        assert_eq!(needed("/riposte.v1.CommentService/GetComment"), MethodAccess::Role(Role::Reader));
        assert_eq!(needed("/grpc.health.v1.Health/Check"), MethodAccess::Anybody);
        assert_eq!(needed("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"), MethodAccess::Known);
        assert_eq!(needed("/riposte.v1.CommentService/DropAll"), MethodAccess::Known);
    }
}
