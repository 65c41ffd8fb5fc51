//! What stands around every call, merged into one tower service.

mod body;
mod call;
mod deadline;
mod fault;
mod gather;
mod peek;
mod refusal;
mod tag;

pub use body::CallBody;
pub use call::{CallLayer, CallService, Gate, MAX_ABOUT_US};
pub use fault::Faults;
pub use gather::Bodies;
