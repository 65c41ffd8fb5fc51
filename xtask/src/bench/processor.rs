//! A check, before and after a round, that the processor was fully available.

use super::environment::Environment;
use anyhow::{Context, Result};

/// The factor by which fixed work may exceed its best time.
const TOLERANCE: f64 = 1.25;
/// The number of probes at the beginning, which determine the best time.
const FIRST: usize = 5;

/// The best time of the fixed work on this machine.
#[derive(Debug)]
pub(super) struct Processor {
    best_ms: f64,
}

impl Processor {
    /// Determines the best time from several probes.
    pub(super) fn learn(environment: &Environment<'_>) -> Result<Self> {
        let mut processor = Self { best_ms: f64::INFINITY };
        for _ in 0..FIRST {
            processor.is_there(environment)?;
        }
        Ok(processor)
    }

    /// Returns `true` if the fixed work now takes about its best time.
    pub(super) fn is_there(&mut self, environment: &Environment<'_>) -> Result<bool> {
        let output = environment.ask(&["probe"])?;
        Ok(self.judge(output["work_ms"].as_f64().context("a probe without a time")?))
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
    fn a_processor_with_half_of_its_speed_is_not_available() {
        let mut processor = Processor { best_ms: f64::INFINITY };
        assert!(processor.judge(50.0) && processor.judge(55.0) && processor.judge(40.0));
        assert!(!processor.judge(80.0) && processor.judge(49.0));
    }
}
