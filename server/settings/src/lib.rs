//! The building blocks of settings structs. Each component of the service owns the struct of its
//! settings and checks it with `validate`. The fields have the types of this crate where a plain
//! number or text would be ambiguous or would leak: [`TimeSpan`], [`ByteSize`], [`Secret`] and
//! [`SourceUrl`]. The checks add every error that they find to an [`ErrorScope`], so that all
//! errors of a configuration are reported at once, each with its key.
//!
//! This crate must never depend on another crate of the workspace, and never read a configuration
//! file or the environment: the `config` module of the service does that.

mod errors;
mod origin;
mod secret;
mod units;

pub use errors::{ConfigError, ConfigErrors, ErrorReport, ErrorScope};
pub use origin::ValueOrigin;
pub use secret::{KEY_FORM, MASK, Secret, SourceUrl};
pub use units::{ByteSize, TimeSpan};
