//! The two batch types: comments, with their subjects, and likes.
//!
//! A batch of comments locks subjects, and then comments. A batch of likes locks comments only, so
//! likes never wait for new comments. Each type has its own verbs, and write queues of its own.

use std::fmt::Debug;

use super::{Command, CommandKind, Create, Edit, LikeCommandKind, Reply};
use crate::domain::policy_judgement::PolicyJudgement;
use crate::domain::request::{Fingerprint, IdempotencyKey};
use crate::domain::standing::GatedAct;
use crate::domain::subject::SubjectKey;
use crate::ports::Submission;

/// A command about a like.
pub type LikeCommand = Command<LikeCommandKind>;

/// Commands of one batch type, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Batch {
    /// Commands about subjects and comments.
    Comments(Vec<Command>),
    /// Commands about likes.
    Likes(Vec<LikeCommand>),
}

/// A verb, or the enum of all verbs of a batch type.
pub trait BatchVerb: Send {
    /// The batch type.
    type Type: BatchType;

    /// Returns the verb as a value of its batch type.
    fn into_type(self) -> Self::Type;
}

/// The place of the idempotency record of a member's request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordPlace {
    /// The row of the comment that the request created.
    Comment,
    /// A row of its own.
    Request,
    /// A like has no record.
    Nowhere,
}

/// The verbs of a batch type.
pub trait BatchType: BatchVerb<Type = Self> + Clone + PartialEq + Debug + Send + Sync + 'static {
    /// Returns the fingerprint of a request for this verb.
    fn fingerprint(&self, subject: &SubjectKey) -> Fingerprint;

    /// The act of the member, by the standings that refuse it.
    fn gated_act(&self) -> GatedAct;

    /// The place of the idempotency record of a member's request.
    fn record_place(&self) -> RecordPlace;

    /// Returns the batch of these commands.
    fn batch(commands: Vec<Command<Self>>) -> Batch;

    /// Returns the text that the policy judges, of a request with this key; `None` for a verb
    /// without such a text.
    fn submission<'s>(&'s self, _subject: &'s SubjectKey, _key: IdempotencyKey) -> Option<Submission<'s>> {
        None
    }

    /// Sets the judgement of the policy. It changes no fingerprint.
    fn set_judged(&mut self, _judged: PolicyJudgement) {}

    /// Returns the commands of a batch of this type; no commands if it is of the other type.
    fn commands(batch: Batch) -> Vec<Command<Self>>;
}

impl BatchType for CommandKind {
    fn fingerprint(&self, subject: &SubjectKey) -> Fingerprint {
        self.rules().fingerprint(self.name(), subject)
    }

    fn gated_act(&self) -> GatedAct {
        self.rules().gated_act()
    }

    fn record_place(&self) -> RecordPlace {
        if self.creates_comment() { RecordPlace::Comment } else { RecordPlace::Request }
    }

    fn batch(commands: Vec<Command>) -> Batch {
        Batch::Comments(commands)
    }

    fn submission<'s>(&'s self, subject: &'s SubjectKey, key: IdempotencyKey) -> Option<Submission<'s>> {
        // The state of an imported comment is that of its item; other verbs have no content.
        let age = None;
        if let Self::Create(Create { id, member, content, .. }) = self {
            let (comment, root, parent) = (*id, None, None);
            Some(Submission { subject, content, is_edit: false, comment, root, parent, member, age, key })
        } else if let Self::Reply(Reply { id, parent, member, content, max_depth, .. }) = self {
            // Under a type that has only roots, a reply becomes a root.
            let root = (*max_depth > 1).then(|| parent.root());
            let (comment, parent) = (*id, Some(parent.id));
            Some(Submission { subject, content, is_edit: false, comment, root, parent, member, age, key })
        } else if let Self::Edit(Edit { target, member, content, .. }) = self {
            let root = Some(target.root()).filter(|root| *root != target.id);
            let (comment, parent) = (target.id, target.parent_id);
            Some(Submission { subject, content, is_edit: true, comment, root, parent, member, age, key })
        } else {
            None
        }
    }

    fn set_judged(&mut self, new: PolicyJudgement) {
        if let Self::Create(Create { judged, .. })
        | Self::Reply(Reply { judged, .. })
        | Self::Edit(Edit { judged, .. }) = self
        {
            *judged = new;
        }
    }

    fn commands(batch: Batch) -> Vec<Command> {
        match batch {
            Batch::Comments(commands) => commands,
            Batch::Likes(_) => Vec::new(),
        }
    }
}

impl BatchType for LikeCommandKind {
    fn fingerprint(&self, _: &SubjectKey) -> Fingerprint {
        self.rules().fingerprint(self.name())
    }

    fn gated_act(&self) -> GatedAct {
        self.rules().gated_act()
    }

    fn record_place(&self) -> RecordPlace {
        RecordPlace::Nowhere
    }

    fn batch(commands: Vec<LikeCommand>) -> Batch {
        Batch::Likes(commands)
    }

    fn commands(batch: Batch) -> Vec<LikeCommand> {
        match batch {
            Batch::Likes(commands) => commands,
            Batch::Comments(_) => Vec::new(),
        }
    }
}

impl<K: BatchType> From<Vec<Command<K>>> for Batch {
    fn from(commands: Vec<Command<K>>) -> Self {
        K::batch(commands)
    }
}
