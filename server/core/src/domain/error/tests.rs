use std::time::Duration;

use super::{Error, Reason, Violation};
use crate::CommentState;

#[test]
fn each_error_has_its_message_and_its_retry_delay() {
    let after = Duration::from_secs(7);
    for (error, reason, retry_after_ms, message) in [
        (Error::PinLimitReached, Reason::PinLimitReached, None, "the subject has three pinned comments already"),
        (Error::ParentUnavailable(CommentState::Hidden), Reason::ParentUnavailable, None, "the parent is HIDDEN"),
        (Error::CommentUnavailable(CommentState::Pending), Reason::CommentUnavailable, None, "the comment is PENDING"),
        (Error::StateConflict(CommentState::Deleted), Reason::StateConflict, None, "the comment is DELETED"),
        (
            Error::ObjectTypeUnknown("film".to_owned()),
            Reason::ObjectTypeUnknown,
            None,
            r#"object type "film" is not registered: add it to [object_types] of the server, or set open_object_types"#,
        ),
        (
            Error::SubjectNotCreated("film".to_owned()),
            Reason::SubjectNotFound,
            None,
            "the subject does not exist: CreateSubject creates it, or its first comment if \
             object_types.film.auto_create is set",
        ),
        (Error::invalid("text", "is empty"), Reason::FieldInvalid, None, "invalid request: text: is empty"),
        (Error::MessageTooLarge { limit: 9 }, Reason::MessageTooLarge, None, "the message is larger than 9 bytes"),
        (Error::RateLimited { after }, Reason::RateLimited, Some(7_000), "too many calls"),
        (Error::Overloaded { after }, Reason::Overloaded, Some(7_000), "the service has no room for this call"),
        (
            Error::RevisionNotReached { current: 5 },
            Reason::RevisionNotReached,
            Some(100),
            "revision not reached yet; the newest is 5",
        ),
        (Error::ShardCircuitOpen { after }, Reason::ShardUnavailable, Some(7_000), "the data source cannot be reached"),
        (Error::ShardUnavailable, Reason::ShardUnavailable, Some(100), "the data source cannot be reached"),
        (Error::WatchTooSlow, Reason::WatchTooSlow, Some(100), Reason::WatchTooSlow.summary()),
        (Error::ServerStopping, Reason::ServerStopping, Some(100), Reason::ServerStopping.summary()),
        (Error::NotImplemented("Search".into()), Reason::NotImplemented, None, "Search is not served"),
        (Error::internal("a detail for the log only"), Reason::Internal, None, "internal error"),
    ] {
        assert_eq!((error.reason(), error.to_string().as_str()), (reason, message), "{error:?}");
        assert_eq!(error.retry_after(), retry_after_ms.map(Duration::from_millis), "{error:?}");
    }
}

#[test]
fn the_response_has_the_reason_that_all_violations_share() {
    let (field, long) = (Reason::FieldInvalid, Reason::ContentTooLong);
    for (reasons, shared) in [
        (&[][..], field),
        (&[long], long),
        (&[long, long], long),
        (&[long, field], field),
        (&[field, long], field),
        (&[long, Reason::LikeInvalid], field),
    ] {
        let violation = |reason: &Reason| Violation { reason: *reason, ..Violation::field("text", "breaks a rule") };
        assert_eq!(Error::Invalid(reasons.iter().map(violation).collect()).reason(), shared, "{reasons:?}");
    }
    let both = Error::Invalid(vec![Violation::field("a", "is long"), Violation::field("b", "is short")]);
    assert_eq!(both.to_string(), "invalid request: a: is long; b: is short");
}
