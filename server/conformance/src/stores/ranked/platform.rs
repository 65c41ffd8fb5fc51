//! The read use cases over the ports of one process.

use std::sync::Arc;

use riposte_core::Comments;
use riposte_core::ports::Clock;
use riposte_core::read::ReadPorts;

use crate::model::ranking_config;
use crate::stores::backend::Process;

/// Returns the read use cases of a process, with the given clock.
pub(super) fn platform(process: &Process, clock: Arc<dyn Clock>) -> Comments {
    let Process { reader, rankings, .. } = process.clone();
    Comments::new(ReadPorts { reader, rankings, clock }, ranking_config().policies)
}
