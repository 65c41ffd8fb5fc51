//! Maps with integer keys.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map with integer keys. Its hash is fast and does not protect against chosen keys: the service
/// and the load choose the keys of a run, and distribute them evenly.
pub(super) type IntMap<K, V> = HashMap<K, V, BuildHasherDefault<IntHasher>>;

/// A hasher that multiplies and folds.
#[derive(Debug, Default)]
pub(super) struct IntHasher(u64);

impl Hasher for IntHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(number.cast_unsigned());
    }
}
