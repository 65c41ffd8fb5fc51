//! `riposte moderate off` and `on`: the switch of moderation, for the way back to a program of
//! before moderation.

use crate::cli::connect::AdminAddress;
use crate::cli::output::{self, count};
use riposte_sdk::v1::{PendingAction, SetModerationRequest, SetModerationResponse};
use std::process::ExitCode;

const MEANING: &str = "\
Turning moderation off: no comment is held from now on, and what would wait is refused, as are \
reports, appeals, and verdicts that only moderation knows. Where \
moderation is \"pre\", members cannot write until every process is of the version before moderation \
or `riposte moderate on` has run. Proposed edits that wait are refused now.";

const OFF: &str = "\
Prepares the way back to a version before moderation, which does not know the states PENDING and REJECTED. While \
moderation is off, no process makes such a state, and proposed edits that wait are refused. Comments that are \
PENDING stay unseen by all but their authors, unless --approve or --reject settles them.

The command repeats its pass until one finds nothing to settle. Only then stop the processes of this version. The \
caller needs the role operator and all object types.

Examples:
  riposte moderate off
  riposte moderate off --reject --moderator op-1
  riposte moderate on";

/// The order to turn moderation off.
#[derive(Debug, clap::Args)]
#[command(after_long_help = OFF)]
pub(super) struct OffArgs {
    /// Approve the comments that are PENDING
    #[arg(long)]
    approve: bool,
    /// Reject the comments that are PENDING
    #[arg(long, conflicts_with = "approve")]
    reject: bool,
    #[command(flatten)]
    moderator: super::Moderator,
    #[command(flatten)]
    target: AdminAddress,
}

/// The order to turn moderation on.
#[derive(Debug, clap::Args)]
pub(super) struct OnArgs {
    #[command(flatten)]
    moderator: super::Moderator,
    #[command(flatten)]
    target: AdminAddress,
}

impl OffArgs {
    /// Says what it means, sets the switch, and passes over all reviews until a pass finds nothing
    /// to settle.
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let Self { approve, reject, moderator, target } = self;
        output::note(MEANING);
        let pending = match (approve, reject) {
            (true, _) => PendingAction::Approve,
            (false, true) => PendingAction::Reject,
            (false, false) => PendingAction::Unspecified,
        };
        let request = SetModerationRequest {
            off: true,
            pending_action: pending.into(),
            moderator_id: moderator.moderator,
            ..SetModerationRequest::default()
        };
        let mut settled = 0;
        let last = loop {
            let last = pass(&target, request.clone()).await?;
            settled += last.settled_count;
            if last.settled_count == 0 {
                break last;
            }
        };
        let settled = match settled {
            1 => "1 comment or edit".to_owned(),
            _ => format!("{settled} comments or edits"),
        };
        output::line(&format!("moderation is off; settled: {settled}"))?;
        output::line(&unseen(&last))?;
        Ok(ExitCode::SUCCESS)
    }
}

impl OnArgs {
    /// Sets the switch and corrects what the version before moderation left.
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let Self { moderator, target } = self;
        let request = SetModerationRequest { moderator_id: moderator.moderator, ..SetModerationRequest::default() };
        let last = pass(&target, request).await?;
        output::line(&format!("moderation is on; corrected: {}", count(last.repaired_count.unsigned_abs(), "count")))?;
        output::line(&unseen(&last))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Runs one pass and returns its sums.
async fn pass(target: &AdminAddress, request: SetModerationRequest) -> anyhow::Result<SetModerationResponse> {
    let responses = target.client()?.set_moderation(request).await.map_err(riposte_sdk::Error::from)?;
    let (mut responses, mut last) = (responses.into_inner(), SetModerationResponse::default());
    while let Some(response) = responses.message().await.map_err(riposte_sdk::Error::from)? {
        last = response;
    }
    Ok(last)
}

/// Returns the sentence about the comments that only their authors see.
fn unseen(last: &SetModerationResponse) -> String {
    let (pending, rejected) = (last.pending_count, last.rejected_count);
    format!("only their authors see: {pending} PENDING, {rejected} REJECTED")
}
