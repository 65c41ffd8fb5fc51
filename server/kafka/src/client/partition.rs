//! The partition of a key, which is fixed for ever: it is that of the clients of Apache Kafka.

/// Returns the partition of a key among a number of partitions.
pub(super) fn partition(key: &[u8], partitions: u16) -> i32 {
    (murmur2(key) & 0x7fff_ffff).cast_signed() % i32::from(partitions.max(1))
}

/// The hash function murmur2 with the seed of Apache Kafka.
fn murmur2(key: &[u8]) -> u32 {
    const SEED: u32 = 0x9747_b28c;
    const M: u32 = 0x5bd1_e995;
    let length = u32::try_from(key.len()).unwrap_or(u32::MAX);
    let (words, rest) = key.as_chunks::<4>();
    let mut hash = words.iter().fold(SEED ^ length, |hash, word| {
        let word = u32::from_le_bytes(*word).wrapping_mul(M);
        let word = (word ^ (word >> 24)).wrapping_mul(M);
        hash.wrapping_mul(M) ^ word
    });
    if !rest.is_empty() {
        let bytes = rest.iter().zip([0, 8, 16]).map(|(byte, shift)| u32::from(*byte) << shift);
        hash = bytes.fold(hash, |hash, byte| hash ^ byte).wrapping_mul(M);
    }
    hash = (hash ^ (hash >> 13)).wrapping_mul(M);
    hash ^ (hash >> 15)
}

#[cfg(test)]
mod tests {
    use super::{murmur2, partition};

    #[test]
    fn the_hash_is_that_of_apache_kafka() {
        // The test vectors of org.apache.kafka.common.utils.UtilsTest.
        let expected: [(&str, i32); 7] = [
            ("21", -973_932_308),
            ("foobar", -790_332_482),
            ("a-little-bit-long-string", -985_981_536),
            ("a-little-bit-longer-string", -1_486_304_829),
            ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971),
            ("abc", 479_470_107),
            ("", 275_646_681),
        ];
        for (key, hash) in expected {
            assert_eq!(murmur2(key.as_bytes()).cast_signed(), hash, "{key}");
        }
    }

    #[test]
    fn partitions_of_keys_are_fixed_for_ever() {
        let partitions = ["video/7", "video/8", "article/a/b"].map(|key| partition(key.as_bytes(), 200));
        assert_eq!(partitions, [55, 155, 98]);
        assert_eq!(partition(b"video/7", 1), 0);
    }
}
