//! The rows of reviews and of decisions.

use riposte_core::act::CommentAct;
use riposte_core::decision::{Automation, Decision, Detection, Grounds};
use riposte_core::ids::DecisionId;
use riposte_core::request::{Fingerprint, RequestIdentity};
use riposte_core::review::{LeaseToken, Review, ReviewCauses, ReviewLease};
use riposte_core::{CommentState, MemberId, Millis, ObjectType, Result, SubjectId};
use sea_orm::ActiveValue::Set;

use super::rule_hits::{rule_hits, rule_hits_column};
use super::{bytes, id, request_key, string, unreadable};
use crate::shard::part;
use crate::sql::entity::{comment_decision, comment_review};
use crate::sql::row::state;

/// The tables, as errors name them.
const REVIEW: &str = "comment_review";
const DECISION: &str = "comment_decision";

/// Converts a row to its review. A review whose causes open no question belongs to a deleted
/// comment.
pub(crate) fn review(row: comment_review::Model) -> Result<Review> {
    let fault = |column: &str| unreadable(REVIEW, row.comment_id, column);
    let text = |stored: &[u8], column| string(stored.to_vec()).map_err(|_| fault(column));
    let causes = ReviewCauses::from_bits(row.causes).ok_or_else(|| fault("causes"))?;
    let lease = if row.holder.is_empty() {
        None
    } else {
        let token = row.lease_token.as_slice().try_into().map_err(|_| fault("lease_token"))?;
        let holder = MemberId::stored(text(&row.holder, "holder")?);
        Some(ReviewLease { token: LeaseToken(token), holder, until: Millis(row.lease_until) })
    };
    Ok(Review {
        comment_id: id(row.comment_id)?,
        subject_id: SubjectId::new(row.subject_id).ok_or_else(|| fault("subject_id"))?,
        object_type: ObjectType::stored(text(&row.object_type, "object_type")?),
        member: MemberId::stored(text(&row.member_id, "member_id")?),
        never_public: row.never_public != 0,
        text_unshown: row.text_unshown != 0,
        text_once_public: row.text_once_public != 0,
        imported: row.imported != 0,
        causes,
        is_closed: row.is_open == 0 && !causes.is_empty(),
        due_time: (row.due_time != 0).then_some(Millis(row.due_time)),
        lease,
        expired_leases: row.expired_leases,
        decisions: row.decisions,
        settled_version: row.settled_version,
        reports: row.reports,
        report_weight: row.report_weight,
        restriction: row.restriction.unwrap_or_default(),
        contested: row.contested,
        barred: MemberId::stored(text(&row.barred, "barred")?),
        proposal: row.proposal,
        edits: row.edits,
        unlisted_until: (row.unlisted_until != 0).then_some(Millis(row.unlisted_until)),
    })
}

/// Returns the row of a new review.
pub(crate) fn review_model(review: &Review) -> comment_review::ActiveModel {
    comment_review::ActiveModel {
        comment_id: Set(review.comment_id.get()),
        part: Set(part(review.comment_id.partition())),
        subject_id: Set(review.subject_id.get()),
        object_type: Set(bytes(review.object_type.as_str())),
        member_id: Set(bytes(review.member.as_str())),
        imported: Set(i8::from(review.imported)),
        drain_attempts: Set(0),
        ..review_changes(review)
    }
}

/// Returns the columns of a review that can change after its creation.
pub(crate) fn review_changes(review: &Review) -> comment_review::ActiveModel {
    let lease = review.lease.as_ref();
    comment_review::ActiveModel {
        never_public: Set(i8::from(review.never_public)),
        text_unshown: Set(i8::from(review.text_unshown)),
        text_once_public: Set(i8::from(review.text_once_public)),
        is_open: Set(i8::from(!review.open().is_empty())),
        open_bits: Set(review.open().bits()),
        causes: Set(review.causes.bits()),
        due_time: Set(review.due_time.map_or(0, |due| due.0)),
        lease_token: Set(lease.map_or_else(|| vec![0; 16], |lease| lease.token.0.to_vec())),
        lease_until: Set(lease.map_or(0, |lease| lease.until.0)),
        holder: Set(lease.map_or_else(Vec::new, |lease| bytes(lease.holder.as_str()))),
        expired_leases: Set(review.expired_leases),
        reports: Set(review.reports),
        report_weight: Set(review.report_weight),
        restriction: Set(Some(review.restriction)),
        contested: Set(review.contested),
        barred: Set(bytes(review.barred.as_str())),
        proposal: Set(review.proposal),
        edits: Set(review.edits),
        unlisted_until: Set(review.unlisted_until.map_or(0, |until| until.0)),
        decisions: Set(review.decisions),
        settled_version: Set(review.settled_version),
        ..comment_review::ActiveModel::default()
    }
}

/// Converts a row to its decision.
pub(crate) fn decision(row: comment_decision::Model) -> Result<Decision> {
    let fault = |column: &str| unreadable(DECISION, row.comment_id, column);
    let text = |stored: Vec<u8>, column| string(stored).map_err(|_| fault(column));
    let request = match row.request_key {
        Some(key) => Some(RequestIdentity { key: request_key(&key)?, fingerprint: Fingerprint(row.request_print) }),
        None => None,
    };
    Ok(Decision {
        id: DecisionId { comment: id(row.comment_id)?, number: row.number },
        object_type: ObjectType::stored(text(row.object_type, "object_type")?),
        member: MemberId::stored(text(row.member_id, "member_id")?),
        act: CommentAct::from_number(row.act, row.proposal != 0).ok_or_else(|| fault("act"))?,
        proposal: row.proposal,
        from: if row.from_state == 0 { None } else { Some(state(row.comment_id, row.from_state)?) },
        to: state(row.comment_id, row.to_state)?,
        from_version: row.from_version,
        to_version: row.to_version,
        revision: row.revision,
        actor: MemberId::stored(text(row.actor, "actor")?),
        grounds: Grounds {
            code: text(row.code, "code")?,
            explanation: row.explanation,
            legal_reference: text(row.legal_reference, "legal_reference")?,
            note: row.note,
            detection: Detection::from_code(row.detection).ok_or_else(|| fault("detection"))?,
            automation: Automation::from_code(row.automation).ok_or_else(|| fault("automation"))?,
            hits: row.hits.map_or(Ok(Vec::new()), |hits| rule_hits(&hits)).map_err(|_| fault("hits"))?,
        },
        request,
        contested: row.contested,
        appeal_text: row.appeal_text.unwrap_or_default(),
        time: Millis(row.time),
    })
}

/// Returns the row of a decision.
pub(crate) fn decision_model(decision: &Decision) -> comment_decision::ActiveModel {
    let Grounds { code, explanation, legal_reference, note, detection, automation, hits } = &decision.grounds;
    let request = decision.request;
    comment_decision::ActiveModel {
        comment_id: Set(decision.id.comment.get()),
        number: Set(decision.id.number),
        part: Set(part(decision.id.comment.partition())),
        object_type: Set(bytes(decision.object_type.as_str())),
        member_id: Set(bytes(decision.member.as_str())),
        act: Set(decision.act.number().unwrap_or_default()),
        proposal: Set(decision.proposal),
        from_state: Set(decision.from.map_or(0, CommentState::code)),
        to_state: Set(decision.to.code()),
        from_version: Set(decision.from_version),
        to_version: Set(decision.to_version),
        revision: Set(decision.revision),
        actor: Set(bytes(decision.actor.as_str())),
        code: Set(bytes(code)),
        explanation: Set(explanation.clone()),
        legal_reference: Set(bytes(legal_reference)),
        note: Set(note.clone()),
        detection: Set(detection.code()),
        automation: Set(automation.code()),
        hits: Set(rule_hits_column(hits)),
        operation: Set(Vec::new()),
        contested: Set(decision.contested),
        appeal_text: Set(Some(decision.appeal_text.clone()).filter(|text| !text.is_empty())),
        request_key: Set(request.map(|request| request.key.0.to_vec())),
        request_print: Set(request.map_or(0, |request| request.fingerprint.0)),
        key_id: Set(0),
        time: Set(decision.time.0),
    }
}
