//! The judgement of a text by the word lists and the rules of its object type.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use riposte_core::decision::{Automation, Detection, Grounds, MAX_DECISION_HITS, RuleHit};
use riposte_core::disposition::Disposition;
use riposte_core::object_type::ObjectType;
use riposte_core::policy_judgement::{MaskedText, PolicyJudgement};
use riposte_core::ports::{ContentPolicy, FilterOutcome, LocalHit, Submission};
use riposte_core::{Error, MemberId, Result};
use riposte_policy::{
    DecisiveFinding, Findings, Hit, HitEffect, ListEffect, MatchCopy, Matcher, MemberInputs, PolicyOutcome, Rule,
    RuleInputs, RuleSet, TextFindings, masked,
};

use super::LocalPolicy;
use super::member_reads::KnownMember;

/// The code of a decision that follows from no hit: the search ended early.
pub(super) const CODE_OF_LISTS: &str = "policy.list";

/// The source of the findings of rules.
pub(super) const SOURCE_OF_RULES: &str = "policy.rule";

#[async_trait]
impl ContentPolicy for LocalPolicy {
    fn judges(&self, object_type: &ObjectType) -> bool {
        self.matcher(object_type).is_some() || self.rules(object_type).is_some() || self.counts_members(object_type)
    }

    async fn judge(&self, submission: Submission<'_>) -> Result<PolicyJudgement> {
        let found = self.search(submission).await;
        if let Some(took) = found.took {
            self.count(submission.object_type(), (found.step, found.outcome), took);
        }
        found.judged
    }
}

/// The judgement of a text by lists and rules.
#[derive(Debug)]
pub(super) struct LocalJudgement {
    pub(super) judged: Result<PolicyJudgement>,
    /// The outcome.
    pub(super) outcome: PolicyOutcome,
    /// The step that the outcome comes from, as metrics name it.
    pub(super) step: &'static str,
    /// The hits that have an effect.
    pub(super) hits: Vec<LocalHit>,
    /// The code of a decision that flags the text, if a hit asks for one.
    pub(super) flag_code: Option<String>,
    /// The duration of the search; `None` if the type has neither lists nor rules.
    pub(super) took: Option<Duration>,
}

impl Default for LocalJudgement {
    fn default() -> Self {
        Self {
            judged: Ok(PolicyJudgement::default()),
            outcome: PolicyOutcome::Allow,
            step: "none",
            hits: Vec::new(),
            flag_code: None,
            took: None,
        }
    }
}

impl LocalPolicy {
    /// Judges a text, and counts what was found.
    pub(super) async fn search(&self, submission: Submission<'_>) -> LocalJudgement {
        let object_type = submission.object_type();
        let (matcher, rules) = (self.matcher(object_type), self.rules(object_type));
        let KnownMember { inputs: member, established } =
            self.known_member(object_type, submission.member, rules).await;
        if matcher.is_none() && rules.is_none() {
            let judged = PolicyJudgement { established, ..PolicyJudgement::default() };
            return LocalJudgement { judged: Ok(judged), ..LocalJudgement::default() };
        }
        let member = MemberInputs { age: submission.age, ..member };
        let start = Instant::now();
        let text = submission.content.text();
        let copy = self.normalizer().match_copy(text);
        let inputs = RuleInputs::of(text, &copy, submission.content.mentions().len() as u32, member);
        let inputs = RuleInputs { is_edit: submission.is_edit, ..inputs };
        let found = find((matcher.as_deref(), rules), text, &copy, &inputs);
        let took = start.elapsed();
        self.count_hits(object_type, &found);
        let version = rules.map_or("", RuleSet::version);
        let step = match found.decisive() {
            None => "none",
            Some(DecisiveFinding::Entry(_) | DecisiveFinding::TooManyHits) => "list",
            Some(DecisiveFinding::Rule(_)) => "rule",
        };
        LocalJudgement {
            judged: judgement(text, &found, version).map(|judged| PolicyJudgement { established, ..judged }),
            outcome: found.outcome(),
            step,
            hits: local_hits(&found, version),
            flag_code: flag_code(&found).map(str::to_owned),
            took: Some(took),
        }
    }

    /// Returns what the rules and the modes of the type ask about the member.
    pub(super) async fn known_member(
        &self,
        object_type: &ObjectType,
        member: &MemberId,
        rules: Option<&RuleSet>,
    ) -> KnownMember {
        match self.0.members.get() {
            Some(members) => members.of(object_type, member, rules).await,
            None => KnownMember::default(),
        }
    }

    /// Returns `true` if the comments of members are counted under a type.
    fn counts_members(&self, object_type: &ObjectType) -> bool {
        self.0.members.get().is_some_and(|members| members.threshold(object_type).is_some())
    }

    /// Counts a judgement in the metrics, with the step that its outcome comes from.
    pub(super) fn count(
        &self,
        object_type: &ObjectType,
        (step, outcome): (&'static str, PolicyOutcome),
        took: Duration,
    ) {
        self.0.metrics.policy_judged((self.0.rules.metric_name(object_type), step, outcome.name()), took);
    }

    /// Counts the lists and rules that found something.
    fn count_hits(&self, object_type: &ObjectType, found: &TextFindings<'_>) {
        let object_type = self.0.rules.metric_name(object_type);
        let hits = found.lists.hits.iter().filter(|hit| hit.effect != HitEffect::Allowed);
        let lists: BTreeSet<&str> = hits.map(|hit| hit.list).collect();
        for rule in lists.into_iter().chain(found.rules.iter().map(|rule| rule.id.as_str())) {
            self.0.metrics.policy_rule_hit(object_type, rule);
        }
    }
}

/// Returns what the lists and the rules of a type find in a text.
pub(super) fn find<'p>(
    (lists, rules): (Option<&'p Matcher>, Option<&'p RuleSet>),
    text: &str,
    copy: &MatchCopy,
    inputs: &RuleInputs,
) -> TextFindings<'p> {
    let lists = lists.map_or_else(Findings::default, |lists| lists.find(text, copy));
    let rules = rules.map_or_else(Vec::new, |rules| rules.matching(inputs).collect());
    TextFindings { lists, rules }
}

/// Returns the code of what decides about a text, and its kind.
pub(super) fn decisive_code<'f>(found: &'f TextFindings<'_>) -> (&'f str, Detection) {
    match found.decisive() {
        Some(DecisiveFinding::Entry(hit)) => (hit.code, Detection::WordList),
        Some(DecisiveFinding::Rule(rule)) => (rule.code.as_str(), Detection::Rule),
        Some(DecisiveFinding::TooManyHits) | None => (CODE_OF_LISTS, Detection::WordList),
    }
}

/// Returns what becomes of a text with these findings. `version` is that of the rules.
fn judgement(text: &str, found: &TextFindings<'_>, version: &str) -> Result<PolicyJudgement> {
    let (code, detection) = decisive_code(found);
    let disposition = match found.outcome() {
        PolicyOutcome::Allow | PolicyOutcome::Mask => Disposition::Allow,
        PolicyOutcome::Flag => Disposition::Flag,
        PolicyOutcome::Hold => Disposition::Hold,
        PolicyOutcome::Reject => Disposition::Reject,
        PolicyOutcome::Refuse => return Err(Error::ContentBlocked { rule: code.to_owned() }),
    };
    let is_decision = disposition != Disposition::Allow;
    let grounds = is_decision.then(|| Box::new(grounds(code, detection, decision_hits(found, version))));
    let masked = if disposition == Disposition::Reject { None } else { masked_text(text, &found.lists).map(Box::new) };
    Ok(PolicyJudgement { disposition, grounds, masked, ..PolicyJudgement::default() })
}

fn grounds(code: &str, detection: Detection, hits: Vec<RuleHit>) -> Grounds {
    Grounds { code: code.to_owned(), detection, automation: Automation::Full, hits, ..Grounds::default() }
}

/// Returns a text with its words masked; `None` if none are.
fn masked_text(text: &str, lists: &Findings<'_>) -> Option<MaskedText> {
    let code = lists.decisive_mask()?.code;
    let hits = lists.masking().take(MAX_DECISION_HITS).map(entry_hit).collect();
    Some(MaskedText { text: masked(text, &lists.masks()), grounds: grounds(code, Detection::WordList, hits) })
}

/// Returns the findings that a decision keeps, the strongest ones first, then those in dry run.
fn decision_hits(found: &TextFindings<'_>, version: &str) -> Vec<RuleHit> {
    let is_reported = |hit: &&Hit<'_>| hit.effect != HitEffect::Allowed && hit.outcome != PolicyOutcome::Allow;
    let entries = found.lists.hits.iter().filter(is_reported).map(|hit| (hit.outcome, entry_hit(hit)));
    let rules = found.rules.iter().map(|rule| (rule.outcome, matching_rule(rule, version)));
    let mut hits: Vec<(PolicyOutcome, RuleHit)> = entries.chain(rules).collect();
    hits.sort_by_key(|(outcome, hit)| (hit.dry_run, std::cmp::Reverse(*outcome)));
    hits.truncate(MAX_DECISION_HITS);
    let mut reported: Vec<RuleHit> = hits.into_iter().map(|(_, hit)| hit).collect();
    if found.lists.too_many_hits {
        // It takes the place of the last hit.
        reported.truncate(MAX_DECISION_HITS - 1);
        reported.push(too_many_hits());
    }
    reported
}

/// Returns the findings that have an effect, as the filter gets them.
fn local_hits(found: &TextFindings<'_>, version: &str) -> Vec<LocalHit> {
    let entries = found.lists.hits.iter().filter(|hit| counts(hit));
    let entries = entries.map(|hit| local_hit((hit.list, hit.version, hit.entry), hit.outcome));
    let rules = found.rules.iter().filter(|rule| rule.effect == ListEffect::Live);
    entries.chain(rules.map(|rule| local_hit((SOURCE_OF_RULES, version, &rule.id), rule.outcome))).collect()
}

fn local_hit((source, version, entry): (&str, &str, &str), outcome: PolicyOutcome) -> LocalHit {
    let outcome = match outcome {
        PolicyOutcome::Allow => FilterOutcome::Allow,
        PolicyOutcome::Mask | PolicyOutcome::Flag => FilterOutcome::Flag,
        PolicyOutcome::Hold => FilterOutcome::Hold,
        PolicyOutcome::Reject => FilterOutcome::Reject,
        PolicyOutcome::Refuse => FilterOutcome::Refuse,
    };
    LocalHit { source: source.to_owned(), version: version.to_owned(), entry: entry.to_owned(), outcome }
}

/// Returns the code of a decision that flags the text, if a finding asks for one.
pub(super) fn flag_code<'f>(found: &'f TextFindings<'_>) -> Option<&'f str> {
    let flags = found.lists.hits.iter().filter(|hit| counts(hit) && hit.outcome == PolicyOutcome::Flag);
    let entry = flags.rev().max_by_key(|hit| hit.span.code_points()).map(|hit| hit.code);
    let is_flag = |rule: &&&Rule| rule.effect == ListEffect::Live && rule.outcome == PolicyOutcome::Flag;
    entry.or_else(|| found.rules.iter().find(is_flag).map(|rule| rule.code.as_str()))
}

fn counts(hit: &Hit<'_>) -> bool {
    hit.effect == HitEffect::Counts && hit.outcome != PolicyOutcome::Allow
}

/// Returns the finding that the search ended early.
pub(super) fn too_many_hits() -> RuleHit {
    let (source, version, rule) = (CODE_OF_LISTS.to_owned(), String::new(), Findings::TOO_MANY_HITS.to_owned());
    RuleHit { source, version, rule, start: 0, end: 0, dry_run: false }
}

pub(super) fn entry_hit(hit: &Hit<'_>) -> RuleHit {
    RuleHit {
        source: hit.list.to_owned(),
        version: hit.version.to_owned(),
        rule: hit.entry.to_owned(),
        start: hit.span.start,
        end: hit.span.end,
        dry_run: hit.effect == HitEffect::DryRun,
    }
}

/// Returns the finding of a rule, which is about the whole text.
pub(super) fn matching_rule(rule: &Rule, version: &str) -> RuleHit {
    RuleHit {
        source: SOURCE_OF_RULES.to_owned(),
        version: version.to_owned(),
        rule: rule.id.clone(),
        start: 0,
        end: 0,
        dry_run: rule.effect == ListEffect::DryRun,
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use riposte_core::subject::Metadata;
    use riposte_core::{Content, SubjectKey};

    use riposte_telemetry::Metrics;

    use super::super::rule_settings::{FactName, RuleOutcomeName, RuleSettings, RuleTermSettings};
    use super::super::settings::{ListEffectName, OutcomeName};
    use super::super::tests::{list, open, open_with, submission};
    use super::*;

    fn judge(policy: &LocalPolicy, text: &str) -> Result<PolicyJudgement> {
        let content = Content::stored(text.to_owned(), Vec::new(), Metadata::new());
        let (subject, member) =
            (SubjectKey::stored("film".to_owned(), "1".to_owned()), MemberId::stored("m".to_owned()));
        policy.judge(submission(&subject, &content, &member)).now_or_never().unwrap()
    }

    #[test]
    fn the_strongest_hit_decides_and_the_decision_names_all_of_them() {
        let folder = tempfile::tempdir().unwrap();
        let mut flags = list(&folder, "flags", &[], "apple\npear");
        let mut refuses = list(&folder, "refuses", &[], "plum");
        let mut allows = list(&folder, "allows", &[], "bad pear");
        let mut rejects = list(&folder, "rejects", &[], "fig");
        (flags.outcome, refuses.outcome) = (OutcomeName::Flag, OutcomeName::Refuse);
        (allows.outcome, rejects.outcome) = (OutcomeName::Allow, OutcomeName::Reject);
        (refuses.code, rejects.code) = ("fruit.plum".to_owned(), "fruit.fig".to_owned());
        let policy = open(vec![flags, refuses, allows, rejects, list(&folder, "holds", &["film"], "melon")]).unwrap();
        assert!(policy.judges(&ObjectType::stored("film".to_owned())));
        assert_eq!(judge(&policy, "nothing"), Ok(PolicyJudgement::default()));
        assert_eq!(judge(&policy, "a bad pear"), Ok(PolicyJudgement::default()), "the allowed word wins");
        for (text, disposition, code, rules) in [
            ("an apple", Disposition::Flag, "policy.list", &["flags"][..]),
            ("an apple and a melon", Disposition::Hold, "policy.list", &["holds", "flags"]),
            ("melon, fig, pear", Disposition::Reject, "fruit.fig", &["rejects", "holds", "flags"]),
        ] {
            let judged = judge(&policy, text).unwrap();
            let grounds = judged.grounds.unwrap();
            assert_eq!((judged.disposition, grounds.code.as_str()), (disposition, code), "{text}");
            assert_eq!((grounds.detection, grounds.automation), (Detection::WordList, Automation::Full));
            assert_eq!(grounds.hits.iter().map(|hit| hit.source.as_str()).collect::<Vec<_>>(), rules, "{text}");
            assert!(grounds.hits.iter().all(|hit| hit.version.len() == 16 && hit.end > hit.start && !hit.dry_run));
        }
        assert_eq!(judge(&policy, "a plum"), Err(Error::ContentBlocked { rule: "fruit.plum".to_owned() }));
    }

    #[test]
    fn words_are_masked_beside_any_outcome_below_reject() {
        let folder = tempfile::tempdir().unwrap();
        let mut masks = list(&folder, "masks", &[], "damn\ndamnation");
        let (mut waits, mut rejects) = (list(&folder, "waits", &[], "melon"), list(&folder, "rejects", &[], "fig"));
        (masks.outcome, masks.code) = (OutcomeName::Mask, "style.mask".to_owned());
        (waits.code, rejects.outcome) = ("fruit.melon".to_owned(), OutcomeName::Reject);
        let policy = open(vec![masks, waits, rejects]).unwrap();
        let masked = judge(&policy, "a DAMN pear, damnation").unwrap();
        assert_eq!((masked.disposition, &masked.grounds), (Disposition::Allow, &None));
        let text = *masked.masked.unwrap();
        assert_eq!((text.text.as_str(), text.grounds.code.as_str()), ("a **** pear, *********", "style.mask"));
        let spans: Vec<_> = text.grounds.hits.iter().map(|hit| (hit.source.as_str(), hit.start, hit.end)).collect();
        assert_eq!(spans, [("masks", 2, 6), ("masks", 13, 22)]);
        let held = judge(&policy, "damn melon").unwrap();
        assert_eq!((held.disposition, held.grounds.unwrap().code.as_str()), (Disposition::Hold, "fruit.melon"));
        assert_eq!(held.masked.unwrap().text, "**** melon");
        let rejected = judge(&policy, "damn fig").unwrap();
        assert_eq!((rejected.disposition, rejected.masked), (Disposition::Reject, None));
    }

    #[test]
    fn a_text_with_too_many_hits_waits_and_its_decision_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let mut flags = list(&folder, "flags", &[], "apple");
        flags.outcome = OutcomeName::Flag;
        let policy = open(vec![flags]).unwrap();
        let judged = judge(&policy, &"apple ".repeat(300)).unwrap();
        let grounds = judged.grounds.unwrap();
        assert_eq!((judged.disposition, grounds.code.as_str()), (Disposition::Hold, "policy.list"));
        assert_eq!((grounds.hits.len(), grounds.hits[31].rule.as_str()), (MAX_DECISION_HITS, "too_many_hits"));
        let flagged = judge(&policy, &"apple ".repeat(200)).unwrap();
        assert_eq!(flagged.disposition, Disposition::Flag);
        assert_eq!(flagged.grounds.unwrap().hits.len(), MAX_DECISION_HITS);
    }
    fn rule(id: &str, term: RuleTermSettings, outcome: RuleOutcomeName, effect: ListEffectName) -> RuleSettings {
        RuleSettings { id: id.to_owned(), when: vec![term], outcome, code: id.to_owned(), effect }
    }

    fn at_least(fact: FactName, value: u32) -> RuleTermSettings {
        RuleTermSettings { fact, lt: None, le: None, eq: None, ge: Some(value), gt: None }
    }

    #[test]
    fn rules_and_lists_are_counted_by_their_names_also_in_dry_run() {
        let folder = tempfile::tempdir().unwrap();
        let metrics = Metrics::new().unwrap();
        let rules = vec![
            rule("links", at_least(FactName::Links, 1), RuleOutcomeName::Flag, ListEffectName::Live),
            rule("tried", at_least(FactName::Length, 1), RuleOutcomeName::Refuse, ListEffectName::DryRun),
        ];
        let policy = open_with(vec![list(&folder, "spam", &["film"], "apple")], rules, metrics.clone()).unwrap();
        for text in ["nothing", "a.com", "an apple", "apple apple a.com"] {
            assert!(judge(&policy, text).is_ok(), "a rule in dry run refuses nothing");
        }
        let text = metrics.text().unwrap();
        for line in [
            "riposte_policy_rule_hits_total{object_type=\"film\",rule=\"links\"} 2",
            "riposte_policy_rule_hits_total{object_type=\"film\",rule=\"tried\"} 4",
            "riposte_policy_rule_hits_total{object_type=\"film\",rule=\"spam\"} 2",
            "riposte_policy_outcomes_total{object_type=\"film\",outcome=\"allow\",source=\"none\"} 1",
            "riposte_policy_outcomes_total{object_type=\"film\",outcome=\"flag\",source=\"rule\"} 1",
            "riposte_policy_outcomes_total{object_type=\"film\",outcome=\"hold\",source=\"list\"} 2",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
    }

    #[test]
    fn a_type_with_rules_alone_is_judged_and_another_one_is_not() {
        let rules = vec![rule("run", at_least(FactName::Repeats, 4), RuleOutcomeName::Hold, ListEffectName::Live)];
        let policy = open_with(Vec::new(), rules, Metrics::new().unwrap()).unwrap();
        assert!(policy.judges(&ObjectType::stored("film".to_owned())));
        assert!(!policy.judges(&ObjectType::stored("book".to_owned())));
        let grounds = judge(&policy, "nooooo").unwrap().grounds.unwrap();
        assert_eq!((grounds.code.as_str(), grounds.detection), ("run", Detection::Rule));
        assert_eq!(judge(&policy, "noo"), Ok(PolicyJudgement::default()));
    }
}
