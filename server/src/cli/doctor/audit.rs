//! What doctor thinks of the audit log.

use super::verdict::Verdict;
use crate::audit;
use crate::config::{Audit, AuditKind};

/// The verdict on where records go.
pub(super) fn examine(config: &Audit) -> Verdict {
    let path = config.file.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
    match (config.kind, audit::Audit::examine(config)) {
        (AuditKind::Log, _) => Verdict::ok("audit log", "lines of the process's log"),
        (AuditKind::Stdout, _) => Verdict::ok("audit log", "standard output"),
        (AuditKind::File, Ok(())) => Verdict::ok("audit log", format!("{path} can be appended to by this account")),
        (AuditKind::File, Err(error)) => {
            Verdict::fail("audit log", format!("{path} cannot be appended to, so serve refuses to start: {error}"))
        }
    }
}
