//! What makes a repeated request recognisable: a permanent key beside its effect, and a print of its body.

use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::caller::Caller;
use crate::error::Violation;
use crate::member::MemberId;

/// 16 bytes that name one request of one principal, kept for ever in the transaction of its effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IdempotencyKey(pub [u8; 16]);

/// 8 bytes that tell bodies apart: the same key with another print is a reused id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub i64);

/// A request id that the caller gave or that we made: UUID.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RequestId(Uuid);

/// The key and print of one mutation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestIdentity {
    /// Who asked for what, once.
    pub key: IdempotencyKey,
    /// What the body said.
    pub fingerprint: Fingerprint,
}

impl RequestId {
    /// Checks an id that arrived as `field`; an empty one is `None`.
    ///
    /// # Errors
    /// One violation when it is not a UUID.
    pub fn parse(field: &str, value: &str) -> Result<Option<Self>, Violation> {
        if value.is_empty() {
            return Ok(None);
        }
        Uuid::parse_str(value).map(|id| Some(Self(id))).map_err(|_| Violation::field(field, "must be a UUID"))
    }

    /// An id from 16 bytes, ours or stored.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(Uuid::from_bytes(bytes))
    }

    /// The 16 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }

    /// Whether `self` was made before `other` by the same client object. Times are compared only between UUIDv7s
    /// that share the 48 random bits a client keeps in the tail; of any other two ids nothing is known. A time more
    /// than 60 s ahead of `now` (milliseconds since 1970) is not believed.
    #[must_use]
    pub fn is_before(&self, other: &Self, now: i64) -> bool {
        let v7 = |id: &Self| id.0.get_version_num() == 7;
        let time = |id: &Self| id.0.as_u128() >> 80;
        let same_client = self.0.as_bytes()[10..] == other.0.as_bytes()[10..];
        let believed = i64::try_from(time(other)).is_ok_and(|t| t <= now.saturating_add(60_000));
        // Within a millisecond a client counts up in the bits between the time and the tail.
        v7(self) && v7(other) && same_client && believed && self.0.as_bytes()[..10] < other.0.as_bytes()[..10]
    }
}

impl IdempotencyKey {
    /// The key of a request of `member` through `caller`.
    #[must_use]
    pub fn of(caller: &Caller, member: Option<&MemberId>, id: &RequestId) -> Self {
        let member = member.map_or("", MemberId::as_str);
        Self(digest(&[b"request", caller.name().as_bytes(), member.as_bytes(), id.as_bytes()]))
    }

    /// The key of an imported item of a kind (`subject`, `comment`, `like`): the same whoever brings it in.
    #[must_use]
    pub fn imported(kind: &str, source: &str, external_id: &str) -> Self {
        Self(digest(&[b"import", kind.as_bytes(), source.as_bytes(), external_id.as_bytes()]))
    }
}

impl Fingerprint {
    /// The print of a body given as its parts.
    #[must_use]
    pub fn of(parts: &[&[u8]]) -> Self {
        let digest = digest(parts);
        let mut head = [0; 8];
        head.copy_from_slice(&digest[..8]);
        Self(i64::from_be_bytes(head))
    }
}

/// The first 16 bytes of SHA-256 over the parts, each preceded by its length so that no two lists read alike.
fn digest(parts: &[&[u8]]) -> [u8; 16] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    let mut head = [0; 16];
    head.copy_from_slice(&hash.finalize()[..16]);
    head
}

#[cfg(test)]
mod tests {
    use super::{Caller, Fingerprint, IdempotencyKey, MemberId, RequestId};

    fn id(text: &str) -> RequestId {
        RequestId::parse("request_id", text).ok().flatten().unwrap_or_else(|| panic!("{text} is a UUID"))
    }

    #[test]
    fn keys_tell_callers_members_and_ids_apart() {
        let (a, b) = (Caller::unrestricted("a"), Caller::unrestricted("b"));
        let m = MemberId::stored("m".into());
        let (x, y) = (id("018f4a2e-0000-7000-8000-000000000001"), id("018f4a2e-0000-7000-8000-000000000002"));
        let keys = [
            IdempotencyKey::of(&a, Some(&m), &x),
            IdempotencyKey::of(&b, Some(&m), &x),
            IdempotencyKey::of(&a, None, &x),
            IdempotencyKey::of(&a, Some(&m), &y),
            IdempotencyKey::imported("comment", "m", "x"),
            IdempotencyKey::imported("subject", "m", "x"),
        ];
        assert!((1..keys.len()).all(|n| !keys[..n].contains(&keys[n])));
        assert_eq!(keys[0], IdempotencyKey::of(&a, Some(&m), &x));
        assert_ne!(Fingerprint::of(&[b"ab", b"c"]), Fingerprint::of(&[b"a", b"bc"]));
    }

    #[test]
    fn keys_and_prints_keep_their_golden_values() {
        // They are stored: with others, a repeat of an old request would be done once more, or refused.
        let (web, ann) = (Caller::unrestricted("web"), MemberId::stored("ann".into()));
        let asked = id("018f4a2e-0000-7000-8000-000000000001");
        for (key, golden) in [
            (IdempotencyKey::of(&web, Some(&ann), &asked), 0xf430_01a7_7c35_617a_2710_4e5c_0952_352f_u128),
            (IdempotencyKey::of(&web, None, &asked), 0xe856_ae1f_308a_a95a_6483_e0f5_a1ce_a4f1),
            (IdempotencyKey::imported("comment", "forum", "4711"), 0xeed9_76cf_a229_af1a_fee9_d7be_1435_1426),
        ] {
            assert_eq!(u128::from_be_bytes(key.0), golden, "{key:x?}");
        }
        for (parts, golden) in [
            (&[][..], -2_039_914_840_885_289_964),
            (&[&b"import"[..]], -1_517_623_241_969_872_727),
            (&[b"Create", b"video", b"1"], 7_627_911_719_620_489_903),
        ] {
            assert_eq!(Fingerprint::of(parts), Fingerprint(golden), "{parts:?}");
        }
    }

    #[test]
    fn an_id_is_a_uuid_or_missing() {
        assert_eq!(RequestId::parse("request_id", ""), Ok(None));
        for value in ["x", "018f4a2e-0000-7000-8000-00000000000", " 018f4a2e-0000-7000-8000-000000000001"] {
            let refused = RequestId::parse("request_id", value);
            assert!(refused.is_err_and(|violation| violation.field == "request_id"), "{value:?}");
        }
        let bytes = *id("00010203-0405-0607-0809-0a0b0c0d0e0f").as_bytes();
        assert_eq!(bytes, std::array::from_fn(|n| n as u8));
        assert_eq!(RequestId::from_bytes(bytes), id("00010203-0405-0607-0809-0a0b0c0d0e0f"));
    }

    #[test]
    fn order_is_known_only_between_ids_of_one_client() {
        let now = 0x018f_4a2e_0000_i64 + 10;
        let early = id("018f4a2e-0000-7001-8000-aaaaaaaaaaaa");
        let later = id("018f4a2e-0000-7002-8000-aaaaaaaaaaaa");
        assert!(early.is_before(&later, now) && !later.is_before(&early, now) && !early.is_before(&early, now));
        assert!(!early.is_before(&id("018f4a2e-0000-7002-8000-bbbbbbbbbbbb"), now), "another client");
        assert!(!early.is_before(&id("018f4a2e-0000-4002-8000-aaaaaaaaaaaa"), now), "not time-ordered");
        assert!(!early.is_before(&id("018f4a30-0000-7002-8000-aaaaaaaaaaaa"), now), "131 s ahead of the clock");
        assert!(!id("018f4a2e-0000-4001-8000-aaaaaaaaaaaa").is_before(&later, now), "not time-ordered");
        let time = 0x018f_4a2e_0000_i64;
        assert!(early.is_before(&later, time - 60_000) && !early.is_before(&later, time - 60_001));
    }
}
