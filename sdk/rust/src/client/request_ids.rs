use std::sync::atomic::{AtomicU64, Ordering};
use uuid::Uuid;

/// Generates the request ids of one client: UUIDv7 in strictly rising order, whose last 48 bits are
/// random once per client. The service identifies the client by these bits and orders its requests
/// by the rest.
#[derive(Debug)]
pub struct RequestIds {
    tail: u128,
    /// The last id: 48 bits of milliseconds, then a count of 16 bits that overflows into them.
    last: AtomicU64,
}

impl Default for RequestIds {
    fn default() -> Self {
        Self { tail: Uuid::new_v4().as_u128() & ((1 << 48) - 1), last: AtomicU64::new(0) }
    }
}

impl RequestIds {
    /// Returns a new id in the usual text form; it is greater than every earlier one.
    pub fn next(&self) -> String {
        let now = (Uuid::now_v7().as_u128() >> 80) as u64;
        let following = |last: u64| (now << 16).max(last + 1);
        let last = self.last.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(following(last)));
        let sequence = u128::from(following(last.unwrap_or_default()));
        let (ms, high, low) = (sequence >> 16, (sequence >> 4) & 0xfff, sequence & 0xf);
        // The layout of RFC 9562: milliseconds, version 7, twelve bits, variant 2, and 62 bits,
        // here 14 and the tail.
        let bits = (ms << 80) | (0x7 << 76) | (high << 64) | (0b10 << 62) | (low << 58) | self.tail;
        Uuid::from_u128(bits).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_uuids_of_version_7_that_rise_and_share_their_tail() {
        let ids = RequestIds::default();
        let made: Vec<String> = (0..100_000).map(|_| ids.next()).collect();
        assert!(made.is_sorted_by(|a, b| a < b));
        let first = Uuid::parse_str(&made[0]).unwrap();
        assert_eq!((first.get_version_num(), first.get_variant()), (7, uuid::Variant::RFC4122));
        assert!(made.iter().all(|id| id[24..] == made[0][24..]));
        assert_ne!(RequestIds::default().next()[24..], made[0][24..]);
    }
}
