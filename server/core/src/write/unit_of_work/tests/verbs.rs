//! Verbs for tests: each concerns a comment of the fixture and has default values otherwise.

use super::fixture::{Fixture, member, text};
use crate::domain::content::ClientInfo;
use crate::domain::ids::{CommentId, SubjectId};
use crate::domain::lifecycle::DeletedBy;
use crate::domain::like::LikeValue;
use crate::domain::object_type::ModerationMode;
use crate::domain::origin::ImportOrigin;
use crate::domain::policy_judgement::PolicyJudgement;
use crate::domain::request::RequestId;
use crate::domain::state::CommentState;
use crate::domain::subject::{Metadata, SubjectState};
use crate::domain::time::Millis;
use crate::write::verbs::{
    Create, CreateSubject, Delete, DeleteActor, DeleteSubject, Edit, Hide, Import, ImportLike, ImportTimes, Pin, Reply,
    Ruling, SetLike, Undelete, Unhide, Unpin, UpdateSubject,
};

/// Creates a subject that "owner" owns.
pub(super) fn create_subject(id: SubjectId) -> CreateSubject {
    let (owner, metadata) = (Some(member("owner")), Metadata::new());
    CreateSubject { id, owner, state: SubjectState::Active, metadata, create_time: Millis(3) }
}

/// An order of the moderator "mod".
pub(super) fn ruling() -> Ruling {
    Ruling::noted(member("mod"), "a note".to_owned())
}

/// The capacity of the moderator "mod".
pub(super) fn moderator() -> DeleteActor {
    DeleteActor::Moderator(Box::new(ruling()))
}

/// An update without changes.
pub(super) fn update_subject() -> UpdateSubject {
    UpdateSubject::default()
}

pub(super) fn delete_subject() -> DeleteSubject {
    DeleteSubject { etag: String::new() }
}

impl Fixture {
    /// Writes a root by "author".
    pub(super) fn create(&mut self) -> Create {
        let id = self.id();
        let (member, content) = (member("author"), text(&format!("root {}", id.get())));
        let moderation = ModerationMode::Post;
        Create {
            id,
            member,
            content,
            client: ClientInfo::default(),
            auto_create: None,
            moderation,
            judged: PolicyJudgement::default(),
        }
    }

    /// Writes a reply by "author".
    pub(super) fn reply_to(&mut self, parent: CommentId, max_depth: u8) -> Reply {
        let id = self.id();
        let (member, content) = (member("author"), text(&format!("reply {}", id.get())));
        let parent = self.target(parent);
        let moderation = ModerationMode::Post;
        Reply {
            id,
            parent,
            member,
            content,
            client: ClientInfo::default(),
            max_depth,
            moderation,
            judged: PolicyJudgement::default(),
        }
    }

    /// Imports a root by "author", deleted by its author if `state` is DELETED.
    pub(super) fn import(&mut self, state: CommentState) -> Import {
        let id = self.id();
        let deleted = state == CommentState::Deleted;
        Import {
            id,
            parent: None,
            member: member("author"),
            content: text(&format!("import {}", id.get())),
            client: ClientInfo::default(),
            origin: ImportOrigin { source: "elsewhere".to_owned(), external_id: id.get().to_string() },
            state,
            deleted_by: deleted.then_some(DeletedBy::Author),
            times: ImportTimes { create: Millis(5), edit: Some(Millis(6)), delete: deleted.then_some(Millis(7)) },
            max_depth: 2,
            auto_create: None,
        }
    }

    pub(super) fn edit(&self, id: CommentId, by: &str, content: &str) -> Edit {
        Edit::allowed(self.target(id), member(by), text(content))
    }

    pub(super) fn delete(&self, id: CommentId, actor: DeleteActor) -> Delete {
        Delete { target: self.target(id), actor, etag: String::new() }
    }

    pub(super) fn undelete(&self, id: CommentId, by: &str) -> Undelete {
        Undelete { target: self.target(id), member: member(by) }
    }

    pub(super) fn pin(&self, id: CommentId, by: &str) -> Pin {
        Pin { target: self.target(id), member: member(by) }
    }

    pub(super) fn unpin(&self, id: CommentId, by: &str) -> Unpin {
        Unpin { target: self.target(id), member: member(by) }
    }

    pub(super) fn hide(&self, id: CommentId) -> Hide {
        Hide { target: self.target(id), ruling: ruling() }
    }

    pub(super) fn unhide(&self, id: CommentId) -> Unhide {
        Unhide { target: self.target(id), ruling: ruling() }
    }

    /// Sets a like with an operation id that has no time order.
    pub(super) fn like(&mut self, comment_id: CommentId, by: &str, value: LikeValue) -> SetLike {
        let mut operation = [0; 16];
        operation[8..].copy_from_slice(&self.id().get().to_be_bytes());
        SetLike { comment_id, member: member(by), value, operation: RequestId::from_bytes(operation) }
    }

    pub(super) fn import_like(&mut self, id: CommentId, by: &str, value: LikeValue, time: i64) -> ImportLike {
        ImportLike { like: self.like(id, by, value), time: Millis(time) }
    }
}

/// The capacity of an author.
pub(super) fn author(by: &str) -> DeleteActor {
    DeleteActor::Author(member(by))
}

/// The capacity of an owner.
pub(super) fn owner(by: &str) -> DeleteActor {
    DeleteActor::Owner(member(by))
}
