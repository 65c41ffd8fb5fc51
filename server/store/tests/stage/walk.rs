//! How long the random walks are, and which one to replay.

use riposte_store::conformance::Walk;

/// `RIPOSTE_SEED` and `RIPOSTE_STEPS`, where they are set.
#[expect(clippy::disallowed_methods, reason = "a test is told by its environment what to replay")]
pub(crate) fn from_environment() -> Walk {
    let number = |name| std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|e| panic!("{name}: {e}")));
    let Walk { seed, steps } = Walk::default();
    Walk { seed: number("RIPOSTE_SEED").or(seed), steps: number("RIPOSTE_STEPS").map_or(steps, |n: u64| n as usize) }
}
