//! Authentication and authorization. A caller is identified by its bearer token, opaque or a JWT,
//! or by the certificate of its connection, and its roles are checked against the one that the
//! method requires. The domain checks the granted object types, where the type of a call is known.
//!
//! Known callers are listed in a file of their own, which is read again while the process runs.

mod access;
mod authenticator;
mod callers;
mod failure;
mod hash;
mod jwt;
mod settings;

pub use authenticator::{Authenticator, PeerIdentity};
pub use callers::Callers;
pub use hash::TokenHash;
pub use jwt::{JwtRequirements, JwtVerifier};
pub use settings::{AuthSettings, JwtSettings};
