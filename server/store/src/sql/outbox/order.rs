//! In which order picked rows are numbered: each subject's by revision, whatever order their ids have.

use std::collections::{BTreeMap, BTreeSet};

/// A row that has no number yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Waiting {
    /// The row.
    pub(super) id: i64,
    /// Its subject.
    pub(super) subject: i64,
    /// The revision that it tells; 0 for likes, which may stand anywhere.
    pub(super) revision: i64,
}

/// The picked revisions of each subject.
fn revisions(picked: &[Waiting]) -> BTreeMap<i64, BTreeSet<i64>> {
    let mut revisions: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
    for row in picked.iter().filter(|row| row.revision > 0) {
        revisions.entry(row.subject).or_default().insert(row.revision);
    }
    revisions
}

/// What stands right before the first picked row of each subject, as (subject, revision). Revisions are dense and each
/// subject's are numbered in order: where this one has its number, all before it have.
pub(super) fn predecessors(picked: &[Waiting]) -> Vec<(i64, i64)> {
    let first = revisions(picked).into_iter().filter_map(|(subject, of)| Some((subject, *of.first()? - 1)));
    first.filter(|(_, revision)| *revision > 0).collect()
}

/// Subjects of which a revision between two picked ones was left.
pub(super) fn with_holes(picked: &[Waiting]) -> BTreeSet<i64> {
    let dense =
        |of: &BTreeSet<i64>| of.first().zip(of.last()).is_none_or(|(first, last)| last - first + 1 == of.len() as i64);
    revisions(picked).into_iter().filter(|(_, of)| !dense(of)).map(|(subject, _)| subject).collect()
}

/// The pick with as many rows of each crooked subject as before, but its first ones. `rest` are all rows of these subjects
/// that wait. The pick grows no larger, and every picked subject gets on.
pub(super) fn straightened(picked: Vec<Waiting>, crooked: &BTreeSet<i64>, rest: Vec<Waiting>) -> Vec<Waiting> {
    let (replaced, mut kept): (Vec<_>, Vec<_>) =
        picked.into_iter().partition(|row| row.revision > 0 && crooked.contains(&row.subject));
    let mut room: BTreeMap<i64, usize> = BTreeMap::new();
    for row in replaced {
        *room.entry(row.subject).or_default() += 1;
    }
    kept.extend(by_revision(rest).into_iter().filter(|row| {
        let room = room.entry(row.subject).or_default();
        let fits = *room > 0;
        *room = room.saturating_sub(1);
        fits
    }));
    kept
}

/// The rows in the order of their numbers.
pub(super) fn by_revision(mut rows: Vec<Waiting>) -> Vec<Waiting> {
    rows.sort_unstable_by_key(|row| (row.subject, row.revision, row.id));
    rows
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Waiting, by_revision, predecessors, straightened, with_holes};

    /// Numbers everything, `limit` rows at a time, as the transaction does.
    fn number(mut waiting: Vec<Waiting>, limit: usize) -> Vec<Waiting> {
        let mut numbered: Vec<Waiting> = Vec::new();
        while !waiting.is_empty() {
            waiting.sort_by_key(|row| row.id);
            let oldest = waiting[..limit.min(waiting.len())].to_vec();
            let mut crooked = with_holes(&oldest);
            let before = predecessors(&oldest);
            let waits = |row: &&Waiting| before.contains(&(row.subject, row.revision));
            crooked.extend(waiting.iter().filter(waits).map(|row| row.subject));
            let rest = waiting.iter().filter(|row| row.revision > 0 && crooked.contains(&row.subject));
            let picked = by_revision(straightened(oldest.clone(), &crooked, rest.copied().collect()));
            assert_eq!(picked.len(), oldest.len(), "a pick keeps its size");
            waiting.retain(|row| !picked.contains(row));
            numbered.extend(picked);
        }
        numbered
    }

    proptest! {
        #[test]
        fn every_row_is_numbered_once_and_each_subject_in_the_order_of_its_revisions(
            mut ids in Just((1..=60_i64).collect::<Vec<_>>()).prop_shuffle(),
            owners in proptest::collection::vec((1..=4_i64, any::<bool>()), 0..60),
            limit in 1..20_usize,
        ) {
            let mut last = [0; 5];
            let row = |(subject, like): (i64, bool)| {
                let of = &mut last[subject as usize];
                *of += i64::from(!like);
                Waiting { id: ids.pop().unwrap_or_default(), subject, revision: if like { 0 } else { *of } }
            };
            let rows: Vec<Waiting> = owners.into_iter().map(row).collect();
            let numbered = number(rows.clone(), limit);
            prop_assert_eq!(numbered.len(), rows.len());
            for subject in 1..=4 {
                let told: Vec<i64> =
                    numbered.iter().filter(|r| r.subject == subject && r.revision > 0).map(|r| r.revision).collect();
                prop_assert_eq!(told, (1..=last[subject as usize]).collect::<Vec<_>>());
            }
        }
    }
}
