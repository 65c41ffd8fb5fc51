//! Replies: write a reply, and read a conversation.

use crate::caller::Caller;
use crate::comment::CommentView;
use crate::comments::Comments;
use crate::comments::lists::shown;
use crate::comments::roots::content_parts;
use crate::comments::submit::{WriteContext, WriteOutput};
use crate::content::{ClientInfo, Content};
use crate::error::{Error, Result};
use crate::ids::CommentId;
use crate::member::MemberId;
use crate::page::LocatedComment;
use crate::verbs::Reply;

/// The maximum number of ancestors of a conversation; beyond them only the root is added.
const CONVERSATION: usize = 100;

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

impl Comments {
    /// Replies to a comment.
    ///
    /// # Errors
    /// [`Error::ParentUnavailable`], and those of [`Comments::create`].
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

    /// Returns a comment and the comments that it replies to: its nearest 100 ancestors by parent,
    /// nearest first, and the root last. The last value is true if comments between the last two
    /// were left out.
    ///
    /// # Errors
    /// [`Error::CommentNotFound`], [`Error::SubjectHidden`], [`Error::RevisionNotReached`].
    pub async fn conversation(
        &self,
        caller: &Caller,
        id: CommentId,
        min_revision: i64,
    ) -> Result<(CommentView, Vec<CommentView>, bool)> {
        let (at, _) = self.locate(caller, id).await?;
        let key = std::slice::from_ref(&at.subject);
        let mut subject = self.reader.subjects(key).await?.pop().flatten();
        if let Some(origin) = self.behind(min_revision, subject.as_ref()) {
            subject = origin.subjects(key).await?.pop().flatten();
        }
        shown(&subject.ok_or(Error::CommentNotFound)?, min_revision)?;
        let view = self.comment(caller, id, None, min_revision).await?;
        let chain = self.reader.conversation(&view.subject, id, CONVERSATION).await?;
        let truncated = chain.len() > CONVERSATION
            && chain[CONVERSATION - 1].comment.parent_id != chain.last().map(|root| root.comment.id);
        Ok((view, chain.into_iter().map(|c| c.seen_by(None)).collect(), truncated))
    }
}
