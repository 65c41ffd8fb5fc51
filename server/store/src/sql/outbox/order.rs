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

/// Returns the (subject, revision) pairs that directly precede `revisions` and are not among them.
/// Revisions are dense, and those of a subject are sequenced in order: if such a predecessor has
/// its sequence number, all revisions before it have theirs.
pub(super) fn predecessors(revisions: &[PendingRevision]) -> Vec<(i64, i64)> {
    let present: BTreeSet<(i64, i64)> =
        revisions.iter().map(|revision| (revision.subject, revision.revision)).collect();
    let before = present.iter().map(|(subject, revision)| (*subject, revision - 1));
    before.filter(|pair| pair.1 > 0 && !present.contains(pair)).collect()
}

/// Returns the commits in sequence order, by id where no revision decides. Commits that follow one
/// of `deferred` are left out: these are the (subject, revision) pairs of pending commits that are
/// not among `commits`. A commit holds the locks of its subjects until it ends, so two commits
/// never follow each other mutually.
pub(super) fn in_order(commits: &[i64], revisions: &[PendingRevision], deferred: &BTreeSet<(i64, i64)>) -> Vec<i64> {
    let commit_by_revision: HashMap<(i64, i64), i64> =
        revisions.iter().map(|revision| ((revision.subject, revision.revision), revision.commit)).collect();
    let mut followers: HashMap<i64, Vec<i64>> = HashMap::new();
    let mut predecessor_counts: HashMap<i64, usize> = HashMap::new();
    for revision in revisions {
        let before = (revision.subject, revision.revision - 1);
        if let Some(commit) = commit_by_revision.get(&before) {
            followers.entry(*commit).or_default().push(revision.commit);
        } else if !deferred.contains(&before) {
            continue;
        }
        *predecessor_counts.entry(revision.commit).or_default() += 1;
    }
    let mut ready: BTreeSet<i64> =
        commits.iter().copied().filter(|commit| !predecessor_counts.contains_key(commit)).collect();
    let mut order = Vec::with_capacity(commits.len());
    while let Some(next) = ready.pop_first() {
        order.push(next);
        for follower in followers.remove(&next).unwrap_or_default() {
            let predecessors_left = predecessor_counts.entry(follower).or_insert(1);
            *predecessors_left -= 1;
            if *predecessors_left == 0 {
                ready.insert(follower);
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
    fn sequence_all(mut unsequenced: Vec<i64>, revisions: &[PendingRevision], limit: usize) -> Vec<i64> {
        let mut sequenced: Vec<i64> = Vec::new();
        unsequenced.sort_unstable();
        while !unsequenced.is_empty() {
            let mut scan_limit = limit;
            let picked = loop {
                let oldest = &unsequenced[..scan_limit.min(unsequenced.len())];
                let revisions_of = |commits: &[i64]| {
                    revisions.iter().copied().filter(|revision| commits.contains(&revision.commit)).collect::<Vec<_>>()
                };
                let picked_revisions = revisions_of(oldest);
                let pending = revisions_of(&unsequenced);
                let is_pending =
                    |pair: &(i64, i64)| pending.iter().any(|revision| (revision.subject, revision.revision) == *pair);
                let deferred: BTreeSet<(i64, i64)> =
                    predecessors(&picked_revisions).into_iter().filter(is_pending).collect();
                let mut ready = in_order(oldest, &picked_revisions, &deferred);
                if ready.len() >= limit || scan_limit > unsequenced.len() {
                    ready.truncate(limit);
                    break ready;
                }
                scan_limit *= 2;
            };
            assert_eq!(picked.len(), limit.min(unsequenced.len()), "a pick is as large as it may be");
            unsequenced.retain(|commit| !picked.contains(commit));
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
            let mut revisions = Vec::new();
            for (commit, subjects) in ids.iter().zip(&touched) {
                for subject in subjects {
                    let revision = &mut last[*subject as usize];
                    *revision += 1;
                    revisions.push(PendingRevision { commit: *commit, subject: *subject, revision: *revision });
                }
            }
            let unsequenced = ids[..touched.len()].to_vec();
            let sequenced = sequence_all(unsequenced.clone(), &revisions, limit);
            prop_assert_eq!(sequenced.iter().collect::<BTreeSet<_>>().len(), unsequenced.len());
            for subject in 1..=5 {
                let revision = |commit: &i64| {
                    revisions.iter().find(|revision| revision.commit == *commit && revision.subject == subject).map(|revision| revision.revision)
                };
                let revisions: Vec<i64> = sequenced.iter().filter_map(revision).collect();
                prop_assert_eq!(revisions, (1..=last[subject as usize]).collect::<Vec<_>>());
            }
        }
    }
}
