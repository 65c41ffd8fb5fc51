//! Where in a list a page stands.

use riposte_core::comments::At;
use riposte_core::page::{Order, Start};
use riposte_core::{Error, Violation};
use riposte_sdk::v1;

use super::{Violations, comment_id};
use crate::rpc::page_token::{Cursor, PageTokens};
use crate::rpc::walk::Walk;

/// An order that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    /// By floor.
    Stable(Order),
    /// By rank, with the name of the sort.
    Ranked(&'static str),
}

impl Sort {
    /// The order by floor, if it is one.
    pub(crate) fn order(self) -> Option<Order> {
        self.stable().ok()
    }

    /// The order by floor.
    ///
    /// # Errors
    /// [`Error::NotImplemented`] for the ranked ones, which are not served yet.
    pub(crate) fn stable(self) -> Result<Order, Error> {
        match self {
            Self::Stable(order) => Ok(order),
            Self::Ranked(name) => Err(Error::NotImplemented(name)),
        }
    }
}

/// The sort of a list, `default` where none is named.
pub(crate) fn sort(sort: i32, default: Order) -> Result<Sort, Violation> {
    match v1::CommentSort::try_from(sort) {
        Ok(v1::CommentSort::Unspecified) => Ok(Sort::Stable(default)),
        Ok(v1::CommentSort::Newest) => Ok(Sort::Stable(Order::Newest)),
        Ok(v1::CommentSort::Oldest) => Ok(Sort::Stable(Order::Oldest)),
        Ok(v1::CommentSort::Hot) => Ok(Sort::Ranked("COMMENT_SORT_HOT")),
        Ok(v1::CommentSort::Top) => Ok(Sort::Ranked("COMMENT_SORT_TOP")),
        Ok(v1::CommentSort::Best) => Ok(Sort::Ranked("COMMENT_SORT_BEST")),
        Ok(v1::CommentSort::Controversial) => Ok(Sort::Ranked("COMMENT_SORT_CONTROVERSIAL")),
        Ok(v1::CommentSort::MostReplies) => Ok(Sort::Ranked("COMMENT_SORT_MOST_REPLIES")),
        Err(_) => Err(Violation::field("sort", "is not a known value")),
    }
}

/// The cursor of the token at `field` as `pick` knows it; `None` at the start of a walk. A token that `open` refuses is a
/// fault of its field: told with the others, and if it is the only one it decides the reason.
pub(crate) fn page_token<T>(
    v: &mut Violations,
    (field, token): (&str, &str),
    open: impl FnOnce(&str) -> Result<Cursor, Error>,
    pick: impl FnOnce(Cursor) -> Option<T>,
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

/// The three ways to say where a page by floor stands, of which a request uses one at most.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Where<'a> {
    /// A token of an earlier page; empty = not asked.
    pub(crate) page_token: &'a str,
    /// The page around this comment; 0 = not asked.
    pub(crate) around_comment_id: i64,
    /// The page around this floor; 0 = not asked.
    pub(crate) around_floor: i32,
}

/// Where a page by floor stands. Without a walk, which a fault elsewhere in the request leaves unknown, a token is not
/// judged.
pub(crate) fn place(v: &mut Violations, asked: Where<'_>, walk: Option<&Walk>, tokens: &PageTokens) -> Option<At> {
    let Where { page_token: token, around_comment_id, around_floor } = asked;
    let ways = [!token.is_empty(), around_comment_id != 0, around_floor != 0];
    if ways.iter().filter(|asked| **asked).count() > 1 {
        let field = if around_comment_id != 0 { "around_comment_id" } else { "around_floor" };
        let rule = "excludes page_token, and around_comment_id excludes around_floor";
        return v.take(Err(Violation::field(field, rule)));
    }
    if around_comment_id != 0 {
        return v.take(comment_id("around_comment_id", around_comment_id)).map(At::Comment);
    }
    if around_floor < 0 {
        return v.take(Err(Violation::field("around_floor", "must not be negative")));
    }
    if around_floor > 0 {
        return Some(At::Start(Start::Around(around_floor)));
    }
    let Some(walk) = walk else { return Some(At::Start(Start::Beginning)) };
    let start = page_token(
        v,
        ("page_token", token),
        |token| tokens.open(walk.context(), token),
        |cursor| if let Cursor::Floor(step) = cursor { Some(step.start(walk.order())) } else { None },
    );
    start.map(|start| At::Start(start.unwrap_or(Start::Beginning)))
}
