//! The position of a comment in its thread, as bytes whose order is thread order.

use crate::domain::ids::CommentId;
use crate::domain::object_type::MAX_LEVELS;

const LEVEL: usize = 8;

/// Up to 32 levels of 8 bytes: the root's id, then the floor (within that root) of each reply on
/// the way down, all big-endian. A subtree is one key range, siblings are in commit order, and no
/// path occurs twice.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(Vec<u8>);

impl Path {
    /// Creates the path of a root.
    #[must_use]
    pub fn root(id: CommentId) -> Self {
        Self(id.get().to_be_bytes().to_vec())
    }

    /// Creates the path of a reply with this floor directly below `self`.
    #[must_use]
    pub fn child(&self, floor: i32) -> Self {
        let mut path = self.0.clone();
        path.extend_from_slice(&i64::from(floor).to_be_bytes());
        Self(path)
    }

    /// Creates a path from stored or transmitted bytes; `None` unless it has 1 to 32 complete
    /// levels.
    #[must_use]
    pub fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        let has_complete_levels = !bytes.is_empty() && bytes.len().is_multiple_of(LEVEL);
        (has_complete_levels && bytes.len() <= LEVEL * usize::from(MAX_LEVELS)).then_some(Self(bytes))
    }

    /// The bytes as they are stored.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The number of steps below the root: 0 for a root.
    #[must_use]
    pub fn depth(&self) -> u8 {
        (self.0.len() / LEVEL - 1) as u8
    }

    /// Returns the paths of all ancestors, the root's first; empty for a root.
    pub fn ancestors(&self) -> impl Iterator<Item = Self> + '_ {
        (1..self.0.len() / LEVEL).map(|levels| Self(self.0[..levels * LEVEL].to_vec()))
    }

    /// Returns this path cut to at most `levels` levels: the ancestor (or the comment itself) to
    /// which a reply attaches under a depth cap. `None` for 0 levels.
    #[must_use]
    pub fn cut(&self, levels: u8) -> Option<Self> {
        let end = self.0.len().min(usize::from(levels) * LEVEL);
        (end > 0).then(|| Self(self.0[..end].to_vec()))
    }

    /// Returns `true` if `other` is strictly below `self`.
    #[must_use]
    pub fn is_above(&self, other: &Self) -> bool {
        other.0.len() > self.0.len() && other.0.starts_with(&self.0)
    }

    /// Returns the first byte string after every path of this subtree. Floors and ids are positive,
    /// so the last level never overflows.
    #[must_use]
    pub fn subtree_end(&self) -> Vec<u8> {
        let mut end = self.0.clone();
        for byte in end.iter_mut().rev() {
            if *byte < u8::MAX {
                *byte += 1;
                return end;
            }
            *byte = 0;
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Path;
    use crate::domain::ids::CommentId;

    fn path(root: i64, floors: &[i32]) -> Path {
        let root = CommentId::new(root).map(Path::root).unwrap_or_else(|| panic!("roots are positive"));
        floors.iter().fold(root, |path, floor| path.child(*floor))
    }

    proptest! {
        #[test]
        fn byte_order_is_thread_order_and_a_subtree_is_one_range(
            a in proptest::collection::vec(1..i32::MAX, 0..31), b in proptest::collection::vec(1..i32::MAX, 0..31), root in 1..i64::MAX,
        ) {
            let (pa, pb) = (path(root, &a), path(root, &b));
            prop_assert_eq!(pa.cmp(&pb), a.cmp(&b));
            let inside = pb.as_bytes() >= pa.as_bytes() && pb.as_bytes() < pa.subtree_end().as_slice();
            prop_assert_eq!(inside, b.starts_with(&a));
            prop_assert_eq!(pa.is_above(&pb), b.starts_with(&a) && b.len() > a.len());
            prop_assert_eq!(usize::from(pa.depth()), a.len());
            let ancestors: Vec<_> = (0..a.len()).map(|levels| path(root, &a[..levels])).collect();
            prop_assert_eq!(pa.ancestors().collect::<Vec<_>>(), ancestors);
            prop_assert_eq!(Path::from_bytes(pa.as_bytes().to_vec()), Some(pa));
        }
    }

    #[test]
    fn a_path_is_above_every_path_that_extends_it() {
        let top = path(7, &[1, 2]);
        for (other, above) in [
            (path(7, &[1, 2]), false),
            (path(7, &[1, 2, 1]), true),
            (path(7, &[1, 2, 1, 9]), true),
            (path(7, &[1]), false),
            (path(7, &[1, 3, 1]), false),
            (path(8, &[1, 2, 1]), false),
        ] {
            assert_eq!(top.is_above(&other), above, "{other:?}");
        }
    }

    #[test]
    fn a_subtree_ends_where_its_last_level_is_one_greater() {
        let level = |n: i64| n.to_be_bytes();
        for (top, end) in [
            (path(1, &[]), vec![level(2)]),
            (path(0x1ff, &[]), vec![level(0x200)]),
            (path(7, &[0xff]), vec![level(7), level(0x100)]),
            (path(7, &[0xffff, 1]), vec![level(7), level(0xffff), level(2)]),
        ] {
            assert_eq!(top.subtree_end(), end.concat(), "{top:?}");
        }
    }

    #[test]
    fn only_complete_levels_up_to_32_are_paths() {
        for (len, ok) in [(0, false), (7, false), (8, true), (12, false), (256, true), (264, false)] {
            assert_eq!(Path::from_bytes(vec![1; len]).is_some(), ok, "{len} bytes");
        }
    }

    #[test]
    fn a_cut_path_is_the_ancestor_that_replies_attach_to() {
        let deep = path(9, &[1, 2, 3]);
        assert_eq!(deep.cut(1), Some(path(9, &[])));
        assert_eq!(deep.cut(3), Some(path(9, &[1, 2])));
        assert_eq!(deep.cut(32), Some(deep.clone()));
        assert_eq!(deep.cut(0), None);
    }
}
