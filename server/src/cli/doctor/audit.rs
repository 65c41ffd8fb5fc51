//! Check of the audit log.

use super::check_result::CheckResult;
use riposte_grpc::audit::{self, AuditKind, AuditSettings};

/// Checks the destination of audit records.
pub(super) fn examine(config: &AuditSettings) -> CheckResult {
    let path = config.file.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
    match (config.kind, audit::AuditLog::examine(config)) {
        (AuditKind::Log, _) => CheckResult::ok("audit log", "lines of the process's log"),
        (AuditKind::Stdout, _) => CheckResult::ok("audit log", "standard output"),
        (AuditKind::File, Ok(())) => CheckResult::ok("audit log", format!("{path} can be appended to by this account")),
        (AuditKind::File, Err(error)) => {
            CheckResult::fail("audit log", format!("{path} cannot be appended to, so serve refuses to start: {error}"))
        }
    }
}
