//! The clients of the services that other teams provide, behind the ports `FilterClient` and
//! `AccountClient` of the domain, and the checks that such a service passes.
//!
//! Each call has a deadline and one attempt. At most a fixed number of calls is under way, and a
//! breaker stops calls to a service that fails. A result that breaks the contract does not count.
//!
//! This crate must never log a text, token, member or hit, or call an address that is no setting.

mod accounts;
mod breach;
mod breaker;
pub mod conformance;
mod endpoint;
mod filter;
mod guard;
mod keyed;
mod link;
mod member_token;
mod observer;
mod settings;

pub use accounts::GrpcAccountClient;
pub use breach::Breach;
pub use endpoint::{Connection, Endpoint, EndpointError, EndpointFiles};
pub use filter::GrpcFilterClient;
pub use guard::Limits;
pub use member_token::MemberTokens;
pub use observer::{CallObserver, CallOutcome, Unobserved};
pub use settings::{AccountSettings, FilterSettings};
