//! The role that each method requires. This is the complete table, and the only one.

use riposte_core::{Caller, Error, Role};

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

const fn role(role: Role) -> MethodAccess {
    MethodAccess::Role(role)
}

/// Returns the requirement of the method at this path. A path outside the API returns UNIMPLEMENTED
/// to known callers.
pub(crate) fn needed(path: &str) -> MethodAccess {
    let Some(method) = path.strip_prefix("/riposte.v1.") else {
        return if path.starts_with("/grpc.health.") { MethodAccess::Anybody } else { MethodAccess::Known };
    };
    match method {
        "SubjectService/GetSubject"
        | "SubjectService/BatchGetSubjects"
        | "SubjectService/WatchSubject"
        | "CommentService/GetComment"
        | "CommentService/BatchGetComments"
        | "CommentService/ListComments"
        | "CommentService/ListCommentRevisions"
        | "CommentService/ListMemberComments"
        | "ReplyService/ListReplies"
        | "ReplyService/GetThread"
        | "ReplyService/ListConversation"
        | "LikeService/BatchGetLikeStates"
        | "LikeService/ListLikers"
        | "LikeService/ListMemberLikes" => role(Role::Reader),
        "SubjectService/CreateSubject"
        | "SubjectService/UpdateSubject"
        | "SubjectService/DeleteSubject"
        | "SubjectService/UndeleteSubject"
        | "CommentService/CreateComment"
        | "CommentService/UpdateComment"
        | "CommentService/DeleteComment"
        | "CommentService/UndeleteComment"
        | "CommentService/PinComment"
        | "CommentService/UnpinComment"
        | "ReplyService/CreateReply"
        | "LikeService/SetLike" => role(Role::Writer),
        "AdminService/HideComment" | "AdminService/UnhideComment" | "AdminService/DeleteComment" => {
            role(Role::Moderator)
        }
        "AdminService/ListSubjects"
        | "AdminService/ExportSubject"
        | "AdminService/ImportComments"
        | "AdminService/VerifyCounts"
        | "AdminService/RepairCounts"
        | "AdminService/RebuildMemberHistory"
        | "AdminService/RebuildRanks"
        | "AdminService/RebuildCache"
        | "AdminService/ListHotSubjects" => role(Role::Operator),
        _ => MethodAccess::Known,
    }
}

/// Returns the method of AdminService at this path, as the audit log writes it; `None` for paths
/// that are not recorded.
pub(crate) fn recorded(path: &str) -> Option<&str> {
    let method = path.strip_prefix("/riposte.v1.").filter(|method| method.starts_with("AdminService/"))?;
    matches!(needed(path), MethodAccess::Role(_)).then_some(method)
}

#[cfg(test)]
mod tests {
    use prost::Message;
    use prost_types::FileDescriptorSet;

    use super::{MethodAccess, needed};

    #[test]
    fn every_method_of_the_contract_needs_a_role() {
        let contract = FileDescriptorSet::decode(riposte_sdk::FILE_DESCRIPTOR_SET).unwrap();
        let services = contract.file.iter().flat_map(|file| &file.service);
        let mut methods = 0;
        for service in services {
            for method in &service.method {
                let path = format!("/riposte.v1.{}/{}", service.name(), method.name());
                assert!(matches!(needed(&path), MethodAccess::Role(_)), "{path}");
                methods += 1;
            }
        }
        assert!(methods >= 38, "{methods}");
        assert_eq!(needed("/grpc.health.v1.Health/Check"), MethodAccess::Anybody);
        assert_eq!(needed("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"), MethodAccess::Known);
        assert_eq!(needed("/riposte.v1.CommentService/DropAll"), MethodAccess::Known);
    }
}
