//! The verdicts of a filter, checked against the contract.

use riposte_core::ports::{FilterJudgement, FilterOutcome, NoResult};
use riposte_sdk::filter::v1 as proto;

use crate::breach::{Breach, BreachesOf};
use crate::keyed::{Nouns, by_key};

/// The largest number of scores.
const MAX_SCORES: usize = 32;
/// The lengths of a code.
const CODE: (usize, usize) = (0, 64);
/// The lengths of provider and model version, in code points.
const NAMED: (usize, usize) = (1, 128);
/// The lengths of an explanation, in code points.
const EXPLANATION: (usize, usize) = (0, 256);

/// Returns the judgement of each key, in the order of the keys, and adds the breaches of the
/// contract.
pub(crate) fn judgements(
    keys: &[&str],
    verdicts: &[proto::ContentVerdict],
    breaches: &mut Vec<Breach>,
) -> Vec<Result<FilterJudgement, NoResult>> {
    let nouns = Nouns { result: "verdict", key: "key" };
    let found = by_key(keys, verdicts, |verdict| verdict.key.as_str(), nouns, breaches);
    let one = |slot: Option<(usize, &proto::ContentVerdict)>| {
        let (number, verdict) = slot?;
        checked(verdict, &mut BreachesOf { place: format!("verdict {number}"), breaches })
    };
    found.into_iter().map(one).map(|judgement| judgement.ok_or(NoResult::Undecided)).collect()
}

fn checked(verdict: &proto::ContentVerdict, breaches: &mut BreachesOf<'_>) -> Option<FilterJudgement> {
    let known = proto::FilterOutcome::try_from(verdict.outcome);
    let what = format!("`outcome` is {}, which the contract does not have", verdict.outcome);
    breaches.require(known.is_ok(), what, "send a value of FilterOutcome");
    // A filter may leave an item open: that breaks nothing.
    let outcome = match known.ok()? {
        proto::FilterOutcome::Unspecified => return None,
        proto::FilterOutcome::Allow => FilterOutcome::Allow,
        proto::FilterOutcome::Flag => FilterOutcome::Flag,
        proto::FilterOutcome::Hold => FilterOutcome::Hold,
        proto::FilterOutcome::Reject => FilterOutcome::Reject,
        proto::FilterOutcome::Refuse => FilterOutcome::Refuse,
    };
    let mut is_valid = breaches.length("provider", &verdict.provider, NAMED);
    is_valid &= breaches.length("model_version", &verdict.model_version, NAMED);
    is_valid &= breaches.code("code", &verdict.code, CODE);
    is_valid &= breaches.length("explanation", &verdict.explanation, EXPLANATION);
    let scores = verdict.scores.len();
    is_valid &= breaches.require(scores <= MAX_SCORES, format!("has {scores} scores"), "send at most 32");
    for score in &verdict.scores {
        is_valid &= breaches.code("scores.name", &score.name, (1, CODE.1));
        let what = format!("`scores.value` is {}", score.value);
        is_valid &= breaches.require((0.0..=1.0).contains(&score.value), what, "send a number from 0 to 1");
    }
    let priority = breaches.range("review_priority", verdict.review_priority, 100)?;
    is_valid.then(|| FilterJudgement {
        outcome,
        scores: verdict.scores.iter().map(|score| (score.name.clone(), score.value)).collect(),
        provider: verdict.provider.clone(),
        model_version: verdict.model_version.clone(),
        code: verdict.code.clone(),
        explanation: verdict.explanation.clone(),
        review_priority: u8::try_from(priority).unwrap_or(u8::MAX),
    })
}

#[cfg(test)]
mod tests {
    use super::{judgements, proto};
    use riposte_core::ports::{FilterOutcome, NoResult};

    type Change = fn(&mut proto::ContentVerdict);

    fn good() -> proto::ContentVerdict {
        proto::ContentVerdict {
            key: "k".to_owned(),
            outcome: proto::FilterOutcome::Hold.into(),
            scores: vec![proto::FilterScore { name: "spam".to_owned(), value: 1.0 }],
            provider: "p".to_owned(),
            model_version: "1".to_owned(),
            code: "spam.link".to_owned(),
            explanation: "é".repeat(256),
            review_priority: 100,
        }
    }

    #[test]
    fn a_judgement_at_its_limits_counts() {
        let mut breaches = Vec::new();
        let found = judgements(&["k"], &[good()], &mut breaches);
        assert!(breaches.is_empty(), "{breaches:?}");
        let judgement = found[0].as_ref().unwrap();
        assert_eq!((judgement.outcome, judgement.review_priority), (FilterOutcome::Hold, 100));
        assert_eq!(judgement.scores, [("spam".to_owned(), 1.0)]);
    }

    #[test]
    fn an_item_beyond_a_limit_is_undecided_and_named() {
        let cases: [(Change, &str); 12] = [
            (|v| v.outcome = 6, "`outcome` is 6, which the contract does not have"),
            (|v| v.outcome = -1, "`outcome` is -1, which the contract does not have"),
            (|v| v.provider.clear(), "`provider` has 0 code points"),
            (|v| v.model_version = "x".repeat(129), "`model_version` has 129 code points"),
            (|v| v.code = "Spam".to_owned(), "`code` does not have the form of a code"),
            (|v| v.code = "s".repeat(65), "`code` does not have the form of a code"),
            (|v| v.explanation.push('x'), "`explanation` has 257 code points"),
            (|v| v.scores = vec![v.scores[0].clone(); 33], "has 33 scores"),
            (|v| v.scores[0].name.clear(), "`scores.name` does not have the form of a code"),
            (|v| v.scores[0].value = f64::NAN, "`scores.value` is NaN"),
            (|v| v.scores[0].value = 1.01, "`scores.value` is 1.01"),
            (|v| v.review_priority = -1, "`review_priority` is -1"),
        ];
        for (change, what) in cases {
            let (mut verdict, mut breaches) = (good(), Vec::new());
            change(&mut verdict);
            assert_eq!(judgements(&["k"], &[verdict], &mut breaches), [Err(NoResult::Undecided)], "{what}");
            assert_eq!(breaches.len(), 1, "{breaches:?}");
            assert_eq!(breaches[0].to_string(), format!("verdict 1: {what}"));
        }
    }

    #[test]
    fn an_item_that_is_left_open_breaks_nothing() {
        let mut breaches = Vec::new();
        let open = proto::ContentVerdict { key: "k".to_owned(), ..proto::ContentVerdict::default() };
        assert_eq!(judgements(&["k"], &[open], &mut breaches), [Err(NoResult::Undecided)]);
        assert!(breaches.is_empty());
    }
}
