//! The platform over the ports of one process, without write queues.

use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::comments::CommentPorts;
use riposte_core::ports::{Clock, CommandLog, Writer};
use riposte_core::{Command, CommandOutput, Comments, Result};

use crate::model::rules;
use crate::stores::backend::Process;

/// A command log that commits immediately.
#[derive(Debug)]
struct Direct(Arc<dyn Writer>);

#[async_trait]
impl CommandLog for Direct {
    async fn submit(&self, commands: Vec<Command>) -> Result<Vec<Result<CommandOutput>>> {
        self.0.commit(&commands).await
    }
}

/// Returns the platform of a process, with the given clock.
pub(super) fn platform(process: &Process, clock: Arc<dyn Clock>) -> Comments {
    let process = process.clone();
    let ports = CommentPorts {
        reader: process.reader,
        log: Arc::new(Direct(process.writer)),
        clock,
        ids: process.ids,
        histories: process.histories,
        boards: process.boards,
        rankings: process.rankings,
        repairer: process.repairer,
    };
    Comments::new(ports, rules().policies)
}
