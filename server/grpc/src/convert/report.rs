//! Reports and statements of reasons as messages.

use riposte_core::decision::Grounds;
use riposte_core::report::{OwnReport, Report, ReportBody, ReportOutcome};
use riposte_core::reports::Statement;
use riposte_core::{CommentState, Millis};
use riposte_sdk::v1;

use super::{plain_state, time};

/// The milliseconds of a day.
const DAY: i64 = 86_400_000;

/// Converts a report for moderators, with its reporter.
pub(crate) fn report(report: Report, open: bool) -> v1::Report {
    let ReportBody { reason, text, claims_illegal, legal_reference } = report.body;
    v1::Report {
        comment_id: report.comment_id.get(),
        member_id: report.member.as_str().to_owned(),
        reason: reason.code().into(),
        text,
        claims_illegal,
        legal_reference,
        weight: report.weight,
        open,
        time: Some(time(report.time)),
    }
}

/// Converts a report for the member that made it. The time of a decision is cut to its day, so that
/// it points to no moderator.
pub(crate) fn own_report(OwnReport { report, outcome }: &OwnReport) -> v1::OwnReport {
    let (outcome, judged) = match *outcome {
        ReportOutcome::Open => (v1::ReportOutcome::Open, None),
        ReportOutcome::Restricted(judged) => (v1::ReportOutcome::Acted, Some(judged)),
        ReportOutcome::Unrestricted(judged) => (v1::ReportOutcome::Kept, Some(judged)),
    };
    v1::OwnReport {
        comment_id: report.comment_id.get(),
        reason: report.body.reason.code().into(),
        outcome: outcome.into(),
        time: Some(time(report.time)),
        outcome_day: judged.map(|Millis(judged)| time(Millis(judged - judged.rem_euclid(DAY)))),
    }
}

/// Converts the reasons of a decision for the author of its comment. Moderator, note, findings and
/// operation have no field.
pub(crate) fn statement(statement: Statement) -> v1::Statement {
    let Statement { decision, appeal_until } = statement;
    let Grounds { code, explanation, legal_reference, detection, automation, note: _, hits: _ } = decision.grounds;
    let state = |state: CommentState| plain_state(state).into();
    v1::Statement {
        id: decision.id.to_string(),
        comment_id: decision.id.comment.get(),
        action: decision.act.number().map_or(0, i32::from),
        proposed_edit: decision.proposal != 0,
        from_state: decision.from.map_or(v1::CommentState::Unspecified.into(), state),
        to_state: state(decision.to),
        code,
        explanation,
        legal_reference,
        detection: detection.code().into(),
        automation: automation.code().into(),
        time: Some(time(decision.time)),
        appeal_until: appeal_until.map(time),
    }
}

#[cfg(test)]
mod tests {
    use riposte_core::report::ReportReason;
    use riposte_sdk::v1;

    #[test]
    fn reasons_have_the_numbers_of_the_contract() {
        assert!(ReportReason::ALL.iter().map(|reason| reason.code()).eq(1..=14));
        for reason in ReportReason::ALL {
            let named = v1::ReportReason::try_from(i32::from(reason.code())).expect("a reason");
            let name = named.as_str_name().trim_start_matches("REPORT_REASON_").replace('_', "");
            assert_eq!(name, format!("{reason:?}").to_uppercase());
        }
    }
}
