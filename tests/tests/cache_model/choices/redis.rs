//! What the cache holds: the choice, its block as far as it matters to it, the log of likes, the cursor.

use super::{Choices, Rule};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Redis {
    /// Where the relay is, and the generation.
    pub(super) cursor: Option<(u8, u8)>,
    pub(super) block: Option<Block>,
    /// The last reply that was told while a ticket was out.
    pub(super) log: u8,
    /// Of an incarnation: up to which commit it lacks nobody.
    pub(super) choice: Option<(u8, u8)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Block {
    incarnation: u8,
    generation: u8,
    /// Tickets that are out, a bit for each name, and until when.
    tickets: u8,
    until: u8,
    /// What the log should hold.
    logged: u8,
}

/// The right to fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Ticket {
    name: u8,
    incarnation: u8,
    until: u8,
    /// Where the relay was.
    given: u8,
}

impl Redis {
    fn present(&self) -> Option<Block> {
        let (block, (_, generation)) = self.block.zip(self.cursor)?;
        (block.generation == generation).then_some(block)
    }

    /// Up to which commit a choice that answers lacks nobody.
    pub(super) fn chosen(&self, of: &Choices) -> Option<u8> {
        let (block, (incarnation, chosen)) = self.present().zip(self.choice)?;
        (block.incarnation == incarnation || !of.keeps(Rule::ChoicesBearTheirBlock)).then_some(chosen)
    }

    /// The block for one who changes it: a log that was evicted tears up all tickets.
    fn whole(&mut self) -> Option<Block> {
        let mut block = self.present()?;
        if block.logged != self.log {
            (self.log, block.logged, block.tickets) = (0, 0, 0);
        }
        Some(block)
    }

    pub(super) fn open(&mut self, name: u8, fresh: u8, now: u8) -> Option<Ticket> {
        let (given, generation) = self.cursor?;
        let mut block = self.whole().unwrap_or_else(|| {
            self.log = 0;
            Block { incarnation: fresh, generation, tickets: 0, until: now, logged: 0 }
        });
        if block.tickets == 0 || now > block.until {
            (block.tickets, block.logged, self.log) = (0, 0, 0);
        }
        (block.tickets, block.until) = (block.tickets | 1 << name, now);
        self.block = Some(block);
        Some(Ticket { name, incarnation: block.incarnation, until: now, given })
    }

    /// The likes of the reply that a commit lifted.
    pub(super) fn like(&mut self, commit: u8, now: u8, of: &Choices) {
        let Some(mut block) = self.whole() else { return };
        if self.chosen(of).is_some_and(|chosen| chosen < commit) && of.keeps(Rule::LikesEndChoices) {
            self.choice = None;
        }
        if block.tickets != 0 && now <= block.until && of.keeps(Rule::LikesAreLogged) {
            self.log = self.log.max(commit);
            block.logged = self.log;
        }
        self.block = Some(block);
    }

    pub(super) fn fill(&mut self, ticket: Ticket, board: u8, now: u8, of: &Choices) {
        let Some(mut block) = self.whole() else { return };
        let out = block.incarnation == ticket.incarnation && block.tickets & 1 << ticket.name != 0;
        if out && now <= ticket.until {
            let told = ticket.given <= board || !of.keeps(Rule::BoardsHoldWhatWasTold);
            if told {
                self.choice = (self.log <= board).then_some((block.incarnation, board));
            }
            block.tickets &= !(1 << ticket.name);
            if block.tickets == 0 {
                (block.logged, self.log) = (0, 0);
            }
        }
        self.block = Some(block);
    }
}
