//! The verbs of a comment: create, reply, edit, delete, undelete, pin, hide.

use crate::domain::comment::CommentView;
use crate::domain::content::{ClientInfo, Content};
use crate::domain::error::Result;
use crate::domain::ids::SubjectId;
use crate::domain::member::MemberId;
use crate::domain::page::LocatedComment;
use crate::domain::subject::SubjectKey;
use crate::write::submit::{CommandDraft, Mutations, WriteContext, WriteOutput};
use crate::write::verbs::{CommandKind, Create, Delete, DeleteActor, Edit, Hide, Pin, Reply, Undelete, Unhide, Unpin};

/// A request to write a root comment.
#[derive(Debug, Clone)]
pub struct CreateRoot {
    /// The subject.
    pub subject: SubjectKey,
    /// The author.
    pub member: MemberId,
    /// The content, within the policy of the type.
    pub content: Content,
    /// The client that the comment was written with.
    pub client: ClientInfo,
}

/// A request to write a reply.
#[derive(Debug, Clone)]
pub struct CreateReply {
    /// The author.
    pub member: MemberId,
    /// The content, within the policy of the type.
    pub content: Content,
    /// The client that the comment was written with.
    pub client: ClientInfo,
}

/// A request to change the content of a comment.
#[derive(Debug, Clone)]
pub struct EditComment {
    /// The member that edits the comment.
    pub member: MemberId,
    /// The new content, within the policy of the type.
    pub content: Content,
    /// The expected etag; an empty one matches any.
    pub etag: String,
}

impl Mutations {
    /// Writes a root comment.
    ///
    /// # Errors
    /// `Error::SubjectNotFound`, `Error::SubjectReadOnly`, `Error::SubjectHidden`,
    /// `Error::RequestIdReused`.
    pub async fn create(&self, asked: &WriteContext, new: CreateRoot) -> Result<WriteOutput<CommentView>> {
        let auto_create = self.policy(&asked.caller, new.subject.object_type())?.auto_create;
        let partition = new.subject.partition();
        let id = self.ids.comment(partition).await?;
        let create = Create {
            id,
            member: new.member,
            content: new.content.clone(),
            client: new.client,
            // A subject and its first comment may have the same number: they are rows of two
            // tables.
            auto_create: auto_create.then(|| SubjectId::from(id)),
        };
        let draft = CommandDraft { subject: new.subject, verb: create.into(), body: content_parts(&new.content) };
        WriteOutput::<CommentView>::comment(self.submit(asked, draft).await?)
    }

    /// Replies to a comment.
    ///
    /// # Errors
    /// `Error::ParentUnavailable`, and those of [`Mutations::create`].
    pub async fn reply(
        &self,
        asked: &WriteContext,
        parent: &LocatedComment,
        new: CreateReply,
    ) -> Result<WriteOutput<CommentView>> {
        let max_depth = self.policy(&asked.caller, parent.subject.object_type())?.max_depth;
        let CreateReply { member, content, client } = new;
        let reply = Reply {
            id: self.ids.comment(parent.subject.partition()).await?,
            parent: parent.target(),
            member,
            content: content.clone(),
            client,
            max_depth,
        };
        self.comment_verb(asked, parent, reply.into(), content_parts(&content)).await
    }

    /// Changes the content of a comment.
    ///
    /// # Errors
    /// `Error::MemberNotAllowed`, `Error::StateConflict`, `Error::EditWindowClosed`,
    /// `Error::EtagMismatch`.
    pub async fn edit(
        &self,
        asked: &WriteContext,
        at: &LocatedComment,
        edit: EditComment,
    ) -> Result<WriteOutput<CommentView>> {
        let window = self.policy(&asked.caller, at.subject.object_type())?.edit_window;
        let EditComment { member, content, etag } = edit;
        let mut body = content_parts(&content);
        body.push(etag.as_bytes());
        let verb = Edit { target: at.target(), member, content: content.clone(), etag: etag.clone(), window }.into();
        self.comment_verb(asked, at, verb, body).await
    }

    /// Deletes a comment, as its author, as the subject's owner, or as a moderator.
    ///
    /// # Errors
    /// `Error::CommentNotFound` if it is deleted already; `Error::MemberNotAllowed`,
    /// `Error::EtagMismatch`.
    pub async fn delete(
        &self,
        asked: &WriteContext,
        at: &LocatedComment,
        actor: DeleteActor,
        etag: String,
    ) -> Result<WriteOutput<CommentView>> {
        let capacity: &[u8] = match actor {
            DeleteActor::Author(_) => b"author",
            DeleteActor::Owner(_) => b"owner",
            DeleteActor::Moderator => b"moderator",
        };
        let verb = Delete { target: at.target(), actor, etag: etag.clone() }.into();
        self.comment_verb(asked, at, verb, vec![capacity, etag.as_bytes()]).await
    }

    /// Restores a deleted comment.
    ///
    /// # Errors
    /// `Error::CommentAlreadyExists` if it is not deleted; `Error::MemberNotAllowed` if another
    /// capacity or member deleted it.
    pub async fn undelete(
        &self,
        asked: &WriteContext,
        at: &LocatedComment,
        member: MemberId,
    ) -> Result<WriteOutput<CommentView>> {
        self.comment_verb(asked, at, Undelete { target: at.target(), member }.into(), Vec::new()).await
    }

    /// Pins or unpins a root, as the subject's owner.
    ///
    /// # Errors
    /// `Error::MemberNotAllowed`, `Error::PinLimitReached`, `Error::StateConflict`; a reply
    /// is a field violation.
    pub async fn pin(
        &self,
        asked: &WriteContext,
        at: &LocatedComment,
        member: MemberId,
        pinned: bool,
    ) -> Result<WriteOutput<CommentView>> {
        let target = at.target();
        let verb = if pinned { Pin { target, member }.into() } else { Unpin { target, member }.into() };
        self.comment_verb(asked, at, verb, Vec::new()).await
    }

    /// Hides a comment, or shows it again, as a moderator.
    ///
    /// # Errors
    /// `Error::StateConflict` unless it is ACTIVE (to hide) or HIDDEN (to show).
    pub async fn hide(
        &self,
        asked: &WriteContext,
        at: &LocatedComment,
        hidden: bool,
    ) -> Result<WriteOutput<CommentView>> {
        let target = at.target();
        let verb = if hidden { Hide { target }.into() } else { Unhide { target }.into() };
        self.comment_verb(asked, at, verb, Vec::new()).await
    }

    pub(super) async fn comment_verb(
        &self,
        asked: &WriteContext,
        at: &LocatedComment,
        verb: CommandKind,
        mut body: Vec<&[u8]>,
    ) -> Result<WriteOutput<CommentView>> {
        let id = at.id.get().to_be_bytes();
        body.push(&id);
        let draft = CommandDraft { subject: at.subject.clone(), verb, body };
        WriteOutput::<CommentView>::comment(self.submit(asked, draft).await?)
    }
}

/// Returns the parts of a content that take part in the fingerprint of a body. Mentions and keys
/// contain no control characters, so no element equals a separator between the lists, and two
/// different contents never give the same parts. A content without extra fields has the parts that
/// versions without such fields give it.
pub(crate) fn content_parts(content: &Content) -> Vec<&[u8]> {
    let mentions = content.mentions().iter().map(MemberId::as_str);
    let metadata = content.metadata().iter().flat_map(|(k, v)| [k.as_str(), v.as_str()]);
    let parts = [content.text(), "\0mentions"].into_iter().chain(mentions).chain(["\0metadata"]).chain(metadata);
    let extra = content.extra();
    let begin = (!extra.is_empty()).then_some("\0extra".as_bytes());
    let extra = extra.iter().flat_map(|(name, value)| [name.as_bytes(), value.as_slice()]);
    parts.map(str::as_bytes).chain(begin).chain(extra).collect()
}
