//! Likes, states and texts: the stored value is one that may have been written last.
//!
//! Of several operations on one register, one may be the last if no acknowledged
//! operation follows it. An unknown operation may still take effect at any later time, so no
//! operation certainly follows it.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use riposte_sdk::v1::LikeValue;

use super::Fault;
use crate::kill::history::{Act, Op};
use crate::kill::seen::Seen;

/// One write of one register.
#[derive(Debug)]
struct Write<V> {
    /// Its index in the history.
    op: usize,
    client: usize,
    value: V,
    begun: Duration,
    /// The time after which it takes no effect any more; `None` if that is unknown.
    settled: Option<Duration>,
    /// True if it certainly took effect.
    sure: bool,
}

/// Finds likes, states and texts that a later acknowledged operation should have replaced.
pub(super) fn check(history: &[Op], seen: &Seen, faults: &mut Vec<Fault>) {
    likes(history, seen, faults);
    let mut states: HashMap<i64, Vec<Write<bool>>> = HashMap::new();
    let mut texts: HashMap<i64, Vec<Write<&str>>> = HashMap::new();
    let mut first: HashMap<i64, &str> = HashMap::new();
    for (number, op) in history.iter().enumerate().filter(|(_, op)| !op.was_refused()) {
        match &op.act {
            Act::Delete { comment, .. } => states.entry(*comment).or_default().push(write(number, op, false)),
            Act::Undelete { comment, .. } => states.entry(*comment).or_default().push(write(number, op, true)),
            Act::Edit { comment, text, .. } => texts.entry(*comment).or_default().push(write(number, op, text)),
            Act::Root { text, .. } | Act::Reply { text, .. } => {
                first.extend(op.answer().map(|answer| (answer.id, text.as_str())));
            }
            Act::Like { .. } => {}
        }
    }
    for row in &seen.rows {
        let writes = states.remove(&row.id).unwrap_or_default();
        let name = || format!("comment {}: active", row.id);
        judge(name, true, &writes, row.text.is_some(), faults);
        let (Some(text), Some(first)) = (row.text.as_deref(), first.get(&row.id)) else { continue };
        let writes = texts.remove(&row.id).unwrap_or_default();
        judge(|| format!("comment {}: text", row.id), *first, &writes, text, faults);
    }
}

fn likes(history: &[Op], seen: &Seen, faults: &mut Vec<Fault>) {
    let mut likes: BTreeMap<(i64, &str), Vec<Write<LikeValue>>> = BTreeMap::new();
    for (number, op) in history.iter().enumerate().filter(|(_, op)| !op.was_refused()) {
        if let Act::Like { comment, member, value } = &op.act {
            likes.entry((*comment, member)).or_default().push(write(number, op, *value));
        }
    }
    let standing = |(comment, member): (i64, &str)| {
        let value = seen.likes.get(&(comment, member.to_owned()));
        value.copied().unwrap_or(LikeValue::None)
    };
    for (comment, member) in seen.likes.keys() {
        if !likes.contains_key(&(*comment, member.as_str())) {
            faults.push(Fault { what: format!("{member} never touched comment {comment}"), ops: Vec::new() });
        }
    }
    for (key, mut writes) in likes {
        let alone = writes.iter().all(|write| write.client == writes[0].client);
        for write in &mut writes {
            if alone {
                // The service orders the likes of one client by their request ids, however late one
                // arrives.
                write.settled = Some(write.begun);
            } else if history[write.op].attempts > 1 {
                // An earlier attempt may arrive after another client's like and cannot be
                // distinguished from a new like.
                write.settled = None;
            }
        }
        judge(|| format!("comment {}, {}: like", key.0, key.1), LikeValue::None, &writes, standing(key), faults);
    }
}

fn write<V>(op: usize, of: &Op, value: V) -> Write<V> {
    let sure = of.answer().is_some();
    Write { op, client: of.client, value, begun: of.begun, settled: sure.then_some(of.ended), sure }
}

/// Records a violation unless `found` may be the last value.
fn judge<V: PartialEq + Copy + std::fmt::Debug>(
    name: impl Fn() -> String,
    initial: V,
    writes: &[Write<V>],
    found: V,
    faults: &mut Vec<Fault>,
) {
    let replaced = |write: &Write<V>| {
        writes.iter().any(|later| later.sure && write.settled.is_some_and(|settled| settled < later.begun))
    };
    let last: Vec<_> = writes.iter().filter(|write| !replaced(write)).map(|write| write.value).collect();
    let untouched = found == initial && !writes.iter().any(|write| write.sure);
    if !untouched && !last.contains(&found) {
        let what = format!("{} is {found:?}; the last operation on it set one of {last:?}", name());
        faults.push(Fault { what, ops: writes.iter().map(|write| write.op).collect() });
    }
}
