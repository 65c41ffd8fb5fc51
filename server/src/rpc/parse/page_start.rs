//! Where in a list a page stands.

use riposte_core::comments::{ListStart, RankedAt};
use riposte_core::page::{ListOrder, PageStart};
use riposte_core::rank::RankSort;
use riposte_core::{CommentId, Error, Violation};
use riposte_sdk::v1;

use super::{Violations, comment_id};
use crate::rpc::page_token::{PageTokenCodec, TokenCursor};
use crate::rpc::token_scope::TokenScope;

/// An order that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    /// By floor.
    Stable(ListOrder),
    /// By rank.
    Ranked(RankSort),
}

impl Sort {
    /// Its name, to which the tokens of its walks are bound.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Stable(ListOrder::Oldest) => "OLDEST",
            Self::Stable(ListOrder::Newest) => "NEWEST",
            Self::Ranked(sort) => sort.name(),
        }
    }

    /// The same, if replies can be walked in it.
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

/// The sort of a list, `default` where none is named.
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

/// The cursor of the token at `field` as `pick` knows it; `None` at the start of a walk. A token that `open` refuses is a
/// fault of its field: told with the others, and if it is the only one it decides the reason.
pub(crate) fn page_token<T>(
    v: &mut Violations,
    (field, token): (&str, &str),
    open: impl FnOnce(&str) -> Result<TokenCursor, Error>,
    pick: impl FnOnce(TokenCursor) -> Option<T>,
) -> Option<Option<T>> {
    if token.is_empty() {
        return Some(None);
    }
    let picked = open(token).and_then(|cursor| pick(cursor).ok_or(Error::PageTokenMismatch));
    v.take(picked.map(Some).map_err(|error| {
        let reason = error.reason();
        Violation { reason, ..Violation::field(field, reason.summary()) }
    }))
}

/// The three ways to say where a page stands, of which a request uses one at most.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StartFields<'a> {
    /// A token of an earlier page; empty = not asked.
    pub(crate) page_token: &'a str,
    /// The page around this comment; 0 = not asked.
    pub(crate) around_comment_id: i64,
    /// The page around this floor; 0 = not asked.
    pub(crate) around_floor: i32,
}

/// Where a page stands, in the words of its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParsedStart {
    /// In a list by floor.
    Floor(ListOrder, ListStart),
    /// In a list by rank.
    Rank(RankSort, RankedAt),
}

/// Where a page stands. Without a walk, which a fault elsewhere in the request leaves unknown, there is none; what is wrong
/// with the place itself is told all the same.
pub(crate) fn place(
    v: &mut Violations,
    asked: StartFields<'_>,
    walk: Option<&TokenScope>,
    tokens: &PageTokenCodec,
) -> Option<ParsedStart> {
    let around = around(v, asked)?;
    let walk = walk?;
    let token = ("page_token", asked.page_token);
    let open = |token: &str| tokens.open(walk.context(), token);
    match walk.sort() {
        Sort::Stable(order) => {
            let at = match around {
                Some(Around::Comment(id)) => ListStart::Comment(id),
                Some(Around::Floor(floor)) => ListStart::Start(PageStart::Around(floor)),
                None => {
                    let pick =
                        |cursor| if let TokenCursor::Floor(step) = cursor { Some(step.start(order)) } else { None };
                    ListStart::Start(page_token(v, token, open, pick)?.unwrap_or(PageStart::Beginning))
                }
            };
            Some(ParsedStart::Floor(order, at))
        }
        Sort::Ranked(sort) => {
            let at = match around {
                Some(Around::Comment(id)) => RankedAt::Comment(id),
                Some(Around::Floor(floor)) => RankedAt::Floor(floor),
                None => {
                    let pick = |cursor| if let TokenCursor::Ranked(cursor) = cursor { Some(cursor) } else { None };
                    page_token(v, token, open, pick)?.map_or(RankedAt::Beginning, RankedAt::Cursor)
                }
            };
            Some(ParsedStart::Rank(sort, at))
        }
    }
}

/// What a page is asked to lie around.
enum Around {
    Comment(CommentId),
    Floor(i32),
}

/// What the page shall lie around, if anything.
fn around(v: &mut Violations, asked: StartFields<'_>) -> Option<Option<Around>> {
    let StartFields { page_token: token, around_comment_id, around_floor } = asked;
    let ways = [!token.is_empty(), around_comment_id != 0, around_floor != 0];
    if ways.iter().filter(|asked| **asked).count() > 1 {
        let field = if around_comment_id != 0 { "around_comment_id" } else { "around_floor" };
        let rule = "excludes page_token, and around_comment_id excludes around_floor";
        return v.take(Err(Violation::field(field, rule)));
    }
    if around_comment_id != 0 {
        return v.take(comment_id("around_comment_id", around_comment_id)).map(|id| Some(Around::Comment(id)));
    }
    if around_floor < 0 {
        return v.take(Err(Violation::field("around_floor", "must not be negative")));
    }
    Some((around_floor > 0).then_some(Around::Floor(around_floor)))
}
