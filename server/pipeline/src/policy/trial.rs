//! Trials of candidate entries and rules, or of the policy in force, on stored comments.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::evaluation::{CandidatePolicy, TriedRule};
use riposte_core::object_type::ObjectType;
use riposte_core::ports::{PolicyTrial, PolicyTrials};
use riposte_core::{Content, Error, Millis, Result, Violation};
use riposte_policy::{
    Day, Fact, HitEffect, ListEffect, ListSettings, Matcher, MemberInputs, Normalizer, PolicyOutcome, RuleInputs,
    RuleSet, WordList,
};
use riposte_settings::ErrorReport;
use serde::Deserialize;

use super::LocalPolicy;
use super::check::outcome;
use super::judge::{CODE_OF_LISTS, SOURCE_OF_RULES};
use super::rule_settings::RuleSettings;

/// The name of the list of candidate entries.
const CANDIDATE_LIST: &str = "candidate";

/// A policy on trial.
#[derive(Debug)]
struct Trial {
    normalizer: Arc<Normalizer>,
    lists: Option<Arc<Matcher>>,
    rules: RuleSet,
}

#[async_trait]
impl PolicyTrials for LocalPolicy {
    async fn prepare(
        &self,
        object_type: &ObjectType,
        candidate: &CandidatePolicy,
        now: Millis,
    ) -> Result<Box<dyn PolicyTrial>> {
        let normalizer = Arc::clone(self.normalizer());
        if candidate.is_empty() {
            let (lists, rules) = (self.matcher(object_type), self.rules(object_type).cloned().unwrap_or_default());
            return Ok(Box::new(Trial { normalizer, lists, rules }));
        }
        let rules = candidate_rules(&candidate.rules)?;
        let lists = if candidate.list.is_empty() {
            None
        } else {
            let (text, normalizer) = (candidate.list.clone(), Arc::clone(&normalizer));
            let day = Day::at_millis(now.0);
            // Compiling them takes up to a tenth of a second.
            let compiled = tokio::task::spawn_blocking(move || candidate_list(&text, normalizer, day)).await;
            Some(Arc::new(compiled.map_err(|error| Error::internal(error.to_string()))??))
        };
        Ok(Box::new(Trial { normalizer, lists, rules }))
    }
}

impl PolicyTrial for Trial {
    fn find(&self, content: &Content, is_edited: bool) -> BTreeSet<TriedRule> {
        let text = content.text();
        let copy = self.normalizer.match_copy(text);
        let inputs = RuleInputs::of(text, &copy, content.mentions().len() as u32, MemberInputs::default());
        let inputs = RuleInputs { is_edit: is_edited, ..inputs };
        let found = self.lists.as_ref().map(|lists| lists.find(text, &copy));
        let hits = found.iter().flat_map(|found| &found.hits);
        let is_reported =
            |hit: &&riposte_policy::Hit<'_>| hit.effect != HitEffect::Allowed && hit.outcome != PolicyOutcome::Allow;
        let entries = hits.filter(is_reported).map(|hit| tried(hit.list, hit.entry, hit.outcome));
        let rules = self.rules.matching_known(&inputs);
        entries.chain(rules.map(|rule| tried(SOURCE_OF_RULES, &rule.id, rule.outcome))).collect()
    }

    fn unknown_fact_names(&self) -> Vec<&'static str> {
        let names: BTreeSet<&'static str> =
            self.rules.compared().filter(|fact| is_unknown(*fact)).map(Fact::name).collect();
        names.into_iter().collect()
    }
}

/// Returns `true` for a fact about a member at the time of a text, which no row has.
const fn is_unknown(fact: Fact) -> bool {
    match fact {
        Fact::Approved | Fact::Age | Fact::FirstPost => true,
        Fact::Links | Fact::Mentions | Fact::Length | Fact::Repeats | Fact::IsEdit => false,
    }
}

fn tried(source: &str, rule: &str, of_rule: PolicyOutcome) -> TriedRule {
    TriedRule { source: source.to_owned(), rule: rule.to_owned(), outcome: outcome(of_rule) }
}

/// Compiles candidate entries. The error names the first wrong line, and no word.
fn candidate_list(text: &str, normalizer: Arc<Normalizer>, today: Day) -> Result<Matcher> {
    let settings = ListSettings {
        name: CANDIDATE_LIST.to_owned(),
        outcome: PolicyOutcome::Hold,
        code: CODE_OF_LISTS.to_owned(),
        mode: None,
        effect: ListEffect::Live,
    };
    let invalid = |line, reason| Error::WordListInvalid { line, reason };
    let list = WordList::parse(&settings, text.as_bytes()).map_err(|error| {
        let (line, reason) = error.faults.into_iter().next().unwrap_or_default();
        invalid(line, reason)
    })?;
    let (matcher, _) = Matcher::new(normalizer, &[list], today).map_err(|error| invalid(0, error.to_string()))?;
    Ok(matcher)
}

/// A rule as the value of a key, since TOML has no tables of their own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OneRule {
    rule: RuleSettings,
}

/// Reads candidate rules.
///
/// # Errors
/// [`Error::Invalid`] with all that is wrong.
fn candidate_rules(texts: &[String]) -> Result<RuleSet> {
    let mut violations = Vec::new();
    let mut rules = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        match toml::from_str::<OneRule>(&format!("rule = {text}")) {
            Ok(OneRule { rule }) => rules.push(rule),
            Err(error) => {
                let field = format!("candidate_rules[{index}]");
                violations.push(Violation::field(field, format!("is no rule: {}", error.message())));
            }
        }
    }
    if violations.is_empty() {
        let mut report = ErrorReport::default();
        RuleSettings::validate(&rules, true, &mut report.under("candidate"));
        let faults = report.into_faults().into_iter();
        violations.extend(faults.map(|fault| Violation::field("candidate_rules", fault.to_string())));
    }
    if !violations.is_empty() {
        return Err(Error::Invalid(violations));
    }
    let rules = rules.iter().map(RuleSettings::rule).collect();
    RuleSet::new(rules).map_err(|errors| {
        let violations = errors.into_iter().map(|error| Violation::field("candidate_rules", error.to_string()));
        Error::Invalid(violations.collect())
    })
}
