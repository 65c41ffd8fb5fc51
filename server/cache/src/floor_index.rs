//! The index from the floors of a list to comment ids. The id of a floor never changes, so a page
//! of floors can be requested by ids.

use std::collections::HashMap;
use std::sync::Arc;

use moka::sync::Cache as Bounded;
use riposte_core::{CommentId, SubjectKey};

/// The capacity in bytes.
const CAPACITY: u64 = 32 << 20;
/// The size of an entry without its floors and the key of its subject, in bytes.
const ENTRY_SIZE: usize = 192;
/// The size of a floor with its id, in bytes.
const FLOOR_SIZE: usize = 24;
/// The maximum number of floors of one list. An entry that exceeds it is dropped and starts anew.
const MAX_FLOORS: usize = 16_384;

/// The list of a subject's roots, or of a root's replies.
type FloorListName = (SubjectKey, Option<CommentId>);

/// The comment ids of one list, by floor.
type Ids = Arc<HashMap<i32, CommentId>>;

/// The floor index of one process.
#[derive(Debug)]
pub(crate) struct FloorIndex {
    lists: Bounded<FloorListName, Ids>,
}

impl FloorIndex {
    pub(crate) fn new() -> Self {
        let size = |(key, _): &FloorListName, ids: &Ids| {
            let names = key.object_type().as_str().len() + key.object_id().len();
            u32::try_from(ENTRY_SIZE + names + FLOOR_SIZE * ids.len()).unwrap_or(u32::MAX)
        };
        Self { lists: Bounded::builder().max_capacity(CAPACITY).weigher(size).build() }
    }

    /// Returns the comments of these floors in their order; `None` if one of them is unknown.
    pub(crate) fn get(&self, list: &FloorListName, floors: &[i32]) -> Option<Vec<CommentId>> {
        if floors.is_empty() {
            return Some(Vec::new());
        }
        let ids = self.lists.get(list)?;
        floors.iter().map(|floor| ids.get(floor).copied()).collect()
    }

    /// Adds floors that were read. When two callers add to one list at the same time, the floors of
    /// one may be lost; they are read again later.
    pub(crate) fn insert(&self, list: &FloorListName, floors: impl Iterator<Item = (i32, CommentId)>) {
        let mut ids = self.lists.get(list).map_or_else(HashMap::new, |known| HashMap::clone(&known));
        ids.extend(floors);
        if ids.len() <= MAX_FLOORS {
            self.lists.insert(list.clone(), Arc::new(ids));
        } else {
            self.lists.invalidate(list);
        }
    }
}

#[cfg(test)]
mod tests {
    use riposte_core::{CommentId, SubjectKey};

    use super::{FloorIndex, MAX_FLOORS};

    #[test]
    fn all_requested_floors_are_found_or_none_and_a_list_is_bounded() {
        let index = FloorIndex::new();
        let list = (SubjectKey::stored("t".into(), "o".into()), None);
        let id = |floor: i32| CommentId::new(i64::from(floor) + 1_000).expect("positive");
        let with_ids = |floors: std::ops::Range<i32>| floors.map(move |floor| (floor, id(floor)));
        assert_eq!(index.get(&list, &[1]), None, "nothing is known of the list");
        assert_eq!(index.get(&list, &[]), Some(Vec::new()));
        index.insert(&list, with_ids(1..4));
        index.insert(&list, with_ids(7..8));
        assert_eq!(index.get(&list, &[7, 1]), Some(vec![id(7), id(1)]));
        assert_eq!(index.get(&list, &[1, 5]), None);
        index.insert(&list, with_ids(1..i32::try_from(MAX_FLOORS).expect("small") + 2));
        assert_eq!(index.get(&list, &[1]), None, "the entry began anew");
    }
}
