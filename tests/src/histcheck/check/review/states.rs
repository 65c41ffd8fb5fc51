//! Every change of state is in the table of acts and was made by its actor: decisions by moderators
//! that requested them, deletions by authors. The rows and the responses have the state that the
//! changes lead to.

use super::super::Findings;
use super::life::CommentLife;
use super::lives::Lives;
use crate::histcheck::history::{ReviewResponse, SeenComment, state};

/// Finds changes that the table does not allow, and states that no change explains.
pub(super) fn check(lives: &Lives<'_>, findings: &mut Findings) {
    for life in lives.comments.values() {
        findings.cases(life.points.len());
        for (description, op) in &life.violations {
            findings.add(|| description.clone(), &[life.created, *op]);
        }
        check_rows(lives, findings, life);
    }
    for (number, _, response) in lives.responses() {
        if let ReviewResponse::Written { comment, .. } = response {
            check_response(lives, findings, number, comment);
        }
    }
}

/// Checks the rows of a comment at the end.
fn check_rows(lives: &Lives<'_>, findings: &mut Findings, life: &CommentLife) {
    let count = lives.decisions.range((life.id, i32::MIN)..=(life.id, i32::MAX)).count();
    let stored = lives.reviews.get(&life.id).map_or(0, |row| row.decisions);
    let last = lives.decisions.range((life.id, i32::MIN)..=(life.id, i32::MAX)).next_back();
    if last.map_or(0, |((_, number), _)| *number) != stored || i32::try_from(count) != Ok(stored) {
        findings.add(|| format!("{} has {count} rows of {stored} decisions", life.id), &[life.created]);
    }
    let (Some(row), Some(point)) = (lives.stored.comments.get(&life.id), life.points.last()) else {
        if !life.uncertain {
            findings.add(|| format!("{} has no row", life.id), &[life.created]);
        }
        return;
    };
    if !life.uncertain && row.state != point.state {
        let description =
            || format!("{} has state {} in its row, and its changes lead to {}", life.id, row.state, point.state);
        findings.add(description, &[life.created, point.op]);
    }
    let text = lives.stored.contents.get(&life.id).map_or(0, |content| content.text);
    if !life.uncertain && text != point.text {
        let description = || format!("{} has text {text} in its row, and was last given {}", life.id, point.text);
        findings.add(description, &[life.created, point.op]);
    }
}

/// Checks that the author of a write gets the comment in a state that it had since the request was
/// first sent, and whole unless it is hidden or deleted.
fn check_response(lives: &Lives<'_>, findings: &mut Findings, number: u32, comment: &SeenComment) {
    let op = lives.op(number);
    let Some(life) = lives.comments.get(&comment.id).filter(|life| !life.uncertain) else { return };
    let first = lives.requests.get(&op.request).map_or(op.begun, |request| lives.op(request.attempts[0]).begun);
    findings.cases(1);
    if life.points_within(first, op.ended).all(|point| point.state != comment.state) {
        findings.add(|| format!("{} is returned in state {}", comment.id, comment.state), &[life.created, number]);
    }
    let is_complete = !matches!(comment.state, state::HIDDEN | state::DELETED);
    if is_complete != (comment.text != 0) {
        findings.add(|| format!("{} is returned with text {}", comment.id, comment.text), &[life.created, number]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{AUTHOR, ReviewSample, sample_decision};
    use crate::histcheck::history::{ModeratorAct, ReviewCall, SeenComment, state};

    #[test]
    fn decisions_and_deletions_that_follow_each_other_are_valid() {
        let mut sample = ReviewSample::default();
        sample.finds_nothing();
        let deleted = SeenComment { id: 12, text: 0, state: state::DELETED };
        sample.write(5, ReviewCall::Delete { comment: 12, member: AUTHOR }, deleted, 4);
        sample.review(12, |row| (row.is_open, row.questions) = (0, 0)).finds_nothing();
    }

    #[test]
    fn a_change_that_the_table_does_not_have_is_found() {
        let mut sample = ReviewSample::default();
        sample.judge(5, 1, (12, "12.1"), sample_decision(12, 1, ModeratorAct::Unhide, state::HIDDEN, state::ACTIVE), 4);
        sample.finds("states", "12 is in state 2");
        let mut sample = ReviewSample::default();
        let deleted = SeenComment { id: 11, text: 0, state: state::DELETED };
        let delete = ReviewCall::Delete { comment: 11, member: AUTHOR };
        sample.write(5, delete.clone(), deleted, 4).write(6, delete, deleted, 5);
        sample.finds("states", "11 is in state 6");
    }

    #[test]
    fn a_state_without_its_decision_and_a_decision_without_its_state_are_found() {
        ReviewSample::default().lose_decision().finds("states", "11 has 0 rows of 1 decisions");
        ReviewSample::default().row(11, |row| row.state = state::HIDDEN).finds("states", "its changes lead to 1");
        ReviewSample::default().change(|history| drop(history.ops.pop())).finds("states", "without a request");
    }

    #[test]
    fn an_answer_in_a_state_that_the_comment_never_had_is_found() {
        let mut sample = ReviewSample::default();
        let hidden = SeenComment { id: 12, text: 0, state: state::HIDDEN };
        let edit = ReviewCall::Edit { comment: 12, member: AUTHOR, text: 12 };
        sample.write(5, edit, hidden, 4).finds("states", "12 is returned in state 4");
    }
}
