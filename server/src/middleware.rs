//! What stands around every call, merged into one tower service.

mod body;
mod buffer_body;
mod call;
mod deadline;
mod fault;
mod peek_body;
mod refusal;
mod tag;

pub use body::CallBody;
pub use buffer_body::BodyBuffers;
pub use call::{CallLayer, CallService, MAX_ABOUT_US, ReadinessGate};
pub use fault::InjectedFaults;
