//! The busiest keys of a stream, in bounded memory: Space-Saving (Metwally, Agrawal, El Abbadi,
//! "Efficient computation of frequent and top-k elements in data streams", 2005).

use std::collections::HashMap;
use std::hash::Hash;

/// Counts of at most `capacity` keys. A key without a free row replaces the key with the smallest
/// count and starts with that count as its error: it may have been counted before and dropped.
///
/// For every key in the sketch, `count − error ≤ true count ≤ count`; and every key with a count
/// above `total / capacity` is in the sketch.
#[derive(Debug)]
pub(super) struct FrequencySketch<K> {
    capacity: usize,
    rows: Vec<Row<K>>,
    indexes: HashMap<K, usize>,
}

#[derive(Debug)]
struct Row<K> {
    key: K,
    count: u64,
    error: u64,
}

impl<K: Hash + Eq + Clone> FrequencySketch<K> {
    /// Creates an empty sketch with a capacity of at least one key.
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity: capacity.max(1), rows: Vec::new(), indexes: HashMap::new() }
    }

    /// Adds `times` to the count of `key`.
    pub(super) fn add(&mut self, key: &K, times: u64) {
        if let Some(index) = self.indexes.get(key) {
            self.rows[*index].count += times;
            return;
        }
        if self.rows.len() < self.capacity {
            self.indexes.insert(key.clone(), self.rows.len());
            self.rows.push(Row { key: key.clone(), count: times, error: 0 });
            return;
        }
        // A scan of a few hundred contiguous rows is faster than the maintenance of an ordered
        // tree.
        let smallest = self.rows.iter_mut().enumerate().min_by_key(|(_, row)| row.count);
        if let Some((index, row)) = smallest {
            self.indexes.remove(&row.key);
            self.indexes.insert(key.clone(), index);
            *row = Row { key: key.clone(), count: row.count + times, error: row.count };
        }
    }

    /// Returns the lower bound of a key's count: 0 for a key that is not in the sketch.
    pub(super) fn min_count(&self, key: &K) -> u64 {
        self.indexes.get(key).map_or(0, |index| self.rows[*index].min_count())
    }

    /// Returns every key in the sketch with the lower bound of its count.
    pub(super) fn all(&self) -> impl Iterator<Item = (&K, u64)> {
        self.rows.iter().map(|row| (&row.key, row.min_count()))
    }

    /// Clears the counts and keeps the allocated memory.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.indexes.clear();
    }
}

impl<K> Row<K> {
    fn min_count(&self) -> u64 {
        self.count - self.error
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::FrequencySketch;

    proptest! {
        #[test]
        fn counts_are_bounds_of_the_exact_ones_and_no_frequent_key_is_missed(
            // Small keys are drawn more often, so that some keys are frequent and many are not.
            stream in proptest::collection::vec((0..60_u32, 0..60_u32, 1..4_u64), 0..400),
            capacity in 1..24_usize,
        ) {
            let (mut sketch, mut counts) = (FrequencySketch::new(capacity), HashMap::<u32, u64>::new());
            for (a, b, times) in stream {
                let key = a.min(b);
                sketch.add(&key, times);
                *counts.entry(key).or_default() += times;
            }
            let total: u64 = counts.values().sum();
            prop_assert!(sketch.rows.len() <= capacity && sketch.indexes.len() == sketch.rows.len());
            prop_assert_eq!(sketch.rows.iter().map(|row| row.count).sum::<u64>(), total);
            for row in &sketch.rows {
                let count = counts[&row.key];
                prop_assert!(row.min_count() <= count && count <= row.count, "{row:?}, exactly {count}");
                prop_assert!(row.error <= total / capacity as u64);
                prop_assert_eq!(sketch.min_count(&row.key), row.min_count());
            }
            for (key, count) in counts {
                let is_frequent = count > total / capacity as u64;
                prop_assert!(!is_frequent || sketch.indexes.contains_key(&key), "{key} occurs {count} of {total} times");
            }
        }
    }

    #[test]
    fn a_million_keys_take_the_memory_of_a_few_and_do_not_hide_a_busy_key() {
        let mut sketch = FrequencySketch::new(64);
        for key in 1..=1_000_000_u32 {
            sketch.add(&key, 1);
            if key % 20 == 0 {
                sketch.add(&0, 1);
            }
        }
        assert_eq!((sketch.rows.len(), sketch.indexes.len()), (64, 64));
        assert!(sketch.min_count(&0) > 45_000, "{}", sketch.min_count(&0));
        // A key that has just arrived does not count as busy because of the keys that it displaced.
        assert_eq!(sketch.min_count(&1_000_000), 1);
    }
}
