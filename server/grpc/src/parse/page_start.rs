//! Parses the start position of a page in a list.

use riposte_core::page::{ListOrder, PageStart};
use riposte_core::rank::RankSort;
use riposte_core::read::{ListStart, RankedStart};
use riposte_core::{CommentId, Error, Violation};
use riposte_sdk::v1;

use super::{Violations, comment_id};
use crate::page_token::{PageTokenCodec, TokenCursor};
use crate::parse::TokenScope;

/// A requested order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    /// By floor.
    Stable(ListOrder),
    /// By rank.
    Ranked(RankSort),
}

impl Sort {
    /// Returns its name, to which the page tokens of the list are bound.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Stable(ListOrder::Oldest) => "OLDEST",
            Self::Stable(ListOrder::Newest) => "NEWEST",
            Self::Ranked(sort) => sort.name(),
        }
    }

    /// Returns the order if replies can be listed in it.
    ///
    /// # Errors
    /// A violation of `sort` otherwise.
    pub(crate) fn of_replies(self) -> Result<Self, Violation> {
        match self {
            Self::Stable(_) | Self::Ranked(RankSort::Top) => Ok(self),
            Self::Ranked(RankSort::Hot | RankSort::Best | RankSort::Controversial | RankSort::MostReplies) => {
                Err(Violation::field("sort", "must be OLDEST, NEWEST or TOP for replies"))
            }
        }
    }
}

/// Parses the sort of a list; `default` if the request names none.
pub(crate) fn sort(sort: i32, default: ListOrder) -> Result<Sort, Violation> {
    match v1::CommentSort::try_from(sort) {
        Ok(v1::CommentSort::Unspecified) => Ok(Sort::Stable(default)),
        Ok(v1::CommentSort::Newest) => Ok(Sort::Stable(ListOrder::Newest)),
        Ok(v1::CommentSort::Oldest) => Ok(Sort::Stable(ListOrder::Oldest)),
        Ok(v1::CommentSort::Hot) => Ok(Sort::Ranked(RankSort::Hot)),
        Ok(v1::CommentSort::Top) => Ok(Sort::Ranked(RankSort::Top)),
        Ok(v1::CommentSort::Best) => Ok(Sort::Ranked(RankSort::Best)),
        Ok(v1::CommentSort::Controversial) => Ok(Sort::Ranked(RankSort::Controversial)),
        Ok(v1::CommentSort::MostReplies) => Ok(Sort::Ranked(RankSort::MostReplies)),
        Err(_) => Err(Violation::field("sort", "is not a known value")),
    }
}

/// Returns the cursor of the token at `field`, converted by `convert`; `Some(None)` at the start of
/// a list. A token that `open` rejects is a violation of its field. It is reported with the others,
/// and its reason is that of the response if it is the only one.
pub(crate) fn page_token<T>(
    v: &mut Violations,
    (field, token): (&str, &str),
    open: impl FnOnce(&str) -> Result<TokenCursor, Error>,
    convert: impl FnOnce(TokenCursor) -> Option<T>,
) -> Option<Option<T>> {
    if token.is_empty() {
        return Some(None);
    }
    let converted = open(token).and_then(|cursor| convert(cursor).ok_or(Error::PageTokenMismatch));
    v.take(converted.map(Some).map_err(|error| {
        let reason = error.reason();
        Violation { reason, ..Violation::field(field, reason.summary()) }
    }))
}

/// The three fields that can set the start of a page; a request uses at most one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StartFields<'a> {
    /// A token of an earlier page; empty if not set.
    pub(crate) page_token: &'a str,
    /// The comment that the page surrounds; 0 if not set.
    pub(crate) around_comment_id: i64,
    /// The floor that the page surrounds; 0 if not set.
    pub(crate) around_floor: i32,
}

/// The start of a page in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParsedStart {
    /// In a list by floor.
    Floor(ListOrder, ListStart),
    /// In a list by rank.
    Rank(RankSort, RankedStart),
}

/// Parses the start of a page. If another violation of the request leaves the scope unknown
/// (`scope` is
/// `None`), the result is `None`, but violations of the position are still reported.
pub(crate) fn page_start(
    v: &mut Violations,
    fields: StartFields<'_>,
    scope: Option<&TokenScope>,
    tokens: &PageTokenCodec,
) -> Option<ParsedStart> {
    let around = around(v, fields)?;
    let scope = scope?;
    let token = ("page_token", fields.page_token);
    let open = |token: &str| tokens.open(scope.context(), token);
    match scope.sort() {
        Sort::Stable(order) => {
            let at = match around {
                Some(Around::Comment(id)) => ListStart::Comment(id),
                Some(Around::Floor(floor)) => ListStart::Start(PageStart::Around(floor)),
                None => {
                    let start =
                        |cursor| if let TokenCursor::Floor(step) = cursor { Some(step.start(order)) } else { None };
                    ListStart::Start(page_token(v, token, open, start)?.unwrap_or(PageStart::Beginning))
                }
            };
            Some(ParsedStart::Floor(order, at))
        }
        Sort::Ranked(sort) => {
            let at = match around {
                Some(Around::Comment(id)) => RankedStart::Comment(id),
                Some(Around::Floor(floor)) => RankedStart::Floor(floor),
                None => {
                    let ranked = |cursor| if let TokenCursor::Ranked(cursor) = cursor { Some(cursor) } else { None };
                    page_token(v, token, open, ranked)?.map_or(RankedStart::Beginning, RankedStart::Cursor)
                }
            };
            Some(ParsedStart::Rank(sort, at))
        }
    }
}

/// The object that a page surrounds.
enum Around {
    Comment(CommentId),
    Floor(i32),
}

/// Returns the object that the page surrounds; `Some(None)` if the request names none.
fn around(v: &mut Violations, fields: StartFields<'_>) -> Option<Option<Around>> {
    let StartFields { page_token: token, around_comment_id, around_floor } = fields;
    let by_comment = around_comment_id != 0 && (!token.is_empty() || around_floor != 0);
    let by_floor = around_floor != 0 && !token.is_empty();
    if by_comment || by_floor {
        let excluded = [
            (by_comment, "around_comment_id", "excludes page_token and around_floor"),
            (by_floor, "around_floor", "excludes page_token"),
        ];
        let violations = excluded.into_iter().filter(|(is_excluded, ..)| *is_excluded);
        return v.take(Err(violations.map(|(_, field, rule)| Violation::field(field, rule)).collect::<Vec<_>>()));
    }
    if around_comment_id != 0 {
        return v.take(comment_id("around_comment_id", around_comment_id)).map(|id| Some(Around::Comment(id)));
    }
    if around_floor < 0 {
        return v.take(Err(Violation::field("around_floor", "must not be negative")));
    }
    Some((around_floor > 0).then_some(Around::Floor(around_floor)))
}
