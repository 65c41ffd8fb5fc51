//! The verb Reply: a comment below a root or below another reply.

use std::borrow::Cow;

use async_trait::async_trait;

use super::create::{Attachment, new_row};
use super::{Command, Request, RequestContext, Verb, comment_of, id_part, shown, writable};
use crate::domain::comment::CommentView;
use crate::domain::content::{ClientInfo, Content};
use crate::domain::error::{Error, Result};
use crate::domain::event::ActorKind;
use crate::domain::ids::CommentId;
use crate::domain::location::CommentLocation;
use crate::domain::member::MemberId;
use crate::domain::object_type::{ModerationMode, Policy};
use crate::domain::policy_judgement::PolicyJudgement;
use crate::domain::standing::GatedAct;
use crate::write::change::{Change, NewComment};
use crate::write::command_output::Effect;
use crate::write::lock_set::LockSet;
use crate::write::unit_of_work::UnitOfWork;

/// A request to write a reply.
#[derive(Debug, Clone)]
pub struct CreateReply {
    /// The author.
    pub member: MemberId,
    /// The content, within the policy of the type.
    pub content: Content,
    /// Information about the client.
    pub client: ClientInfo,
}

#[async_trait]
impl Request for CreateReply {
    type At = CommentLocation;
    type Verb = Reply;
    type Value = CommentView;

    async fn verb(self, at: &CommentLocation, context: RequestContext<'_>) -> Result<Reply> {
        let Self { member, content, client } = self;
        let id = context.ids.comment(at.subject.partition()).await?;
        let Policy { max_depth, moderation, .. } = *context.policy;
        let judged = PolicyJudgement::default();
        Ok(Reply { id, parent: at.clone(), member, content, client, max_depth, moderation, judged })
    }

    fn value(effect: Effect) -> Result<CommentView> {
        comment_of(effect)
    }
}

/// Replies to a comment. Under the depth cap of its type, a deeper reply attaches at the last level
/// and keeps its parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The id of the new comment.
    pub id: CommentId,
    /// The comment that it replies to.
    pub parent: CommentLocation,
    /// The author.
    pub member: MemberId,
    /// The content, as the caller sent it.
    pub content: Content,
    /// Information about the client.
    pub client: ClientInfo,
    /// The number of levels of a thread, 1 to 32.
    pub max_depth: u8,
    /// The mode of the object type.
    pub moderation: ModerationMode,
    /// The judgement of the policy, before any mode.
    pub judged: PolicyJudgement,
}

impl Verb for Reply {
    fn comment_id(&self) -> Option<CommentId> {
        Some(self.id)
    }

    fn creates_comment(&self) -> bool {
        true
    }

    fn gated_act(&self) -> GatedAct {
        GatedAct::Reply
    }

    fn viewer(&self) -> Option<&MemberId> {
        Some(&self.member)
    }

    fn lock_set(&self) -> LockSet {
        let database_time = !self.judged.only_shows(self.moderation);
        LockSet { comments: self.parent.locks(), database_time, ..LockSet::default() }
    }

    fn body(&self) -> Vec<Cow<'_, [u8]>> {
        self.content.fingerprint_parts().map(Cow::Borrowed).chain([id_part(self.parent.id)]).collect()
    }

    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()> {
        let (_, state) = shown(unit, command, self.parent.id, &self.member)?;
        writable(unit, command)?;
        if state.is_visible() { Ok(()) } else { Err(Error::ParentUnavailable(state)) }
    }

    fn changes(&self, unit: &UnitOfWork, command: &Command) -> Vec<Change> {
        let (Some(subject), Some(parent)) = (unit.subject(&command.subject), unit.comment(self.parent.id)) else {
            return Vec::new();
        };
        let attachment = attach(unit, self.parent.id, self.max_depth);
        let mut comment = new_row(self.id, subject, attachment, self.member.clone(), command.now);
        comment.reference.parent_id = Some(parent.reference.id);
        let mode = self.moderation.under(subject.moderation);
        let new = NewComment::judged(comment, (&self.content, &self.client), (&self.judged, mode));
        vec![Change::InsertComment(Box::new(new))]
    }

    fn actor(&self, _: &UnitOfWork) -> Option<ActorKind> {
        Some(ActorKind::Author)
    }
}

/// Returns the position of a reply to `parent` under a cap of `levels`. `None` if the type has only
/// roots: the reply becomes a root, and only its parent id links the two.
pub(super) fn attach<'u>(unit: &'u UnitOfWork, parent: CommentId, levels: u8) -> Option<Attachment<'u>> {
    let path = &unit.comment(parent)?.reference.path;
    let above = unit.at_path(&path.cut(levels.saturating_sub(1))?)?;
    Some(Attachment { root: unit.at_path(&path.cut(1)?)?, above })
}
