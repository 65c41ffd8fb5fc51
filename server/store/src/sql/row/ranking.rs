//! The rows of ranking snapshots. Their floors are packed, four bytes each, after the fingerprint
//! of the list.

use riposte_core::rank::{RankedList, Ranking};
use riposte_core::{CommentId, Error, Millis, Result};
use sea_orm::ActiveValue::Set;

use crate::shard::part;
use crate::sql::entity::comment_epoch::{ActiveModel, Model};

/// The first byte of the packed floors, which identifies the layout.
const LAYOUT: u8 = 1;

/// The state of the list from which a ranking was computed; a different value means that the list
/// has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct SnapshotFingerprint {
    /// The revision of the subject, or of the root.
    pub(crate) revision: i64,
    /// The number of writes to the rank index of the list.
    pub(crate) changes: i64,
}

/// Returns the row of a ranking of the list with this id.
pub(crate) fn ranking_model(
    list: &RankedList,
    id: CommentId,
    ranking: &Ranking,
    fingerprint: SnapshotFingerprint,
) -> ActiveModel {
    let mut packed = vec![LAYOUT];
    packed.extend(fingerprint.revision.to_be_bytes());
    packed.extend(fingerprint.changes.to_be_bytes());
    ranking.floors.iter().for_each(|floor| packed.extend(floor.to_be_bytes()));
    ActiveModel {
        subject_id: Set(id.get()),
        sort: Set(list.rank_index().code()),
        epoch: Set(ranking.epoch),
        part: Set(part(id.partition())),
        floors: Set(packed),
        create_time: Set(ranking.create_time.0),
    }
}

/// Converts the row of a ranking.
pub(crate) fn ranking(row: &Model) -> Result<(Ranking, SnapshotFingerprint)> {
    let fault = || Error::internal(format!("ranking {} of {} cannot be read", row.epoch, row.subject_id));
    let rest = row.floors.strip_prefix(&[LAYOUT]).ok_or_else(fault)?;
    let (revision, rest) = rest.split_first_chunk().ok_or_else(fault)?;
    let (changes, floors) = rest.split_first_chunk().ok_or_else(fault)?;
    let (floors, torn) = floors.as_chunks();
    if !torn.is_empty() {
        return Err(fault());
    }
    let floors = floors.iter().map(|floor| i32::from_be_bytes(*floor)).collect();
    let fingerprint =
        SnapshotFingerprint { revision: i64::from_be_bytes(*revision), changes: i64::from_be_bytes(*changes) };
    Ok((Ranking::new(row.epoch, Millis(row.create_time), floors), fingerprint))
}

#[cfg(test)]
mod tests {
    use riposte_core::rank::{RankSort, RankedList, Ranking};
    use riposte_core::{CommentId, Millis, SubjectKey};
    use sea_orm::TryIntoModel;

    use super::{SnapshotFingerprint, ranking, ranking_model};

    #[test]
    fn a_ranking_is_read_back_unchanged_and_a_truncated_one_is_an_error() {
        let list = RankedList::Roots(SubjectKey::stored("video".to_owned(), "1".to_owned()), RankSort::Top);
        let id = CommentId::new(77).expect("positive");
        let fingerprint = SnapshotFingerprint { revision: 9, changes: -3 };
        for floors in [vec![], vec![1], vec![i32::MAX, 2, 70_000]] {
            let snapshot = Ranking::new(5, Millis(6), floors.into());
            let mut row = ranking_model(&list, id, &snapshot, fingerprint).try_into_model().expect("complete");
            assert_eq!(ranking(&row), Ok((snapshot, fingerprint)));
            row.floors.pop();
            assert!(ranking(&row).is_err());
            row.floors[0] = 2;
            assert!(ranking(&row).is_err());
        }
    }
}
