//! Rules: terms that compare typed facts.

use crate::outcome::PolicyOutcome;
use crate::rule_inputs::RuleInputs;
use crate::word_list::{ListEffect, version_of};
use std::collections::HashSet;
use std::fmt::{self, Write};

/// The largest number of rules of an object type.
pub const MAX_RULES: usize = 64;
/// The largest number of terms of a rule.
pub const MAX_TERMS: usize = 8;

/// A fact that a term compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fact {
    /// [`RuleInputs::links`].
    Links,
    /// [`MemberInputs::approved`](crate::MemberInputs::approved).
    Approved,
    /// [`RuleInputs::mentions`].
    Mentions,
    /// [`RuleInputs::length`].
    Length,
    /// [`RuleInputs::repeats`].
    Repeats,
    /// [`MemberInputs::age`](crate::MemberInputs::age).
    Age,
    /// [`MemberInputs::first_post`](crate::MemberInputs::first_post), as 0 or 1.
    FirstPost,
    /// [`RuleInputs::is_edit`], as 0 or 1.
    IsEdit,
}

impl Fact {
    /// All facts.
    pub const ALL: [Self; 8] = [
        Self::Links,
        Self::Approved,
        Self::Mentions,
        Self::Length,
        Self::Repeats,
        Self::Age,
        Self::FirstPost,
        Self::IsEdit,
    ];

    /// Returns the name that the configuration uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Links => "links",
            Self::Approved => "approved",
            Self::Mentions => "mentions",
            Self::Length => "length",
            Self::Repeats => "repeats",
            Self::Age => "age",
            Self::FirstPost => "first_post",
            Self::IsEdit => "is_edit",
        }
    }

    /// Returns the value, if it is known.
    fn value(self, inputs: &RuleInputs) -> Option<u32> {
        match self {
            Self::Links => Some(inputs.links),
            Self::Approved => inputs.member.approved,
            Self::Mentions => Some(inputs.mentions),
            Self::Length => Some(inputs.length),
            Self::Repeats => Some(inputs.repeats),
            Self::Age => inputs.member.age,
            Self::FirstPost => inputs.member.first_post.map(u32::from),
            Self::IsEdit => Some(u32::from(inputs.is_edit)),
        }
    }
}

/// The way in which a term compares a fact with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// Less than the value.
    Lt,
    /// At most the value.
    Le,
    /// Equal to the value.
    Eq,
    /// At least the value.
    Ge,
    /// Greater than the value.
    Gt,
}

impl Comparison {
    /// All comparisons.
    pub const ALL: [Self; 5] = [Self::Lt, Self::Le, Self::Eq, Self::Ge, Self::Gt];

    /// Returns the name that the configuration uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lt => "lt",
            Self::Le => "le",
            Self::Eq => "eq",
            Self::Ge => "ge",
            Self::Gt => "gt",
        }
    }
}

/// A term of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleTerm {
    /// The fact.
    pub fact: Fact,
    /// The comparison.
    pub comparison: Comparison,
    /// The value that the fact is compared with.
    pub value: u32,
}

impl RuleTerm {
    /// Returns the number of public comments from which on the term has one value; `None` if it is
    /// about another fact.
    fn settled_approved(self) -> Option<u32> {
        match self.fact {
            // No larger number is equal to the value, or less.
            Fact::Approved => Some(self.value.saturating_add(1)),
            Fact::FirstPost => Some(1),
            Fact::Links | Fact::Mentions | Fact::Length | Fact::Repeats | Fact::Age | Fact::IsEdit => None,
        }
    }

    /// Returns `true` if the term is true, or if its fact is not known.
    fn is_true(self, inputs: &RuleInputs) -> bool {
        self.fact.value(inputs).is_none_or(|fact| self.compares(fact))
    }

    /// Returns `true` if the fact is known and the term is true.
    fn is_known(self, inputs: &RuleInputs) -> bool {
        self.fact.value(inputs).is_some_and(|fact| self.compares(fact))
    }

    const fn compares(self, fact: u32) -> bool {
        match self.comparison {
            Comparison::Lt => fact < self.value,
            Comparison::Le => fact <= self.value,
            Comparison::Eq => fact == self.value,
            Comparison::Ge => fact >= self.value,
            Comparison::Gt => fact > self.value,
        }
    }
}

/// A rule: what it asks for if all its terms are true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The id, which no other rule of the object type has.
    pub id: String,
    /// The terms.
    pub when: Vec<RuleTerm>,
    /// The outcome that the rule asks for: FLAG, HOLD, REJECT or REFUSE.
    pub outcome: PolicyOutcome,
    /// The code of a decision that follows.
    pub code: String,
    /// The effect of the rule.
    pub effect: ListEffect,
}

/// A reason not to take the rules of an object type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleError {
    /// This number of rules, more than [`MAX_RULES`].
    TooManyRules(usize),
    /// The rule has no term, or more than [`MAX_TERMS`].
    Terms {
        /// The id of the rule.
        id: String,
        /// The number of its terms.
        count: usize,
    },
    /// A rule cannot ask for this.
    Outcome {
        /// The id of the rule.
        id: String,
        /// The outcome that it asks for.
        outcome: PolicyOutcome,
    },
    /// Two rules have this id.
    Repeated(String),
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyRules(count) => write!(f, "{count} rules: at most {MAX_RULES} are possible"),
            Self::Terms { id, count: 0 } => write!(f, "rule {id}: has no term in `when`, so it is always true"),
            Self::Terms { id, count } => write!(f, "rule {id}: has {count} terms: at most {MAX_TERMS} are possible"),
            Self::Outcome { id, outcome } => {
                write!(f, "rule {id}: cannot {}: a rule can flag, hold, reject or refuse", outcome.name())
            }
            Self::Repeated(id) => write!(f, "rule {id}: two rules have this id"),
        }
    }
}

impl std::error::Error for RuleError {}

/// The rules of an object type.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuleSet {
    rules: Vec<Rule>,
    version: String,
}

impl RuleSet {
    /// Checks rules.
    ///
    /// # Errors
    /// All that is wrong with them.
    pub fn new(rules: Vec<Rule>) -> Result<Self, Vec<RuleError>> {
        let mut errors = Vec::new();
        if rules.len() > MAX_RULES {
            errors.push(RuleError::TooManyRules(rules.len()));
        }
        let mut ids = HashSet::new();
        for Rule { id, when, outcome, code: _, effect: _ } in &rules {
            if when.is_empty() || when.len() > MAX_TERMS {
                errors.push(RuleError::Terms { id: id.clone(), count: when.len() });
            }
            if *outcome < PolicyOutcome::Flag {
                errors.push(RuleError::Outcome { id: id.clone(), outcome: *outcome });
            }
            if !ids.insert(id) {
                errors.push(RuleError::Repeated(id.clone()));
            }
        }
        if errors.is_empty() { Ok(Self { version: version(&rules), rules }) } else { Err(errors) }
    }

    /// Returns the rules of which every term is true, in their order; also those in dry run.
    pub fn matching(&self, inputs: &RuleInputs) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(move |rule| rule.when.iter().all(|term| term.is_true(inputs)))
    }

    /// Returns the rules of which every term is true and every fact is known, for a trial on texts
    /// of the past.
    pub fn matching_known(&self, inputs: &RuleInputs) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(move |rule| rule.when.iter().all(|term| term.is_known(inputs)))
    }

    /// Returns the fact of each term.
    pub fn compared(&self) -> impl Iterator<Item = Fact> {
        self.rules.iter().flat_map(|rule| &rule.when).map(|term| term.fact)
    }

    /// Returns the version: 16 hex digits, which are others after any change of a rule.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the number of public comments of a member from which on no term about them changes
    /// any more; `None` if no rule has such a term.
    #[must_use]
    pub fn settled_approved(&self) -> Option<u32> {
        let terms = self.rules.iter().flat_map(|rule| &rule.when);
        terms.filter_map(|term| term.settled_approved()).max()
    }

    /// Returns `true` without a rule.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}

/// Returns the version of these rules: a digest of a line for each rule and for each term.
fn version(rules: &[Rule]) -> String {
    let mut lines = String::new();
    for Rule { id, when, outcome, code, effect } in rules {
        let effect = match effect {
            ListEffect::Live => "live",
            ListEffect::DryRun => "dry_run",
        };
        let _ = writeln!(lines, "{id} {} {code} {effect}", outcome.name());
        for RuleTerm { fact, comparison, value } in when {
            let _ = writeln!(lines, "  {} {} {value}", fact.name(), comparison.name());
        }
    }
    version_of(lines.as_bytes())
}

#[cfg(test)]
mod tests;
