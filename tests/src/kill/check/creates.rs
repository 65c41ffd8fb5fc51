//! Every acknowledged comment exists once, as it was answered. Every other comment exists at most
//! once, and a refused one not at all.

use std::collections::HashMap;

use super::Fault;
use crate::kill::history::{Act, Answer, Op};
use crate::kill::seen::{Row, Seen};

/// Finds lost, doubled, changed and invented comments.
pub(super) fn check(history: &[Op], seen: &Seen, faults: &mut Vec<Fault>) {
    let mut asked = HashMap::new();
    let mut answered: HashMap<i64, usize> = HashMap::new();
    for (number, op) in history.iter().enumerate() {
        let Some((_, mark)) = op.act.makes() else { continue };
        asked.insert(mark, number);
        let Some(answer) = op.answer() else { continue };
        if let Some(twin) = answered.insert(answer.id, number) {
            faults.push(Fault {
                what: format!("id {} was answered to two requests", answer.id),
                ops: vec![twin, number],
            });
        }
    }
    let mut rows: HashMap<i64, &Row> = HashMap::new();
    let mut marked: HashMap<usize, Vec<&Row>> = HashMap::new();
    for row in &seen.rows {
        if rows.insert(row.id, row).is_some() {
            faults.push(Fault { what: format!("id {} stands twice", row.id), ops: Vec::new() });
        }
        // A tombstone shows no text. Only a client that received its id in a response can have
        // deleted it.
        let op = row.mark().map_or_else(|| answered.get(&row.id), |mark| asked.get(mark));
        match op {
            Some(op) => marked.entry(*op).or_default().push(row),
            None => faults.push(Fault { what: format!("nobody asked for {row:?}"), ops: Vec::new() }),
        }
    }
    for number in asked.into_values() {
        let op = &history[number];
        let standing = marked.get(&number).map_or(&[][..], Vec::as_slice);
        let mut fault = |what: String| faults.push(Fault { what, ops: vec![number] });
        if standing.len() > 1 {
            fault(format!("doubled: {standing:?}"));
        }
        if op.was_refused() && !standing.is_empty() {
            fault(format!("refused as not executed, yet it stands: {standing:?}"));
        }
        if let Some(answer) = op.answer() {
            match rows.get(&answer.id) {
                None => fault(format!("lost: nothing stands under id {}", answer.id)),
                Some(row) if !is_as_answered(op, answer, row) => {
                    fault(format!("answered otherwise than it stands: {row:?}"))
                }
                Some(_) => {}
            }
        }
    }
}

/// Returns true if a row matches the request and the response of the operation. Only the mark at
/// the start of the text is compared, because edits may have changed the rest.
fn is_as_answered(op: &Op, answer: &Answer, row: &Row) -> bool {
    let Some((member, mark)) = op.act.makes() else { return false };
    let place = match &op.act {
        Act::Root { subject, .. } => row.subject == *subject && row.parent == 0 && row.root == 0,
        Act::Reply { parent, .. } => row.parent == *parent,
        Act::Like { .. } | Act::Delete { .. } | Act::Undelete { .. } | Act::Edit { .. } => false,
    };
    let text = row.mark().is_none_or(|standing| standing == mark);
    place && text && row.member == member && (row.root, row.floor) == (answer.root, answer.floor)
}
