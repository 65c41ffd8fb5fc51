//! `riposte verify`: compares every stored count with the rows it counts, and repairs it on
//! request.

use std::process::ExitCode;

use anyhow::Result;
use riposte_sdk::v1::{CountDrift, RepairCountsRequest, SubjectKey, VerifyCountsRequest};

use super::exit::ERROR;
use super::output::{count, note};
use super::sweep::{SubjectSweep, SweepProgress};

const RULES: &str = "\
Compares root_count, comment_count, reply_count, live_below, like_count, dislike_count, listed \
and next_floor of every comment and subject with the rows that they count, and the reviews of \
moderation (review_open, proposal, appeal, reports and report_weight) with comments, proposed \
edits, appeals and reports. It runs during writes, and writes a line for each difference. A \
difference is a bug: please report it.

--repair also corrects the differences, one subject at a time, and then compares again. Writes to \
a subject wait during its repair. A next_floor that is too high remains, because floors that a \
client may have seen are not assigned again. Exit code 1 means that counts still differ.

Examples:
  riposte verify
  riposte verify --object-type video
  riposte verify --object-type video --object-id 42 --repair";

/// The subjects to compare.
#[derive(Debug, clap::Args)]
#[command(after_long_help = RULES)]
pub(super) struct Args {
    #[command(flatten)]
    subjects: SubjectSweep,
    /// Correct counts that differ from the rows
    #[arg(long)]
    repair: bool,
}

#[derive(Debug, Default)]
struct VerifyTotals {
    subjects: u64,
    comments: i64,
    drifts: u64,
}

impl Args {
    /// Runs the comparison. A line for each difference goes to standard output, messages for people
    /// to standard error.
    pub(super) async fn run(self) -> Result<ExitCode> {
        if self.repair {
            let VerifyTotals { subjects, drifts, .. } = self.repair_counts().await?;
            note(&format!("{}: {} corrected", count(subjects, "subject"), count(drifts, "count")));
        }
        let VerifyTotals { subjects, comments, drifts } = self.compare().await?;
        let comments = count(u64::try_from(comments).unwrap_or(0), "comment");
        let drifts_text = match drifts {
            1 => "1 count differs from its rows".to_owned(),
            _ => format!("{drifts} counts differ from their rows"),
        };
        note(&format!("{}, {comments}: {drifts_text}", count(subjects, "subject")));
        Ok(if drifts > 0 { ExitCode::from(ERROR) } else { ExitCode::SUCCESS })
    }

    async fn compare(&self) -> Result<VerifyTotals> {
        let (mut progress, mut totals) = (SweepProgress::start(&self.subjects), VerifyTotals::default());
        let request = VerifyCountsRequest { scope: self.subjects.scope(), resume_token: self.subjects.resume.clone() };
        let mut responses = self.subjects.client()?.verify_counts(request).await?.into_inner();
        while let Some(response) = progress.next(&mut responses).await? {
            totals.comments += response.comments_checked;
            totals.add(&mut progress, response.subject, &response.drifts, response.resume_token)?;
        }
        Ok(totals)
    }

    async fn repair_counts(&self) -> Result<VerifyTotals> {
        let (mut progress, mut totals) = (SweepProgress::start(&self.subjects), VerifyTotals::default());
        let request = RepairCountsRequest {
            scope: self.subjects.scope(),
            resume_token: self.subjects.resume.clone(),
            ..RepairCountsRequest::default()
        };
        let mut responses = self.subjects.client()?.repair_counts(request).await?.into_inner();
        while let Some(response) = progress.next(&mut responses).await? {
            totals.add(&mut progress, response.subject, &response.repaired, response.resume_token)?;
        }
        Ok(totals)
    }
}

impl VerifyTotals {
    fn add(
        &mut self,
        progress: &mut SweepProgress,
        subject: Option<SubjectKey>,
        drifts: &[CountDrift],
        token: String,
    ) -> Result<()> {
        let key = subject.unwrap_or_default();
        for drift in drifts {
            progress.write_line(&line(&key, drift))?;
        }
        self.subjects += 1;
        self.drifts += drifts.len() as u64;
        progress.advance(self.subjects, token, count(self.drifts, "drift"));
        Ok(())
    }
}

fn line(key: &SubjectKey, drift: &CountDrift) -> String {
    let CountDrift { comment_id, name, stored, actual } = drift;
    let comment_label = if *comment_id == 0 { String::new() } else { format!(" comment {comment_id}") };
    format!("{}/{}{comment_label}: {name} is {stored}, the rows say {actual}", key.object_type, key.object_id)
}

#[cfg(test)]
mod tests {
    use super::{CountDrift, SubjectKey, line};

    #[test]
    fn a_drift_names_its_place_and_both_numbers() {
        let key = SubjectKey { object_type: "video".into(), object_id: "42".into() };
        let mut drift = CountDrift { comment_id: 7, name: "reply_count".into(), stored: 3, actual: 4 };
        assert_eq!(line(&key, &drift), "video/42 comment 7: reply_count is 3, the rows say 4");
        drift.comment_id = 0;
        assert_eq!(line(&key, &drift), "video/42: reply_count is 3, the rows say 4");
    }
}
