//! One record: a line of JSON, which no input can break.

use std::collections::BTreeMap;

use riposte_core::Millis;
use serde::Serialize;
use serde_json::Value;
use tonic::Status;
use tonic_types::StatusExt;
use uuid::Uuid;

use super::{AuditedCall, RejectedCall};

/// The outcome of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CallOutcome {
    /// The canonical code of the response, such as `NOT_FOUND`.
    pub code: String,
    /// The reason of an error, by its name in the contract.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl CallOutcome {
    /// Returns the outcome of a successful call.
    #[must_use]
    pub fn ok() -> Self {
        Self { code: "OK".to_owned(), ..Self::default() }
    }

    /// Returns the outcome of a call that returned an error.
    #[must_use]
    pub fn of_error(status: &Status) -> Self {
        // `NotFound` becomes NOT_FOUND.
        let mut code = String::new();
        for letter in format!("{:?}", status.code()).chars() {
            if letter.is_uppercase() && !code.is_empty() {
                code.push('_');
            }
            code.push(letter.to_ascii_uppercase());
        }
        Self { code, reason: status.get_details_error_info().map(|info| info.reason) }
    }

    /// Returns the outcome of a call that was cancelled or ran out of time. Its work until then
    /// stays.
    pub(super) fn cancelled() -> Self {
        Self { code: "CANCELLED".to_owned(), ..Self::default() }
    }

    /// Returns the outcome of a call that panicked.
    pub(super) fn panicked() -> Self {
        Self { code: "INTERNAL".to_owned(), ..Self::default() }
    }
}

#[derive(Default, Serialize)]
struct Record<'a> {
    time: String,
    id: Uuid,
    event: &'static str,
    /// Missing if the caller is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    caller: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<&'a CallOutcome>,
    /// The number of results of a stream, by kind.
    #[serde(rename = "told", skip_serializing_if = "Option::is_none")]
    counts: Option<&'a Counts>,
    /// The number of rejections without a record of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<u64>,
}

type Counts = BTreeMap<&'static str, u64>;

/// Returns the line of a beginning, or of an end with its outcome.
pub(super) fn line(now: Millis, id: Uuid, call: &AuditedCall, end: Option<(&CallOutcome, &Counts)>) -> String {
    let AuditedCall { caller, method, call_id, about } = call;
    to_line(&Record {
        time: time(now),
        id,
        event: if end.is_some() { "end" } else { "begin" },
        caller: Some(caller),
        method: Some(method),
        call_id: Some(call_id),
        about: Some(about).filter(|_| end.is_none()),
        outcome: end.map(|(outcome, _)| outcome),
        counts: end.map(|(_, counts)| counts).filter(|counts| !counts.is_empty()),
        left_out: None,
    })
}

/// Returns the line of a call that was rejected before its handler.
pub(super) fn rejection(now: Millis, call: &RejectedCall<'_>, outcome: &CallOutcome) -> String {
    let RejectedCall { caller, method, call_id } = *call;
    let (method, call_id, outcome) = (Some(method), Some(call_id), Some(outcome));
    let id = Uuid::now_v7();
    to_line(&Record { time: time(now), id, event: "refused", caller, method, call_id, outcome, ..Record::default() })
}

/// Returns the line with the number of rejections without a line of their own.
pub(super) fn left_out(now: Millis, caller: Option<&str>, left_out: u64) -> String {
    let (id, left_out) = (Uuid::now_v7(), Some(left_out));
    to_line(&Record { time: time(now), id, event: "left_out", caller, left_out, ..Record::default() })
}

fn time(now: Millis) -> String {
    jiff::Timestamp::from_millisecond(now.0).map(|time| format!("{time:.3}")).unwrap_or_default()
}

fn to_line(record: &Record<'_>) -> String {
    // Texts, ids and maps with string keys always have a JSON form.
    let mut line = serde_json::to_string(record).unwrap_or_default();
    line.push('\n');
    line
}
