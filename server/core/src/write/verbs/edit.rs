//! The verb Edit: an author changes the content of a comment.

use std::borrow::Cow;
use std::time::Duration;

use async_trait::async_trait;

use super::{Command, Request, RequestContext, Verb, existing, id_part, match_etag, undeleted, writable};
use crate::domain::comment::Comment;
use crate::domain::content::Content;
use crate::domain::error::{ConflictCause, Error, Result};
use crate::domain::event::ActorKind;
use crate::domain::ids::CommentId;
use crate::domain::location::CommentLocation;
use crate::domain::member::MemberId;
use crate::domain::object_type::{ModerationMode, Policy};
use crate::domain::policy_judgement::PolicyJudgement;
use crate::domain::review::{Review, ReviewCause};
use crate::domain::standing::GatedAct;
use crate::domain::state::CommentState;
use crate::domain::time::Millis;
use crate::write::change::{AuthorEdit, Change};
use crate::write::command_output::{EditOutput, Effect};
use crate::write::lock_set::LockSet;
use crate::write::unit_of_work::UnitOfWork;

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

#[async_trait]
impl Request for EditComment {
    type At = CommentLocation;
    type Verb = Edit;
    type Value = EditOutput;

    async fn verb(self, at: &CommentLocation, context: RequestContext<'_>) -> Result<Edit> {
        let Self { member, content, etag } = self;
        let (windows, moderation) = (EditWindows::of(context.policy), context.policy.moderation);
        Ok(Edit { etag, windows, moderation, ..Edit::allowed(at.clone(), member, content) })
    }

    fn value(effect: Effect) -> Result<EditOutput> {
        match effect {
            Effect::Edit(output) => Ok(*output),
            Effect::Subject(_) | Effect::Comment(_) | Effect::Like(_) | Effect::Decision(_) => {
                Err(Error::internal("an edit returned another effect"))
            }
        }
    }
}

/// Replaces the content, or proposes another one: the state of the comment, the disposition and the
/// modes of type and subject decide. The fingerprint has none of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The comment.
    pub target: CommentLocation,
    /// The member that edits the comment.
    pub member: MemberId,
    /// The new content, as the caller sent it.
    pub content: Content,
    /// The expected etag; an empty one matches any.
    pub etag: String,
    /// The times in which an edit is allowed.
    pub windows: EditWindows,
    /// The mode of the object type.
    pub moderation: ModerationMode,
    /// The judgement of the policy on the new content, before any mode.
    pub judged: PolicyJudgement,
}

/// The times in which an author may edit a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EditWindows {
    /// The time after the creation of the comment; `None` for no limit.
    pub created: Option<Duration>,
    /// The time after its last rejection, in place of the other one.
    pub rejected: Duration,
}

impl EditWindows {
    /// The windows of an object type.
    #[must_use]
    pub const fn of(policy: &Policy) -> Self {
        Self { created: policy.edit_window, rejected: policy.resubmit_window }
    }

    /// Windows that never close.
    pub const OPEN: Self = Self { created: None, rejected: Duration::MAX };

    /// Returns the time until which a comment may be edited; `None` for no limit.
    fn until(self, comment: &Comment, review: Option<&Review>) -> Option<Millis> {
        let lifecycle = &comment.lifecycle;
        if lifecycle.state == CommentState::Rejected {
            let rejected = review.and_then(Review::reject_time).unwrap_or(lifecycle.update_time);
            return Some(rejected.plus(self.rejected));
        }
        self.created.map(|window| comment.reference.create_time.plus(window))
    }
}

impl Edit {
    /// Returns an edit that policy and type allow, at any time and of any version.
    #[must_use]
    pub fn allowed(target: CommentLocation, member: MemberId, content: Content) -> Self {
        let (etag, windows) = (String::new(), EditWindows::OPEN);
        let (moderation, judged) = (ModerationMode::Post, PolicyJudgement::default());
        Self { target, member, content, etag, windows, moderation, judged }
    }

    /// Returns the mode in force: the stricter one of type and subject.
    fn mode(&self, unit: &UnitOfWork, command: &Command) -> ModerationMode {
        let of_subject = existing(unit, command).ok().and_then(|subject| subject.moderation);
        self.moderation.under(of_subject)
    }
}

impl Verb for Edit {
    fn comment_id(&self) -> Option<CommentId> {
        Some(self.target.id)
    }

    fn gated_act(&self) -> GatedAct {
        GatedAct::Edit
    }

    fn viewer(&self) -> Option<&MemberId> {
        Some(&self.member)
    }

    fn lock_set(&self) -> LockSet {
        let id = Some(self.target.id);
        let database_time = !self.judged.only_shows(self.moderation);
        // The authors above the comment are not notified of a mention again.
        let is_plain = self.content.mentions().is_empty();
        let comments = if is_plain { vec![self.target.id] } else { self.target.locks() };
        LockSet { comments, content: id, review: id, database_time, ..LockSet::default() }
    }

    fn body(&self) -> Vec<Cow<'_, [u8]>> {
        let tail = [Cow::Borrowed(self.etag.as_bytes()), id_part(self.target.id)];
        self.content.fingerprint_parts().map(Cow::Borrowed).chain(tail).collect()
    }

    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()> {
        let (comment, state) = undeleted(unit, command, self.target.id, &self.member)?;
        if comment.reference.member != self.member {
            return Err(Error::MemberNotAllowed);
        }
        writable(unit, command)?;
        if !matches!(state, CommentState::Active | CommentState::Pending | CommentState::Rejected) {
            return Err(Error::StateConflict(state));
        }
        let review = unit.review(self.target.id);
        if review.is_some_and(|review| review.causes.contains(ReviewCause::Appeal)) {
            return Err(Error::StateConflictBecause(ConflictCause::Appeal));
        }
        if let Some(until) = self.windows.until(comment, review)
            && command.now > until
        {
            return Err(Error::EditWindowClosed { until });
        }
        match_etag(&self.etag, comment.etag())?;
        let is_judged = !state.is_visible() || !self.judged.under(self.mode(unit, command)).shows();
        if is_judged && review.is_some_and(Review::has_all_edits) {
            return Err(Error::StateConflictBecause(ConflictCause::Edits));
        }
        Ok(())
    }

    fn changes(&self, unit: &UnitOfWork, command: &Command) -> Vec<Change> {
        let (content, original) = self.judged.stored(&self.content);
        let mode = self.mode(unit, command);
        vec![Change::Edit(Box::new(AuthorEdit {
            comment_id: self.target.id,
            content,
            original,
            disposition: self.judged.under(mode),
            causes: self.judged.causes(mode),
            judged: self.judged.clone(),
        }))]
    }

    fn shown_content<'u>(&'u self, _: &'u UnitOfWork) -> Option<(CommentId, &'u Content)> {
        Some((self.target.id, &self.content))
    }

    fn actor(&self, _: &UnitOfWork) -> Option<ActorKind> {
        Some(ActorKind::Author)
    }
}
