//! The findings of the policy in the row of a decision, as one encoded message.

use prost::{DecodeError, Message};
use riposte_core::decision::RuleHit;

#[expect(unreachable_pub, reason = "generated messages are public; none leaves the crate")]
mod internal {
    include!("generated/rule_hits.rs");
}

use internal::{RuleHits, StoredHit};

/// The size of the column.
const MAX_BYTES: usize = 4_096;

/// Reads the findings of a decision.
pub(super) fn rule_hits(stored: &[u8]) -> Result<Vec<RuleHit>, DecodeError> {
    let hit = |StoredHit { source, version, rule, start, end, dry_run }| RuleHit {
        source,
        version,
        rule,
        start,
        end,
        dry_run,
    };
    Ok(RuleHits::decode(stored)?.hits.into_iter().map(hit).collect())
}

/// Returns the column with findings; `None` without any. The last ones are left out if
/// all together are too large.
pub(super) fn rule_hits_column(hits: &[RuleHit]) -> Option<Vec<u8>> {
    let hit = |hit: &RuleHit| {
        let RuleHit { source, version, rule, start, end, dry_run } = hit.clone();
        StoredHit { source, version, rule, start, end, dry_run }
    };
    let mut stored = RuleHits { hits: hits.iter().map(hit).collect() };
    while stored.encoded_len() > MAX_BYTES {
        stored.hits.pop();
    }
    (!stored.hits.is_empty()).then(|| stored.encode_to_vec())
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, RuleHit, rule_hits, rule_hits_column};

    fn hit(n: u32, size: usize) -> RuleHit {
        let (source, version, rule) = ("x".repeat(size), "0123456789abcdef".to_owned(), n.to_string());
        RuleHit { source, version, rule, start: n, end: n + 4, dry_run: n % 2 == 1 }
    }

    #[test]
    fn findings_are_read_as_they_were_written() {
        assert_eq!(rule_hits_column(&[]), None);
        let hits: Vec<RuleHit> = (0..32).map(|n| hit(n, 20)).collect();
        let column = rule_hits_column(&hits).expect("findings");
        assert_eq!(rule_hits(&column), Ok(hits));
        assert_eq!(rule_hits_column(&[hit(1, 1)]), Some(column_of_one()), "the stored format has changed");
    }

    /// The bytes that every version reads.
    fn column_of_one() -> Vec<u8> {
        b"\x0a\x1e\x0a\x01x\x12\x100123456789abcdef\x1a\x011 \x01(\x050\x01".to_vec()
    }

    #[test]
    fn the_last_findings_are_left_out_where_all_together_are_too_large() {
        let hits: Vec<RuleHit> = (0..32).map(|n| hit(n, 200)).collect();
        let column = rule_hits_column(&hits).expect("findings");
        assert!(column.len() <= MAX_BYTES);
        let read = rule_hits(&column).expect("readable");
        assert!(read.len() > 10 && read == hits[..read.len()], "{}", read.len());
    }
}
