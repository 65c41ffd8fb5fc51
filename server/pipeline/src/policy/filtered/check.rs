//! A trial of lists, rules and the filter of an object type on a text.

use std::time::Instant;

use async_trait::async_trait;
use riposte_core::checked_text::{CheckedText, TextOutcome};
use riposte_core::ports::{FilterItem, FilterJudgement, FilterKind, FilterOutcome, TextCheck, TextQuestion};
use riposte_core::{CommentId, MemberId, Result, SubjectKey};

use super::{FilterFallback, FilteredPolicy, code_of, hit_of};

#[async_trait]
impl TextCheck for FilteredPolicy {
    async fn check(&self, question: TextQuestion<'_>) -> Result<CheckedText> {
        let start = Instant::now();
        let checked = self.local.check(question).await?;
        let fallback = self.filter.fallback(question.object_type).filter(|_| checked.outcome < TextOutcome::Reject);
        let (Some(id), Some(fallback)) = (question.filtered_as, fallback) else { return Ok(checked) };
        let result = self.client.judge(&[item(id, question)]).await.pop();
        let checked = match result {
            Some(Ok(judgement)) => with(checked, &judgement, self.filter.may_release),
            Some(Err(_)) | None => checked.without_service(match fallback {
                FilterFallback::Hold => TextOutcome::Hold,
                FilterFallback::Flag => TextOutcome::Flag,
                FilterFallback::Refuse => TextOutcome::Refuse,
            }),
        };
        Ok(CheckedText { time: start.elapsed(), ..checked })
    }
}

/// Returns a text as the filter is asked about it. It has no object and maybe no author.
fn item(id: CommentId, question: TextQuestion<'_>) -> FilterItem {
    let TextQuestion { object_type, content, member, age: _, filtered_as: _ } = question;
    FilterItem {
        key: format!("{:032x}", id.get()),
        subject: SubjectKey::stored(object_type.as_str().to_owned(), String::new()),
        comment: id,
        root: None,
        parent: None,
        member: member.cloned().unwrap_or_else(|| MemberId::stored(String::new())),
        text: content.text().to_owned(),
        metadata: content.metadata().clone(),
        local_hits: Vec::new(),
        kind: FilterKind::Recheck,
    }
}

/// Returns the stronger one of the treatments by lists and rules and by the filter.
fn with(mut checked: CheckedText, judgement: &FilterJudgement, may_release: bool) -> CheckedText {
    let outcome = match judgement.outcome {
        FilterOutcome::Allow => {
            let is_released = may_release && checked.outcome == TextOutcome::Hold;
            return if is_released { checked.released() } else { checked };
        }
        FilterOutcome::Flag => TextOutcome::Flag,
        FilterOutcome::Hold => TextOutcome::Hold,
        FilterOutcome::Reject => TextOutcome::Reject,
        FilterOutcome::Refuse => TextOutcome::Refuse,
    };
    checked.hits.push(hit_of(judgement));
    if outcome > checked.outcome { CheckedText { outcome, code: code_of(judgement), ..checked } } else { checked }
}
