//! One record: a line of JSON, in which nothing that was sent can break a line.

use std::collections::BTreeMap;

use riposte_core::Millis;
use serde::Serialize;
use serde_json::Value;
use tonic::Status;
use tonic_types::StatusExt;
use uuid::Uuid;

use super::{AuditedCall, Refused};

/// How a call ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CallOutcome {
    /// The canonical code of its answer, as `NOT_FOUND`.
    pub code: String,
    /// The reason of an error, by its name in the contract.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl CallOutcome {
    /// It was answered.
    #[must_use]
    pub fn done() -> Self {
        Self { code: "OK".to_owned(), ..Self::default() }
    }

    /// It was answered with an error.
    #[must_use]
    pub fn refused(status: &Status) -> Self {
        // `NotFound` is NOT_FOUND.
        let mut code = String::new();
        for letter in format!("{:?}", status.code()).chars() {
            if letter.is_uppercase() && !code.is_empty() {
                code.push('_');
            }
            code.push(letter.to_ascii_uppercase());
        }
        Self { code, reason: status.get_details_error_info().map(|info| info.reason) }
    }

    /// Its caller went away, or its time was over: what it had done by then stays.
    pub(super) fn abandoned() -> Self {
        Self { code: "CANCELLED".to_owned(), ..Self::default() }
    }

    /// A bug.
    pub(super) fn panicked() -> Self {
        Self { code: "INTERNAL".to_owned(), ..Self::default() }
    }
}

#[derive(Default, Serialize)]
struct Record<'a> {
    time: String,
    id: Uuid,
    event: &'static str,
    /// Missing where nobody is known.
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
    /// How many answers of which kind a stream gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    told: Option<&'a Told>,
    /// How many refusals got no record of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<u64>,
}

type Told = BTreeMap<&'static str, u64>;

/// The line of a beginning, or of an end with its outcome.
pub(super) fn line(now: Millis, id: Uuid, subject: &AuditedCall, end: Option<(&CallOutcome, &Told)>) -> String {
    let AuditedCall { caller, method, call_id, about } = subject;
    written(Record {
        time: time(now),
        id,
        event: if end.is_some() { "end" } else { "begin" },
        caller: Some(caller),
        method: Some(method),
        call_id: Some(call_id),
        about: Some(about).filter(|_| end.is_none()),
        outcome: end.map(|(outcome, _)| outcome),
        told: end.map(|(_, told)| told).filter(|told| !told.is_empty()),
        left_out: None,
    })
}

/// The line of a call that came no further than the door.
pub(super) fn refused(now: Millis, of: &Refused<'_>, outcome: &CallOutcome) -> String {
    let Refused { caller, method, call_id } = *of;
    let (method, call_id, outcome) = (Some(method), Some(call_id), Some(outcome));
    let id = Uuid::now_v7();
    written(Record { time: time(now), id, event: "refused", caller, method, call_id, outcome, ..Record::default() })
}

/// The line of those that got none of their own.
pub(super) fn left_out(now: Millis, caller: Option<&str>, left_out: u64) -> String {
    let (id, left_out) = (Uuid::now_v7(), Some(left_out));
    written(Record { time: time(now), id, event: "left_out", caller, left_out, ..Record::default() })
}

fn time(now: Millis) -> String {
    jiff::Timestamp::from_millisecond(now.0).map(|time| format!("{time:.3}")).unwrap_or_default()
}

fn written(record: Record<'_>) -> String {
    // Texts, ids and maps with names for keys: these always have a form in JSON.
    let mut line = serde_json::to_string(&record).unwrap_or_default();
    line.push('\n');
    line
}
