//! Where the audit log goes.

use super::errors::ErrorScope;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Where calls of `AdminService` are recorded.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct AuditSettings {
    /// Where the records go.
    pub kind: AuditKind,
    /// For a file: its path, in a folder that exists.
    pub file: Option<PathBuf>,
}

/// Where records go.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum AuditKind {
    /// Into the log of the process, among its other lines. No call waits for them.
    Log,
    /// To standard output, a line of JSON for each.
    Stdout,
    /// To a file, the same, on disk before a call is answered.
    File,
}

impl AuditSettings {
    pub(super) fn validate(&self, report: &mut ErrorScope<'_>) {
        let Self { kind, file } = self;
        report.path("file", file.as_ref());
        let named = (*kind == AuditKind::File) == file.is_some();
        report.require(named, "file", "goes with kind = \"file\", and that with it");
    }
}
