//! The expected access matrix, written down independently of the server's own table.

use anyhow::Result;
use prost::Message;
use prost_reflect::DynamicMessage;
use riposte_tests::raw;

/// The resource that a request names, by which a call on a type that is not granted is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// A subject or a type: refused before the response reveals whether it exists.
    Key,
    /// A comment by its bare id: not found, as if it did not exist.
    Id,
    /// A decision: not found, as if it did not exist.
    Decision,
    /// Items, each with a result of its own.
    Item,
    /// Nothing; the response contains granted types only.
    Nothing,
    /// Every type: refused to a caller that is not granted all.
    All,
}

/// One method.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) method: &'static str,
    pub(super) role: &'static str,
    pub(super) about: About,
    /// A well-formed request as JSON; TYPE and ID stand for those of the cell.
    pub(super) request: &'static str,
}

impl Row {
    /// Returns the request, for this type and this comment.
    pub(super) fn message(&self, object_type: &str, id: i64) -> Result<Vec<u8>> {
        let json = self.request.replace("TYPE", object_type).replace("ID", &id.to_string());
        let input = raw::method(self.method)?.input();
        Ok(DynamicMessage::deserialize(input, &mut serde_json::Deserializer::from_str(&json))?.encode_to_vec())
    }
}

pub(super) const ROLES: [&str; 5] = ["reader", "writer", "moderator", "operator", "subscriber"];

const fn row(method: &'static str, role: &'static str, about: About, request: &'static str) -> Row {
    Row { method, role, about, request }
}

const KEY: &str = r#"{"key":{"objectType":"TYPE","objectId":"1"}}"#;
const SCOPE: &str = r#"{"scope":{"key":{"objectType":"TYPE","objectId":"1"}}}"#;
const ID: &str = r#"{"id":"ID"}"#;
const COMMENT: &str = r#"{"commentId":"ID"}"#;
const BY_MEMBER: &str = r#"{"id":"ID","memberId":"m"}"#;
const BY_MODERATOR: &str = r#"{"id":"ID","moderatorId":"mod"}"#;

pub(super) const METHODS: &[Row] = &[
    row("SubjectService/GetSubject", "reader", About::Key, KEY),
    row("SubjectService/BatchGetSubjects", "reader", About::Key, r#"{"keys":[{"objectType":"TYPE","objectId":"1"}]}"#),
    row(
        "SubjectService/WatchSubject",
        "reader",
        About::Key,
        r#"{"subject":{"objectType":"TYPE","objectId":"1"},"afterRevision":"0"}"#,
    ),
    row("SubjectService/CreateSubject", "writer", About::Key, r#"{"key":{"objectType":"TYPE","objectId":"2"}}"#),
    row(
        "SubjectService/UpdateSubject",
        "writer",
        About::Key,
        r#"{"subject":{"key":{"objectType":"TYPE","objectId":"1"},"state":"SUBJECT_STATE_ACTIVE"},"updateMask":"state"}"#,
    ),
    row("SubjectService/DeleteSubject", "writer", About::Key, r#"{"key":{"objectType":"TYPE","objectId":"3"}}"#),
    row("SubjectService/UndeleteSubject", "writer", About::Key, r#"{"key":{"objectType":"TYPE","objectId":"3"}}"#),
    row(
        "CommentService/CreateComment",
        "writer",
        About::Key,
        r#"{"subject":{"objectType":"TYPE","objectId":"1"},"memberId":"m","content":{"text":"Hi"}}"#,
    ),
    row("CommentService/GetComment", "reader", About::Id, ID),
    row("CommentService/BatchGetComments", "reader", About::Id, r#"{"ids":["ID"]}"#),
    row("CommentService/ListComments", "reader", About::Key, r#"{"subject":{"objectType":"TYPE","objectId":"1"}}"#),
    row("CommentService/ListCommentRevisions", "reader", About::Id, ID),
    row("CommentService/ListMemberComments", "reader", About::Key, r#"{"objectType":"TYPE","memberId":"m"}"#),
    row(
        "CommentService/ListUnlistedComments",
        "reader",
        About::Key,
        r#"{"subject":{"objectType":"TYPE","objectId":"1"},"memberId":"m"}"#,
    ),
    row(
        "CommentService/UpdateComment",
        "writer",
        About::Id,
        r#"{"id":"ID","memberId":"m","content":{"text":"Hello"}}"#,
    ),
    row("CommentService/DeleteComment", "writer", About::Id, r#"{"id":"ID","memberId":"another member"}"#),
    row("CommentService/UndeleteComment", "writer", About::Id, BY_MEMBER),
    row("CommentService/PinComment", "writer", About::Id, BY_MEMBER),
    row("CommentService/UnpinComment", "writer", About::Id, BY_MEMBER),
    row("ReplyService/CreateReply", "writer", About::Id, r#"{"parentId":"ID","memberId":"m","content":{"text":"Hi"}}"#),
    row("ReplyService/ListReplies", "reader", About::Id, r#"{"rootId":"ID"}"#),
    row("ReplyService/GetThread", "reader", About::Id, COMMENT),
    row("ReplyService/ListConversation", "reader", About::Id, COMMENT),
    row("LikeService/SetLike", "writer", About::Id, r#"{"commentId":"ID","memberId":"m","value":"LIKE_VALUE_LIKE"}"#),
    row(
        "LikeService/BatchGetLikeStates",
        "reader",
        About::Key,
        r#"{"subject":{"objectType":"TYPE","objectId":"1"},"memberId":"m","commentIds":["ID"]}"#,
    ),
    row("LikeService/ListLikers", "reader", About::Id, r#"{"commentId":"ID","value":"LIKE_VALUE_LIKE"}"#),
    row(
        "LikeService/BatchListLikers",
        "reader",
        About::Key,
        r#"{"subject":{"objectType":"TYPE","objectId":"1"},"commentIds":["ID"]}"#,
    ),
    row(
        "ReportService/ReportComment",
        "writer",
        About::Id,
        r#"{"commentId":"ID","memberId":"m","reason":"REPORT_REASON_SPAM"}"#,
    ),
    row("PolicyService/CheckText", "moderator", About::Key, r#"{"objectType":"TYPE","content":{"text":"text"}}"#),
    row(
        "PolicyService/EvaluatePolicy",
        "moderator",
        About::Key,
        r#"{"objectType":"TYPE","from":"2026-11-01T00:00:00Z","to":"2026-11-08T00:00:00Z"}"#,
    ),
    row(
        "PolicyService/SetMemberStanding",
        "moderator",
        About::Key,
        r#"{"standing":{"member":{"objectType":"TYPE","memberId":"m"},"standing":"STANDING_NORMAL"},"moderatorId":"mod"}"#,
    ),
    row("PolicyService/ListMemberStandings", "moderator", About::Key, r#"{"objectType":"TYPE"}"#),
    row(
        "PolicyService/SetSubjectMode",
        "moderator",
        About::Key,
        r#"{"subject":{"objectType":"TYPE","objectId":"1"},"moderatorId":"mod"}"#,
    ),
    row("EventService/Subscribe", "subscriber", About::Key, r#"{"filter":{"objectTypes":["TYPE"]}}"#),
    row("EventService/ListEvents", "subscriber", About::Key, r#"{"filter":{"objectTypes":["TYPE"]}}"#),
    row("ReportService/ListOwnReports", "reader", About::Key, r#"{"objectType":"TYPE","memberId":"m"}"#),
    row("ReportService/ListOwnDecisions", "reader", About::Key, r#"{"objectType":"TYPE","memberId":"m"}"#),
    row(
        "ReportService/AppealDecision",
        "writer",
        About::Decision,
        r#"{"decisionId":"ID.1","memberId":"m","text":"Why?"}"#,
    ),
    row(
        "LikeService/ListMemberLikes",
        "reader",
        About::Key,
        r#"{"subject":{"objectType":"TYPE","objectId":"1"},"memberId":"m"}"#,
    ),
    row("AdminService/HideComment", "moderator", About::Id, BY_MODERATOR),
    row("AdminService/UnhideComment", "moderator", About::Id, BY_MODERATOR),
    row("AdminService/DeleteComment", "moderator", About::Id, BY_MODERATOR),
    row("AdminService/PinComment", "moderator", About::Id, BY_MODERATOR),
    row("AdminService/UnpinComment", "moderator", About::Id, BY_MODERATOR),
    row("AdminService/GetClientInfo", "operator", About::Id, r#"{"id":"ID","reason":"a court order"}"#),
    row("AdminService/SetModeration", "operator", About::All, r#"{"moderatorId":"mod"}"#),
    row("AdminService/ListSubjects", "operator", About::Key, r#"{"objectType":"TYPE"}"#),
    row("AdminService/ExportSubject", "operator", About::Key, KEY),
    row(
        "AdminService/ImportComments",
        "operator",
        About::Item,
        r#"{"item":{"source":"s","externalId":"TYPE","subject":{"key":{"objectType":"TYPE","objectId":"4"}}}}"#,
    ),
    row("AdminService/VerifyCounts", "operator", About::Key, SCOPE),
    row("AdminService/RepairCounts", "operator", About::Key, SCOPE),
    row("AdminService/RebuildMemberHistory", "operator", About::Key, SCOPE),
    row("AdminService/RebuildRanks", "operator", About::Key, SCOPE),
    row("AdminService/RebuildCache", "operator", About::Key, SCOPE),
    row("AdminService/ListHotSubjects", "operator", About::Nothing, "{}"),
    row("ModerationService/ListReviewItems", "moderator", About::Key, r#"{"objectType":"TYPE"}"#),
    row("ModerationService/ClaimReviewItems", "moderator", About::Key, r#"{"objectType":"TYPE","moderatorId":"mod"}"#),
    row(
        "ModerationService/ReleaseReviewItems",
        "moderator",
        About::Item,
        r#"{"commentIds":["ID"],"leaseToken":"AAAAAAAAAAAAAAAAAAAAAA","moderatorId":"mod"}"#,
    ),
    row(
        "ModerationService/SubmitVerdicts",
        "moderator",
        About::Item,
        r#"{"action":"MODERATION_ACTION_APPROVE","targets":[{"commentId":"ID","etag":"e"}],"moderatorId":"mod"}"#,
    ),
    row("ModerationService/GetModeratedComments", "moderator", About::Id, r#"{"ids":["ID"]}"#),
    row("ModerationService/ListDecisions", "moderator", About::Id, COMMENT),
    row(
        "ModerationService/ListDecisions",
        "moderator",
        About::Key,
        r#"{"member":{"objectType":"TYPE","memberId":"m"}}"#,
    ),
    row("ModerationService/ListReports", "moderator", About::Id, COMMENT),
];
