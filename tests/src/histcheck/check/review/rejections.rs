//! A call about a comment that waits is refused only for a state that the comment had during the
//! call, and only the author learns that it waits.

use super::super::{Findings, refused_calls};
use super::appeals;
use super::life::{CommentLife, Point, reaches};
use super::lives::Lives;
use super::review_call;
use crate::histcheck::history::{
    JudgedTarget, ModeratedItem, ModeratorAct, Op, Outcome, PublicRead, ReviewCall, ReviewResponse, state,
};
use std::collections::{BTreeMap, BTreeSet};

/// Number of edits from which on an author may have to wait for a verdict.
const EDITS: usize = 3;

/// Finds rejections without a reason, and those with a state that the caller may not know.
pub(super) fn check(lives: &Lives<'_>, findings: &mut Findings) {
    for number in &lives.numbers {
        let op = lives.op(*number);
        let Some(call) = review_call(op) else { continue };
        if let Outcome::Refused(reason) = &op.outcome
            && !refused_calls::is_transient(reason)
        {
            findings.cases(1);
            if let Some((violation, created)) = violation(lives, op, call, reason) {
                findings.add(|| format!("refused for {reason}: {violation}"), &[created.unwrap_or(*number), *number]);
            }
        }
        if let Outcome::Unknown(reason) = &op.outcome
            && refused_calls::is_internal(reason)
        {
            findings.add(|| format!("failed with {reason}, an error of the service itself"), &[*number]);
        }
    }
    check_judgements(lives, findings);
}

/// Returns the violation of a refusal, if there is one, and the operation that created the comment.
fn violation(lives: &Lives<'_>, op: &Op, call: &ReviewCall, reason: &str) -> Option<(String, Option<u32>)> {
    let (reason, shown) = reason.split_once(' ').unwrap_or((reason, ""));
    let (id, member) = match call {
        ReviewCall::Create { parent: 0, .. } => return Some(("nothing refuses a root".to_owned(), None)),
        ReviewCall::Create { parent: id, member, .. }
        | ReviewCall::Like { comment: id, member }
        | ReviewCall::Edit { comment: id, member, .. }
        | ReviewCall::Delete { comment: id, member }
        | ReviewCall::Undelete { comment: id, member } => (*id, Some(*member)),
        ReviewCall::Report { comment: id, .. } => (*id, None),
        ReviewCall::Public { read, viewer, .. } => match read {
            PublicRead::Replies(id)
            | PublicRead::Get(id)
            | PublicRead::Thread(id)
            | PublicRead::Conversation(id)
            | PublicRead::History(id) => (*id, *viewer),
            PublicRead::List if reason == "SUBJECT_NOT_FOUND" => return None,
            PublicRead::List | PublicRead::Batch(_) | PublicRead::OfMember(_) | PublicRead::Unlisted => {
                return Some(("nothing refuses this read".to_owned(), None));
            }
        },
        ReviewCall::Appeal { comment, number, member } => {
            return appeals::violation_of_rejection(lives, op, (*comment, *number, *member), reason);
        }
        ReviewCall::Claim { .. }
        | ReviewCall::Release { .. }
        | ReviewCall::Judge { .. }
        | ReviewCall::Statements { .. }
        | ReviewCall::OwnReports { .. }
        | ReviewCall::Queue { .. }
        | ReviewCall::Moderated { .. }
        | ReviewCall::Decisions { .. } => return Some(("no state refuses this call".to_owned(), None)),
    };
    let life = lives.comments.get(&id)?;
    let is_author = member == Some(life.author);
    if !is_author && matches!(shown, "PENDING" | "REJECTED") {
        return Some((format!("the state is shown to {member:?}"), Some(life.created)));
    }
    if life.uncertain {
        return None;
    }
    let is_read = matches!(call, ReviewCall::Public { .. });
    let since = if is_read { op.begun.saturating_sub(super::super::MAX_AGE) } else { op.begun };
    let points: Vec<&Point> = life.points_within(since, op.ended).collect();
    let is_explained = match call {
        ReviewCall::Edit { .. } => explains_edit((lives, life), &points, reason, op),
        ReviewCall::Delete { .. } => reason == "COMMENT_NOT_FOUND" && points.iter().any(|p| p.state == state::DELETED),
        ReviewCall::Undelete { .. } => match reason {
            "COMMENT_ALREADY_EXISTS" => points.iter().any(|point| point.state != state::DELETED),
            "MEMBER_NOT_ALLOWED" => points.iter().any(|point| point.deleted_by_moderator),
            _other => false,
        },
        ReviewCall::Create { .. } | ReviewCall::Like { .. } => {
            explains_reply(life, &points, (reason, call), is_author, op)
        }
        ReviewCall::Report { .. }
        | ReviewCall::Public { .. }
        | ReviewCall::Claim { .. }
        | ReviewCall::Release { .. }
        | ReviewCall::Judge { .. }
        | ReviewCall::Appeal { .. }
        | ReviewCall::Statements { .. }
        | ReviewCall::OwnReports { .. }
        | ReviewCall::Queue { .. }
        | ReviewCall::Moderated { .. }
        | ReviewCall::Decisions { .. } => {
            reason == "COMMENT_NOT_FOUND" && points.iter().any(|point| point.state != state::ACTIVE)
        }
    };
    (!is_explained).then(|| (format!("{id} was in these states: {points:?}"), Some(life.created)))
}

fn explains_edit((lives, life): (&Lives<'_>, &CommentLife), points: &[&Point], reason: &str, op: &Op) -> bool {
    match reason {
        "COMMENT_NOT_FOUND" => points.iter().any(|point| point.state == state::DELETED),
        "STATE_CONFLICT" => {
            points.iter().any(|point| point.state == state::HIDDEN)
                || life.unjudged_edits(op.begun, op.ended) >= EDITS
                || lives.may_be_appealed(life.id, op)
        }
        _other => false,
    }
}

/// Returns true if the states of a comment explain that a reply to it or a like of it is refused. A
/// comment that was never public does not exist for others.
fn explains_reply(
    life: &CommentLife,
    points: &[&Point],
    (reason, call): (&str, &ReviewCall),
    is_author: bool,
    op: &Op,
) -> bool {
    let is_unseen = points.iter().any(|point| point.state != state::ACTIVE);
    let unavailable =
        if matches!(call, ReviewCall::Like { .. }) { "COMMENT_UNAVAILABLE" } else { "PARENT_UNAVAILABLE" };
    let was_public = life.points.iter().any(|point| point.state == state::ACTIVE && point.begun < op.ended);
    let certainly_public = life.points.iter().any(|point| point.state == state::ACTIVE && point.known < op.begun);
    match reason {
        "COMMENT_NOT_FOUND" => is_unseen && !is_author && !certainly_public,
        _ if reason == unavailable => is_unseen && (is_author || was_public),
        _other => false,
    }
}

/// Checks the errors of single targets of verdicts.
fn check_judgements(lives: &Lives<'_>, findings: &mut Findings) {
    let mut read: BTreeMap<(i64, &str), &ModeratedItem> = BTreeMap::new();
    let mut proposals: BTreeSet<(i64, &str)> = BTreeSet::new();
    let mut claimed: BTreeMap<i64, Vec<(u32, u64)>> = BTreeMap::new();
    for (number, call, response) in lives.responses() {
        for item in response.moderated() {
            read.insert((item.id, &item.etag), item);
            proposals.insert((item.id, &item.proposal_etag));
            if let ReviewCall::Claim { moderator, .. } = call {
                claimed.entry(item.id).or_default().push((*moderator, lives.op(number).begun));
            }
        }
    }
    // Claims without an response may have leased any comment.
    let unknown: Vec<(u32, u64)> = lives
        .numbers
        .iter()
        .map(|number| lives.op(*number))
        .filter_map(|op| {
            let (Some(ReviewCall::Claim { moderator, .. }), Outcome::Unknown(_)) = (review_call(op), &op.outcome)
            else {
                return None;
            };
            Some((*moderator, op.begun))
        })
        .collect();
    for (number, call, response) in lives.responses() {
        let (ReviewCall::Judge { moderator, act, targets, .. }, ReviewResponse::Judged(outcomes)) = (call, response)
        else {
            continue;
        };
        let op = lives.op(number);
        for ((id, etag), outcome) in targets.iter().zip(outcomes).filter(|(_, outcome)| outcome.decision.is_none()) {
            findings.cases(1);
            let by_other = |(holder, begun): &(u32, u64)| holder != moderator && *begun < op.ended;
            let is_leased =
                claimed.get(id).is_some_and(|claims| claims.iter().any(by_other)) || unknown.iter().any(by_other);
            let item = read.get(&(*id, &**etag)).copied();
            let Some(life) = lives.comments.get(id).filter(|life| !life.uncertain) else { continue };
            let is_explained = if proposals.contains(&(*id, &**etag)) {
                explains_error_of_proposal(life, op, outcome, is_leased)
            } else if let Some(contested) = item.and_then(|item| lives.contested_by(*id, item.decisions))
                && contested.actor == *moderator
            {
                // Another moderator has to judge the appeal. A comment that was deleted meanwhile
                // makes another error.
                outcome.reason == "STATE_CONFLICT".into() || explains_error(life, (op, *act), outcome, item, is_leased)
            } else {
                explains_error(life, (op, *act), outcome, item, is_leased)
            };
            if !is_explained {
                let description = || format!("{act:?} of {id}, read as {item:?}, is refused for {}", outcome.reason);
                findings.add(description, &[life.created, number]);
            }
        }
    }
}

/// Returns true if a verdict on a proposed edit may be refused so. An edit that waits is one of a
/// comment in sight, or of a deleted one.
fn explains_error_of_proposal(life: &CommentLife, op: &Op, outcome: &JudgedTarget, is_leased: bool) -> bool {
    match &*outcome.reason {
        "ETAG_MISMATCH" => true,
        "REVIEW_LEASE_LOST" => is_leased,
        "COMMENT_NOT_FOUND" => life.points_within(op.begun, op.ended).any(|point| point.state == state::DELETED),
        reason => refused_calls::is_transient(reason) || reason == "DEADLINE_EXCEEDED",
    }
}

fn explains_error(
    life: &CommentLife,
    (op, act): (&Op, ModeratorAct),
    outcome: &JudgedTarget,
    item: Option<&ModeratedItem>,
    is_leased: bool,
) -> bool {
    let mut points = life.points_within(op.begun, op.ended);
    match &*outcome.reason {
        "ETAG_MISMATCH" => true,
        "REVIEW_LEASE_LOST" => {
            is_leased && !matches!(act, ModeratorAct::Hide | ModeratorAct::Unhide | ModeratorAct::Delete)
        }
        "STATE_CONFLICT" => item.is_none_or(|item| {
            // A verdict on a deleted comment is one on the state to which it returns.
            let from = if item.state == state::DELETED { None } else { Some(item.state) };
            from.map_or_else(
                || points.any(|point| reaches(act, point.before_deletion).is_none()),
                |from| reaches(act, from).is_none(),
            )
        }),
        "COMMENT_NOT_FOUND" => points.any(|point| {
            let judges_deleted = matches!(
                act,
                ModeratorAct::Reject | ModeratorAct::Hide | ModeratorAct::Withhold | ModeratorAct::Delete
            );
            point.state == state::DELETED && (point.deleted_by_moderator || !judges_deleted)
        }),
        reason => refused_calls::is_transient(reason) || reason == "DEADLINE_EXCEEDED",
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{AUTHOR, ReviewSample};
    use crate::histcheck::history::{ModeratorAct, Outcome, PublicRead, ReviewCall, SeenComment, state};

    fn refused(call: ReviewCall, reason: &str) -> ReviewSample {
        let mut sample = ReviewSample::default();
        sample.op(6, call, Outcome::Refused(reason.into()));
        sample
    }

    #[test]
    fn what_was_never_public_does_not_exist_for_others() {
        let reply = |member| ReviewCall::Create { parent: 12, member, text: 70 };
        refused(reply(9), "COMMENT_NOT_FOUND").finds_nothing();
        refused(reply(9), "PARENT_UNAVAILABLE HIDDEN").finds("rejections", "12 was in these states");
        refused(reply(AUTHOR), "PARENT_UNAVAILABLE PENDING").finds_nothing();
        refused(reply(AUTHOR), "COMMENT_NOT_FOUND").finds("rejections", "12 was in these states");
        let like = |member| ReviewCall::Like { comment: 12, member };
        refused(like(9), "COMMENT_UNAVAILABLE PENDING").finds("rejections", "the state is shown to Some(9)");
        refused(like(AUTHOR), "COMMENT_UNAVAILABLE PENDING").finds_nothing();
        refused(like(AUTHOR), "OVERLOADED").finds_nothing();
    }

    #[test]
    fn calls_about_a_comment_in_sight_are_not_refused() {
        let read = |id| ReviewCall::Public { read: PublicRead::Get(id), viewer: None, fresh: true };
        refused(read(12), "COMMENT_NOT_FOUND").finds_nothing();
        let mut late = refused(read(11), "COMMENT_NOT_FOUND");
        late.change_last(|op| (op.begun, op.ended) = (40_000_000_000, 41_000_000_000));
        late.finds("rejections", "11 was in these states");
        refused(ReviewCall::Undelete { comment: 11, member: AUTHOR }, "COMMENT_ALREADY_EXISTS").finds_nothing();
        refused(ReviewCall::Delete { comment: 11, member: AUTHOR }, "COMMENT_NOT_FOUND").finds("rejections", "11 was");
        refused(ReviewCall::Edit { comment: 11, member: AUTHOR, text: 7 }, "STATE_CONFLICT")
            .finds("rejections", "11 was");
        refused(ReviewCall::Create { parent: 0, member: 1, text: 7 }, "STATE_CONFLICT").finds("rejections", "a root");
        refused(ReviewCall::Queue { leased: true }, "COMMENT_NOT_FOUND").finds("rejections", "no state refuses");
        let mut failed = ReviewSample::default();
        failed.op(6, ReviewCall::Queue { leased: true }, Outcome::Unknown("INTERNAL".into()));
        failed.finds("rejections", "an error of the service itself");
    }

    #[test]
    fn a_deleted_comment_can_still_be_judged() {
        let judged = |act, reason: &str| {
            let mut sample = ReviewSample::default();
            let deleted = SeenComment { id: 12, text: 0, state: state::DELETED };
            sample.write(5, ReviewCall::Delete { comment: 12, member: AUTHOR }, deleted, 4);
            sample.review(12, |row| (row.is_open, row.questions) = (0, 0));
            sample.read(6, 12, "12.2", state::DELETED, 0).refused(7, act, (12, "12.2"), reason);
            sample
        };
        judged(ModeratorAct::Approve, "COMMENT_NOT_FOUND").finds_nothing();
        judged(ModeratorAct::Reject, "COMMENT_NOT_FOUND").finds("rejections", "Reject of 12");
        judged(ModeratorAct::Reject, "REVIEW_LEASE_LOST").finds("rejections", "REVIEW_LEASE_LOST");
        judged(ModeratorAct::Unhide, "STATE_CONFLICT").finds_nothing();
    }
}
