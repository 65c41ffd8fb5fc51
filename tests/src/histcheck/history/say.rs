//! The line that a report shows of an operation.

use std::fmt;

use super::{Fault, Item, Nanos, Op, Outcome, Place};

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
            Outcome::Page(shown) => {
                write!(f, " → revision {}, {:?}, last {}:", shown.revision, shown.counts, shown.last)?;
                shown.items.iter().try_for_each(|item| write!(f, " {item}"))
            }
            Outcome::Comment(item) => write!(f, " → {item}"),
            Outcome::Comments(items) => {
                f.write_str(" →")?;
                items.iter().try_for_each(|item| write!(f, " {item}"))
            }
            Outcome::Export { rows, likes, drifts, counts: _ } => {
                write!(f, " → {} rows, {} likes, {drifts:?}", rows.len(), likes.len())
            }
            Outcome::Changes { told, last } => write!(f, " → {} changes up to revision {last}", told.len()),
            Outcome::Written(_)
            | Outcome::Liked(_)
            | Outcome::Counts(_)
            | Outcome::States(_)
            | Outcome::Gap { .. }
            | Outcome::Refused(_)
            | Outcome::Unknown(_) => write!(f, " → {outcome:?}"),
        }
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match self.place {
            Place::Row => "",
            Place::Preview => "preview ",
            Place::Head => "head ",
        };
        write!(f, "[{place}{} floor {} text {} ", self.id, self.floor, self.text)?;
        write!(f, "+{} −{} r{} @{}]", self.likes, self.dislikes, self.replies, self.revision)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}..{:.3} s {} {}", seconds(self.begun), seconds(self.ended), self.kind, self.target)
    }
}
