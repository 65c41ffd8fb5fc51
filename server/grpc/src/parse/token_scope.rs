//! The scope of page tokens: a list of comments as one caller reads it.

use riposte_core::{Caller, CommentId, SubjectKey};

use super::Sort;
use crate::page_token::TokenContext;

/// One list in one order.
#[derive(Debug, Clone)]
pub(crate) struct TokenScope {
    sort: Sort,
    context: TokenContext,
}

impl TokenScope {
    /// Creates the scope of a subject's roots, for ListComments.
    pub(crate) fn roots(caller: &Caller, key: &SubjectKey, sort: Sort) -> Self {
        Self { sort, context: TokenContext::new(caller, "ListComments").subject(key).argument(sort.name()) }
    }

    /// Creates the scope of a root's replies, for ListReplies.
    pub(crate) fn replies(caller: &Caller, root: CommentId, sort: Sort) -> Self {
        Self { sort, context: TokenContext::new(caller, "ListReplies").comment(root).argument(sort.name()) }
    }

    /// Returns the order of the list.
    pub(crate) fn sort(&self) -> Sort {
        self.sort
    }

    /// Returns the context to which its tokens are bound.
    pub(crate) fn context(&self) -> &TokenContext {
        &self.context
    }
}
