//! The settings of the listeners: addresses, message sizes, deadlines, certificates, the roles of
//! the process and its shutdown.

mod roles;
mod settings;
mod tls;

pub use roles::{ServerRole, ServerRoles};
pub use settings::ServerSettings;
pub use tls::TlsSettings;
