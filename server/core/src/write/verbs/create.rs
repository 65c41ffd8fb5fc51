//! The verb Create: a root comment.

use std::borrow::Cow;

use async_trait::async_trait;

use super::{Command, Request, RequestContext, Verb, comment_of, existing, writable};
use crate::domain::comment::{Comment, CommentRef, CommentView};
use crate::domain::content::{ClientInfo, Content};
use crate::domain::error::Result;
use crate::domain::event::ActorKind;
use crate::domain::ids::{CommentId, SubjectId};
use crate::domain::member::MemberId;
use crate::domain::object_type::ModerationMode;
use crate::domain::path::Path;
use crate::domain::policy_judgement::PolicyJudgement;
use crate::domain::standing::GatedAct;
use crate::domain::subject::{Subject, SubjectKey};
use crate::domain::time::Millis;
use crate::write::change::{Change, NewComment};
use crate::write::command_output::Effect;
use crate::write::lock_set::LockSet;
use crate::write::unit_of_work::UnitOfWork;

/// A request to write a root comment.
#[derive(Debug, Clone)]
pub struct CreateRoot {
    /// The author.
    pub member: MemberId,
    /// The content, within the policy of the type.
    pub content: Content,
    /// Information about the client.
    pub client: ClientInfo,
}

#[async_trait]
impl Request for CreateRoot {
    type At = SubjectKey;
    type Verb = Create;
    type Value = CommentView;

    async fn verb(self, at: &SubjectKey, context: RequestContext<'_>) -> Result<Create> {
        let Self { member, content, client } = self;
        let id = context.ids.comment(at.partition()).await?;
        // A subject and its first comment may have the same number: they are rows of two tables.
        let auto_create = context.policy.auto_create.then(|| SubjectId::from(id));
        let (moderation, judged) = (context.policy.moderation, PolicyJudgement::default());
        Ok(Create { id, member, content, client, auto_create, moderation, judged })
    }

    fn value(effect: Effect) -> Result<CommentView> {
        comment_of(effect)
    }
}

/// Writes a root comment, and creates the subject if its type allows that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Create {
    /// The id of the new comment.
    pub id: CommentId,
    /// The author.
    pub member: MemberId,
    /// The content, as the caller sent it.
    pub content: Content,
    /// Information about the client.
    pub client: ClientInfo,
    /// The id of the subject if this comment creates it; `None` if the type does not allow that.
    pub auto_create: Option<SubjectId>,
    /// The mode of the object type.
    pub moderation: ModerationMode,
    /// The judgement of the policy, before any mode.
    pub judged: PolicyJudgement,
}

impl Verb for Create {
    fn comment_id(&self) -> Option<CommentId> {
        Some(self.id)
    }

    fn creates_comment(&self) -> bool {
        true
    }

    fn gated_act(&self) -> GatedAct {
        GatedAct::Create
    }

    fn viewer(&self) -> Option<&MemberId> {
        Some(&self.member)
    }

    fn lock_set(&self) -> LockSet {
        let database_time = !self.judged.only_shows(self.moderation);
        LockSet { database_time, ..LockSet::default() }
    }

    fn body(&self) -> Vec<Cow<'_, [u8]>> {
        self.content.fingerprint_parts().map(Cow::Borrowed).collect()
    }

    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()> {
        if unit.subject(&command.subject).is_none() {
            return self.auto_create.map(drop).ok_or_else(|| command.subject.not_created());
        }
        writable(unit, command).map(|_| ())
    }

    fn changes(&self, unit: &UnitOfWork, command: &Command) -> Vec<Change> {
        let insert = |subject: &Subject| {
            let comment = new_row(self.id, subject, None, self.member.clone(), command.now);
            let mode = self.moderation.under(subject.moderation);
            let new = NewComment::judged(comment, (&self.content, &self.client), (&self.judged, mode));
            Change::InsertComment(Box::new(new))
        };
        match (existing(unit, command), self.auto_create) {
            (Ok(subject), _) => vec![insert(subject)],
            (Err(_), Some(id)) => {
                let subject = Subject::new(id, command.subject.clone(), command.now);
                vec![Change::CreateSubject(subject.clone()), insert(&subject)]
            }
            (Err(_), None) => Vec::new(),
        }
    }

    fn actor(&self, _: &UnitOfWork) -> Option<ActorKind> {
        Some(ActorKind::Author)
    }
}

/// The position of a reply: its thread, and the comment directly above it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attachment<'u> {
    /// The root of the thread.
    pub(super) root: &'u Comment,
    /// The comment whose path the reply extends.
    pub(super) above: &'u Comment,
}

/// Returns the row of a new comment before any count includes it: a root, or a reply at
/// `attachment`.
pub(super) fn new_row(
    id: CommentId,
    subject: &Subject,
    attachment: Option<Attachment<'_>>,
    member: MemberId,
    now: Millis,
) -> Comment {
    let floor = attachment.map_or(subject.next_floor, |at| at.root.next_floor);
    Comment::new(CommentRef {
        id,
        subject_id: subject.id,
        root_id: attachment.map(|at| at.root.reference.id),
        parent_id: attachment.map(|at| at.above.reference.id),
        path: attachment.map_or_else(|| Path::root(id), |at| at.above.reference.path.child(floor)),
        floor,
        member,
        born_revision: 0,
        create_time: now,
    })
}
