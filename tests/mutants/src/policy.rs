//! Mutants of the judgement of texts and of the filter.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use async_trait::async_trait;
use riposte_core::disposition::Disposition;
use riposte_core::object_type::ObjectType;
use riposte_core::policy_judgement::PolicyJudgement;
use riposte_core::ports::{
    ContentPolicy, FilterClient, FilterItem, FilterJudgement, FilterOutcome, LocalHit, NoResult, Reader, Submission,
};
use riposte_core::review::{ReviewCause, ReviewCauses};
use riposte_core::{CommentId, Content, Error, Result};

use crate::mutant::Mutant;

/// The object type whose word lists alone judge in the load of `cargo xtask prove`.
const LISTED_TYPE: &str = "judged";

/// The comments whose texts the filter has allowed this process.
#[derive(Debug, Clone, Default)]
pub(crate) struct AllowedComments(Arc<Mutex<HashSet<CommentId>>>);

impl AllowedComments {
    fn add(&self, id: CommentId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
    }

    fn has(&self, id: CommentId) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&id)
    }
}

/// The reader of this process, for a mutant that asks whether a member history can be read.
#[derive(Debug, Clone, Default)]
pub(crate) struct MemberHistories(Arc<OnceLock<Arc<dyn Reader>>>);

impl MemberHistories {
    /// Sets the reader. The first one stays.
    pub(crate) fn set(&self, reader: &Arc<dyn Reader>) {
        self.0.get_or_init(|| Arc::clone(reader));
    }

    async fn fail(&self, submission: &Submission<'_>) -> bool {
        let Some(reader) = self.0.get() else { return false };
        reader.active_comments(submission.object_type(), submission.member, 1).await.is_err()
    }
}

/// A policy of texts with a mutant.
#[derive(Debug)]
pub(crate) struct MutantPolicy {
    inner: Arc<dyn ContentPolicy>,
    mutant: Mutant,
    allowed: AllowedComments,
    histories: MemberHistories,
}

impl MutantPolicy {
    pub(crate) fn new(
        inner: Arc<dyn ContentPolicy>,
        mutant: Mutant,
        allowed: AllowedComments,
        histories: MemberHistories,
    ) -> Self {
        Self { inner, mutant, allowed, histories }
    }

    /// Returns the judgement on a text that is spelled otherwise.
    async fn respelled(&self, submission: Submission<'_>, text: String) -> Result<PolicyJudgement> {
        let content = submission.content.clone().with_text(text);
        self.inner.judge(Submission { content: &content, ..submission }).await
    }

    /// Changes what the policy says of a text, without another question.
    fn changed(&self, comment: CommentId, sent: &Content, judged: Result<PolicyJudgement>) -> Result<PolicyJudgement> {
        let unavailable = ReviewCauses::of(&[ReviewCause::ServiceUnavailable]);
        match judged {
            Err(Error::PolicyUnavailable(_)) if self.mutant == Mutant::FallbackIgnored => {
                Ok(PolicyJudgement::default().held_by_outage())
            }
            Ok(judged) if self.mutant == Mutant::FallbackIgnored && judged.more_causes == unavailable => {
                Ok(judged.held_by_outage())
            }
            Ok(judged)
                if self.mutant == Mutant::FilterAllowReleases
                    && judged.disposition == Disposition::Hold
                    && self.allowed.has(comment) =>
            {
                Ok(PolicyJudgement { disposition: Disposition::Allow, grounds: None, ..judged })
            }
            Ok(mut judged) if self.mutant == Mutant::MaskShifted => {
                if let Some(masked) = &mut judged.masked {
                    masked.text = shifted(sent.text(), &masked.text);
                }
                Ok(judged)
            }
            unchanged => unchanged,
        }
    }
}

#[async_trait]
impl ContentPolicy for MutantPolicy {
    fn judges(&self, object_type: &ObjectType) -> bool {
        self.inner.judges(object_type)
    }

    async fn judge(&self, submission: Submission<'_>) -> Result<PolicyJudgement> {
        let mut judged = self.inner.judge(submission).await;
        if self.mutant == Mutant::UnknownIsOld
            && let Ok(judged) = &mut judged
            && !judged.established
        {
            judged.established = self.histories.fail(&submission).await;
        }
        let is_listed = submission.object_type().as_str() == LISTED_TYPE;
        let text = submission.content.text();
        if is_listed && judged == Ok(PolicyJudgement::default()) {
            if self.mutant == Mutant::AllowWordIgnored {
                // An allowed word of several parts is not found any more, the words in it are.
                return self.respelled(submission, text.replace(' ', " | ")).await;
            }
            if self.mutant == Mutant::BoundaryIgnored {
                for (middle, _) in text.char_indices() {
                    let other = self.respelled(submission, format!("{} {}", &text[..middle], &text[middle..])).await;
                    if other != judged {
                        return other;
                    }
                }
            }
        }
        self.changed(submission.comment, submission.content, judged)
    }
}

/// Returns a text whose mask begins one code point too late, and ends so.
fn shifted(sent: &str, masked: &str) -> String {
    let is_masked: Vec<bool> = sent.chars().zip(masked.chars()).map(|(sent, shown)| sent != shown).collect();
    let before = [false].into_iter().chain(is_masked);
    sent.chars().zip(before).map(|(sent, is_masked)| if is_masked { '*' } else { sent }).collect()
}

/// A filter with a mutant.
#[derive(Debug)]
pub(crate) struct MutantFilter {
    inner: Arc<dyn FilterClient>,
    mutant: Mutant,
    allowed: AllowedComments,
}

impl MutantFilter {
    pub(crate) fn new(inner: Arc<dyn FilterClient>, mutant: Mutant, allowed: AllowedComments) -> Self {
        Self { inner, mutant, allowed }
    }
}

#[async_trait]
impl FilterClient for MutantFilter {
    async fn judge(&self, items: &[FilterItem]) -> Vec<std::result::Result<FilterJudgement, NoResult>> {
        let mut sent = items.to_vec();
        if self.mutant == Mutant::MemberNameSent {
            for item in &mut sent {
                let (source, version, entry) = (item.member.as_str().to_owned(), String::new(), String::new());
                item.local_hits.push(LocalHit { source, version, entry, outcome: FilterOutcome::Allow });
            }
        }
        let mut results = self.inner.judge(&sent).await;
        for (item, result) in items.iter().zip(&mut results) {
            if self.mutant == Mutant::UndecidedPasses && *result == Err(NoResult::Undecided) {
                *result = Ok(allowed());
            }
            if result.as_ref().is_ok_and(|judgement| judgement.outcome == FilterOutcome::Allow) {
                self.allowed.add(item.comment);
            }
        }
        results
    }
}

/// Returns the judgement on a text against which nothing speaks.
fn allowed() -> FilterJudgement {
    FilterJudgement {
        outcome: FilterOutcome::Allow,
        scores: Vec::new(),
        provider: String::new(),
        model_version: String::new(),
        code: String::new(),
        explanation: String::new(),
        review_priority: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_is_moved_by_one_code_point() {
        assert_eq!(shifted("a gorse hedge", "a ***** hedge"), "a g*****hedge");
        assert_eq!(shifted("a gorse", "a gorse"), "a gorse");
    }
}
