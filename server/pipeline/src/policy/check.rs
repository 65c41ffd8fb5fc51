//! A trial of the word lists and the rules of an object type on a text.

use std::time::Instant;

use async_trait::async_trait;
use riposte_core::Result;
use riposte_core::checked_text::{CheckedText, TextOutcome};
use riposte_core::decision::RuleHit;
use riposte_core::ports::{TextCheck, TextQuestion};
use riposte_policy::{HitEffect, MemberInputs, PolicyOutcome, RuleInputs, RuleSet, masked};

use super::LocalPolicy;
use super::judge::{decisive_code, entry_hit, find, flag_code, matching_rule, too_many_hits};

#[async_trait]
impl TextCheck for LocalPolicy {
    async fn check(&self, question: TextQuestion<'_>) -> Result<CheckedText> {
        let TextQuestion { object_type, content, member, age, filtered_as: _ } = question;
        let (text, start) = (content.text(), Instant::now());
        let (matcher, rules) = (self.matcher(object_type), self.rules(object_type));
        if matcher.is_none() && rules.is_none() {
            return Ok(CheckedText::unsearched(text));
        }
        let known = match member {
            Some(member) => self.known_member(object_type, member, rules).await.inputs,
            None => MemberInputs::default(),
        };
        let known = MemberInputs { age, ..known };
        let copy = self.normalizer().match_copy(text);
        let inputs = RuleInputs::of(text, &copy, content.mentions().len() as u32, known);
        let found = find((matcher.as_deref(), rules), text, &copy, &inputs);
        let (masks, result) = (found.lists.masks(), found.outcome());
        let is_masked = !masks.is_empty() && result < PolicyOutcome::Reject;
        let is_reported = |hit: &&riposte_policy::Hit<'_>| hit.effect != HitEffect::Allowed;
        let entries = found.lists.hits.iter().filter(is_reported).map(entry_hit);
        let version = rules.map_or("", RuleSet::version);
        let of_rules = found.rules.iter().map(|rule| matching_rule(rule, version));
        let hits: Vec<RuleHit> = entries.chain(of_rules).chain(found.lists.too_many_hits.then(too_many_hits)).collect();
        Ok(CheckedText {
            outcome: outcome(result),
            code: if result == PolicyOutcome::Allow { String::new() } else { decisive_code(&found).0.to_owned() },
            hits,
            shown: if is_masked { masked(text, &masks) } else { text.to_owned() },
            mask_code: found.lists.decisive_mask().filter(|_| is_masked).map(|hit| hit.code.to_owned()),
            flag_code: flag_code(&found).map(str::to_owned),
            normalized: copy.as_str().to_owned(),
            time: start.elapsed(),
        })
    }
}

pub(super) fn outcome(outcome: PolicyOutcome) -> TextOutcome {
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
            let question = TextQuestion {
                object_type: &object_type,
                content: &content,
                member: None,
                age: None,
                filtered_as: None,
            };
            policy.check(question).now_or_never().unwrap().unwrap()
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
