//! The lists of comments, as one caller walks them: what their tokens are bound to.

use riposte_core::{Caller, CommentId, SubjectKey};

use super::page_token::TokenContext;
use super::parse::Sort;

/// One list in one order.
#[derive(Debug, Clone)]
pub(crate) struct TokenScope {
    sort: Sort,
    context: TokenContext,
}

impl TokenScope {
    /// The roots of a subject, by ListComments.
    pub(crate) fn roots(caller: &Caller, key: &SubjectKey, sort: Sort) -> Self {
        Self { sort, context: TokenContext::new(caller, "ListComments").subject(key).argument(sort.name()) }
    }

    /// The replies of a root, by ListReplies.
    pub(crate) fn replies(caller: &Caller, root: CommentId, sort: Sort) -> Self {
        Self { sort, context: TokenContext::new(caller, "ListReplies").comment(root).argument(sort.name()) }
    }

    /// The order of the walk.
    pub(crate) fn sort(&self) -> Sort {
        self.sort
    }

    /// What its tokens are bound to.
    pub(crate) fn context(&self) -> &TokenContext {
        &self.context
    }
}
