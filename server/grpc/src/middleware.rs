//! The tower service that wraps every call: measurement, authentication, admission, deadlines, the
//! response cache and error mapping, merged into one layer.

mod body;
mod buffer_body;
mod call;
mod deadline;
mod fault;
mod peek_body;
mod rejection;
mod request_id;
mod transport;

pub use body::CallBody;
pub use buffer_body::BodyBuffers;
pub use call::{CallLayer, CallService, MAX_HEALTH_REQUEST, ReadinessGate};
pub use fault::InjectedFaults;
