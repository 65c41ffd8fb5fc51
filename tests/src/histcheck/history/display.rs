//! The texts of operations, comments and faults in a report.

use std::fmt;

use super::{InjectedFault, Item, ItemKind, Nanos, Op, Outcome};

fn seconds(at: Nanos) -> f64 {
    at as f64 / 1e9
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { client, server, begun, ended, request, call, outcome } = self;
        write!(f, "{:.6}..{:.6} s client {client} at server {server}: {call:?}", seconds(*begun), seconds(*ended))?;
        if *request != (0, 0) {
            write!(f, ", request {:016x}{:016x}", request.0, request.1)?;
        }
        match outcome {
            Outcome::Page(page) => {
                write!(f, " → revision {}, {:?}, last {}:", page.revision, page.counts, page.last)?;
                page.items.iter().try_for_each(|item| write!(f, " {item}"))
            }
            Outcome::Comment(item) => write!(f, " → {item}"),
            Outcome::Comments(items) | Outcome::OfMember(items) => {
                f.write_str(" →")?;
                items.iter().try_for_each(|item| write!(f, " {item}"))
            }
            Outcome::Export { rows, likes, drifts, counts: _ } => {
                write!(f, " → {} rows, {} likes, {drifts:?}", rows.len(), likes.len())
            }
            Outcome::Changes { changes, last } => write!(f, " → {} changes up to revision {last}", changes.len()),
            Outcome::Written(_)
            | Outcome::Liked(_)
            | Outcome::Counts(_)
            | Outcome::Texts(_)
            | Outcome::States(_)
            | Outcome::Members(_)
            | Outcome::Gap { .. }
            | Outcome::Reviewed(_)
            | Outcome::Owned(_)
            | Outcome::Policy(_)
            | Outcome::Refused(_)
            | Outcome::Unknown(_) => write!(f, " → {outcome:?}"),
        }
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            ItemKind::Row => "",
            ItemKind::Preview => "preview ",
            ItemKind::Head => "head ",
        };
        write!(f, "[{kind}{} floor {} text {} ", self.id, self.floor, self.text)?;
        write!(f, "+{} −{} r{} @{}]", self.likes, self.dislikes, self.replies, self.revision)
    }
}

impl fmt::Display for InjectedFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}..{:.3} s {} {}", seconds(self.begun), seconds(self.ended), self.kind, self.target)
    }
}
