//! Check of the limit on open files, which must cover the files that connections need.

use super::CheckResult;
use crate::{config::Config, open_files};

pub(super) fn examine(config: &Config) -> CheckResult {
    let needed = open_files::needed(config);
    match open_files::most() {
        Ok(most) if most >= needed => {
            CheckResult::ok("open files", format!("{most} may be open, connections come to {needed}"))
        }
        Ok(most) => CheckResult::warn(
            "open files",
            format!(
                "{most} may be open, but connections come to {needed}: raise the hard limit (ulimit -Hn), or lower limits.connections"
            ),
        ),
        Err(error) => CheckResult::warn("open files", format!("their limit cannot be read: {error}")),
    }
}
