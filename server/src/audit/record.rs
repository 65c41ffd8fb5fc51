//! One record: a line of JSON, in which nothing that was sent can break a line.

use std::collections::BTreeMap;

use riposte_core::Millis;
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::Subject;

/// How a call ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// The canonical code of its answer, as `NOT_FOUND`.
    pub code: String,
    /// The reason of an error, by its name in the contract.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Outcome {
    /// Its caller went away, or its time was over: what it had done by then stays.
    pub(super) fn abandoned() -> Self {
        Self { code: "CANCELLED".to_owned(), ..Self::default() }
    }

    /// A bug.
    pub(super) fn panicked() -> Self {
        Self { code: "INTERNAL".to_owned(), ..Self::default() }
    }
}

#[derive(Serialize)]
struct Record<'a> {
    time: String,
    id: Uuid,
    event: &'static str,
    caller: &'a str,
    method: &'a str,
    call_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<&'a Outcome>,
    /// How many answers of which kind a stream gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    told: Option<&'a Told>,
}

type Told = BTreeMap<&'static str, u64>;

/// The line of a beginning, or of an end with its outcome.
pub(super) fn line(now: Millis, id: Uuid, subject: &Subject, end: Option<(&Outcome, &Told)>) -> String {
    let Subject { caller, method, call_id, about } = subject;
    let record = Record {
        time: jiff::Timestamp::from_millisecond(now.0).map(|time| format!("{time:.3}")).unwrap_or_default(),
        id,
        event: if end.is_some() { "end" } else { "begin" },
        caller,
        method,
        call_id,
        about: Some(about).filter(|_| end.is_none()),
        outcome: end.map(|(outcome, _)| outcome),
        told: end.map(|(_, told)| told).filter(|told| !told.is_empty()),
    };
    // Texts, ids and maps with names for keys: these always have a form in JSON.
    let mut line = serde_json::to_string(&record).unwrap_or_default();
    line.push('\n');
    line
}
