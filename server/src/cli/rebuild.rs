//! `riposte rebuild`: recomputes derived state from the rows.

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use riposte_sdk::v1::{
    RebuildMemberHistoryRequest, RebuildMemberHistoryResponse, RebuildRanksRequest, RebuildRanksResponse,
};

use super::output::{count, note};
use super::sweep::{SubjectSweep, SweepProgress};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    data: DerivedData,
}

#[derive(Debug, Subcommand)]
enum DerivedData {
    /// Rebuild member histories, which ListMemberComments reads
    #[command(after_long_help = RULES)]
    History(SubjectSweep),
    /// Rebuild the rank index, which ranked lists and reply previews read
    #[command(after_long_help = RANKS)]
    Ranks(SubjectSweep),
}

const RULES: &str = "\
Member histories are kept up to date from events. A rebuild is needed if the outbox was lost or \
emptied, or if no worker ran for longer than a day. It reads every comment of the subjects and adds \
or corrects its history rows. It may run during writes, and more than once.

Examples:
  riposte rebuild history
  riposte rebuild history --object-type video
  riposte rebuild history --object-type video --object-id 42";

const RANKS: &str = "\
The rank index is kept up to date from events. A rebuild is needed for comments that are older than \
ranked lists, after a change of hot_profile of an object type, and if the outbox was lost or no worker \
ran for longer than a day. It may run during writes, and more than once.

Examples:
  riposte rebuild ranks
  riposte rebuild ranks --object-type video
  riposte rebuild ranks --object-type video --object-id 42";

impl Args {
    /// Runs the rebuild. Messages for people go to standard error.
    pub(super) async fn run(self) -> Result<ExitCode> {
        match self.data {
            DerivedData::History(subjects) => history(&subjects).await,
            DerivedData::Ranks(subjects) => ranks(&subjects).await,
        }
    }
}

async fn history(subjects: &SubjectSweep) -> Result<ExitCode> {
    let mut progress = SweepProgress::start(subjects);
    let request = RebuildMemberHistoryRequest {
        scope: subjects.scope(),
        resume_token: subjects.resume.clone(),
        ..RebuildMemberHistoryRequest::default()
    };
    let mut responses = subjects.client()?.rebuild_member_history(request).await?.into_inner();
    let mut last = RebuildMemberHistoryResponse::default();
    while let Some(response) = progress.next(&mut responses).await? {
        let done = u64::try_from(response.subjects_done)?;
        progress.advance(done, response.resume_token.clone(), format!("{} comments", response.comments_checked));
        last = response;
    }
    drop(progress);
    let RebuildMemberHistoryResponse { subjects_done, comments_checked, rows_changed, .. } = last;
    let checked = checked(subjects_done, comments_checked);
    note(&format!("{checked}: {} brought up to date", count(rows_changed.unsigned_abs(), "history row")));
    Ok(ExitCode::SUCCESS)
}

async fn ranks(subjects: &SubjectSweep) -> Result<ExitCode> {
    let mut progress = SweepProgress::start(subjects);
    let request = RebuildRanksRequest {
        scope: subjects.scope(),
        resume_token: subjects.resume.clone(),
        ..RebuildRanksRequest::default()
    };
    let mut responses = subjects.client()?.rebuild_ranks(request).await?.into_inner();
    let mut last = RebuildRanksResponse::default();
    while let Some(response) = progress.next(&mut responses).await? {
        let done = u64::try_from(response.subjects_done)?;
        progress.advance(done, response.resume_token.clone(), format!("{} comments", response.comments_checked));
        last = response;
    }
    drop(progress);
    let RebuildRanksResponse { subjects_done, comments_checked, comments_changed, .. } = last;
    let checked = checked(subjects_done, comments_checked);
    note(&format!("{checked}: ranks of {} brought up to date", count(comments_changed.unsigned_abs(), "comment")));
    Ok(ExitCode::SUCCESS)
}

fn checked(subjects: i64, comments: i64) -> String {
    format!("{}, {}", count(subjects.unsigned_abs(), "subject"), count(comments.unsigned_abs(), "comment"))
}
