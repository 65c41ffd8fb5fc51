//! A trial of the word lists of an object type on a text.

use std::time::Instant;

use async_trait::async_trait;
use riposte_core::Result;
use riposte_core::checked_text::{CheckedText, TextOutcome};
use riposte_core::decision::RuleHit;
use riposte_core::ports::{Submission, TextCheck};
use riposte_policy::{HitEffect, PolicyOutcome, masked};

use super::LocalPolicy;
use super::judge::{CODE_OF_LISTS, rule_hit, too_many_hits};

#[async_trait]
impl TextCheck for LocalPolicy {
    async fn check(&self, submission: Submission<'_>) -> Result<CheckedText> {
        let text = submission.content.text();
        let Some(matcher) = self.matcher(submission.object_type) else { return Ok(CheckedText::unsearched(text)) };
        let start = Instant::now();
        let copy = self.normalizer().match_copy(text);
        let findings = matcher.find(text, &copy);
        let masks = findings.masks();
        let is_masked = !masks.is_empty() && findings.outcome < PolicyOutcome::Reject;
        let is_reported = |hit: &&riposte_policy::Hit<'_>| hit.effect != HitEffect::Allowed;
        let found = findings.hits.iter().filter(is_reported).map(rule_hit);
        let hits: Vec<RuleHit> = found.chain(findings.too_many_hits.then(too_many_hits)).collect();
        let code = findings.decisive().map_or(CODE_OF_LISTS, |hit| hit.code);
        Ok(CheckedText {
            outcome: outcome(findings.outcome),
            code: if findings.outcome == PolicyOutcome::Allow { String::new() } else { code.to_owned() },
            hits,
            shown: if is_masked { masked(text, &masks) } else { text.to_owned() },
            normalized: copy.as_str().to_owned(),
            time: start.elapsed(),
        })
    }
}

fn outcome(outcome: PolicyOutcome) -> TextOutcome {
    match outcome {
        PolicyOutcome::Allow => TextOutcome::Allow,
        PolicyOutcome::Mask => TextOutcome::Mask,
        PolicyOutcome::Flag => TextOutcome::Flag,
        PolicyOutcome::Hold => TextOutcome::Hold,
        PolicyOutcome::Reject => TextOutcome::Reject,
        PolicyOutcome::Refuse => TextOutcome::Refuse,
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use riposte_core::subject::Metadata;
    use riposte_core::{Content, ObjectType};

    use super::super::settings::OutcomeName;
    use super::super::tests::{list, open};
    use super::*;

    #[test]
    fn a_check_returns_all_findings_and_the_text_as_it_would_be_shown() {
        let folder = tempfile::tempdir().unwrap();
        let mut masks = list(&folder, "masks", &["film"], "plum");
        let mut flags = list(&folder, "flags", &["film"], "apple");
        (masks.outcome, flags.outcome) = (OutcomeName::Mask, OutcomeName::Flag);
        flags.code = "fruit.apple".to_owned();
        let policy = open(vec![masks, flags]).unwrap();
        let check = |object_type: &str, text: &str| {
            let content = Content::stored(text.to_owned(), Vec::new(), Metadata::new());
            let object_type = ObjectType::stored(object_type.to_owned());
            let submission = Submission { object_type: &object_type, content: &content, is_edit: false };
            policy.check(submission).now_or_never().unwrap().unwrap()
        };
        let checked = check("film", "A PLUM and an Apple");
        assert_eq!((checked.outcome, checked.code.as_str()), (TextOutcome::Flag, "fruit.apple"));
        assert_eq!(checked.shown, "A **** and an Apple");
        assert_eq!(checked.normalized, "a plum and an apple");
        assert_eq!(checked.hits.iter().map(|hit| hit.source.as_str()).collect::<Vec<_>>(), ["masks", "flags"]);
        let plain = check("film", "Nothing");
        assert_eq!((plain.outcome, plain.code.as_str(), plain.hits.len()), (TextOutcome::Allow, "", 0));
        assert_eq!(check("book", "A PLUM"), CheckedText::unsearched("A PLUM"));
        let many = check("film", &"apple ".repeat(300));
        assert_eq!(many.hits.last().map(|hit| hit.rule.as_str()), Some("too_many_hits"));
    }
}
