//! The settings of the local policy: the files with word lists.

use riposte_core::decision::MODERATION_OFF_CODE;
use riposte_policy::{ListEffect, ListSettings, MatchMode, PolicyOutcome};
use riposte_settings::ErrorScope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The largest number of lists, each of which has a metric of its own.
const MAX_LISTS: usize = 64;
/// The largest size of the name and of the code of a list, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// The word lists whose entries are searched for in texts.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PolicySettings {
    /// The lists.
    pub lists: Vec<WordListSettings>,
}

/// A word list, with the values of entries that name none themselves.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct WordListSettings {
    /// The name of the list in metrics, hits and decisions.
    pub name: String,
    /// The file.
    pub file: PathBuf,
    /// The object types whose texts are searched; empty for all.
    #[serde(default)]
    pub object_types: Vec<String>,
    /// The outcome that a hit asks for.
    #[serde(default)]
    pub outcome: OutcomeName,
    /// The places at which an entry is found; without it the scripts of the entry decide.
    #[serde(default)]
    pub mode: Option<MatchModeName>,
    /// The code of a decision that follows.
    #[serde(default = "WordListSettings::default_code")]
    pub code: String,
    /// The effect of the list.
    #[serde(default, rename = "stage")]
    pub effect: ListEffectName,
}

/// An outcome, by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeName {
    /// The word is allowed, also where a part of it is an entry.
    Allow,
    /// The text is shown with the word masked.
    Mask,
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

/// The places at which an entry is found, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchModeName {
    /// As a word of its own.
    Word,
    /// Anywhere, also inside other words.
    Part,
}

/// The effect of a list, by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ListEffectName {
    /// Its hits decide.
    #[default]
    Live,
    /// Its hits are found and have no effect.
    DryRun,
}

impl From<OutcomeName> for PolicyOutcome {
    fn from(name: OutcomeName) -> Self {
        match name {
            OutcomeName::Allow => Self::Allow,
            OutcomeName::Mask => Self::Mask,
            OutcomeName::Flag => Self::Flag,
            OutcomeName::Hold => Self::Hold,
            OutcomeName::Reject => Self::Reject,
            OutcomeName::Refuse => Self::Refuse,
        }
    }
}

impl From<MatchModeName> for MatchMode {
    fn from(name: MatchModeName) -> Self {
        match name {
            MatchModeName::Word => Self::Word,
            MatchModeName::Part => Self::Part,
        }
    }
}

impl From<ListEffectName> for ListEffect {
    fn from(name: ListEffectName) -> Self {
        match name {
            ListEffectName::Live => Self::Live,
            ListEffectName::DryRun => Self::DryRun,
        }
    }
}

impl PolicySettings {
    /// Adds an error for each value that is out of bounds or conflicts with another one.
    pub fn validate(&self, report: &mut ErrorScope<'_>) {
        let is_valid = self.lists.len() <= MAX_LISTS;
        report.require(is_valid, "lists", &format!("must be at most {MAX_LISTS} lists"));
        for (index, list) in self.lists.iter().enumerate() {
            let mut require = |valid, key: &str, message: &str| {
                report.require(valid, &format!("lists.{index}.{key}"), message);
            };
            require(is_name(&list.name), "name", NAME_FORM);
            let is_new = self.lists[..index].iter().all(|other| other.name != list.name);
            require(is_new, "name", "is the name of an earlier list: each list has its own");
            require(!list.file.as_os_str().is_empty(), "file", "is empty: set a path");
            require(is_name(&list.code), "code", NAME_FORM);
            let is_free = list.code != MODERATION_OFF_CODE;
            require(is_free, "code", "is the code of decisions that turn moderation off: choose another one");
        }
    }
}

pub(super) const NAME_FORM: &str = "must have 1 to 64 small letters, digits, dots, hyphens or underscores";

pub(super) fn is_name(text: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte);
    (1..=MAX_NAME_BYTES).contains(&text.len()) && text.bytes().all(is_sign)
}

impl WordListSettings {
    fn default_code() -> String {
        "policy.list".to_owned()
    }

    /// Returns `true` if texts of this object type are searched.
    pub(super) fn is_for(&self, object_type: Option<&str>) -> bool {
        let is_named = |name: &str| self.object_types.iter().any(|known| known == name);
        self.object_types.is_empty() || object_type.is_some_and(is_named)
    }

    /// Returns the settings in the terms of the crate that reads the file.
    pub(super) fn of_file(&self) -> ListSettings {
        ListSettings {
            name: self.name.clone(),
            outcome: self.outcome.into(),
            code: self.code.clone(),
            mode: self.mode.map(MatchMode::from),
            effect: self.effect.into(),
        }
    }
}
