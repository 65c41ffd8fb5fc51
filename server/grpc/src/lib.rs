//! The gRPC layer. A call first passes the middleware, which identifies the caller, admits the call
//! and records it. Then the call reaches a handler, which parses the request, calls the domain and
//! converts the result. `services/` has the handlers, in a file for each RPC. `generated/` has the
//! dispatch of the services to the handlers, and the table of methods from methods.yaml.
//!
//! Types of the contract are not passed to other crates; the domain receives domain types. An error
//! of the domain becomes a status in [`status()`] and nowhere else. This crate must never name a
//! store, a cache or the pipeline: it sees their ports.

pub mod admission;
pub mod audit;
pub mod auth;
pub mod fuzz;
pub mod middleware;
pub mod page_token;
pub mod response_cache;
pub mod rpc_error;
pub mod status;

mod audited;
mod call;
mod context;
mod convert;
mod error_metadata;
mod event_token;
mod generated;
mod import_item;
mod import_requests;
mod moderation;
mod parse;
mod response_cache_layer;
mod routes;
mod subject_sweep;
#[cfg(test)]
mod tests;
mod write_context;

pub use call::{CallId, CallerDeadline};
pub use context::{Evaluations, MessageLimits, Services};
pub use convert::{ListPageRenderer, event_bytes, gap_bytes};
pub use page_token::PageTokenCodec;
pub use response_cache_layer::ResponseCacheLayer;
pub use routes::{ADMIN, PUBLIC, admin, error_details, methods, public};
pub use status::{NOT_EXECUTED, REQUEST_ID, status};
