//! The version of this build.

/// The version of the workspace, which metrics and exports carry.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
