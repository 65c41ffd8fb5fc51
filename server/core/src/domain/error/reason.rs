//! The machine-readable reasons of `error_reason.proto`, with the canonical code class of each.

/// The canonical gRPC code of a reason, independent of any gRPC library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StatusKind {
    /// INVALID_ARGUMENT
    InvalidArgument,
    /// NOT_FOUND
    NotFound,
    /// ALREADY_EXISTS
    AlreadyExists,
    /// PERMISSION_DENIED
    PermissionDenied,
    /// UNAUTHENTICATED
    Unauthenticated,
    /// FAILED_PRECONDITION
    FailedPrecondition,
    /// RESOURCE_EXHAUSTED
    ResourceExhausted,
    /// ABORTED
    Aborted,
    /// UNAVAILABLE
    Unavailable,
    /// UNIMPLEMENTED
    Unimplemented,
    /// DEADLINE_EXCEEDED
    DeadlineExceeded,
    /// INTERNAL
    Internal,
}

macro_rules! reasons {
    ($($variant:ident $name:literal $kind:ident $summary:literal,)*) => {
        /// The reason of an error: the closed list that callers match on.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Reason {
            $(#[doc = $summary] $variant,)*
        }

        impl Reason {
            /// Every reason, in the order of `error_reason.proto`.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name in `ErrorInfo.reason`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The canonical code of the reason.
            #[must_use]
            pub const fn kind(self) -> StatusKind {
                match self { $(Self::$variant => StatusKind::$kind,)* }
            }

            /// One sentence for people.
            #[must_use]
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$variant => $summary,)* }
            }
        }
    };
}

reasons! {
    SubjectNotFound "SUBJECT_NOT_FOUND" NotFound "the subject does not exist",
    CommentNotFound "COMMENT_NOT_FOUND" NotFound "the comment does not exist",
    SubjectAlreadyExists "SUBJECT_ALREADY_EXISTS" AlreadyExists "the subject exists already",
    CommentAlreadyExists "COMMENT_ALREADY_EXISTS" AlreadyExists "the comment is not deleted",
    DuplicateContent "DUPLICATE_CONTENT" AlreadyExists "the same member has just written the same text here",
    SubjectReadOnly "SUBJECT_READ_ONLY" FailedPrecondition "the subject takes no writes",
    SubjectHidden "SUBJECT_HIDDEN" FailedPrecondition "the subject is hidden",
    ParentUnavailable "PARENT_UNAVAILABLE" FailedPrecondition "the parent takes no replies",
    CommentUnavailable "COMMENT_UNAVAILABLE" FailedPrecondition "the comment is not visible",
    ReplyForbidden "REPLY_FORBIDDEN" FailedPrecondition "this object type takes no replies",
    StateConflict "STATE_CONFLICT" FailedPrecondition "the comment's state does not allow this",
    EditWindowClosed "EDIT_WINDOW_CLOSED" FailedPrecondition "the time to edit has passed",
    PinLimitReached "PIN_LIMIT_REACHED" FailedPrecondition "the subject has three pinned comments already",
    ChallengeRequired "CHALLENGE_REQUIRED" FailedPrecondition "the member has to pass a challenge first",
    ObjectTypeUnknown "OBJECT_TYPE_UNKNOWN" InvalidArgument "the object type is not registered: add it to [object_types] of the server, or set open_object_types",
    LikeInvalid "LIKE_INVALID" InvalidArgument "the like value is not LIKE, DISLIKE or NONE",
    FieldInvalid "FIELD_INVALID" InvalidArgument "a field breaks its rule",
    ContentBlocked "CONTENT_BLOCKED" InvalidArgument "the text is refused by a rule",
    ContentTooLong "CONTENT_TOO_LONG" InvalidArgument "the text is too long",
    MessageTooLarge "MESSAGE_TOO_LARGE" InvalidArgument "the message is too large",
    PageTokenInvalid "PAGE_TOKEN_INVALID" InvalidArgument "the page token is not valid",
    PageTokenMismatch "PAGE_TOKEN_MISMATCH" InvalidArgument "the page token belongs to other arguments",
    PageTokenExpired "PAGE_TOKEN_EXPIRED" InvalidArgument "the page token is too old",
    RequestIdReused "REQUEST_ID_REUSED" InvalidArgument "the request id was used before with another body",
    CallerUnknown "CALLER_UNKNOWN" Unauthenticated "the caller is not known",
    CallerNotAllowed "CALLER_NOT_ALLOWED" PermissionDenied "the caller may not do this",
    MemberNotAllowed "MEMBER_NOT_ALLOWED" PermissionDenied "the member may not do this",
    MemberSuspended "MEMBER_SUSPENDED" PermissionDenied "the member is suspended",
    MemberBlocked "MEMBER_BLOCKED" PermissionDenied "the member is blocked by the subject's owner",
    RateLimited "RATE_LIMITED" ResourceExhausted "too many calls",
    Overloaded "OVERLOADED" ResourceExhausted "the service has no room for this call",
    EtagMismatch "ETAG_MISMATCH" Aborted "the etag is not the current one",
    RevisionNotReached "REVISION_NOT_REACHED" Unavailable "the revision has not been reached here yet",
    ShardUnavailable "SHARD_UNAVAILABLE" Unavailable "the data source cannot be reached",
    NotImplemented "NOT_IMPLEMENTED" Unimplemented "not served yet",
    DeadlineExceeded "DEADLINE_EXCEEDED" DeadlineExceeded "the call's time ran out",
    Internal "INTERNAL" Internal "internal error",
    WatchTooSlow "WATCH_TOO_SLOW" ResourceExhausted "the reader fell too far behind what it watches",
    ServerStopping "SERVER_STOPPING" Unavailable "the process that served the stream stops",
    ReviewLeaseLost "REVIEW_LEASE_LOST" FailedPrecondition "another moderator has leased the review of the comment",
    DecisionNotFound "DECISION_NOT_FOUND" NotFound "the decision does not exist",
    AppealNotAllowed "APPEAL_NOT_ALLOWED" FailedPrecondition "the decision cannot be appealed",
    WordListInvalid "WORD_LIST_INVALID" InvalidArgument "a line of the word list is wrong",
    PolicyUnavailable "POLICY_UNAVAILABLE" Unavailable "a service that judges texts or members cannot be reached",
}
