//! A sweep over subjects through the admin port: its scope, its progress, and its continuation.

use std::io::IsTerminal;
use std::time::Duration;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use riposte_sdk::Connection;
use riposte_sdk::v1::admin_service_client::AdminServiceClient;
use riposte_sdk::v1::subject_scope::Scope;
use riposte_sdk::v1::{AllSubjects, SubjectKey, SubjectScope};
use tonic::Streaming;

use super::connect::AdminAddress;
use super::exit::{Failure, INTERRUPTED};
use super::output;

const TICK_INTERVAL: Duration = Duration::from_millis(100);
const TEMPLATE: &str = "{spinner} {human_pos} subjects, {msg} ({elapsed})";

/// The subjects of a sweep, and the address of the server.
#[derive(Debug, clap::Args)]
pub(super) struct SubjectSweep {
    /// Only subjects of this object type
    #[arg(long, value_name = "TYPE")]
    object_type: Option<String>,
    /// Only this subject of that type
    #[arg(long, value_name = "ID", requires = "object_type")]
    object_id: Option<String>,
    /// Continue an earlier run: the token that it printed
    #[arg(long, value_name = "TOKEN", conflicts_with = "object_id", default_value = "", hide_default_value = true)]
    pub(super) resume: String,
    #[command(flatten)]
    target: AdminAddress,
}

impl SubjectSweep {
    pub(super) fn client(&self) -> Result<AdminServiceClient<Connection>> {
        Ok(self.target.client()?)
    }

    pub(super) fn scope(&self) -> Option<SubjectScope> {
        let scope = match (self.object_type.clone(), self.object_id.clone()) {
            (Some(object_type), Some(object_id)) => Scope::Key(SubjectKey { object_type, object_id }),
            (Some(object_type), None) => Scope::ObjectType(object_type),
            (None, _) => Scope::All(AllSubjects {}),
        };
        Some(SubjectScope { scope: Some(scope) })
    }
}

/// The progress of a sweep: shown on a terminal, and included in the error if the sweep stops
/// early.
#[derive(Debug)]
pub(super) struct SweepProgress {
    bar: ProgressBar,
    token: String,
}

impl SweepProgress {
    /// Starts a sweep.
    pub(super) fn start(subjects: &SubjectSweep) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let target = if terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(TICK_INTERVAL);
        Self { bar, token: subjects.resume.clone() }
    }

    /// Returns the next response; `None` at the end.
    ///
    /// # Errors
    /// Errors of the server, and Ctrl-C. Each error says how to continue.
    pub(super) async fn next<T>(&self, responses: &mut Streaming<T>) -> Result<Option<T>> {
        let next = tokio::select! {
            next = responses.message() => next.map_err(anyhow::Error::from),
            _ = tokio::signal::ctrl_c() => Err(Failure::new(INTERRUPTED, "interrupted").into()),
        };
        next.with_context(|| match self.token.as_str() {
            "" => "the sweep is not complete".to_owned(),
            token => format!("the sweep is not complete; to continue, add to the same command\n  --resume {token}\n"),
        })
    }

    /// Records that `subjects` subjects are done and that a later sweep may continue with this
    /// token.
    pub(super) fn advance(&mut self, subjects: u64, token: String, message: String) {
        self.bar.set_position(subjects);
        self.bar.set_message(message);
        self.token = token;
    }

    /// Writes a line of output without disturbing the progress bar.
    ///
    /// # Errors
    /// Those of standard output.
    pub(super) fn write_line(&self, line: &str) -> std::io::Result<()> {
        self.bar.suspend(|| output::line(line))
    }
}

impl Drop for SweepProgress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
