//! Lists from files: their types, a reload, and files that cannot be used.

use std::fs;
use std::path::Path;

use riposte_core::object_type::ObjectType;
use riposte_core::ports::Submission;
use riposte_core::request::IdempotencyKey;
use riposte_core::{CommentId, Content, MemberId, SubjectKey};
use riposte_policy::{Day, PolicyOutcome};
use riposte_settings::{ConfigErrors, ErrorReport};
use riposte_telemetry::Metrics;
use tempfile::TempDir;

use super::LocalPolicy;
use super::rule_settings::RuleSettings;
use super::rules::TypeRules;
use super::settings::{PolicySettings, WordListSettings};

fn day(day: u8) -> Day {
    Day::new(2026, 11, day).unwrap()
}

/// Returns a list of these words, in a file of its name.
pub(super) fn list(folder: &TempDir, name: &str, types: &[&str], words: &str) -> WordListSettings {
    let file = folder.path().join(name);
    fs::write(&file, words).unwrap();
    WordListSettings {
        name: name.to_owned(),
        file,
        object_types: types.iter().map(|name| (*name).to_owned()).collect(),
        outcome: Default::default(),
        mode: None,
        code: "policy.list".to_owned(),
        effect: Default::default(),
    }
}

pub(super) fn open(lists: Vec<WordListSettings>) -> Result<LocalPolicy, ConfigErrors> {
    open_with(lists, Vec::new(), Metrics::new().unwrap())
}

/// Opens lists, and rules of the type `film`.
pub(super) fn open_with(
    lists: Vec<WordListSettings>,
    rules: Vec<RuleSettings>,
    metrics: Metrics,
) -> Result<LocalPolicy, ConfigErrors> {
    let rules = TypeRules::new([(&"film".to_owned(), &rules)].into_iter(), &[])?;
    LocalPolicy::open(&PolicySettings { lists }, rules, day(26), metrics)
}

/// Returns a new root comment.
pub(super) fn submission<'s>(subject: &'s SubjectKey, content: &'s Content, member: &'s MemberId) -> Submission<'s> {
    let (comment, key) = (CommentId::new(9).unwrap(), IdempotencyKey([7; 16]));
    Submission { subject, content, is_edit: false, comment, root: None, parent: None, member, age: None, key }
}

/// Returns what the lists of a type say of a text; `None` if it has none.
fn outcome(policy: &LocalPolicy, object_type: &str, text: &str) -> Option<PolicyOutcome> {
    let matcher = policy.matcher(&ObjectType::stored(object_type.to_owned()))?;
    Some(matcher.find(text, &policy.normalizer().match_copy(text)).outcome)
}

fn messages(errors: ConfigErrors) -> Vec<(String, String)> {
    errors.0.into_iter().map(|error| (error.path, error.message)).collect()
}

#[test]
fn a_type_is_searched_for_its_lists_and_those_of_all_types() {
    let folder = tempfile::tempdir().unwrap();
    let policy = open(vec![list(&folder, "all", &[], "apple"), list(&folder, "films", &["film", "clip"], "pear")]);
    let policy = policy.unwrap();
    for object_type in ["film", "clip"] {
        assert_eq!(outcome(&policy, object_type, "a pear"), Some(PolicyOutcome::Hold));
        assert_eq!(outcome(&policy, object_type, "an apple"), Some(PolicyOutcome::Hold));
    }
    assert_eq!(outcome(&policy, "book", "a pear"), Some(PolicyOutcome::Allow));
    assert_eq!(outcome(&policy, "book", "an apple"), Some(PolicyOutcome::Hold));
    let [film, clip] = ["film", "clip"].map(|name| policy.matcher(&ObjectType::stored(name.to_owned())).unwrap());
    assert!(std::sync::Arc::ptr_eq(&film, &clip), "types with the same lists share the automata");
}

#[test]
fn a_type_without_lists_is_not_searched() {
    let folder = tempfile::tempdir().unwrap();
    let policy = open(vec![list(&folder, "films", &["film"], "pear")]).unwrap();
    assert_eq!(outcome(&policy, "book", "a pear"), None);
    assert_eq!(outcome(&open(Vec::new()).unwrap(), "book", "a pear"), None);
}

#[test]
fn a_changed_file_is_used_after_a_reload_and_a_bad_one_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let lists = vec![list(&folder, "a", &[], "apple"), list(&folder, "b", &[], "pear")];
    let files = [lists[0].file.clone(), lists[1].file.clone()];
    let policy = open(lists).unwrap();
    fs::write(&files[0], "plum").unwrap();
    assert_eq!(outcome(&policy, "film", "plum"), Some(PolicyOutcome::Allow), "nothing changes before the reload");
    policy.reload(day(26)).unwrap();
    assert_eq!(outcome(&policy, "film", "plum"), Some(PolicyOutcome::Hold));
    assert_eq!(outcome(&policy, "film", "apple"), Some(PolicyOutcome::Allow));

    fs::write(&files[0], "fig").unwrap();
    fs::write(&files[1], "{\"word\":\"pear\"}\nsecretword\n").unwrap();
    let errors = messages(policy.reload(day(26)).unwrap_err());
    let [(key, message)] = errors.as_slice() else { panic!("{errors:?}") };
    assert_eq!(key, "policy.lists.1.file");
    assert!(message.contains("line 2") && !message.contains("secretword"), "{message}");
    for (word, expected) in
        [("plum", PolicyOutcome::Hold), ("pear", PolicyOutcome::Hold), ("fig", PolicyOutcome::Allow)]
    {
        assert_eq!(outcome(&policy, "film", word), Some(expected), "{word}");
    }
}

#[test]
fn lists_of_another_day_are_outdated_and_their_entries_expire() {
    let folder = tempfile::tempdir().unwrap();
    let words = "{\"word\":\"apple\",\"expires\":\"2026-11-27\"}";
    let policy = open(vec![list(&folder, "a", &[], words)]).unwrap();
    assert_eq!(outcome(&policy, "film", "apple"), Some(PolicyOutcome::Hold));
    assert!(!policy.is_outdated(day(26)) && policy.is_outdated(day(27)));
    policy.reload(day(27)).unwrap();
    assert_eq!(outcome(&policy, "film", "apple"), Some(PolicyOutcome::Allow));
    assert!(!open(Vec::new()).unwrap().is_outdated(day(27)), "without lists nothing expires");
}

#[test]
fn lists_and_entries_that_are_probably_wrong_are_remarked_on_without_their_words() {
    let folder = tempfile::tempdir().unwrap();
    let policy = open(vec![list(&folder, "dots", &[], "...\napple"), list(&folder, "none", &["film"], "")]).unwrap();
    let remarks = policy.remarks();
    let [empty, dots] = remarks.as_slice() else { panic!("{remarks:?}") };
    assert!(
        empty.contains("none has no entry") && dots.contains("dots: line 1: digits and punctuation"),
        "{remarks:?}"
    );
    assert!(open(vec![list(&folder, "a", &[], "apple")]).unwrap().remarks().is_empty());
}

#[test]
fn all_files_that_cannot_be_used_are_reported_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let missing = WordListSettings { file: folder.path().join("missing"), ..list(&folder, "a", &[], "") };
    let reserved = list(&folder, "b", &[], "{\"word\":\"apple\",\"code\":\"moderation.off\"}");
    let errors = messages(open(vec![missing, list(&folder, "c", &[], "pear"), reserved]).unwrap_err());
    assert_eq!(
        errors.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(),
        ["policy.lists.0.file", "policy.lists.2.file"]
    );
    assert!(errors[0].1.contains("missing cannot be read"), "{errors:?}");
    assert!(errors[1].1.contains("line 1: `code`"), "{errors:?}");
}

#[test]
fn the_bound_of_entries_is_one_for_all_lists() {
    let folder = tempfile::tempdir().unwrap();
    let words = |from: usize| (from..from + 100_001).map(|number| format!("word{number}\n")).collect::<String>();
    let lists = vec![list(&folder, "a", &["film"], &words(0)), list(&folder, "b", &["book"], &words(200_000))];
    let errors = messages(open(lists).unwrap_err());
    assert_eq!(errors[0].0, "policy.lists");
    assert!(errors[0].1.contains("200002 entries"), "{errors:?}");
}

#[test]
fn metrics_name_the_version_of_each_list_and_the_lists_that_were_refused() {
    let folder = tempfile::tempdir().unwrap();
    let metrics = Metrics::new().unwrap();
    let lists = vec![list(&folder, "spam", &[], "apple")];
    let file = lists[0].file.clone();
    let policy = open_with(lists, Vec::new(), metrics.clone()).unwrap();
    let line = |name: &str| {
        let text = metrics.text().unwrap();
        text.lines().find(|line| line.starts_with(name)).map(str::to_owned).unwrap_or_default()
    };
    let before = line("riposte_policy_list_version{list=\"spam\"}");
    assert!(!before.is_empty());
    assert_eq!(line("riposte_policy_lists_refused"), "riposte_policy_lists_refused 0");
    fs::remove_file(&file).unwrap();
    assert!(policy.reload(day(26)).is_err());
    assert_eq!(line("riposte_policy_lists_refused"), "riposte_policy_lists_refused 1");
    assert_eq!(line("riposte_policy_list_version{list=\"spam\"}"), before);
    fs::write(&file, "pear").unwrap();
    policy.reload(day(26)).unwrap();
    assert_eq!(line("riposte_policy_lists_refused"), "riposte_policy_lists_refused 0");
    assert_ne!(line("riposte_policy_list_version{list=\"spam\"}"), before);
}

#[test]
fn settings_that_conflict_are_faults_of_their_keys() {
    let folder = tempfile::tempdir().unwrap();
    let good = || list(&folder, "spam", &[], "apple");
    for (lists, expected) in [
        (vec![good()], None),
        (vec![WordListSettings { name: "Spam".to_owned(), ..good() }], Some("policy.lists.0.name")),
        (vec![good(), good()], Some("policy.lists.1.name")),
        (vec![WordListSettings { file: Path::new("").to_owned(), ..good() }], Some("policy.lists.0.file")),
        (vec![WordListSettings { code: String::new(), ..good() }], Some("policy.lists.0.code")),
        (vec![WordListSettings { code: "moderation.off".to_owned(), ..good() }], Some("policy.lists.0.code")),
        (
            (0..65).map(|number| WordListSettings { name: format!("l{number}"), ..good() }).collect(),
            Some("policy.lists"),
        ),
    ] {
        let mut report = ErrorReport::default();
        PolicySettings { lists }.validate(&mut report.under("policy"));
        let keys: Vec<String> = report.into_faults().into_iter().map(|fault| fault.path).collect();
        assert_eq!(keys, expected.into_iter().collect::<Vec<_>>());
    }
}
