//! The settings of the rules of an object type.

use riposte_core::content::MAX_MENTIONS;
use riposte_core::decision::MODERATION_OFF_CODE;
use riposte_core::object_type::NEWEST_COMMENTS;
use riposte_policy::{Comparison, Fact, MAX_RULES, MAX_TERMS, PolicyOutcome, Rule, RuleTerm};
use riposte_settings::ErrorScope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::settings::{ListEffectName, NAME_FORM, is_name};

/// A rule: what it asks for if all its terms are true.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RuleSettings {
    /// The id in metrics, findings and decisions.
    pub id: String,
    /// The terms, which all must be true.
    pub when: Vec<RuleTermSettings>,
    /// The outcome that the rule asks for.
    #[serde(default)]
    pub outcome: RuleOutcomeName,
    /// The code of a decision that follows.
    #[serde(default = "RuleSettings::default_code")]
    pub code: String,
    /// The effect of the rule.
    #[serde(default, rename = "stage")]
    pub effect: ListEffectName,
}

/// A term: a fact and one comparison with a number.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RuleTermSettings {
    /// The fact.
    pub fact: FactName,
    /// It is less than this.
    #[serde(default)]
    pub lt: Option<u32>,
    /// It is at most this.
    #[serde(default)]
    pub le: Option<u32>,
    /// It equals this.
    #[serde(default)]
    pub eq: Option<u32>,
    /// It is at least this.
    #[serde(default)]
    pub ge: Option<u32>,
    /// It is greater than this.
    #[serde(default)]
    pub gt: Option<u32>,
}

/// A fact, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FactName {
    /// The web addresses and bare domains in the text.
    Links,
    /// The public comments among the newest ones of the member.
    Approved,
    /// The members that the text mentions.
    Mentions,
    /// The code points of the text.
    Length,
    /// The longest run of one code point.
    Repeats,
    /// The days since the member joined.
    Age,
    /// 1 if the member has no public comment yet, else 0.
    FirstPost,
    /// 1 if the text replaces an earlier one, else 0.
    IsEdit,
}

/// The outcome of a rule, by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleOutcomeName {
    /// The text is shown and put into the review queue.
    Flag,
    /// The text waits until a moderator decides.
    #[default]
    Hold,
    /// The text is stored as rejected.
    Reject,
    /// The text is refused and not stored.
    Refuse,
}

impl From<FactName> for Fact {
    fn from(name: FactName) -> Self {
        match name {
            FactName::Links => Self::Links,
            FactName::Approved => Self::Approved,
            FactName::Mentions => Self::Mentions,
            FactName::Length => Self::Length,
            FactName::Repeats => Self::Repeats,
            FactName::Age => Self::Age,
            FactName::FirstPost => Self::FirstPost,
            FactName::IsEdit => Self::IsEdit,
        }
    }
}

impl From<RuleOutcomeName> for PolicyOutcome {
    fn from(name: RuleOutcomeName) -> Self {
        match name {
            RuleOutcomeName::Flag => Self::Flag,
            RuleOutcomeName::Hold => Self::Hold,
            RuleOutcomeName::Reject => Self::Reject,
            RuleOutcomeName::Refuse => Self::Refuse,
        }
    }
}

impl RuleSettings {
    fn default_code() -> String {
        "policy.rule".to_owned()
    }

    /// Adds an error for each value of the rules of a type that is out of bounds or conflicts with
    /// another one. `knows_age` is `false` if the type has no accounts. `report` is the scope of
    /// the type.
    pub fn validate(rules: &[Self], knows_age: bool, report: &mut ErrorScope<'_>) {
        report.require(rules.len() <= MAX_RULES, "rules", &format!("must be at most {MAX_RULES} rules"));
        for (index, rule) in rules.iter().enumerate() {
            let mut require = |valid, key: &str, message: &str| {
                report.require(valid, &format!("rules.{index}.{key}"), message);
            };
            require(is_name(&rule.id), "id", NAME_FORM);
            let is_new = rules[..index].iter().all(|other| other.id != rule.id);
            require(is_new, "id", "is the id of an earlier rule: each rule of a type has its own");
            require(is_name(&rule.code), "code", NAME_FORM);
            let is_free = rule.code != MODERATION_OFF_CODE;
            require(is_free, "code", "is the code of decisions that turn moderation off: choose another one");
            require(!rule.when.is_empty(), "when", "has no term, so that every text would match: add one");
            let terms = rule.when.len();
            require(terms <= MAX_TERMS, "when", &format!("has {terms} terms: at most {MAX_TERMS} are possible"));
            for (number, term) in rule.when.iter().enumerate() {
                require(term.comparisons().count() == 1, &format!("when.{number}"), COMPARISON_FORM);
                let is_possible = term.comparisons().all(|(comparison, value)| term.fact.may_be(comparison, value));
                require(
                    is_possible,
                    &format!("when.{number}"),
                    "is true for no text: no value of the fact is like this",
                );
                let is_known = knows_age || term.fact != FactName::Age;
                require(is_known, &format!("when.{number}.fact"), AGE_FORM);
            }
        }
    }

    /// Returns the rule in the terms of the crate that applies it.
    pub(super) fn rule(&self) -> Rule {
        Rule {
            id: self.id.clone(),
            when: self.when.iter().flat_map(RuleTermSettings::terms).collect(),
            outcome: self.outcome.into(),
            code: self.code.clone(),
            effect: self.effect.into(),
        }
    }
}

const AGE_FORM: &str = "`age` is known of accounts only: set `accounts` of the object type, or leave the term out";
const COMPARISON_FORM: &str = "must have one of lt, le, eq, ge and gt, as in { fact = \"links\", ge = 2 }";

impl RuleTermSettings {
    fn comparisons(&self) -> impl Iterator<Item = (Comparison, u32)> {
        let Self { fact: _, lt, le, eq, ge, gt } = *self;
        let all = [
            (Comparison::Lt, lt),
            (Comparison::Le, le),
            (Comparison::Eq, eq),
            (Comparison::Ge, ge),
            (Comparison::Gt, gt),
        ];
        all.into_iter().filter_map(|(comparison, value)| Some((comparison, value?)))
    }

    fn terms(&self) -> impl Iterator<Item = RuleTerm> {
        let fact = self.fact.into();
        self.comparisons().map(move |(comparison, value)| RuleTerm { fact, comparison, value })
    }
}

impl FactName {
    /// Returns `true` if some value of the fact compares like this.
    fn may_be(self, comparison: Comparison, value: u32) -> bool {
        let largest = match self {
            Self::IsEdit | Self::FirstPost => 1,
            Self::Mentions => MAX_MENTIONS as u32,
            Self::Approved => NEWEST_COMMENTS,
            Self::Links | Self::Length | Self::Repeats | Self::Age => u32::MAX,
        };
        match comparison {
            Comparison::Lt => value > 0,
            Comparison::Le => true,
            Comparison::Eq | Comparison::Ge => value <= largest,
            Comparison::Gt => value < largest,
        }
    }
}
