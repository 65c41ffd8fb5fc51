//! The settings of the audit log.

use riposte_settings::ErrorScope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The destination of the records of audited calls.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct AuditSettings {
    /// The destination of the records.
    pub kind: AuditKind,
    /// For a file: its path, in an existing folder.
    pub file: Option<PathBuf>,
}

/// The destination of audit records.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum AuditKind {
    /// The log of the process, among its other lines. No call waits for them.
    Log,
    /// Standard output, with one line of JSON per record.
    Stdout,
    /// A file with the same lines. A record is on disk before its call gets a response.
    File,
}

impl AuditSettings {
    /// Adds an error for each value that is out of bounds or conflicts with another one.
    pub fn validate(&self, report: &mut ErrorScope<'_>) {
        let Self { kind, file } = self;
        report.path("file", file.as_ref());
        let is_valid = (*kind == AuditKind::File) == file.is_some();
        report.require(is_valid, "file", "must be set if and only if kind is \"file\"");
    }
}
