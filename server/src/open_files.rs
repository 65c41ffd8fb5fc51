//! The limit on open files of this process, each connection of which is one.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::config::Config;

/// The number of files besides connections: logs, secrets, sockets of telemetry, and files that
/// libraries hold open.
const OTHER_FILES: u64 = 1_000;

/// Returns the maximum number of open files after the limit has been raised as far as this account
/// may.
///
/// # Errors
/// Those of the system.
pub(crate) fn limit() -> std::io::Result<u64> {
    Ok(getrlimit(Resource::RLIMIT_NOFILE)?.1)
}

/// Raises the limit as far as this account may, and logs a warning if it is below the number that
/// connections need.
pub(crate) fn raise(config: &Config) {
    let raised = limit().and_then(|limit| Ok(setrlimit(Resource::RLIMIT_NOFILE, limit, limit).map(|()| limit)?));
    match raised {
        Ok(limit) if limit < needed(config) => tracing::warn!(
            limit,
            needed = needed(config),
            "the limit of open files (ulimit -n) is lower than the configured connections need; further connections will be rejected"
        ),
        Ok(_) => {}
        Err(error) => tracing::warn!(%error, "the limit of open files cannot be raised"),
    }
}

/// Returns the number of files that both listeners, the pools of all data sources and Redis need,
/// plus a reserve.
pub(crate) fn needed(config: &Config) -> u64 {
    let store = &config.store;
    let pools = u64::from(store.pools.read.connections) + u64::from(store.pools.write.connections);
    let sources = store.sources.len().max(1) as u64;
    2 * config.limits.connections as u64 + pools * sources + config.cache.connections as u64 + OTHER_FILES
}
