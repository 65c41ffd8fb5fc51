//! The verdicts of a filter, checked against the contract.

use riposte_core::ports::{FilterOutcome, FilterVerdict, NoAnswer};
use riposte_sdk::filter::v1 as proto;

use crate::fault::{AnswerFault, FaultsOf};
use crate::keyed::{Nouns, by_key};

/// The largest number of scores.
const MAX_SCORES: usize = 32;
/// The lengths of a code.
const CODE: (usize, usize) = (0, 64);
/// The lengths of provider and model version, in code points.
const NAMED: (usize, usize) = (1, 128);
/// The lengths of an explanation, in code points.
const EXPLANATION: (usize, usize) = (0, 256);

/// Returns the verdict on each key, in the order of the keys, and adds the breaches of the
/// contract.
pub(crate) fn verdicts(
    keys: &[&str],
    answers: &[proto::ContentVerdict],
    faults: &mut Vec<AnswerFault>,
) -> Vec<Result<FilterVerdict, NoAnswer>> {
    let nouns = Nouns { answer: "verdict", key: "key" };
    let found = by_key(keys, answers, |verdict| verdict.key.as_str(), nouns, faults);
    let one = |slot: Option<(usize, &proto::ContentVerdict)>| {
        let (number, verdict) = slot?;
        checked(verdict, &mut FaultsOf { place: format!("verdict {number}"), faults })
    };
    found.into_iter().map(one).map(|verdict| verdict.ok_or(NoAnswer::Undecided)).collect()
}

fn checked(verdict: &proto::ContentVerdict, faults: &mut FaultsOf<'_>) -> Option<FilterVerdict> {
    let known = proto::FilterOutcome::try_from(verdict.outcome);
    let what = format!("`outcome` is {}, which the contract does not have", verdict.outcome);
    faults.require(known.is_ok(), what, "send a value of FilterOutcome");
    // A filter may leave an item open: that breaks nothing.
    let outcome = match known.ok()? {
        proto::FilterOutcome::Unspecified => return None,
        proto::FilterOutcome::Allow => FilterOutcome::Allow,
        proto::FilterOutcome::Flag => FilterOutcome::Flag,
        proto::FilterOutcome::Hold => FilterOutcome::Hold,
        proto::FilterOutcome::Reject => FilterOutcome::Reject,
        proto::FilterOutcome::Refuse => FilterOutcome::Refuse,
    };
    let mut kept = faults.length("provider", &verdict.provider, NAMED);
    kept &= faults.length("model_version", &verdict.model_version, NAMED);
    kept &= faults.code("code", &verdict.code, CODE);
    kept &= faults.length("explanation", &verdict.explanation, EXPLANATION);
    let scores = verdict.scores.len();
    kept &= faults.require(scores <= MAX_SCORES, format!("has {scores} scores"), "send at most 32");
    for score in &verdict.scores {
        kept &= faults.code("scores.name", &score.name, (1, CODE.1));
        let what = format!("`scores.value` is {}", score.value);
        kept &= faults.require((0.0..=1.0).contains(&score.value), what, "send a number from 0 to 1");
    }
    let priority = faults.range("review_priority", verdict.review_priority, 100)?;
    kept.then(|| FilterVerdict {
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
    use super::{proto, verdicts};
    use riposte_core::ports::{FilterOutcome, NoAnswer};

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
    fn a_verdict_at_its_limits_counts() {
        let mut faults = Vec::new();
        let found = verdicts(&["k"], &[good()], &mut faults);
        assert!(faults.is_empty(), "{faults:?}");
        let verdict = found[0].as_ref().unwrap();
        assert_eq!((verdict.outcome, verdict.review_priority), (FilterOutcome::Hold, 100));
        assert_eq!(verdict.scores, [("spam".to_owned(), 1.0)]);
    }

    #[test]
    fn a_verdict_beyond_a_limit_is_undecided_and_named() {
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
            let (mut verdict, mut faults) = (good(), Vec::new());
            change(&mut verdict);
            assert_eq!(verdicts(&["k"], &[verdict], &mut faults), [Err(NoAnswer::Undecided)], "{what}");
            assert_eq!(faults.len(), 1, "{faults:?}");
            assert_eq!(faults[0].to_string(), format!("verdict 1: {what}"));
        }
    }

    #[test]
    fn an_open_verdict_breaks_nothing() {
        let mut faults = Vec::new();
        let open = proto::ContentVerdict { key: "k".to_owned(), ..proto::ContentVerdict::default() };
        assert_eq!(verdicts(&["k"], &[open], &mut faults), [Err(NoAnswer::Undecided)]);
        assert!(faults.is_empty());
    }
}
