//! Selection of the next call of a client, by chance.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use riposte_sdk::v1::LikeValue;

use super::ground::{Ground, HOT, SUBJECTS};
use super::history::{Act, EVERYBODY, Op};

/// Number of members that one client acts for; no other client acts for them.
const MEMBERS: u32 = 20;
/// Number of own comments that a client keeps.
const MINE: usize = 200;

/// The random choices of one client.
#[derive(Debug)]
pub(super) struct Planner {
    client: usize,
    rng: StdRng,
    /// Number of texts written so far; each text is marked with its number.
    texts: u32,
    mine: Vec<Mine>,
}

/// A comment that this client wrote, and its expected state: deleted or not.
#[derive(Debug, Clone)]
struct Mine {
    id: i64,
    member: String,
    mark: String,
    deleted: bool,
}

impl Planner {
    pub(super) fn new(client: usize, seed: u64) -> Self {
        let rng = StdRng::seed_from_u64(seed ^ (client as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Self { client, rng, texts: 0, mine: Vec::new() }
    }

    /// Returns the random number generator.
    pub(super) fn rng(&mut self) -> &mut StdRng {
        &mut self.rng
    }

    /// Returns the next call.
    pub(super) fn next(&mut self, ground: &Ground) -> Act {
        let choice = match self.rng.random_range(0..100) {
            0..25 => None,
            25..50 => self.reply(ground),
            50..80 => self.like(ground),
            80..89 => self.change(false).map(|Mine { id: comment, member, .. }| Act::Delete { comment, member }),
            89..94 => self.change(true).map(|Mine { id: comment, member, .. }| Act::Undelete { comment, member }),
            _ => self.edit(),
        };
        choice.unwrap_or_else(|| self.root())
    }

    /// Records the change of an acknowledged operation.
    pub(super) fn learn(&mut self, op: &Op) {
        let Some(answer) = op.answer() else { return };
        match &op.act {
            Act::Root { member, text, .. } | Act::Reply { member, text, .. } => {
                if self.mine.len() >= MINE {
                    let forgotten = self.rng.random_range(0..MINE);
                    self.mine.swap_remove(forgotten);
                }
                let (member, mark) = (member.clone(), text.clone());
                self.mine.push(Mine { id: answer.id, member, mark, deleted: false });
            }
            Act::Delete { comment, .. } | Act::Undelete { comment, .. } => {
                let deleted = matches!(op.act, Act::Delete { .. });
                self.mine.iter_mut().filter(|mine| mine.id == *comment).for_each(|mine| mine.deleted = deleted);
            }
            Act::Like { .. } | Act::Edit { .. } => {}
        }
    }

    fn subject(&mut self) -> usize {
        let range = if self.rng.random_ratio(6, 10) { 0..HOT } else { HOT..SUBJECTS };
        self.rng.random_range(range)
    }

    fn member(&mut self) -> String {
        format!("m{}.{}", self.client, self.rng.random_range(0..MEMBERS))
    }

    /// Returns a text that no other create of the run has.
    fn text(&mut self) -> String {
        self.texts += 1;
        format!("t{}.{}", self.client, self.texts)
    }

    fn root(&mut self) -> Act {
        Act::Root { subject: self.subject(), member: self.member(), text: self.text() }
    }

    /// Returns a reply, mostly to a comment that all clients know, else to an own comment, so that
    /// threads grow deep.
    fn reply(&mut self, ground: &Ground) -> Option<Act> {
        let subject = self.subject();
        let own = self.rng.random_ratio(1, 4);
        let parent = if own { self.change(false)?.id } else { ground.comment(subject, &mut self.rng)? };
        Some(Act::Reply { parent, member: self.member(), text: self.text() })
    }

    fn like(&mut self, ground: &Ground) -> Option<Act> {
        let subject = self.subject();
        let own = self.rng.random_ratio(1, 5);
        let comment = if own { self.change(false)?.id } else { ground.comment(subject, &mut self.rng)? };
        let member = if self.rng.random_ratio(1, 12) { EVERYBODY.to_owned() } else { self.member() };
        let values = [LikeValue::Like, LikeValue::Like, LikeValue::Dislike, LikeValue::None];
        Some(Act::Like { comment, member, value: values[self.rng.random_range(0..values.len())] })
    }

    fn edit(&mut self) -> Option<Act> {
        let Mine { id: comment, member, mark, .. } = self.change(false)?;
        self.texts += 1;
        Some(Act::Edit { comment, member, text: format!("{mark} edit {}", self.texts) })
    }

    /// Returns an own comment that is expected to be deleted, or not deleted; one time in 20 in any
    /// state.
    fn change(&mut self, deleted: bool) -> Option<Mine> {
        let blind = self.rng.random_ratio(1, 20);
        let fit: Vec<usize> = (0..self.mine.len()).filter(|n| blind || self.mine[*n].deleted == deleted).collect();
        (!fit.is_empty()).then(|| self.mine[fit[self.rng.random_range(0..fit.len())]].clone())
    }
}
