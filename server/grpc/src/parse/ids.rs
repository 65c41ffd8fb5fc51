//! Parses ids of comments, members and requests.

use riposte_core::content::is_blank;
use riposte_core::page::{MAX_BATCH, MAX_LIKED, MAX_NAMED};
use riposte_core::request::RequestId;
use riposte_core::{CommentId, MemberId, Violation};

/// Parses the id of a comment, which is required.
pub(crate) fn comment_id(field: &str, id: i64) -> Result<CommentId, Violation> {
    CommentId::new(id).ok_or_else(|| Violation::field(field, "must be the id of a comment, greater than 0"))
}

/// Parses up to 200 comment ids, in their order.
pub(crate) fn comment_ids(field: &str, ids: &[i64]) -> Result<Vec<CommentId>, Vec<Violation>> {
    batch(field, ids, |field, id| comment_id(field, *id).map_err(|violation| vec![violation]))
}

/// Parses up to 50 ids of comments whose likers are listed, in their order.
pub(crate) fn liked_ids(field: &str, ids: &[i64]) -> Result<Vec<CommentId>, Vec<Violation>> {
    batch_of(MAX_LIKED, field, ids, |field, id| comment_id(field, *id).map_err(|violation| vec![violation]))
}

/// Parses up to 20 ids of members that are named first, in their order.
pub(crate) fn first_members(field: &str, ids: &[String]) -> Result<Vec<MemberId>, Vec<Violation>> {
    batch_of(MAX_NAMED, field, ids, |field, id| member(field, id).map_err(|violation| vec![violation]))
}

/// Parses up to 200 items, each by `parse`. A longer list is one violation: its items are not
/// parsed. The name of an item is composed only for a violation, so an item that has one is parsed
/// again.
pub(crate) fn batch<Q, T>(
    field: &str,
    items: &[Q],
    parse: impl Fn(&str, &Q) -> Result<T, Vec<Violation>>,
) -> Result<Vec<T>, Vec<Violation>> {
    batch_of(MAX_BATCH, field, items, parse)
}

/// As [`batch`], with up to `max` items.
pub(super) fn batch_of<Q, T>(
    max: usize,
    field: &str,
    items: &[Q],
    parse: impl Fn(&str, &Q) -> Result<T, Vec<Violation>>,
) -> Result<Vec<T>, Vec<Violation>> {
    if items.len() > max {
        let rule = format!("must have at most {max} entries, has {}", items.len());
        return Err(vec![Violation::field(field, rule)]);
    }
    let mut parsed = Vec::with_capacity(items.len());
    let mut violations = Vec::new();
    for (n, item) in items.iter().enumerate() {
        match parse(field, item).or_else(|_| parse(&format!("{field}[{n}]"), item)) {
            Ok(value) => parsed.push(value),
            Err(found) => violations.extend(found),
        }
    }
    if violations.is_empty() { Ok(parsed) } else { Err(violations) }
}

/// Parses the id of a member, which is required.
pub(crate) fn member(field: &str, id: &str) -> Result<MemberId, Violation> {
    MemberId::parse(field, id)
}

/// Parses the id of a moderator, which shows something: it is written to the decision and to the
/// audit log.
pub(crate) fn moderator(field: &str, id: &str) -> Result<MemberId, Violation> {
    let moderator = member(field, id)?;
    if is_blank(id) { Err(Violation::field(field, "must not be blank")) } else { Ok(moderator) }
}

/// Parses the id of a member, which is optional.
pub(crate) fn optional_member(field: &str, id: &str) -> Result<Option<MemberId>, Violation> {
    if id.is_empty() { Ok(None) } else { MemberId::parse(field, id).map(Some) }
}

/// Parses the id of the request itself, which is optional.
pub(crate) fn request_id(id: &str) -> Result<Option<RequestId>, Violation> {
    RequestId::parse("request_id", id)
}
