//! Parses fields that several requests have: content, sizes, limits and enum values.

use riposte_core::content::check_metadata;
use riposte_core::object_type::MAX_LEVELS;
use riposte_core::page::{DEFAULT_LIKERS, DEFAULT_PAGE, DEFAULT_PREVIEW, MAX_LIKERS, MAX_PAGE, MAX_PREVIEW};
use riposte_core::subject::Metadata;
use riposte_core::{ClientInfo, Content, LikeValue, Policy, Reason, Violation};
use riposte_sdk::v1;
use unicode_normalization::UnicodeNormalization;

use super::Violations;

/// Parses the content of a request that has one. See [`content_at`].
pub(crate) fn content(v: &mut Violations, policy: Option<&Policy>, content: Option<v1::Content>) -> Option<Content> {
    content_at(v, "content", policy, content)
}

/// Parses content under `policy`. Without a policy (the object to which it belongs could not be
/// determined) the length is not checked.
pub(crate) fn content_at(
    v: &mut Violations,
    field: &str,
    policy: Option<&Policy>,
    content: Option<v1::Content>,
) -> Option<Content> {
    let unlimited = Policy { max_text: usize::MAX, ..Policy::default() };
    let policy = policy.unwrap_or(&unlimited);
    let v1::Content { text, mentioned_member_ids, metadata } = content.unwrap_or_default();
    let parsed = v.take(Content::parse(field, policy, &text, &mentioned_member_ids, metadata));
    if v.has(Reason::ContentTooLong) {
        v.add_metadata("limit", policy.max_text);
        v.add_metadata("actual", text.nfc().count());
    }
    parsed
}

/// Parses the field `client` of a request. See [`client_at`].
pub(crate) fn client(client: Option<v1::ClientInfo>) -> Result<ClientInfo, Vec<Violation>> {
    client_at("client", client)
}

/// Parses the data about the writer's client.
pub(crate) fn client_at(field: &str, client: Option<v1::ClientInfo>) -> Result<ClientInfo, Vec<Violation>> {
    let v1::ClientInfo { ip, platform, device } = client.unwrap_or_default();
    ClientInfo::parse(field, &ip, &platform, &device)
}

/// Parses the caller's own fields.
pub(crate) fn metadata(field: &str, metadata: Metadata) -> Result<Metadata, Vec<Violation>> {
    let violations = check_metadata(field, &metadata);
    if violations.is_empty() { Ok(metadata) } else { Err(violations) }
}

/// Parses the size of a page: 0 is the default, and a larger size than the maximum is reduced to
/// it.
pub(crate) fn page_size(size: i32) -> Result<usize, Violation> {
    limit("page_size", size)
}

/// Parses the maximum number of items in a response, by the rules of a page.
pub(crate) fn limit(field: &str, size: i32) -> Result<usize, Violation> {
    match usize::try_from(size) {
        Ok(0) => Ok(DEFAULT_PAGE),
        Ok(size) => Ok(size.min(MAX_PAGE)),
        Err(_) => Err(Violation::field(field, "must not be negative")),
    }
}

/// Parses the number of replies in a preview.
pub(crate) fn previews(size: Option<i32>) -> Result<u8, Violation> {
    let Some(size) = size else { return Ok(DEFAULT_PREVIEW) };
    let size = u8::try_from(size).ok().filter(|size| *size <= MAX_PREVIEW);
    size.ok_or_else(|| Violation::field("reply_preview_size", format!("must lie between 0 and {MAX_PREVIEW}")))
}

/// Parses the number of likers of each comment: 0 is the default.
pub(crate) fn likers(limit: i32) -> Result<usize, Violation> {
    match usize::try_from(limit) {
        Ok(0) => Ok(DEFAULT_LIKERS),
        Ok(limit) if limit <= MAX_LIKERS => Ok(limit),
        Ok(_) | Err(_) => Err(Violation::field("limit", format!("must lie between 0 and {MAX_LIKERS}"))),
    }
}

/// Parses the lowest revision that a response may show.
pub(crate) fn min_revision(revision: i64) -> Result<i64, Violation> {
    if revision >= 0 { Ok(revision) } else { Err(Violation::field("min_revision", "must not be negative")) }
}

/// Parses the like value to set. The unspecified value has no default meaning and is rejected.
pub(crate) fn like_value(value: i32) -> Result<LikeValue, Violation> {
    match v1::LikeValue::try_from(value) {
        Ok(v1::LikeValue::None) => Ok(LikeValue::None),
        Ok(v1::LikeValue::Like) => Ok(LikeValue::Like),
        Ok(v1::LikeValue::Dislike) => Ok(LikeValue::Dislike),
        Ok(v1::LikeValue::Unspecified) | Err(_) => Err(like_invalid("must be LIKE, DISLIKE or NONE")),
    }
}

/// Parses the like value to list: LIKE by default. NONE is rejected, because no list of members
/// without a like exists.
pub(crate) fn liked(value: i32) -> Result<LikeValue, Violation> {
    match v1::LikeValue::try_from(value) {
        Ok(v1::LikeValue::Unspecified | v1::LikeValue::Like) => Ok(LikeValue::Like),
        Ok(v1::LikeValue::Dislike) => Ok(LikeValue::Dislike),
        Ok(v1::LikeValue::None) | Err(_) => Err(like_invalid("must be LIKE or DISLIKE")),
    }
}

fn like_invalid(rule: &str) -> Violation {
    Violation { reason: Reason::LikeInvalid, ..Violation::field("value", rule) }
}

/// Parses the role in which a member acts: the author by default.
pub(crate) fn acting_as(role: i32) -> Result<v1::ActingAs, Violation> {
    match v1::ActingAs::try_from(role) {
        Ok(v1::ActingAs::Unspecified | v1::ActingAs::Author) => Ok(v1::ActingAs::Author),
        Ok(v1::ActingAs::SubjectOwner) => Ok(v1::ActingAs::SubjectOwner),
        Err(_) => Err(Violation::field("acting_as", "is not a known value")),
    }
}

/// Parses the number of levels of a subtree: 0 is all of them.
pub(crate) fn max_depth(levels: i32) -> Result<u8, Violation> {
    match u8::try_from(levels.min(i32::from(MAX_LEVELS))) {
        Ok(0) => Ok(MAX_LEVELS),
        Ok(levels) => Ok(levels),
        Err(_) => Err(Violation::field("max_depth", "must not be negative")),
    }
}
