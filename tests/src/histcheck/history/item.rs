//! A comment in a response.

use serde::{Deserialize, Serialize};

/// The position of a comment in a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ItemKind {
    /// A member of the list.
    Row,
    /// A reply shown below its root.
    Preview,
    /// The root above a page of replies.
    Head,
}

/// A comment in a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Packed", from = "Packed")]
pub(crate) struct Item {
    pub(crate) kind: ItemKind,
    pub(crate) id: i64,
    /// 0 for a root, as is the parent.
    pub(crate) root: i64,
    pub(crate) parent: i64,
    pub(crate) floor: i32,
    /// The author; `u32::MAX` if none is shown, as in a tombstone.
    pub(crate) member: u32,
    /// The number of its text; 0 for a tombstone, which has none.
    pub(crate) text: u64,
    /// The subject that the comment names.
    pub(crate) subject: u32,
    /// The subject that its text was written for.
    pub(crate) text_subject: u32,
    pub(crate) likes: i32,
    pub(crate) dislikes: i32,
    pub(crate) replies: i32,
    /// Its own revision.
    pub(crate) revision: i64,
}

impl Item {
    /// Returns true if it is the tombstone of a deleted comment.
    pub(crate) fn is_tombstone(&self) -> bool {
        self.text == 0 && self.member == u32::MAX
    }
}

/// An item as a tuple, so that a line of the file does not repeat the field names.
type Packed = (ItemKind, i64, i64, i64, i32, u32, u64, (u32, u32), (i32, i32, i32), i64);

impl From<Item> for Packed {
    fn from(item: Item) -> Self {
        let Item {
            kind,
            id,
            root,
            parent,
            floor,
            member,
            text,
            subject,
            text_subject,
            likes,
            dislikes,
            replies,
            revision,
        } = item;
        (kind, id, root, parent, floor, member, text, (subject, text_subject), (likes, dislikes, replies), revision)
    }
}

impl From<Packed> for Item {
    fn from(packed: Packed) -> Self {
        let (
            kind,
            id,
            root,
            parent,
            floor,
            member,
            text,
            (subject, text_subject),
            (likes, dislikes, replies),
            revision,
        ) = packed;
        Self { kind, id, root, parent, floor, member, text, subject, text_subject, likes, dislikes, replies, revision }
    }
}
