//! The filter in the judgement of a text. It is asked after the word lists, and the stronger
//! outcome counts. While it cannot be asked, the object type decides.

mod check;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::decision::{Automation, Detection, Grounds, MAX_DECISION_HITS, MODERATION_OFF_CODE, RuleHit};
use riposte_core::disposition::Disposition;
use riposte_core::object_type::ObjectType;
use riposte_core::policy_judgement::PolicyJudgement;
use riposte_core::ports::{
    ContentPolicy, FilterClient, FilterItem, FilterJudgement, FilterKind, FilterOutcome, LocalHit, NoResult, Reader,
    Submission,
};
use riposte_core::review::{ReviewCause, ReviewCauses, ReviewPriority};
use riposte_core::{CommentId, Error, Result};
use riposte_policy::PolicyOutcome;

use super::LocalPolicy;
use super::judge::LocalJudgement;

/// The code of a decision for which the filter gave none.
const CODE_OF_FILTER: &str = "policy.filter";

/// The name of the filter in errors and metrics.
const SERVICE: &str = "filter";

/// The name of the fallback in metrics.
const FALLBACK: &str = "fallback";

/// The treatment of a text about which the filter says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterFallback {
    /// It waits for review.
    Hold,
    /// It is shown and put into the review queue.
    Flag,
    /// It is refused.
    Refuse,
}

/// The use of the filter by the object types.
#[derive(Debug, Clone, Default)]
pub struct FilterUse {
    /// The fallback of each registered type; `None` if the filter does not judge its texts.
    pub of_type: BTreeMap<String, Option<FilterFallback>>,
    /// The fallback of all other types.
    pub of_others: Option<FilterFallback>,
    /// If true, a text that the filter allows is not held by word lists and rules.
    pub may_release: bool,
}

/// Word lists and the filter.
#[derive(Debug)]
pub struct FilteredPolicy {
    /// The word lists.
    pub local: LocalPolicy,
    /// The filter.
    pub client: Arc<dyn FilterClient>,
    /// The texts in sight, which edits replace.
    pub reader: Arc<dyn Reader>,
    /// The use of the filter.
    pub filter: FilterUse,
}

/// The judgement of the word lists on a text that they do not refuse.
#[derive(Debug)]
struct Unrefused {
    judged: PolicyJudgement,
    outcome: PolicyOutcome,
    step: &'static str,
    flag_code: Option<String>,
}

/// A judgement, with its outcome and the step that it comes from, as metrics name them.
#[derive(Debug, PartialEq, Eq)]
struct Merged {
    judged: Result<PolicyJudgement>,
    step: &'static str,
    outcome: PolicyOutcome,
}

impl FilterUse {
    /// Returns the fallback of a type; `None` if the filter does not judge its texts.
    pub(super) fn fallback(&self, object_type: &ObjectType) -> Option<FilterFallback> {
        self.of_type.get(object_type.as_str()).copied().unwrap_or(self.of_others)
    }
}

#[async_trait]
impl ContentPolicy for FilteredPolicy {
    fn judges(&self, object_type: &ObjectType) -> bool {
        self.filter.fallback(object_type).is_some() || self.local.judges(object_type)
    }

    async fn judge(&self, submission: Submission<'_>) -> Result<PolicyJudgement> {
        let object_type = submission.object_type();
        let LocalJudgement { judged, outcome, step, hits, flag_code, took } = self.local.search(submission).await;
        let fallback = self.filter.fallback(object_type).filter(|_| outcome < PolicyOutcome::Reject);
        let merged = match (judged, fallback) {
            (Ok(judged), Some(fallback)) => {
                let item = self.item(&submission, hits).await?;
                let result = self.client.judge(&[item]).await.pop().unwrap_or(Err(NoResult::Unavailable));
                let local = Unrefused { judged, outcome, step, flag_code };
                match result {
                    Ok(judgement) => local.with(judgement, self.filter.may_release),
                    Err(NoResult::Undecided | NoResult::Unavailable) => local.without_result(fallback),
                }
            }
            (judged, _) => Merged { judged, step, outcome },
        };
        self.local.count(object_type, (merged.step, merged.outcome), took.unwrap_or_default());
        merged.judged
    }
}

impl FilteredPolicy {
    /// Returns a text as the filter is asked about it.
    async fn item(&self, submission: &Submission<'_>, local_hits: Vec<LocalHit>) -> Result<FilterItem> {
        let Submission { subject, content, comment, root, parent, member, key, .. } = *submission;
        let kind = if submission.is_edit {
            FilterKind::Edit { text_before: self.text_in_sight(comment).await? }
        } else if parent.is_some() {
            FilterKind::Reply
        } else {
            FilterKind::Create
        };
        Ok(FilterItem {
            key: format!("{:032x}", u128::from_be_bytes(key.0)),
            subject: subject.clone(),
            comment,
            root,
            parent,
            member: member.clone(),
            text: content.text().to_owned(),
            metadata: content.metadata().clone(),
            local_hits,
            kind,
        })
    }

    /// Returns the text of a comment, if it is visible; otherwise an empty text.
    async fn text_in_sight(&self, comment: CommentId) -> Result<String> {
        let found = self.reader.comments(&[comment]).await?.into_iter().flatten().next();
        let visible = found.filter(|view| view.comment.lifecycle.state.is_visible());
        Ok(visible.and_then(|view| view.content).map_or_else(String::new, |content| content.text().to_owned()))
    }
}

impl Unrefused {
    fn unchanged(self) -> Merged {
        Merged { judged: Ok(self.judged), step: self.step, outcome: self.outcome }
    }

    /// Returns the stronger one of this judgement and that of the filter. The reasons of the other
    /// one stay among its findings.
    fn with(mut self, judgement: FilterJudgement, may_release: bool) -> Merged {
        let outcome = outcome_of(judgement.outcome);
        let disposition = match outcome {
            PolicyOutcome::Allow | PolicyOutcome::Mask => return self.allowed(may_release),
            PolicyOutcome::Flag => Disposition::Flag,
            PolicyOutcome::Hold => Disposition::Hold,
            PolicyOutcome::Reject => Disposition::Reject,
            PolicyOutcome::Refuse => {
                return Merged {
                    judged: Err(Error::ContentBlocked { rule: code_of(&judgement) }),
                    step: SERVICE,
                    outcome,
                };
            }
        };
        let hit = hit_of(&judgement);
        self.judged.priority = ReviewPriority::new(judgement.review_priority);
        if outcome <= self.outcome {
            if let Some(grounds) = &mut self.judged.grounds {
                let effective = grounds.hits.iter().take_while(|hit| !hit.dry_run).count();
                insert(&mut grounds.hits, effective, hit);
            }
            return self.unchanged();
        }
        let mut hits = self.judged.grounds.take().map(|grounds| grounds.hits).unwrap_or_default();
        insert(&mut hits, 0, hit);
        let grounds = Grounds {
            code: code_of(&judgement),
            explanation: judgement.explanation,
            detection: Detection::FilterService,
            automation: Automation::Full,
            hits,
            ..Grounds::default()
        };
        let judged = PolicyJudgement { disposition, grounds: Some(Box::new(grounds)), ..self.judged };
        Merged { judged: Ok(judged), step: SERVICE, outcome }
    }

    /// Returns the judgement on a text that the filter allows. It lowers no more than what the
    /// lists hold; what they flag stays.
    fn allowed(mut self, may_release: bool) -> Merged {
        if !may_release || self.judged.disposition != Disposition::Hold {
            return self.unchanged();
        }
        let grounds = self.judged.grounds.take().zip(self.flag_code);
        let grounds = grounds.map(|(grounds, code)| Box::new(Grounds { code, ..*grounds }));
        let (disposition, outcome) = match grounds {
            Some(_) => (Disposition::Flag, PolicyOutcome::Flag),
            None => (Disposition::Allow, PolicyOutcome::Allow),
        };
        Merged { judged: Ok(PolicyJudgement { disposition, grounds, ..self.judged }), step: SERVICE, outcome }
    }

    /// Returns the judgement on a text about which the filter says nothing. The cause says so, also
    /// where the lists ask for as much.
    fn without_result(mut self, fallback: FilterFallback) -> Merged {
        let unavailable = ReviewCauses::of(&[ReviewCause::ServiceUnavailable]);
        match fallback {
            FilterFallback::Refuse => {
                let (judged, outcome) = (Err(Error::PolicyUnavailable(SERVICE)), PolicyOutcome::Refuse);
                return Merged { judged, step: FALLBACK, outcome };
            }
            FilterFallback::Hold if self.outcome < PolicyOutcome::Hold => {
                self.judged = self.judged.held_by_outage();
                (self.step, self.outcome) = (FALLBACK, PolicyOutcome::Hold);
            }
            FilterFallback::Flag if self.outcome < PolicyOutcome::Flag => {
                self.judged.more_causes = unavailable;
                (self.step, self.outcome) = (FALLBACK, PolicyOutcome::Flag);
            }
            FilterFallback::Hold | FilterFallback::Flag => self.judged.more_causes = unavailable,
        }
        self.unchanged()
    }
}

/// Adds a finding, within the bound.
fn insert(hits: &mut Vec<RuleHit>, place: usize, hit: RuleHit) {
    hits.truncate(MAX_DECISION_HITS - 1);
    hits.insert(place.min(hits.len()), hit);
}

/// Returns the finding of the filter, which is about the whole text.
pub(super) fn hit_of(judgement: &FilterJudgement) -> RuleHit {
    let FilterJudgement { provider, model_version, .. } = judgement;
    let (source, version, rule) = (provider.clone(), model_version.clone(), code_of(judgement));
    RuleHit { source, version, rule, start: 0, end: 0, dry_run: false }
}

/// Returns the code of a decision. A decision with the code of turning moderation off would pass a
/// closed gate, so the filter cannot give that one.
pub(super) fn code_of(judgement: &FilterJudgement) -> String {
    let code = if judgement.code == MODERATION_OFF_CODE { "" } else { &judgement.code };
    if code.is_empty() { CODE_OF_FILTER.to_owned() } else { code.to_owned() }
}

const fn outcome_of(outcome: FilterOutcome) -> PolicyOutcome {
    match outcome {
        FilterOutcome::Allow => PolicyOutcome::Allow,
        FilterOutcome::Flag => PolicyOutcome::Flag,
        FilterOutcome::Hold => PolicyOutcome::Hold,
        FilterOutcome::Reject => PolicyOutcome::Reject,
        FilterOutcome::Refuse => PolicyOutcome::Refuse,
    }
}

#[cfg(test)]
mod tests;
