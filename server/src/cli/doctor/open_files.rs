//! Check of the limit on open files, which must cover the files that connections need.

use super::CheckResult;
use crate::{config::Config, open_files};

pub(super) fn examine(config: &Config) -> CheckResult {
    let needed = open_files::needed(config);
    match open_files::limit() {
        Ok(limit) if limit >= needed => {
            CheckResult::ok("open files", format!("the limit is {limit}, and connections need {needed}"))
        }
        Ok(limit) => CheckResult::warn(
            "open files",
            format!(
                "the limit is {limit}, but connections need {needed}: raise the hard limit (ulimit -Hn), or lower limits.connections"
            ),
        ),
        Err(error) => CheckResult::warn("open files", format!("their limit cannot be read: {error}")),
    }
}
