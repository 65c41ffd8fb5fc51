//! Reads the rows of all databases into the history by SQL, without the service.

use anyhow::{Context, Result};

use super::line::Line;
use crate::histcheck::history::{
    APPEAL, CommentRow, ContentRow, DecisionRow, LikeRow, ProposalRow, Recorder, ReportRow, ReviewRow, Rows,
    SubjectRow, Table,
};
use crate::histcheck::names;
use crate::mysql;
use crate::mysql::Databases;
use riposte_sdk::v1::SubjectKey;

const SUBJECTS: &str = "id, part, object_type, object_id, next_floor, root_count, comment_count, revision";
const COMMENTS: &str = "id, part, subject_id, root_id, parent_id, floor, next_floor, member_id, state, listed, \
                        like_count, dislike_count, reply_count, revision";
const CONTENTS: &str = "comment_id, part, text";
const LIKES: &str = "subject_id, comment_id, part, member_id, value";
const REVIEWS: &str = "comment_id, never_public, is_open, open_bits, decisions, proposal, due_time";
const DECISIONS: &str = "comment_id, number, act, proposal, from_state, to_state, revision, actor, contested";
const PROPOSALS: &str = "comment_id, number, text, state";
const REPORTS: &str = "comment_id, member_id, COALESCE(decisions, 0), COALESCE(settled, 0)";
/// The withheld texts that are proposed edits.
const ARE_PROPOSALS: &str = " WHERE kind = 1";

/// Records every table of subjects, comments, contents, likes, reviews, decisions, proposals and
/// reports.
///
/// # Errors
/// Fails when a database does not respond, or has an unreadable row.
pub(super) async fn read(databases: &Databases, recorder: &Recorder) -> Result<()> {
    for (source, server) in (0..).zip(&databases.servers) {
        for name in mysql::query(server, &databases.name, "SHOW TABLES").await?.lines() {
            if let Some(table) = table(server, databases, source, name).await.with_context(|| name.to_owned())? {
                recorder.table(table)?;
            }
        }
    }
    Ok(())
}

/// Reads one table; `None` for a table of another kind.
async fn table(server: &str, databases: &Databases, source: u8, name: &str) -> Result<Option<Table>> {
    // A table that is the only one of its kind has no number.
    let (kind, number) = match name.rsplit_once('_').map(|(kind, number)| (kind, number.parse::<u16>())) {
        Some((kind, Ok(number))) => (kind, number),
        Some((_, Err(_))) | None => (name, 0),
    };
    let columns = match kind {
        "comment_subject" => SUBJECTS,
        "comment_index" => COMMENTS,
        "comment_content" => CONTENTS,
        "comment_like" => LIKES,
        "comment_review" => REVIEWS,
        "comment_decision" => DECISIONS,
        "comment_withheld" => PROPOSALS,
        "comment_report" => REPORTS,
        _ => return Ok(None),
    };
    let which = if columns == PROPOSALS { ARE_PROPOSALS } else { "" };
    let output = mysql::query(server, &databases.name, &format!("SELECT {columns} FROM {name}{which}")).await?;
    let lines = || output.lines().map(Line::of);
    let rows = match columns {
        SUBJECTS => Rows::Subjects(lines().map(Line::subject).collect::<Result<_>>()?),
        COMMENTS => Rows::Comments(lines().map(Line::comment).collect::<Result<_>>()?),
        CONTENTS => Rows::Contents(lines().map(Line::content).collect::<Result<_>>()?),
        REVIEWS => Rows::Reviews(lines().map(Line::review).collect::<Result<_>>()?),
        DECISIONS => Rows::Decisions(lines().map(Line::decision).collect::<Result<_>>()?),
        PROPOSALS => Rows::Proposals(lines().map(Line::proposal).collect::<Result<_>>()?),
        REPORTS => Rows::Reports(lines().map(Line::report).collect::<Result<_>>()?),
        _ => Rows::Likes(lines().map(Line::like).collect::<Result<_>>()?),
    };
    Ok(Some(Table { source, number, rows }))
}

impl Line<'_> {
    fn subject(mut self) -> Result<SubjectRow> {
        let (id, part) = (self.number()?, self.number()?);
        let key = SubjectKey { object_type: self.text()?.to_owned(), object_id: self.text()?.to_owned() };
        Ok(SubjectRow {
            id,
            part,
            subject: names::subject(Some(&key)),
            next_floor: self.number()?,
            roots: self.number()?,
            comments: self.number()?,
            revision: self.number()?,
        })
    }

    fn comment(mut self) -> Result<CommentRow> {
        Ok(CommentRow {
            id: self.number()?,
            part: self.number()?,
            subject_id: self.number()?,
            root: self.number()?,
            parent: self.number()?,
            floor: self.number()?,
            next_floor: self.number()?,
            member: names::member(self.text()?),
            state: self.number()?,
            listed: self.number()?,
            likes: self.number()?,
            dislikes: self.number()?,
            replies: self.number()?,
            revision: self.number()?,
        })
    }

    fn content(mut self) -> Result<ContentRow> {
        let (comment, part) = (self.number()?, self.number()?);
        let (text_subject, text) = names::text_number(self.text()?);
        Ok(ContentRow { comment, part, text_subject, text })
    }

    fn like(mut self) -> Result<LikeRow> {
        Ok(LikeRow {
            subject_id: self.number()?,
            comment: self.number()?,
            part: self.number()?,
            member: names::member(self.text()?),
            value: self.number()?,
        })
    }

    fn review(mut self) -> Result<ReviewRow> {
        Ok(ReviewRow {
            comment: self.number()?,
            never_public: self.number()?,
            is_open: self.number()?,
            questions: self.number()?,
            decisions: self.number()?,
            proposal: self.number()?,
            due: self.number()?,
        })
    }

    fn decision(mut self) -> Result<DecisionRow> {
        let (comment, number, act) = (self.number()?, self.number()?, self.number()?);
        let (proposal, from, to, revision) = (self.number()?, self.number()?, self.number()?, self.number()?);
        let actor = if act == APPEAL { names::member(self.text()?) } else { names::moderator(self.text()?) };
        Ok(DecisionRow { comment, number, act, proposal, from, to, revision, actor, contested: self.number()? })
    }

    fn proposal(mut self) -> Result<ProposalRow> {
        let (comment, number) = (self.number()?, self.number()?);
        let (_, text) = names::text_number(self.text()?);
        Ok(ProposalRow { comment, number, text, state: self.number()? })
    }

    fn report(mut self) -> Result<ReportRow> {
        let (comment, reporter) = (self.number()?, names::reporter(self.text()?));
        Ok(ReportRow { comment, reporter, decisions: self.number()?, settled: self.number()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_parsed_and_incomplete_ones_are_refused() {
        let line = |text: &'static str| Line::of(text);
        let subject = line("7\t3\tdeep\tobject-2\t5\t4\t9\t12").subject().unwrap();
        let ids = (subject.id, subject.part, subject.subject, subject.next_floor);
        assert_eq!((ids, subject.roots, subject.comments, subject.revision), ((7, 3, 7, 5), 4, 9, 12));
        let comment = line("8\t3\t7\t1\t2\t4\t1\tm6\t6\t0\t2\t1\t0\t15").comment().unwrap();
        assert_eq!((comment.subject_id, comment.root, comment.parent, comment.floor), (7, 1, 2, 4));
        assert_eq!((comment.member, comment.state, comment.likes, comment.revision), (6, CommentRow::DELETED, 2, 15));
        let content = line("8\t3\ts7 t99").content().unwrap();
        assert_eq!((content.comment, content.text_subject, content.text), (8, 7, 99));
        assert_eq!(line("7\t8\t3\tm6\t-1").like().unwrap().value, -1);
        let review = line("8\t1\t1\t1\t3\t4\t99").review().unwrap();
        assert_eq!((review.comment, review.never_public, review.decisions), (8, 1, 3));
        assert_eq!((review.proposal, review.due), (4, 99));
        let decision = line("8\t3\t1\t0\t2\t1\t77\triposte-secret-5\t2").decision().unwrap();
        let states = (decision.from, decision.to);
        assert_eq!((decision.number, states, decision.actor, decision.contested), (3, (2, 1), 5, 2));
        assert_eq!(line("8\t4\t8\t0\t3\t3\t0\tm6\t3").decision().unwrap().actor, 6, "the author");
        let proposal = line("8\t2\ts7 t99\t4").proposal().unwrap();
        assert_eq!((proposal.comment, proposal.number, proposal.text, proposal.state), (8, 2, 99, 4));
        let report = line("8\triposte-secret-r8-2\t3\t1").report().unwrap();
        assert_eq!((report.comment, report.reporter, report.decisions, report.settled), (8, 2, 3, 1));
        assert!(line("8\t3").content().is_err() && line("8\tx\ts7 t9").content().is_err());
    }
}
