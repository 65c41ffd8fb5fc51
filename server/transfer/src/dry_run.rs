//! An import without a server: reads and orders everything, sends nothing.

use anyhow::Result;

use super::batch::SubjectBatch;
use super::counted::count;
use super::ordering::Orphans;
use super::read::PreparedImport;
use super::read_notes::ReadNotes;
use super::rejects::Rejects;
use super::totals::ImportTotals;

/// The findings of a dry run.
#[derive(Debug, Default)]
pub(crate) struct DryRunFindings {
    subjects: u64,
    comments: u64,
    pub(crate) orphans: u64,
    likes: u64,
    votes: u64,
    notes: ReadNotes,
}

/// Reads all files, counts in `totals` what was read and ordered, and adds what cannot be imported
/// to `rejects`.
///
/// # Errors
/// The first error in a file; the rejects file cannot be written.
pub(crate) fn read(
    prepared: &PreparedImport,
    orphans: Orphans,
    totals: &ImportTotals,
    rejects: &mut Rejects,
) -> Result<DryRunFindings> {
    let mut findings = DryRunFindings::default();
    let mut notes = ReadNotes::default();
    prepared.read(orphans, totals, &mut notes, &mut |batch| {
        findings.add(&batch);
        let records =
            [batch.comments.len(), batch.likes.len(), batch.rejects.len(), usize::from(batch.requires_subject)];
        totals.done.add(batch.repeated + u64::try_from(records.iter().sum::<usize>())?);
        totals.rejected.add(u64::try_from(batch.rejects.len())?);
        batch.rejects.into_iter().try_for_each(|reject| rejects.add(reject))
    })?;
    findings.notes = notes;
    Ok(findings)
}

impl DryRunFindings {
    fn add(&mut self, batch: &SubjectBatch) {
        self.subjects += u64::from(batch.requires_subject);
        for ordered in &batch.comments {
            self.comments += 1;
            self.orphans += u64::from(ordered.orphan);
            self.votes += ordered.comment.votes.total();
        }
        self.likes += u64::try_from(batch.likes.len()).unwrap_or(u64::MAX);
    }

    /// Returns the findings as lines for a person.
    pub(crate) fn text(&self) -> String {
        let Self { subjects, comments, orphans, likes, votes, notes } = self;
        let counts = format!(
            "nothing was sent: {}, {}, {}, {} known only as numbers\n\
             {} to a comment that its subject does not have in the files: it may be on the server",
            count(*subjects, "subject"),
            count(*comments, "comment"),
            count(*likes, "like"),
            count(*votes, "vote"),
            if *orphans == 1 { "1 reply".to_owned() } else { format!("{orphans} replies") },
        );
        [vec![counts], notes.lines()].concat().join("\n")
    }
}
