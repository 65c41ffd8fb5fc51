//! The policy of an object type.

use riposte_core::Policy;
use riposte_core::account_rules::{AccountFallback, AccountRules, MinLevels};
use riposte_core::object_type::{self, MAX_LEVELS, NEWEST_COMMENTS};
use riposte_grpc::admission::RateLimit;
use riposte_pipeline::{FilterFallback, RuleSettings};
use riposte_settings::{ErrorScope, TimeSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::time::Duration;

/// The longest text that any policy may allow, in code points. At four bytes each, a page of 1 MiB
/// still holds a dozen such texts.
const MAX_TEXT_CODE_POINTS: usize = 16_000;
/// The greatest level of an account.
const MAX_LEVEL: u8 = 100;
/// The longest time that a policy may set.
const LONGEST: Duration = Duration::from_secs(36_500 * 86_400);

/// The policy of one object type. A setting that `[object_types.NAME]` leaves out comes from
/// `[object_type_defaults]`.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectTypeSettings {
    /// Levels of a thread, 1 to 32; deeper replies are attached at the last level.
    pub max_depth: u8,
    /// The longest text of a comment, in code points after NFC.
    pub max_text_code_points: usize,
    /// Time during which an author may edit a comment.
    pub edit_window: EditWindow,
    /// Time after the rejection of a comment during which its author may send another text.
    pub resubmit_window: TimeSpan,
    /// If true, the first comment creates its subject.
    pub auto_create: bool,
    /// The formula of HOT.
    pub hot_profile: HotProfileName,
    /// The new comments and edits that wait for review before others see them.
    pub moderation: ModerationModeName,
    /// Public comments, among a member's newest 50, from which on the member is no longer new.
    pub new_member_threshold: u32,
    /// If true, a subject may have the mode `pre_new_members` under any mode of the type.
    pub subject_modes: bool,
    /// The sum of the weights of reports at which a comment waits for a moderator; one ordinary
    /// report weighs 100.
    pub report_threshold: u32,
    /// Reports of one member per hour; 0 for no limit.
    pub reports_per_hour: u32,
    /// Time after a decision during which the author may appeal it.
    pub appeal_window: TimeSpan,
    /// True if the author of a root may be notified of every reply in its thread.
    pub notify_thread: bool,
    /// Writes of one member per minute; 0 for no limit.
    pub writes_per_minute: u32,
    /// Writes that one member may make at once.
    pub write_burst: u32,
    /// The use of the filter: what becomes of a text while it cannot judge.
    pub filter: FilterUseName,
    /// The use of the account service: what becomes of a text while it does not answer.
    pub accounts: AccountUseName,
    /// The least levels of accounts.
    pub min_level: MinLevelSettings,
    /// Rules by which new texts and edits are refused, rejected, held or flagged.
    pub rules: Vec<RuleSettings>,
}

/// The formula of HOT, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HotProfileName {
    /// 2 · likes + replies.
    Plain,
    /// log10(max(1, 2 · likes + replies)), and an age term.
    Decaying,
}

/// The new comments and edits that wait for review, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ModerationModeName {
    /// None: they are visible at once.
    Post,
    /// Those of new members.
    PreNewMembers,
    /// All: they are visible when a moderator has approved them.
    Pre,
}

/// The use of the filter, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FilterUseName {
    /// It judges no text.
    Off,
    /// It judges; a text that it cannot judge waits for review.
    Hold,
    /// It judges; a text that it cannot judge is shown and put into the review queue.
    Flag,
    /// It judges; a text that it cannot judge is refused.
    Refuse,
}

/// The use of the account service, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AccountUseName {
    /// It is not asked.
    Off,
    /// It is asked; the text of a member that it does not know of waits for review.
    PreModerate,
    /// It is asked; the text of a member that it does not know of is refused.
    Refuse,
}

/// The least levels of accounts, by act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct MinLevelSettings {
    /// For a comment.
    pub create: u8,
    /// For a reply.
    pub reply: u8,
    /// For a like or a dislike.
    pub like: u8,
    /// For a report.
    pub report: u8,
}

impl MinLevelSettings {
    fn validate(self, report: &mut ErrorScope<'_>, has_accounts: bool) {
        let Self { create, reply, like, report: of_report } = self;
        let levels = [("create", create), ("reply", reply), ("like", like), ("report", of_report)];
        for (name, level) in levels {
            report.require(level <= MAX_LEVEL, &format!("min_level.{name}"), "must be at most 100");
        }
        let is_used = levels.iter().any(|(_, level)| *level > 0);
        let message = "requires accounts: set it to \"pre_moderate\" or \"refuse\", or all levels to 0";
        report.require(has_accounts || !is_used, "min_level", message);
    }
}

impl FilterUseName {
    /// Returns what becomes of a text that the filter cannot judge; `None` if it judges none.
    pub const fn fallback(self) -> Option<FilterFallback> {
        match self {
            Self::Off => None,
            Self::Hold => Some(FilterFallback::Hold),
            Self::Flag => Some(FilterFallback::Flag),
            Self::Refuse => Some(FilterFallback::Refuse),
        }
    }
}

/// Time during which an author may edit: a duration from the creation of the comment, or `always`.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq)]
#[schemars(with = "String", inline, extend("pattern" = r"^(always|\s*[0-9]+\s*(ms|s|min|h|d)\s*)$"))]
pub enum EditWindow {
    /// For this duration.
    For(TimeSpan),
    /// Without a limit.
    Always,
}

impl ObjectTypeSettings {
    /// Returns the policy in the terms of the domain.
    pub fn policy(&self) -> Policy {
        // Admission enforces the rates, before the domain is called.
        let ObjectTypeSettings {
            max_depth,
            max_text_code_points,
            edit_window,
            resubmit_window,
            auto_create,
            hot_profile,
            moderation,
            new_member_threshold,
            subject_modes,
            report_threshold,
            appeal_window,
            notify_thread,
            ..
        } = *self;
        let edit_window = match edit_window {
            EditWindow::For(span) => Some(span.duration()),
            EditWindow::Always => None,
        };
        let hot = match hot_profile {
            HotProfileName::Plain => object_type::HotProfile::Plain,
            HotProfileName::Decaying => object_type::HotProfile::Decaying,
        };
        let moderation = match moderation {
            ModerationModeName::Post => object_type::ModerationMode::Post,
            ModerationModeName::PreNewMembers => object_type::ModerationMode::PreNewMembers,
            ModerationModeName::Pre => object_type::ModerationMode::Pre,
        };
        Policy {
            max_depth,
            max_text: max_text_code_points,
            edit_window,
            resubmit_window: resubmit_window.duration(),
            auto_create,
            hot,
            moderation,
            new_member_threshold,
            subject_modes,
            report_threshold: i32::try_from(report_threshold).unwrap_or(i32::MAX),
            appeal_window: appeal_window.duration(),
            notify_thread,
        }
    }

    /// Returns the rules for the accounts of members; `None` if they need none.
    pub fn account_rules(&self) -> Option<AccountRules> {
        let fallback = match self.accounts {
            AccountUseName::Off => return None,
            AccountUseName::PreModerate => AccountFallback::PreModerate,
            AccountUseName::Refuse => AccountFallback::Refuse,
        };
        let MinLevelSettings { create, reply, like, report } = self.min_level;
        Some(AccountRules { fallback, min_levels: MinLevels { create, reply, like, report } })
    }

    /// Returns the write rate of one member; `None` for no limit.
    pub fn member_rate(&self) -> Option<RateLimit> {
        RateLimit::new(self.writes_per_minute, Duration::from_secs(60), self.write_burst)
    }

    /// Returns the rate of reports of one member; `None` for no limit.
    pub fn report_rate(&self) -> Option<RateLimit> {
        RateLimit::new(self.reports_per_hour, Duration::from_secs(3_600), self.reports_per_hour)
    }

    pub(super) fn validate(&self, report: &mut ErrorScope<'_>) {
        report.require((1..=MAX_LEVELS).contains(&self.max_depth), "max_depth", "must be 1 to 32 levels");
        report.require(
            (1..=MAX_TEXT_CODE_POINTS).contains(&self.max_text_code_points),
            "max_text_code_points",
            "must be 1 to 16000 code points",
        );
        report.require(self.writes_per_minute <= 1_000_000, "writes_per_minute", "must be at most 1000000");
        report.require(
            (1..=NEWEST_COMMENTS).contains(&self.new_member_threshold),
            "new_member_threshold",
            "must be 1 to 50 comments",
        );
        report.require((1..=1_000_000).contains(&self.report_threshold), "report_threshold", "must be 1 to 1000000");
        report.require(self.reports_per_hour <= 1_000_000, "reports_per_hour", "must be at most 1000000");
        report.require(self.appeal_window.duration() <= LONGEST, "appeal_window", "must be at most 36500d");
        report.require((1..=1_000_000).contains(&self.write_burst), "write_burst", "must be 1 to 1000000");
        if let EditWindow::For(span) = self.edit_window {
            report.require(
                span.duration() <= LONGEST,
                "edit_window",
                "must be at most 36500d; write \"always\" for no limit",
            );
        }
        report.require(self.resubmit_window.duration() <= LONGEST, "resubmit_window", "must be at most 36500d");
        self.min_level.validate(report, self.accounts != AccountUseName::Off);
        RuleSettings::validate(&self.rules, self.accounts != AccountUseName::Off, report);
    }
}

impl<'de> Deserialize<'de> for EditWindow {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        match String::deserialize(input)?.as_str() {
            "always" => Ok(EditWindow::Always),
            text => text.parse().map(EditWindow::For).map_err(|fault| D::Error::custom(fault + ", or \"always\"")),
        }
    }
}

impl Serialize for EditWindow {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        match self {
            EditWindow::For(span) => span.serialize(output),
            EditWindow::Always => output.serialize_str("always"),
        }
    }
}
