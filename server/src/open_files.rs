//! How many files this process may open: each connection is one.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::config::Config;

/// Files beside connections: logs, secrets, sockets of telemetry, and what libraries hold open.
const BESIDE: u64 = 1_000;

/// The most files that may be open once the limit is raised as far as this account may.
///
/// # Errors
/// Those of the system.
pub(crate) fn most() -> std::io::Result<u64> {
    Ok(getrlimit(Resource::RLIMIT_NOFILE)?.1)
}

/// Raises the limit as far as this account may, and tells the log where that is less than connections come to.
pub(crate) fn raise(config: &Config) {
    let raised = most().and_then(|most| Ok(setrlimit(Resource::RLIMIT_NOFILE, most, most).map(|()| most)?));
    match raised {
        Ok(most) if most < needed(config) => tracing::warn!(
            most,
            needed = needed(config),
            "fewer files may be open than connections come to (ulimit -n): some will not be taken"
        ),
        Ok(_) => {}
        Err(error) => tracing::warn!(%error, "the limit of open files cannot be raised"),
    }
}

/// What both listeners, the pools of all data sources and Redis come to, with room beside them.
pub(crate) fn needed(config: &Config) -> u64 {
    let store = &config.store;
    let pools = u64::from(store.pools.read.connections) + u64::from(store.pools.write.connections);
    let sources = store.sources.len().max(1) as u64;
    2 * config.limits.connections as u64 + pools * sources + config.cache.connections as u64 + BESIDE
}
