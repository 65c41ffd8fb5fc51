//! The version of this build.

/// The version of the workspace, which metrics and exported telemetry report.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
