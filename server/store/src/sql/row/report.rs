//! The rows of reports.

use riposte_core::report::{Report, ReportBody, ReportReason};
use riposte_core::request::{Fingerprint, RequestIdentity};
use riposte_core::{MemberId, Millis, ObjectType, Result};
use sea_orm::ActiveValue::Set;

use super::{bytes, id, request_key, string, unreadable};
use crate::shard::part;
use crate::sql::entity::comment_report::{ActiveModel, Model};

/// The table, as errors name it.
const TABLE: &str = "comment_report";

/// Converts a row to its report.
pub(crate) fn report(row: Model) -> Result<Report> {
    let fault = |column: &str| unreadable(TABLE, row.comment_id, column);
    let text = |stored: Vec<u8>, column| string(stored).map_err(|_| fault(column));
    Ok(Report {
        comment_id: id(row.comment_id)?,
        object_type: ObjectType::stored(text(row.object_type, "object_type")?),
        member: MemberId::stored(text(row.member_id, "member_id")?),
        body: ReportBody {
            reason: ReportReason::from_code(row.reason).ok_or_else(|| fault("reason"))?,
            text: row.text,
            claims_illegal: row.claims_illegal != 0,
            legal_reference: text(row.legal_reference, "legal_reference")?,
        },
        version: row.version,
        weight: row.weight,
        counted: row.counted != 0,
        settled: row.settled.unwrap_or_default() != 0,
        decisions: row.decisions.unwrap_or_default(),
        request: RequestIdentity { key: request_key(&row.request_key)?, fingerprint: Fingerprint(row.request_print) },
        first: Millis(row.first),
        time: Millis(row.time),
    })
}

/// Returns the row of a new report.
pub(crate) fn report_model(report: &Report) -> ActiveModel {
    ActiveModel {
        comment_id: Set(report.comment_id.get()),
        member_id: Set(bytes(report.member.as_str())),
        part: Set(part(report.comment_id.partition())),
        object_type: Set(bytes(report.object_type.as_str())),
        first: Set(report.first.0),
        key_id: Set(0),
        ..report_changes(report)
    }
}

/// Returns the columns that a later report of the member replaces.
pub(crate) fn report_changes(report: &Report) -> ActiveModel {
    let ReportBody { reason, text, claims_illegal, legal_reference } = &report.body;
    ActiveModel {
        reason: Set(reason.code()),
        text: Set(text.clone()),
        claims_illegal: Set(i8::from(*claims_illegal)),
        legal_reference: Set(bytes(legal_reference)),
        version: Set(report.version),
        weight: Set(report.weight),
        counted: Set(i8::from(report.counted)),
        settled: Set(Some(i8::from(report.settled))),
        decisions: Set(Some(report.decisions)),
        request_key: Set(report.request.key.0.to_vec()),
        request_print: Set(report.request.fingerprint.0),
        time: Set(report.time.0),
        ..ActiveModel::default()
    }
}
