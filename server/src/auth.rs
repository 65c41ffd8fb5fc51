//! Who calls, and whether they may: a caller is found by its bearer token, its own or a JWT, or by the certificate of its
//! connection, and its roles are held against the one the method needs. The object types it was granted are the domain's to check, where the
//! type of a call is known.
//!
//! Known callers stand in a file of their own, which is read again while the process runs.

mod access;
mod callers;
mod failure;
mod guard;
mod hash;
mod jwt;

pub(crate) use access::recorded;
pub use callers::Callers;
pub use guard::{Authenticator, PeerIdentity};
pub use hash::TokenHash;
pub use jwt::{JwtRequirements, JwtVerifier};
