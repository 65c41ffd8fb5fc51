use std::time::Duration;

use riposte_core::error::{AppealObstacle, ConflictCause, StatusKind};
use riposte_core::{CommentState, Error, Millis, Reason, Violation};
use riposte_sdk::v1::ErrorReason;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use super::{NOT_EXECUTED, PUSHBACK, REQUEST_ID, code, reported, status};
use crate::rpc_error::{ErrorMetadata, RpcError};

/// Returns one error for every reason that an error can have.
fn errors() -> Vec<Error> {
    let after = Duration::from_millis(1500);
    let like = Violation { reason: Reason::LikeInvalid, ..Violation::field("value", "must be set") };
    let long = Violation { reason: Reason::ContentTooLong, ..Violation::field("content.text", "is too long") };
    vec![
        Error::SubjectNotFound,
        Error::CommentNotFound,
        Error::SubjectAlreadyExists,
        Error::CommentAlreadyExists,
        Error::SubjectReadOnly,
        Error::SubjectHidden,
        Error::ParentUnavailable(CommentState::Deleted),
        Error::CommentUnavailable(CommentState::Hidden),
        Error::ReplyForbidden,
        Error::StateConflict(CommentState::Pending),
        Error::EditWindowClosed { until: Millis(1_772_366_400_000) },
        Error::PinLimitReached,
        Error::ObjectTypeUnknown("vidoe".to_owned()),
        Error::Invalid(vec![like]),
        Error::invalid("member_id", "must be set"),
        Error::Invalid(vec![long]),
        Error::ContentBlocked { rule: "spam.link".to_owned() },
        Error::WordListInvalid { line: 7, reason: "has an empty word".to_owned() },
        Error::PolicyUnavailable("filter"),
        Error::MessageTooLarge { limit: 65_536 },
        Error::PageTokenInvalid,
        Error::PageTokenMismatch,
        Error::PageTokenExpired,
        Error::RequestIdReused,
        Error::CallerUnknown,
        Error::CallerNotAllowed,
        Error::LevelTooLow { level: Some(1), needed: 3 },
        Error::MemberNotAllowed,
        Error::RateLimited { after },
        Error::Overloaded { after },
        Error::EtagMismatch { current: "1.2".to_owned() },
        Error::ReviewLeaseLost,
        Error::DecisionNotFound,
        Error::AppealNotAllowed(AppealObstacle::WindowOver),
        Error::RevisionNotReached { current: 41 },
        Error::ShardUnavailable,
        Error::NotImplemented("RebuildCache".into()),
        Error::DeadlineExceeded,
        Error::internal("Access denied for user 'riposte'@'10.0.0.1'"),
        Error::WatchTooSlow,
        Error::ServerStopping,
    ]
}

/// Returns every metadata entry that a request can provide.
fn request_metadata() -> ErrorMetadata {
    let names =
        ["object_type", "object_id", "comment_id", "request_id", "min_revision", "limit", "actual", "external_id"];
    names.into_iter().fold(ErrorMetadata::default(), |metadata, name| metadata.with(name, name))
}

fn changed_review() -> Error {
    let comment = riposte_core::CommentId::new(42).expect("positive");
    let decision = Some(riposte_core::ids::DecisionId { comment, number: 3 });
    Error::ReviewChanged { current: "1.2.3".to_owned(), decision }
}

fn status_of(error: Error) -> Status {
    status(RpcError::about(error, request_metadata()), "tag-1")
}

#[test]
fn every_reason_is_in_the_contract_and_has_a_canonical_code() {
    for reason in Reason::ALL {
        let name = format!("ERROR_REASON_{}", reason.as_str());
        assert!(ErrorReason::from_str_name(&name).is_some(), "{name} is not in error_reason.proto");
        assert!(!matches!(code(reason.kind()), Code::Ok | Code::Unknown | Code::Cancelled | Code::DataLoss));
    }
    // Some numbers are still free.
    let known = (1..=100).filter(|number| ErrorReason::try_from(*number).is_ok()).count();
    assert_eq!(known, Reason::ALL.len(), "the domain lacks a reason of the contract");
}

#[test]
fn every_error_carries_its_reason_its_metadata_and_the_request_id() {
    let errors = errors();
    // These reasons are reserved for moderation; no error has them yet.
    let reserved =
        [Reason::DuplicateContent, Reason::ChallengeRequired, Reason::MemberSuspended, Reason::MemberBlocked];
    for reason in Reason::ALL.iter().filter(|reason| !reserved.contains(reason)) {
        let error = errors.iter().find(|error| error.reason() == *reason);
        let status = status_of(error.unwrap_or_else(|| panic!("no example of {reason:?}")).clone());
        let info = status.get_details_error_info().expect("every error has ErrorInfo");
        assert_eq!((info.reason.as_str(), info.domain.as_str()), (reason.as_str(), "riposte"));
        assert_eq!(status.code(), code(reason.kind()), "{reason:?}");
        assert_eq!(status.metadata().get(REQUEST_ID).map(|id| id.as_bytes()), Some(&b"tag-1"[..]));
        let unknown = ["method", "sort", "decision_id", "why"];
        for name in reported(*reason).iter().filter(|name| !unknown.contains(name)) {
            assert!(info.metadata.contains_key(*name), "{reason:?} reports {name}");
        }
        assert!(info.metadata.keys().all(|name| reported(*reason).contains(&name.as_str())), "{reason:?}");
        let about_fields = code(reason.kind()) == Code::InvalidArgument && *reason != Reason::MessageTooLarge;
        assert_eq!(status.get_details_bad_request().is_some(), about_fields, "{reason:?}");
        let has_retry_info = matches!(reason.kind(), StatusKind::Unavailable | StatusKind::ResourceExhausted);
        assert_eq!(status.get_details_retry_info().is_some(), has_retry_info, "{reason:?}");
        let is_not_executed =
            !matches!(reason.kind(), StatusKind::Internal | StatusKind::Unavailable | StatusKind::DeadlineExceeded);
        assert_eq!(status.metadata().contains_key(NOT_EXECUTED), is_not_executed, "{reason:?}");
    }
}

#[test]
fn an_error_of_a_skipped_data_source_differs_from_one_of_a_source_that_failed() {
    let status = status_of(Error::ShardCircuitOpen { after: Duration::from_millis(500) });
    assert_eq!(status.code(), Code::Unavailable);
    assert!(status.metadata().contains_key(NOT_EXECUTED));
    assert_eq!(status.metadata().get(PUSHBACK).map(|ms| ms.as_bytes()), Some(&b"500"[..]));
    assert!(!status_of(Error::ShardUnavailable).metadata().contains_key(NOT_EXECUTED));
}

#[test]
fn the_metadata_of_an_error_takes_precedence_over_that_of_its_request() {
    for (error, name, value) in [
        (Error::StateConflict(CommentState::Hidden), "state", "HIDDEN"),
        (Error::StateConflictBecause(ConflictCause::Edits), "why", "edits"),
        (Error::EditWindowClosed { until: Millis(1_772_366_400_000) }, "until", "2026-03-01T12:00:00Z"),
        (Error::PinLimitReached, "limit", "3"),
        (Error::MessageTooLarge { limit: 7 }, "limit", "7"),
        (Error::EtagMismatch { current: "1.2".to_owned() }, "etag", "1.2"),
        (changed_review(), "etag", "1.2.3"),
        (changed_review(), "decision_id", "42.3"),
        (Error::RevisionNotReached { current: 41 }, "revision", "41"),
        (Error::NotImplemented("RebuildCache".into()), "method", "RebuildCache"),
        (Error::PathNotServed { method: "/x".to_owned(), place: "this port".to_owned() }, "method", "/x"),
        (Error::ObjectTypeUnknown("vidoe".to_owned()), "object_type", "vidoe"),
    ] {
        let info = status_of(error).get_details_error_info().expect("every error has ErrorInfo");
        assert_eq!(info.metadata.get(name).map(String::as_str), Some(value), "{info:?}");
    }
}

#[test]
fn an_internal_error_reports_its_request_id_and_nothing_else() {
    let status = status_of(Error::internal("Access denied for user 'riposte'@'10.0.0.1'"));
    assert_eq!((status.code(), status.message()), (Code::Internal, "internal error"));
    let details = status.get_error_details_vec();
    assert_eq!(details.len(), 1);
    let info = status.get_details_error_info().expect("ErrorInfo");
    assert_eq!(info.metadata, [("request_id".to_owned(), "tag-1".to_owned())].into());
    assert!(!String::from_utf8_lossy(status.details()).contains("denied"));
}

#[test]
fn every_violation_is_reported_and_very_many_still_fit_into_a_header() {
    let violation = |n| Violation::field(format!("keys[{n}].object_type"), "must match [a-z][a-z0-9_]{0,31}");
    let few = status_of(Error::Invalid((0..20).map(violation).collect()));
    assert_eq!(few.get_details_bad_request().map(|b| b.field_violations.len()), Some(20));
    let many = status_of(Error::Invalid((0..400).map(violation).collect()));
    let listed = many.get_details_bad_request().map(|b| b.field_violations).unwrap_or_default();
    assert!(listed.len() > 50 && listed.last().is_some_and(|last| last.description.ends_with("more violations")));
    assert!(many.details().len() * 4 / 3 < 7 * 1024, "{} bytes", many.details().len());
    assert!(many.message().len() < 200);
}

#[test]
fn only_an_exceeded_rate_limit_names_the_owner_of_its_quota() {
    let used_up = Error::RateLimited { after: Duration::from_millis(1500) };
    let status_of = |error| status(RpcError::about(error, request_metadata().with(super::QUOTA, "member:m7")), "tag-1");
    let named = status_of(used_up.clone());
    let quota = named.get_details_quota_failure().map(|quota| quota.violations).unwrap_or_default();
    assert_eq!(quota.iter().map(|one| one.subject.as_str()).collect::<Vec<_>>(), ["member:m7"]);
    assert!(named.get_details_error_info().is_some_and(|info| info.metadata.is_empty()));
    let overloaded = status_of(Error::Overloaded { after: Duration::from_millis(100) });
    assert!(overloaded.get_details_quota_failure().is_none());
    assert!(status(used_up, "tag-1").get_details_quota_failure().is_none());
}
