//! Standings and checked texts as messages.

use riposte_core::checked_text::{CheckedText, TextOutcome};
use riposte_core::standing::{MemberStanding, StandingInForce};
use riposte_sdk::v1;

use super::moderation::{grounds, rule_hit};
use super::time;

/// Converts a standing.
pub(crate) fn member_standing(standing: MemberStanding) -> v1::MemberStanding {
    let etag = standing.etag();
    let StandingInForce { standing: in_force, until, report_weight } = standing.in_force;
    v1::MemberStanding {
        member: Some(v1::MemberOfType {
            object_type: standing.of.object_type.as_str().to_owned(),
            member_id: standing.of.member.into(),
        }),
        standing: in_force.code().into(),
        until: until.map(time),
        report_weight,
        grounds: Some(grounds(standing.grounds)),
        etag,
        update_time: (standing.number > 0).then(|| time(standing.changed)),
    }
}

/// Converts an outcome.
pub(crate) const fn text_outcome(outcome: TextOutcome) -> v1::PolicyOutcome {
    match outcome {
        TextOutcome::Allow => v1::PolicyOutcome::Allow,
        TextOutcome::Mask => v1::PolicyOutcome::Mask,
        TextOutcome::Flag => v1::PolicyOutcome::Flag,
        TextOutcome::Hold => v1::PolicyOutcome::Hold,
        TextOutcome::Reject => v1::PolicyOutcome::Reject,
        TextOutcome::Refuse => v1::PolicyOutcome::Refuse,
    }
}

/// Converts a checked text.
pub(crate) fn checked_text(checked: CheckedText) -> v1::CheckTextResponse {
    let CheckedText { outcome, code, hits, shown, normalized, time, mask_code: _, flag_code: _ } = checked;
    v1::CheckTextResponse {
        outcome: text_outcome(outcome).into(),
        hits: hits.into_iter().map(rule_hit).collect(),
        shown_text: shown,
        normalized_text: normalized,
        code,
        time: prost_types::Duration::try_from(time).ok(),
    }
}
