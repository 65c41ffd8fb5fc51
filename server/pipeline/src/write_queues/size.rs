//! The sizes of batches. Each length of a list is a prepared statement of its own on every
//! connection, so batches have only these few lengths. The other waiting commands stay at the head
//! of their queues for the next batch.

/// The largest batch, in commands.
pub const MAX_BATCH: usize = 512;

/// The possible sizes of a batch.
const SIZES: [usize; 19] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 320, 384, MAX_BATCH];

/// Returns the size of the next batch while `waiting` commands wait.
pub(super) fn quantised(waiting: usize) -> usize {
    SIZES.into_iter().rev().find(|size| *size <= waiting).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{MAX_BATCH, quantised};

    #[test]
    fn a_batch_is_the_largest_size_that_waits() {
        for (waiting, size) in [(0, 0), (1, 1), (5, 4), (7, 6), (255, 192), (256, 256), (319, 256), (9_999, MAX_BATCH)]
        {
            assert_eq!(quantised(waiting), size, "of {waiting}");
        }
    }
}
