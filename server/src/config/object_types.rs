//! The policy of an object type.

use riposte_core::Policy;
use riposte_core::object_type::{self, MAX_LEVELS};
use riposte_grpc::admission::RateLimit;
use riposte_pipeline::RuleSettings;
use riposte_settings::{ErrorScope, TimeSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::time::Duration;

/// The longest text that any policy may allow, in code points. At four bytes each, a page of 1 MiB
/// still holds a dozen such texts.
const MAX_TEXT_CODE_POINTS: usize = 16_000;
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
    /// The sum of the weights of reports at which a comment waits for a moderator; one ordinary
    /// report weighs 100.
    pub report_threshold: u32,
    /// Reports of one member per hour; 0 for no limit.
    pub reports_per_hour: u32,
    /// Time after a decision during which the author may appeal it.
    pub appeal_window: TimeSpan,
    /// Writes of one member per minute; 0 for no limit.
    pub writes_per_minute: u32,
    /// Writes that one member may make at once.
    pub write_burst: u32,
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
    /// All: they are visible when a moderator has approved them.
    Pre,
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
            report_threshold,
            appeal_window,
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
            report_threshold: i32::try_from(report_threshold).unwrap_or(i32::MAX),
            appeal_window: appeal_window.duration(),
        }
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
        RuleSettings::validate(&self.rules, report);
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
