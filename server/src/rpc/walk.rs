//! The lists by floor, as one caller walks them: what their tokens are bound to.

use riposte_core::page::Order;
use riposte_core::{Caller, CommentId, SubjectKey};

use super::page_token::Context;

/// One list in one order.
#[derive(Debug, Clone)]
pub(crate) struct Walk {
    order: Order,
    context: Context,
}

impl Walk {
    /// The roots of a subject, by ListComments.
    pub(crate) fn roots(caller: &Caller, key: &SubjectKey, order: Order) -> Self {
        Self { order, context: Context::new(caller, "ListComments").subject(key).argument(name(order)) }
    }

    /// The replies of a root, by ListReplies.
    pub(crate) fn replies(caller: &Caller, root: CommentId, order: Order) -> Self {
        Self { order, context: Context::new(caller, "ListReplies").comment(root).argument(name(order)) }
    }

    /// The order of the walk.
    pub(crate) fn order(&self) -> Order {
        self.order
    }

    /// What its tokens are bound to.
    pub(crate) fn context(&self) -> &Context {
        &self.context
    }
}

const fn name(order: Order) -> &'static str {
    match order {
        Order::Oldest => "OLDEST",
        Order::Newest => "NEWEST",
    }
}
