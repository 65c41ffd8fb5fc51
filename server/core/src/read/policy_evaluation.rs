//! The trial of a policy on the stored comments of past days, for moderators. It walks the comments
//! of all types by the times in their ids, table by table, and reads one part at a time.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use crate::domain::caller::{Caller, ObjectTypeScope};
use crate::domain::comment::CommentView;
use crate::domain::content::Content;
use crate::domain::decision::Decision;
use crate::domain::error::Result;
use crate::domain::evaluation::{CandidatePolicy, HumanDecision, MAX_REPORTED_RULES, RuleEvaluation, TriedRule};
use crate::domain::ids::{CommentId, DecisionId, IdTick};
use crate::domain::object_type::{ObjectType, Policies};
use crate::domain::time::Millis;
use crate::ports::{Clock, PolicyTrial, PolicyTrials, Reader};

/// The comments that are read at a time.
const PART: usize = 200;
/// The largest share of comments, in thousandths.
pub const ALL_COMMENTS: u32 = 1_000;

/// Prepares evaluations.
#[derive(Debug, Clone)]
pub struct PolicyEvaluations {
    /// The rows.
    pub reader: Arc<dyn Reader>,
    /// The policies on trial.
    pub trials: Arc<dyn PolicyTrials>,
    /// The current time.
    pub clock: Arc<dyn Clock>,
    /// The policies of the object types.
    pub policies: Arc<Policies>,
}

/// The comments on which a policy is tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvaluatedComments {
    /// Their object type.
    pub object_type: ObjectType,
    /// The time at which they were stored.
    pub stored: Range<Millis>,
    /// The share of them that is tried, in thousandths.
    pub per_mille: u32,
    /// The position after which the walk begins; `None` for its start.
    pub after: Option<CommentId>,
}

/// A policy that is tried on comments, part by part.
#[derive(Debug)]
pub struct PolicyEvaluation {
    reader: Arc<dyn Reader>,
    trial: Box<dyn PolicyTrial>,
    comments: EvaluatedComments,
    types: ObjectTypeScope,
    tried: u32,
    rules: HashMap<TriedRule, RuleEvaluation>,
    is_complete: bool,
}

impl PolicyEvaluations {
    /// Prepares an evaluation of a candidate, or of the policy in force if it is empty.
    ///
    /// # Errors
    /// Those of [`Caller::policy`] and of [`PolicyTrials::prepare`].
    pub async fn begin(
        &self,
        caller: &Caller,
        comments: EvaluatedComments,
        candidate: &CandidatePolicy,
    ) -> Result<PolicyEvaluation> {
        caller.policy(&self.policies, &comments.object_type)?;
        let trial = self.trials.prepare(&comments.object_type, candidate, self.clock.now()).await?;
        Ok(PolicyEvaluation {
            reader: Arc::clone(&self.reader),
            trial,
            types: ObjectTypeScope::These([comments.object_type.clone()].into()),
            comments,
            tried: 0,
            rules: HashMap::new(),
            is_complete: false,
        })
    }
}

impl PolicyEvaluation {
    /// Tries the policy on the next part of the comments. Those below deleted subjects are left
    /// out.
    ///
    /// # Errors
    /// Those of the reader.
    pub async fn advance(&mut self) -> Result<()> {
        let Range { start, end } = self.comments.stored;
        let ticks = IdTick::at(start)..IdTick::at(end);
        let (ids, next) = self.reader.comment_ids(ticks, self.comments.after, PART).await?;
        let ids: Vec<CommentId> = ids.into_iter().filter(|id| self.is_chosen(*id)).collect();
        let found = if ids.is_empty() { Vec::new() } else { self.reader.comments_among(&ids, &self.types).await? };
        self.try_on(found.into_iter().flatten().collect()).await?;
        (self.comments.after, self.is_complete) = (next.or(self.comments.after), next.is_none());
        Ok(())
    }

    /// Returns the position after which the walk goes on; `None` after its end.
    #[must_use]
    pub fn position(&self) -> Option<CommentId> {
        self.comments.after.filter(|_| !self.is_complete)
    }

    /// Returns `true` after the last part.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The number of comments that were tried.
    #[must_use]
    pub const fn tried(&self) -> u32 {
        self.tried
    }

    /// Returns the results of the rules that found something, those with most hits first.
    #[must_use]
    pub fn rules(&self) -> Vec<&RuleEvaluation> {
        let mut rules: Vec<&RuleEvaluation> = self.rules.values().collect();
        rules.sort_unstable_by(|a, b| b.hits.cmp(&a.hits).then_with(|| a.rule.cmp(&b.rule)));
        rules.truncate(MAX_REPORTED_RULES);
        rules
    }

    /// Returns the names of the facts that the rules compare and stored comments do not have.
    #[must_use]
    pub fn unknown_fact_names(&self) -> Vec<&'static str> {
        self.trial.unknown_fact_names()
    }

    /// The same comments are chosen in every evaluation, and more of them for a larger share.
    fn is_chosen(&self, id: CommentId) -> bool {
        xxh3_64(&id.get().to_be_bytes()) % u64::from(ALL_COMMENTS) < u64::from(self.comments.per_mille)
    }

    async fn try_on(&mut self, views: Vec<CommentView>) -> Result<()> {
        let views: Vec<CommentView> = views.into_iter().filter(|view| view.content.is_some()).collect();
        let ids: Vec<CommentId> = views.iter().map(|view| view.comment.reference.id).collect();
        if ids.is_empty() {
            return Ok(());
        }
        let originals = self.reader.originals(&ids).await?;
        let mut hits = Vec::new();
        for (view, original) in views.iter().zip(&originals) {
            let Some(content) = original.of_content.as_ref().or(view.content.as_ref()) else { continue };
            self.tried += 1;
            let rules = self.find(view, content);
            if !rules.is_empty() {
                hits.push((view, rules));
            }
        }
        let decisions = self.last_decisions(hits.iter().map(|(view, _)| view.comment.reference.id).collect()).await?;
        for (view, rules) in hits {
            let id = view.comment.reference.id;
            let decided = HumanDecision::of(&view.comment, decisions.get(&id));
            for rule in rules {
                self.rules.entry(rule.clone()).or_insert_with(|| RuleEvaluation::new(rule)).add(id, decided);
            }
        }
        Ok(())
    }

    fn find(&self, view: &CommentView, content: &Content) -> Vec<TriedRule> {
        let is_edited = view.comment.lifecycle.edit_time.is_some();
        self.trial.find(content, is_edited).into_iter().collect()
    }

    /// Returns the last decisions on comments.
    async fn last_decisions(&self, ids: Vec<CommentId>) -> Result<HashMap<CommentId, Decision>> {
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        let reviews = self.reader.reviews(&ids).await?.into_iter().flatten().filter(|review| review.decisions > 0);
        let last = reviews.map(|review| DecisionId { comment: review.comment_id, number: review.decisions });
        let last: Vec<DecisionId> = last.collect();
        let found = if last.is_empty() { Vec::new() } else { self.reader.decisions_by_id(&last).await? };
        Ok(found.into_iter().flatten().map(|decision| (decision.id.comment, decision)).collect())
    }
}
