//! A check that the processor is fully available. The host of a virtual machine can take cores away
//! silently, and other processes may compile; a fixed piece of work then takes longer.

use anyhow::{Result, anyhow};
use std::hint::black_box;
use std::time::Instant;

/// The rounds of the work: about 50 ms on a current processor, long enough to meet a preemption.
const ITERATIONS: u64 = 40_000_000;

/// Does the work on every core at once, and returns the time of the slowest in milliseconds.
pub(crate) fn run() -> Result<String> {
    let cores = std::thread::available_parallelism()?.get();
    let threads: Vec<_> = (0..cores).map(|_| std::thread::spawn(work_ms)).collect();
    let mut slowest: f64 = 0.0;
    for thread in threads {
        slowest = slowest.max(thread.join().map_err(|_| anyhow!("the work died"))?);
    }
    Ok(serde_json::json!({ "cores": cores, "work_ms": slowest }).to_string())
}

fn work_ms() -> f64 {
    let begin = Instant::now();
    let mut state = black_box(1_u64);
    for round in 0..ITERATIONS {
        state = (state ^ round).rotate_left(7).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    black_box(state);
    begin.elapsed().as_secs_f64() * 1e3
}
