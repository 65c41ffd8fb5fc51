//! The filter beside word lists: the stronger outcome, and what happens while it is away.

use std::sync::Mutex;

use futures::FutureExt;
use riposte_conformance::model::Model;
use riposte_conformance::stores::StepClock;
use riposte_core::object_type::ModerationMode;
use riposte_core::subject::Metadata;
use riposte_core::{Content, MemberId, SubjectKey};

use super::super::settings::{OutcomeName, WordListSettings};
use super::super::tests::{list, open, submission};
use super::*;

type FilterResult = std::result::Result<FilterJudgement, NoResult>;

/// A filter with one result for all texts. It keeps what it receives.
#[derive(Debug)]
struct Scripted {
    result: FilterResult,
    received: Mutex<Vec<FilterItem>>,
}

#[async_trait]
impl FilterClient for Scripted {
    async fn judge(&self, items: &[FilterItem]) -> Vec<FilterResult> {
        self.received.lock().unwrap().extend_from_slice(items);
        vec![self.result.clone(); items.len()]
    }
}

fn says(outcome: FilterOutcome) -> FilterResult {
    Ok(FilterJudgement {
        outcome,
        scores: Vec::new(),
        provider: "judge".to_owned(),
        model_version: "7".to_owned(),
        code: "filter.code".to_owned(),
        explanation: "because".to_owned(),
        review_priority: 0,
    })
}

const OUTCOMES: [OutcomeName; 5] =
    [OutcomeName::Mask, OutcomeName::Flag, OutcomeName::Hold, OutcomeName::Reject, OutcomeName::Refuse];

/// Returns a list of its own for each outcome; the name of the outcome is its word and its code.
fn lists(folder: &tempfile::TempDir) -> Vec<WordListSettings> {
    let list = |outcome: OutcomeName| {
        let word = PolicyOutcome::from(outcome).name();
        WordListSettings { outcome, code: word.to_owned(), ..list(folder, word, &[], word) }
    };
    OUTCOMES.map(list).into()
}

struct Case {
    policy: FilteredPolicy,
    filter: Arc<Scripted>,
}

fn case(result: FilterResult, fallback: FilterFallback) -> Case {
    let folder = tempfile::tempdir().unwrap();
    let filter = Arc::new(Scripted { result, received: Mutex::default() });
    let of_type = [("film".to_owned(), Some(fallback)), ("off".to_owned(), None)].into();
    let policy = FilteredPolicy {
        local: open(lists(&folder)).unwrap(),
        client: Arc::clone(&filter) as _,
        reader: Arc::new(Model::new(StepClock::at(StepClock::START))),
        filter: FilterUse { of_type, of_others: None, may_release: false },
    };
    Case { policy, filter }
}

impl Case {
    fn judge(&self, object_type: &str, text: &str) -> Result<PolicyJudgement> {
        let content = Content::stored(text.to_owned(), Vec::new(), Metadata::from([("a".to_owned(), "b".to_owned())]));
        let subject = SubjectKey::stored(object_type.to_owned(), "1".to_owned());
        let member = MemberId::stored("m7".to_owned());
        self.policy.judge(submission(&subject, &content, &member)).now_or_never().unwrap()
    }

    fn calls(&self) -> usize {
        self.filter.received.lock().unwrap().len()
    }
}

/// Returns the disposition, and code and sources of the decision.
fn parts(judged: &PolicyJudgement) -> (Disposition, &str, Vec<&str>) {
    let grounds = judged.grounds.as_deref();
    let sources = grounds.iter().flat_map(|grounds| &grounds.hits).map(|hit| hit.source.as_str()).collect();
    (judged.disposition, grounds.map_or("", |grounds| grounds.code.as_str()), sources)
}

#[test]
fn the_stronger_outcome_counts_and_the_decision_names_both() {
    use Disposition::{Allow, Flag, Hold, Reject};
    for (text, outcome, disposition, code, sources) in [
        ("text", FilterOutcome::Allow, Allow, "", &[] as &[&str]),
        ("text", FilterOutcome::Flag, Flag, "filter.code", &["judge"]),
        ("text", FilterOutcome::Hold, Hold, "filter.code", &["judge"]),
        ("text", FilterOutcome::Reject, Reject, "filter.code", &["judge"]),
        ("a mask", FilterOutcome::Flag, Flag, "filter.code", &["judge"]),
        ("a flag", FilterOutcome::Allow, Flag, "flag", &["flag"]),
        ("a flag", FilterOutcome::Flag, Flag, "flag", &["flag", "judge"]),
        ("a flag", FilterOutcome::Hold, Hold, "filter.code", &["judge", "flag"]),
        ("a hold", FilterOutcome::Allow, Hold, "hold", &["hold"]),
        ("a hold", FilterOutcome::Flag, Hold, "hold", &["hold", "judge"]),
        ("a hold", FilterOutcome::Hold, Hold, "hold", &["hold", "judge"]),
        ("a hold", FilterOutcome::Reject, Reject, "filter.code", &["judge", "hold"]),
    ] {
        let case = case(says(outcome), FilterFallback::Hold);
        let judged = case.judge("film", text).unwrap();
        assert_eq!(parts(&judged), (disposition, code, sources.to_vec()), "{text} {outcome:?}");
        assert_eq!((judged.more_causes, case.calls()), (ReviewCauses::NONE, 1));
        if code == "filter.code" {
            let grounds = judged.grounds.unwrap();
            assert_eq!((grounds.detection, grounds.automation), (Detection::FilterService, Automation::Full));
            assert_eq!((grounds.explanation.as_str(), grounds.hits[0].version.as_str()), ("because", "7"));
        }
    }
    for text in ["text", "a flag", "a hold"] {
        let refused = case(says(FilterOutcome::Refuse), FilterFallback::Hold).judge("film", text);
        assert_eq!(refused, Err(Error::ContentBlocked { rule: "filter.code".to_owned() }), "{text}");
    }
}

#[test]
fn a_text_that_the_filter_flags_or_holds_has_its_priority() {
    for (outcome, text, expected) in [
        (FilterOutcome::Allow, "a hold", 0),
        (FilterOutcome::Flag, "text", 70),
        (FilterOutcome::Hold, "text", 70),
        (FilterOutcome::Flag, "a hold", 70),
    ] {
        let judgement = says(outcome).map(|judgement| FilterJudgement { review_priority: 70, ..judgement });
        let judged = case(judgement, FilterFallback::Hold).judge("film", text).unwrap();
        assert_eq!(judged.priority, ReviewPriority::new(expected), "{outcome:?} {text}");
    }
}

#[test]
fn the_filter_is_not_asked_about_a_text_that_the_lists_reject_or_a_type_without_it() {
    let case = case(says(FilterOutcome::Refuse), FilterFallback::Refuse);
    assert_eq!(case.judge("film", "a reject").unwrap().disposition, Disposition::Reject);
    assert_eq!(case.judge("film", "a refuse"), Err(Error::ContentBlocked { rule: "refuse".to_owned() }));
    assert_eq!(case.judge("off", "text"), Ok(PolicyJudgement::default()));
    assert_eq!(case.judge("unregistered", "a hold").unwrap().disposition, Disposition::Hold);
    assert_eq!(case.calls(), 0);
}

#[test]
fn an_allowed_text_is_released_only_where_that_is_set_and_a_flag_stays() {
    let mut case = case(says(FilterOutcome::Allow), FilterFallback::Hold);
    case.policy.filter.may_release = true;
    for (text, disposition, code) in [
        ("a hold", Disposition::Allow, ""),
        ("a hold, a flag", Disposition::Flag, "flag"),
        ("a flag", Disposition::Flag, "flag"),
        ("text", Disposition::Allow, ""),
    ] {
        let judged = case.judge("film", text).unwrap();
        let (found, found_code, _) = parts(&judged);
        assert_eq!((found, found_code), (disposition, code), "{text}");
    }
    assert_eq!(case.judge("film", "a reject").unwrap().disposition, Disposition::Reject);
}

#[test]
fn without_a_result_the_fallback_decides_and_the_cause_says_so() {
    use Disposition::{Allow, Flag, Hold, Unchecked};
    use ReviewCause::{Flag as Flagged, New, ServiceUnavailable};
    for reason in [NoResult::Undecided, NoResult::Unavailable] {
        for (text, fallback, disposition, causes, is_decision) in [
            ("text", FilterFallback::Hold, Unchecked, &[ServiceUnavailable][..], false),
            ("a flag", FilterFallback::Hold, Unchecked, &[ServiceUnavailable, Flagged], false),
            ("a hold", FilterFallback::Hold, Hold, &[New, ServiceUnavailable], true),
            ("text", FilterFallback::Flag, Allow, &[ServiceUnavailable], false),
            ("a mask", FilterFallback::Flag, Allow, &[ServiceUnavailable], true),
            ("a flag", FilterFallback::Flag, Flag, &[Flagged, ServiceUnavailable], true),
            ("a hold", FilterFallback::Flag, Hold, &[New, ServiceUnavailable], true),
        ] {
            let judged = case(Err(reason), fallback).judge("film", text).unwrap();
            assert_eq!(judged.disposition, disposition, "{text} {fallback:?}");
            assert_eq!(judged.causes(ModerationMode::Post), ReviewCauses::of(causes), "{text} {fallback:?}");
            assert_eq!(judged.is_decision(), is_decision, "{text} {fallback:?}");
        }
        for text in ["text", "a flag", "a hold"] {
            let refused = case(Err(reason), FilterFallback::Refuse).judge("film", text);
            assert_eq!(refused, Err(Error::PolicyUnavailable("filter")), "{text}");
        }
    }
}

#[test]
fn the_filter_gets_place_key_and_hits_of_a_text() {
    let case = case(says(FilterOutcome::Allow), FilterFallback::Hold);
    case.judge("film", "a mask, a hold").unwrap();
    let received = case.filter.received.lock().unwrap();
    let [item] = received.as_slice() else { panic!("{received:?}") };
    assert_eq!((item.key.as_str(), item.comment.get()), ("07070707070707070707070707070707", 9));
    assert_eq!((item.text.as_str(), &item.kind), ("a mask, a hold", &FilterKind::Create));
    assert_eq!(item.metadata, [("a".to_owned(), "b".to_owned())].into());
    let hits: Vec<_> = item.local_hits.iter().map(|hit| (hit.source.as_str(), hit.outcome)).collect();
    assert_eq!(hits, [("mask", FilterOutcome::Flag), ("hold", FilterOutcome::Hold)]);
}

#[test]
fn the_filter_cannot_give_the_code_that_passes_a_closed_gate() {
    let judged = |code: &str| {
        let result =
            says(FilterOutcome::Reject).map(|judgement| FilterJudgement { code: code.to_owned(), ..judgement });
        case(result, FilterFallback::Hold).judge("film", "text").unwrap().grounds.unwrap()
    };
    for code in [MODERATION_OFF_CODE, ""] {
        let grounds = judged(code);
        assert_eq!((grounds.code.as_str(), grounds.hits[0].rule.as_str()), (CODE_OF_FILTER, CODE_OF_FILTER));
    }
}

#[test]
fn a_trial_with_services_says_what_becomes_of_the_text() {
    use riposte_core::checked_text::TextOutcome::{Allow, Flag, Hold, Mask, Refuse, Reject};
    use riposte_core::ports::{TextCheck, TextQuestion};
    let unavailable = || Err(NoResult::Unavailable);
    for (text, result, fallback, may_release, outcome, code) in [
        ("text", says(FilterOutcome::Allow), FilterFallback::Hold, false, Allow, ""),
        ("text", says(FilterOutcome::Hold), FilterFallback::Hold, false, Hold, "filter.code"),
        ("a flag", says(FilterOutcome::Hold), FilterFallback::Hold, false, Hold, "filter.code"),
        ("a hold", says(FilterOutcome::Hold), FilterFallback::Hold, false, Hold, "hold"),
        ("a hold", says(FilterOutcome::Allow), FilterFallback::Hold, false, Hold, "hold"),
        ("a hold", says(FilterOutcome::Allow), FilterFallback::Hold, true, Allow, ""),
        ("a hold mask", says(FilterOutcome::Allow), FilterFallback::Hold, true, Mask, "mask"),
        ("a hold flag", says(FilterOutcome::Allow), FilterFallback::Hold, true, Flag, "flag"),
        ("a reject", says(FilterOutcome::Refuse), FilterFallback::Hold, false, Reject, "reject"),
        ("text", says(FilterOutcome::Refuse), FilterFallback::Hold, false, Refuse, "filter.code"),
        ("text", unavailable(), FilterFallback::Hold, false, Hold, ""),
        ("text", unavailable(), FilterFallback::Flag, false, Flag, ""),
        ("text", unavailable(), FilterFallback::Refuse, false, Refuse, ""),
        ("a hold", unavailable(), FilterFallback::Flag, false, Hold, "hold"),
        ("a reject", unavailable(), FilterFallback::Refuse, false, Reject, "reject"),
    ] {
        let mut case = case(result.clone(), fallback);
        case.policy.filter.may_release = may_release;
        let content = Content::stored(text.to_owned(), Vec::new(), Metadata::new());
        let [film, off] = ["film", "off"].map(|name| ObjectType::stored(name.to_owned()));
        let question = |object_type, filtered_as| TextQuestion {
            object_type,
            content: &content,
            member: None,
            age: None,
            filtered_as,
        };
        let check = |question| case.policy.check(question).now_or_never().unwrap().unwrap();
        let checked = check(question(&film, CommentId::new(7)));
        assert_eq!((checked.outcome, checked.code.as_str()), (outcome, code), "{text} {result:?} {fallback:?}");
        let calls = case.calls();
        assert_eq!(calls, usize::from(!text.contains("reject")), "{text}");
        check(question(&film, None));
        check(question(&off, CommentId::new(7)));
        assert_eq!(case.calls(), calls, "without services, and a type without a filter");
        let received = case.filter.received.lock().unwrap().clone();
        assert!(received.iter().all(|item| item.kind == FilterKind::Recheck && item.text == text));
    }
}
