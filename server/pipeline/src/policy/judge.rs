//! The judgement of a text by the word lists of its object type.

use std::time::Instant;

use async_trait::async_trait;
use riposte_core::decision::{Automation, Detection, Grounds, MAX_DECISION_HITS, RuleHit};
use riposte_core::disposition::Disposition;
use riposte_core::object_type::ObjectType;
use riposte_core::policy_judgement::PolicyJudgement;
use riposte_core::ports::{ContentPolicy, Submission};
use riposte_core::{Error, Result};
use riposte_policy::{Findings, Hit, HitEffect, PolicyOutcome};

use super::LocalPolicy;

/// The code of a decision that follows from no hit: the search ended early.
pub(super) const CODE_OF_LISTS: &str = "policy.list";

#[async_trait]
impl ContentPolicy for LocalPolicy {
    fn judges(&self, object_type: &ObjectType) -> bool {
        self.matcher(object_type).is_some()
    }

    async fn judge(&self, submission: Submission<'_>) -> Result<PolicyJudgement> {
        let Some(matcher) = self.matcher(submission.object_type) else { return Ok(PolicyJudgement::default()) };
        let start = Instant::now();
        let text = submission.content.text();
        let findings = matcher.find(text, &self.normalizer().match_copy(text));
        self.count(submission.object_type, &findings, start);
        judgement(&findings)
    }
}

impl LocalPolicy {
    /// Counts a judgement in the metrics.
    fn count(&self, object_type: &ObjectType, findings: &Findings<'_>, start: Instant) {
        let Self(state) = self;
        let object_type = state.types.get(object_type.as_str()).map_or("other", String::as_str);
        let step = if findings.outcome == PolicyOutcome::Allow { "none" } else { "list" };
        state.metrics.policy_judged((object_type, step, findings.outcome.name()), start.elapsed());
        let mut lists: Vec<&str> =
            findings.hits.iter().filter(|hit| hit.effect != HitEffect::Allowed).map(|hit| hit.list).collect();
        lists.sort_unstable();
        lists.dedup();
        for list in lists {
            state.metrics.policy_rule_hit(object_type, list);
        }
    }
}

/// Returns what becomes of a text with these findings.
fn judgement(findings: &Findings<'_>) -> Result<PolicyJudgement> {
    let code = findings.decisive().map_or(CODE_OF_LISTS, |hit| hit.code);
    let disposition = match findings.outcome {
        PolicyOutcome::Allow | PolicyOutcome::Mask => return Ok(PolicyJudgement::default()),
        PolicyOutcome::Flag => Disposition::Flag,
        PolicyOutcome::Hold => Disposition::Hold,
        PolicyOutcome::Reject => Disposition::Reject,
        PolicyOutcome::Refuse => return Err(Error::ContentBlocked { rule: code.to_owned() }),
    };
    let grounds = Grounds {
        code: code.to_owned(),
        detection: Detection::WordList,
        automation: Automation::Full,
        hits: decision_hits(findings),
        ..Grounds::default()
    };
    Ok(PolicyJudgement { disposition, grounds: Some(Box::new(grounds)), ..PolicyJudgement::default() })
}

/// Returns the hits that a decision keeps, the strongest ones first, then those in dry run.
fn decision_hits(findings: &Findings<'_>) -> Vec<RuleHit> {
    let is_reported = |hit: &&Hit<'_>| hit.effect != HitEffect::Allowed && hit.outcome != PolicyOutcome::Allow;
    let mut hits: Vec<&Hit<'_>> = findings.hits.iter().filter(is_reported).collect();
    hits.sort_by_key(|hit| (hit.effect == HitEffect::DryRun, std::cmp::Reverse(hit.outcome)));
    hits.truncate(MAX_DECISION_HITS);
    let mut reported: Vec<RuleHit> = hits.into_iter().map(rule_hit).collect();
    if findings.too_many_hits {
        // It takes the place of the last hit.
        reported.truncate(MAX_DECISION_HITS - 1);
        reported.push(too_many_hits());
    }
    reported
}

/// Returns the finding that the search ended early.
pub(super) fn too_many_hits() -> RuleHit {
    let (source, version, rule) = (CODE_OF_LISTS.to_owned(), String::new(), Findings::TOO_MANY_HITS.to_owned());
    RuleHit { source, version, rule, start: 0, end: 0, dry_run: false }
}

pub(super) fn rule_hit(hit: &Hit<'_>) -> RuleHit {
    RuleHit {
        source: hit.list.to_owned(),
        version: hit.version.to_owned(),
        rule: hit.entry.to_owned(),
        start: hit.span.start,
        end: hit.span.end,
        dry_run: hit.effect == HitEffect::DryRun,
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use riposte_core::Content;
    use riposte_core::subject::Metadata;

    use super::super::settings::OutcomeName;
    use super::super::tests::{list, open};
    use super::*;

    fn judge(policy: &LocalPolicy, text: &str) -> Result<PolicyJudgement> {
        let (object_type, content) = (ObjectType::stored("film".to_owned()), text_of(text));
        let submission = Submission { object_type: &object_type, content: &content, is_edit: false };
        policy.judge(submission).now_or_never().unwrap()
    }

    fn text_of(text: &str) -> Content {
        Content::stored(text.to_owned(), Vec::new(), Metadata::new())
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
}
