//! The facts about members that rules and modes compare, from the member history. Members that are
//! no longer new are stored in memory, so that most writes read nothing.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use riposte_core::object_type::{NEWEST_COMMENTS, ObjectType};
use riposte_core::ports::Reader;
use riposte_core::{MemberId, Policies, Policy};
use riposte_policy::{MemberInputs, RuleSet};

/// The largest number of members that are kept.
const MAX_KNOWN: usize = 100_000;

/// Reads of member histories.
#[derive(Debug)]
pub(super) struct MemberReads {
    reader: Arc<dyn Reader>,
    policies: Arc<Policies>,
    known: KnownMembers,
}

/// The facts that were read of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct KnownMember {
    /// The inputs of rules.
    pub(super) inputs: MemberInputs,
    /// `true` if the member is known not to be new.
    pub(super) established: bool,
}

impl MemberReads {
    pub(super) fn new(reader: Arc<dyn Reader>, policies: Arc<Policies>) -> Self {
        Self { reader, policies, known: KnownMembers::new(MAX_KNOWN) }
    }

    /// Returns the number of public comments from which on a member is no longer new; `None` if
    /// the type has no mode that asks.
    pub(super) fn threshold(&self, object_type: &ObjectType) -> Option<u32> {
        self.policies.of(object_type).ok().and_then(Policy::counted_threshold)
    }

    /// Returns what these rules and the modes of the type ask about a member; nothing is known if
    /// the history cannot be read.
    pub(super) async fn of(&self, object_type: &ObjectType, member: &MemberId, rules: Option<&RuleSet>) -> KnownMember {
        let threshold = self.threshold(object_type);
        let settled = rules.and_then(RuleSet::settled_approved).max(threshold);
        let Some(settled) = settled else { return KnownMember::default() };
        let key = (object_type, member);
        let approved = if self.known.has(&key) {
            Some(settled)
        } else {
            self.reader.active_comments(object_type, member, NEWEST_COMMENTS as usize).await.ok()
        };
        if approved.is_some_and(|approved| approved >= settled) {
            self.known.add(&key);
        }
        KnownMember {
            inputs: MemberInputs { approved, first_post: approved.map(|approved| approved == 0), age: None },
            established: approved.zip(threshold).is_some_and(|(approved, threshold)| approved >= threshold),
        }
    }
}

/// Members that are no longer new, by hash. The older half is removed when there are too many.
#[derive(Debug)]
struct KnownMembers {
    half: usize,
    hashes: RandomState,
    halves: Mutex<Halves>,
}

#[derive(Debug, Default)]
struct Halves {
    newer: HashSet<u64>,
    older: HashSet<u64>,
}

impl KnownMembers {
    fn new(limit: usize) -> Self {
        Self { half: limit / 2, hashes: RandomState::new(), halves: Mutex::default() }
    }

    fn has(&self, key: &(&ObjectType, &MemberId)) -> bool {
        let hash = self.hashes.hash_one(key);
        let halves = self.halves.lock().unwrap_or_else(PoisonError::into_inner);
        halves.newer.contains(&hash) || halves.older.contains(&hash)
    }

    /// Adds a member, or renews it.
    fn add(&self, key: &(&ObjectType, &MemberId)) {
        let hash = self.hashes.hash_one(key);
        let mut halves = self.halves.lock().unwrap_or_else(PoisonError::into_inner);
        if halves.newer.len() >= self.half && !halves.newer.contains(&hash) {
            halves.older = std::mem::take(&mut halves.newer);
        }
        halves.newer.insert(hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_members_seen_last_are_kept_up_to_a_bound() {
        let known = KnownMembers::new(100);
        let object_type = ObjectType::stored("video".to_owned());
        let members: Vec<MemberId> = (0..150).map(|n| MemberId::stored(format!("m{n}"))).collect();
        let has = |n: usize| known.has(&(&object_type, &members[n]));
        for member in &members {
            known.add(&(&object_type, member));
            // A member that goes on writing stays.
            known.add(&(&object_type, &members[0]));
        }
        assert!((101..150).all(has) && has(0) && !has(1) && !has(40));
        assert!((0..150).filter(|n| has(*n)).count() <= 100);
        assert!(!known.has(&(&ObjectType::stored("film".to_owned()), &members[149])), "another type");
    }
}
