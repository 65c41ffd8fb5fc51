//! The cached data: the candidates, the relevant fields of their subject entry, the log of likes,
//! the cursor.

use super::{Choices, Rule};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Redis {
    /// The position of the relay, and the generation.
    pub(super) cursor: Option<(u8, u8)>,
    pub(super) block: Option<Block>,
    /// The last reply that was reported while a fill lease was outstanding.
    pub(super) log: u8,
    /// The incarnation, and the last commit up to which the candidates are complete.
    pub(super) choice: Option<(u8, u8)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Block {
    incarnation: u8,
    generation: u8,
    /// The outstanding fill leases, one bit for each name, and their expiry.
    tickets: u8,
    until: u8,
    /// The expected content of the log.
    logged: u8,
}

/// The right to fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Ticket {
    name: u8,
    incarnation: u8,
    until: u8,
    /// The position of the relay at the grant.
    given: u8,
}

impl Redis {
    fn present(&self) -> Option<Block> {
        let (block, (_, generation)) = self.block.zip(self.cursor)?;
        (block.generation == generation).then_some(block)
    }

    /// Returns the last commit up to which the candidates are complete, if they can be read.
    pub(super) fn chosen(&self, of: &Choices) -> Option<u8> {
        let (block, (incarnation, chosen)) = self.present().zip(self.choice)?;
        (block.incarnation == incarnation || !of.keeps(Rule::ChoicesBearTheirBlock)).then_some(chosen)
    }

    /// Returns the entry for a change; if its log was evicted, all fill leases are revoked.
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

    /// Applies the likes of the reply that a commit moved up.
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
