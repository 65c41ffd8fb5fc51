//! Whether the processor was really there, asked before and after a round.

use super::arena::Arena;
use anyhow::{Context, Result};

/// How much longer than the best the fixed work may take.
const TOLERANCE: f64 = 1.25;
/// Probes at the beginning, to learn what the best is.
const FIRST: usize = 5;

/// What the fixed work takes at best on this machine.
#[derive(Debug)]
pub(super) struct Processor {
    best_ms: f64,
}

impl Processor {
    /// Learns the best from several probes.
    pub(super) fn learn(arena: &Arena<'_>) -> Result<Self> {
        let mut processor = Self { best_ms: f64::INFINITY };
        for _ in 0..FIRST {
            processor.is_there(arena)?;
        }
        Ok(processor)
    }

    /// Whether the fixed work takes about as long as ever now.
    pub(super) fn is_there(&mut self, arena: &Arena<'_>) -> Result<bool> {
        let said = arena.ask(&["probe"])?;
        Ok(self.judge(said["work_ms"].as_f64().context("a probe without a time")?))
    }

    fn judge(&mut self, work_ms: f64) -> bool {
        self.best_ms = self.best_ms.min(work_ms);
        work_ms <= self.best_ms * TOLERANCE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_that_is_half_gone_is_not_there() {
        let mut processor = Processor { best_ms: f64::INFINITY };
        assert!(processor.judge(50.0) && processor.judge(55.0) && processor.judge(40.0));
        assert!(!processor.judge(80.0) && processor.judge(49.0));
    }
}
