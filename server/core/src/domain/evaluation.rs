//! The trial of a policy on stored comments: what it would find, and what people decided there.

use crate::domain::act::CommentAct;
use crate::domain::checked_text::TextOutcome;
use crate::domain::comment::Comment;
use crate::domain::decision::Decision;
use crate::domain::ids::CommentId;
use crate::domain::lifecycle::DeletedBy;

/// The most comments that the result of a rule names.
pub const MAX_SAMPLES: usize = 20;
/// The most rules of a report.
pub const MAX_REPORTED_RULES: usize = 1_000;
/// The largest size of candidate entries, in bytes.
pub const MAX_CANDIDATE_BYTES: usize = 64 << 10;

/// A policy that is tried in place of the one in force.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CandidatePolicy {
    /// Entries in the form of a list file; may be empty.
    pub list: String,
    /// Rules in the form of the configuration, each as a TOML inline table; may be empty.
    pub rules: Vec<String>,
}

impl CandidatePolicy {
    /// Returns `true` if there is no candidate: the policy in force is tried.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && self.rules.is_empty()
    }
}

/// A list entry or rule that found something in a text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TriedRule {
    /// The list, or the rule set of the object type.
    pub source: String,
    /// The entry or rule.
    pub rule: String,
    /// The outcome that it asks for.
    pub outcome: TextOutcome,
}

/// The decision of people on a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HumanDecision {
    /// They rejected, hid or deleted it.
    Restricted,
    /// They approved it or kept it.
    Approved,
}

impl HumanDecision {
    /// Returns the decision of people on a comment, from its last one; `None` if that is one of the
    /// policy, or of the author.
    #[must_use]
    pub fn of(comment: &Comment, last: Option<&Decision>) -> Option<Self> {
        match comment.lifecycle.deleted_by {
            Some(DeletedBy::Moderator | DeletedBy::SubjectOwner) => return Some(Self::Restricted),
            Some(DeletedBy::Author) | None => {}
        }
        let decision = last.filter(|decision| !decision.actor.as_str().is_empty())?;
        let act = decision.act;
        if matches!(act, CommentAct::Reject | CommentAct::Hide | CommentAct::Delete) {
            return Some(Self::Restricted);
        }
        let is_approval =
            matches!(act, CommentAct::Approve | CommentAct::Unhide | CommentAct::Keep | CommentAct::ApproveEdit);
        is_approval.then_some(Self::Approved)
    }
}

/// The result of one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleEvaluation {
    /// The rule.
    pub rule: TriedRule,
    /// The comments in which it found something.
    pub hits: u32,
    /// Those of them that people restricted.
    pub restricted: u32,
    /// Those of them that people approved.
    pub approved: u32,
    /// The first ones of them, at most [`MAX_SAMPLES`].
    pub samples: Vec<CommentId>,
}

impl RuleEvaluation {
    /// Creates the result of a rule that found nothing yet.
    #[must_use]
    pub const fn new(rule: TriedRule) -> Self {
        Self { rule, hits: 0, restricted: 0, approved: 0, samples: Vec::new() }
    }

    /// Counts a comment in which the rule found something.
    pub fn add(&mut self, id: CommentId, decided: Option<HumanDecision>) {
        self.hits += 1;
        match decided {
            Some(HumanDecision::Restricted) => self.restricted += 1,
            Some(HumanDecision::Approved) => self.approved += 1,
            None => {}
        }
        if self.samples.len() < MAX_SAMPLES {
            self.samples.push(id);
        }
    }
}
