//! What stands around every call, merged into one tower service.

mod call;
mod deadline;
mod fault;
mod refusal;
mod tag;

pub use call::{CallLayer, CallService, Gate};
pub use fault::Faults;
