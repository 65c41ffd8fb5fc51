//! Replies that come before their parent in the order of time.

use std::collections::HashMap;

/// The replies that wait for each parent, as linked lists.
#[derive(Debug, Default)]
pub(super) struct DeferredReplies {
    /// The last reply that was added for a parent.
    last: HashMap<u32, u32>,
    /// The reply that was added before another one of the same parent.
    previous: HashMap<u32, u32>,
}

impl DeferredReplies {
    /// Adds a reply that waits for `parent`.
    pub(super) fn add(&mut self, parent: u32, reply: u32) {
        if let Some(previous) = self.last.insert(parent, reply) {
            self.previous.insert(reply, previous);
        }
    }

    /// Takes out the replies that wait for `parent`, in any order.
    pub(super) fn take(&mut self, parent: u32) -> impl Iterator<Item = u32> {
        let mut next = self.last.remove(&parent);
        std::iter::from_fn(move || {
            let reply = next?;
            next = self.previous.remove(&reply);
            Some(reply)
        })
    }
}
