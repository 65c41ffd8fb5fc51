//! What stands around every call, merged into one tower service.

mod call;
mod deadline;
mod refusal;
mod tag;

pub use call::{CallLayer, CallService, Gate};
