//! The order in which picked commits are sequenced: the commits of each subject by its revisions,
//! whatever the order of their ids.

use std::collections::{BTreeSet, HashMap};

/// A revision that a pending commit made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PendingRevision {
    /// The commit.
    pub(super) commit: i64,
    /// The subject.
    pub(super) subject: i64,
    /// Its revision.
    pub(super) revision: i64,
}

/// Returns the (subject, revision) pairs that directly precede those in `made` and were made by
/// none of these commits. Revisions are dense and those of a subject are sequenced in order: if
/// such a predecessor has its sequence number, all revisions before it have theirs.
pub(super) fn predecessors(made: &[PendingRevision]) -> Vec<(i64, i64)> {
    let there: BTreeSet<(i64, i64)> = made.iter().map(|one| (one.subject, one.revision)).collect();
    let before = there.iter().map(|(subject, revision)| (*subject, revision - 1));
    before.filter(|one| one.1 > 0 && !there.contains(one)).collect()
}

/// Returns the commits in sequence order, by id where no revision decides, without those that come
/// after one of `late`: (subject, revision) of pending commits that are not among these. A commit
/// holds the locks of its subjects until it ends, so two commits never follow each other mutually.
pub(super) fn in_order(commits: &[i64], made: &[PendingRevision], late: &BTreeSet<(i64, i64)>) -> Vec<i64> {
    let by: HashMap<(i64, i64), i64> = made.iter().map(|one| ((one.subject, one.revision), one.commit)).collect();
    let mut followers: HashMap<i64, Vec<i64>> = HashMap::new();
    let mut waits_for: HashMap<i64, usize> = HashMap::new();
    for one in made {
        let before = (one.subject, one.revision - 1);
        if let Some(commit) = by.get(&before) {
            followers.entry(*commit).or_default().push(one.commit);
        } else if !late.contains(&before) {
            continue;
        }
        *waits_for.entry(one.commit).or_default() += 1;
    }
    let mut free: BTreeSet<i64> = commits.iter().copied().filter(|commit| !waits_for.contains_key(commit)).collect();
    let mut order = Vec::with_capacity(commits.len());
    while let Some(next) = free.pop_first() {
        order.push(next);
        for follower in followers.remove(&next).unwrap_or_default() {
            let left = waits_for.entry(follower).or_insert(1);
            *left -= 1;
            if *left == 0 {
                free.insert(follower);
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::{PendingRevision, in_order, predecessors};

    /// Sequences everything, `limit` commits at a time, as the transaction does.
    fn number(mut waiting: Vec<i64>, made: &[PendingRevision], limit: usize) -> Vec<i64> {
        let mut sequenced: Vec<i64> = Vec::new();
        waiting.sort_unstable();
        while !waiting.is_empty() {
            let mut seen = limit;
            let picked = loop {
                let oldest = &waiting[..seen.min(waiting.len())];
                let of = |commits: &[i64]| {
                    made.iter().copied().filter(|one| commits.contains(&one.commit)).collect::<Vec<_>>()
                };
                let theirs = of(oldest);
                let waits = of(&waiting);
                let waits = |one: &(i64, i64)| waits.iter().any(|made| (made.subject, made.revision) == *one);
                let late: BTreeSet<(i64, i64)> = predecessors(&theirs).into_iter().filter(waits).collect();
                let mut ready = in_order(oldest, &theirs, &late);
                if ready.len() >= limit || seen > waiting.len() {
                    ready.truncate(limit);
                    break ready;
                }
                seen *= 2;
            };
            assert_eq!(picked.len(), limit.min(waiting.len()), "a pick is as large as it may be");
            waiting.retain(|commit| !picked.contains(commit));
            sequenced.extend(picked);
        }
        sequenced
    }

    proptest! {
        #[test]
        fn every_commit_is_numbered_once_and_those_of_each_subject_in_the_order_of_its_revisions(
            ids in Just((1..=40_i64).collect::<Vec<_>>()).prop_shuffle(),
            touched in proptest::collection::vec(proptest::collection::btree_set(1..=5_i64, 0..4), 0..40),
            limit in 1..20_usize,
        ) {
            // Commits in the order in which they happened, with ids in random order.
            let mut last = [0; 6];
            let mut made = Vec::new();
            for (commit, subjects) in ids.iter().zip(&touched) {
                for subject in subjects {
                    let revision = &mut last[*subject as usize];
                    *revision += 1;
                    made.push(PendingRevision { commit: *commit, subject: *subject, revision: *revision });
                }
            }
            let waiting = ids[..touched.len()].to_vec();
            let sequenced = number(waiting.clone(), &made, limit);
            prop_assert_eq!(sequenced.iter().collect::<BTreeSet<_>>().len(), waiting.len());
            for subject in 1..=5 {
                let revision = |commit: &i64| {
                    made.iter().find(|one| one.commit == *commit && one.subject == subject).map(|one| one.revision)
                };
                let revisions: Vec<i64> = sequenced.iter().filter_map(revision).collect();
                prop_assert_eq!(revisions, (1..=last[subject as usize]).collect::<Vec<_>>());
            }
        }
    }
}
