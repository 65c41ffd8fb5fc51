//! Comments by their own verbs: write, edit, delete, bring back, pin; and reads by id.

use crate::caller::Caller;
use crate::comment::CommentView;
use crate::comments::Comments;
use crate::comments::subjects::reached;
use crate::comments::submit::{CommandDraft, WriteContext, WriteOutput};
use crate::content::{ClientInfo, Content};
use crate::error::{Error, Result};
use crate::ids::{CommentId, SubjectId};
use crate::member::MemberId;
use crate::page::{ContentRevision, LocatedComment};
use crate::subject::SubjectKey;
use crate::verbs::{CommandKind, Create, Delete, DeleteActor, Edit, Pin, Undelete, Unpin};

/// A root comment to write.
#[derive(Debug, Clone)]
pub struct CreateRoot {
    /// Where.
    pub subject: SubjectKey,
    /// The author.
    pub member: MemberId,
    /// What it says, within the policy of the type.
    pub content: Content,
    /// Where it was written.
    pub client: ClientInfo,
}

/// New content for a comment.
#[derive(Debug, Clone)]
pub struct EditComment {
    /// Who edits.
    pub member: MemberId,
    /// What it shall say, within the policy of the type.
    pub content: Content,
    /// The etag that was seen; empty = whichever.
    pub etag: String,
}

impl Comments {
    /// Writes a root comment.
    ///
    /// # Errors
    /// [`Error::SubjectNotFound`], [`Error::SubjectReadOnly`], [`Error::SubjectHidden`], [`Error::RequestIdReused`].
    pub async fn create(&self, asked: &WriteContext, new: CreateRoot) -> Result<WriteOutput<CommentView>> {
        let auto_create = self.policy(&asked.caller, new.subject.object_type())?.auto_create;
        let partition = new.subject.partition();
        let id = self.ids.comment(partition).await?;
        let create = Create {
            id,
            member: new.member,
            content: new.content.clone(),
            client: new.client,
            // A subject and its first comment may share a number: they are rows of two tables.
            auto_create: auto_create.then(|| SubjectId::from(id)),
        };
        let draft = CommandDraft { subject: new.subject, verb: create.into(), body: content_parts(&new.content) };
        WriteOutput::<CommentView>::comment(self.submit(asked, draft).await?)
    }

    /// Changes what a comment says.
    ///
    /// # Errors
    /// [`Error::MemberNotAllowed`], [`Error::StateConflict`], [`Error::EditWindowClosed`], [`Error::EtagMismatch`].
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
    /// [`Error::CommentNotFound`] for one deleted before; [`Error::MemberNotAllowed`], [`Error::EtagMismatch`].
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

    /// Brings a deleted comment back.
    ///
    /// # Errors
    /// [`Error::CommentAlreadyExists`] when it is not deleted; [`Error::MemberNotAllowed`] for anyone but who deleted it.
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
    /// [`Error::MemberNotAllowed`], [`Error::PinLimitReached`], [`Error::StateConflict`]; a reply is a field violation.
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

    /// One comment as `viewer` sees it; a deleted one is its tombstone.
    ///
    /// # Errors
    /// [`Error::CommentNotFound`], [`Error::RevisionNotReached`].
    pub async fn comment(
        &self,
        caller: &Caller,
        id: CommentId,
        viewer: Option<&MemberId>,
        min_revision: i64,
    ) -> Result<CommentView> {
        if min_revision > 0 {
            // The revision is judged first: what is read afterwards is no older.
            let (at, _) = self.locate(caller, id).await?;
            let key = std::slice::from_ref(&at.subject);
            let mut subject = self.reader.subjects(key).await?.pop().flatten();
            let behind = self.behind(min_revision, subject.as_ref());
            if let Some(origin) = behind {
                subject = origin.subjects(key).await?.pop().flatten();
            }
            reached(min_revision, subject.map_or(0, |s| s.revision))?;
            if let Some(origin) = behind {
                let found = origin.comments(&[id]).await?.pop().flatten();
                return found.map(|view| view.seen_by(viewer)).ok_or(Error::CommentNotFound);
            }
        }
        self.comments(caller, &[id], viewer).await?.pop().flatten().ok_or(Error::CommentNotFound)
    }

    /// Comments in the order of `ids`; `None` for each that is missing or of a type the caller may not use.
    ///
    /// # Errors
    /// Only faults of the store.
    pub async fn comments(
        &self,
        caller: &Caller,
        ids: &[CommentId],
        viewer: Option<&MemberId>,
    ) -> Result<Vec<Option<CommentView>>> {
        let found = self.reader.comments_among(ids, caller.types()).await?;
        let granted = |view: &CommentView| self.policy(caller, view.subject.object_type()).is_ok();
        Ok(found.into_iter().map(|view| view.filter(granted).map(|view| view.seen_by(viewer))).collect())
    }

    /// Every text a visible comment has had, oldest first; the last is the present one.
    ///
    /// # Errors
    /// [`Error::CommentNotFound`], also for a comment that is not visible; [`Error::SubjectHidden`].
    pub async fn revisions(&self, caller: &Caller, id: CommentId) -> Result<(CommentView, Vec<ContentRevision>)> {
        let view = self.comment(caller, id, None, 0).await?;
        if !view.comment.state.is_visible() {
            return Err(Error::CommentNotFound);
        }
        self.listable(&view.subject).await?;
        let past = self.reader.revisions(id).await?;
        Ok((view, past))
    }
}

/// The parts of content that make two bodies the same. Mentions and keys have no control characters, so the marks
/// between the lists are none of them, and no two contents read alike.
pub(super) fn content_parts(content: &Content) -> Vec<&[u8]> {
    let mentions = content.mentions().iter().map(MemberId::as_str);
    let metadata = content.metadata().iter().flat_map(|(k, v)| [k.as_str(), v.as_str()]);
    let parts = [content.text(), "\0mentions"].into_iter().chain(mentions).chain(["\0metadata"]).chain(metadata);
    parts.map(str::as_bytes).collect()
}
