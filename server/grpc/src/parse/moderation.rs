//! Parses the fields of ModerationService.

use std::collections::BTreeSet;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use riposte_core::act::CommentAct;
use riposte_core::comment::names_proposal;
use riposte_core::decision::{Automation, Detection, Grounds, MODERATION_OFF_CODE};
use riposte_core::review::{LeaseToken, ReviewCause, ReviewCauses};
use riposte_core::{CommentId, Violation};
use riposte_sdk::v1;

use super::ids::{batch_of, comment_id};
use super::values::{bounded, duration, law};

/// The maximum number of targets of one request.
const MAX_TARGETS: usize = 100;
/// The maximum number of comments that one request reads as a moderator.
const MAX_MODERATED: usize = 50;
/// The number of items that a claim leases if it names none, and the maximum.
const DEFAULT_CLAIM: usize = 10;
const MAX_CLAIM: usize = 25;
/// The duration of a lease if the request names none, and its bounds.
const DEFAULT_LEASE: Duration = Duration::from_secs(300);
const LEASES: std::ops::RangeInclusive<Duration> = Duration::from_secs(10)..=Duration::from_secs(3600);
/// The maximum lengths of the reasons of a decision: code points, and bytes of the code.
const MAX_EXPLANATION: usize = 1_000;
const MAX_NOTE: usize = 512;
const MAX_CODE: usize = 64;

/// The comment or proposed edit that a verdict judges, and the etag that it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JudgedTarget {
    /// The comment.
    pub(crate) id: CommentId,
    /// The etag of the text or of the proposed edit that the moderator read.
    pub(crate) etag: String,
    /// The act on what the etag names.
    pub(crate) act: CommentAct,
}

/// Parses the act of a verdict, which is required.
pub(crate) fn act(field: &str, action: i32) -> Result<CommentAct, Violation> {
    let unknown = || Violation::field(field, "must be APPROVE, REJECT, HIDE, UNHIDE, DELETE, WITHHOLD or KEEP");
    let number = i8::try_from(action).map_err(|_| unknown())?;
    CommentAct::from_number(number, false).filter(|act| act.is_verdict()).ok_or_else(unknown)
}

/// Parses the reasons of a verdict. `act` is `None` if the request has no valid act; then a code is
/// not required.
pub(crate) fn grounds(
    field: &str,
    act: Option<CommentAct>,
    grounds: Option<&v1::Grounds>,
) -> Result<Grounds, Vec<Violation>> {
    let v1::Grounds { code, explanation, legal_reference, note, detection, automation } =
        grounds.cloned().unwrap_or_default();
    let mut found = Vec::new();
    let within = |name: &str| format!("{field}.{name}");
    if code.is_empty() {
        if act.is_some_and(requires_code) {
            found.push(Violation::field(within("code"), "must name the rule on which the act rests"));
        }
    } else if code.len() > MAX_CODE || !code.bytes().all(is_code_byte) {
        found.push(Violation::field(within("code"), "must match [a-z0-9_.-]{1,64}"));
    } else if code == MODERATION_OFF_CODE {
        found.push(Violation::field(within("code"), "names the decisions of SetModeration"));
    }
    found.extend(bounded(&within("explanation"), &explanation, MAX_EXPLANATION).err());
    found.extend(bounded(&within("note"), &note, MAX_NOTE).err());
    found.extend(law(&within("legal_reference"), &legal_reference).err());
    let known = |name: &str| Violation::field(within(name), "is not a known value");
    let detection = coded(detection, Detection::from_code);
    found.extend(detection.is_none().then(|| known("detection")));
    let automation = coded(automation, Automation::from_code);
    found.extend(automation.is_none().then(|| known("automation")));
    match (detection, automation) {
        (Some(detection), Some(automation)) if found.is_empty() => {
            Ok(Grounds { code, explanation, legal_reference, note, detection, automation, hits: Vec::new() })
        }
        _ => Err(found),
    }
}

/// Returns the value of a code: the default for 0, `None` for an unknown code.
fn coded<T: Default>(code: i32, from_code: impl Fn(i8) -> Option<T>) -> Option<T> {
    if code == 0 { Some(T::default()) } else { i8::try_from(code).ok().and_then(from_code) }
}

/// Returns `true` if the author gets a reason: the act takes a comment out of sight.
const fn requires_code(act: CommentAct) -> bool {
    matches!(act, CommentAct::Reject | CommentAct::Hide | CommentAct::Delete | CommentAct::Withhold)
}

const fn is_code_byte(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'.' | b'-')
}

/// Parses 1 to 100 targets, each comment once. `act` is `None` if the request has no valid act;
/// then the targets are only checked.
pub(crate) fn targets(
    field: &str,
    act: Option<CommentAct>,
    targets: &[v1::VerdictTarget],
) -> Result<Vec<JudgedTarget>, Vec<Violation>> {
    let act = act.unwrap_or(CommentAct::Approve);
    let parsed = batch_of(MAX_TARGETS, field, targets, |field, target| {
        let id = comment_id(&format!("{field}.comment_id"), target.comment_id);
        let violation = |description: &str| Violation::field(format!("{field}.etag"), description);
        let act = if target.etag.is_empty() {
            Err(violation("must be the etag of the comment that was read"))
        } else {
            act_on(&target.etag, act).ok_or_else(|| violation("a proposed edit takes only APPROVE and REJECT"))
        };
        match (id, act) {
            (Ok(id), Ok(act)) => Ok(JudgedTarget { id, etag: target.etag.clone(), act }),
            (id, act) => Err(id.err().into_iter().chain(act.err()).collect()),
        }
    })?;
    distinct(field, parsed.iter().map(|target| target.id))?;
    Ok(parsed)
}

/// Returns the act on the text or the proposed edit that an etag names; `None` if a proposed edit
/// cannot be judged so.
fn act_on(etag: &str, act: CommentAct) -> Option<CommentAct> {
    if names_proposal(etag) { CommentAct::from_number(act.number()?, true) } else { Some(act) }
}

/// Parses the ids of 1 to 50 comments that a moderator reads.
pub(crate) fn moderated_ids(field: &str, ids: &[i64]) -> Result<Vec<CommentId>, Vec<Violation>> {
    some_ids(MAX_MODERATED, field, ids)
}

/// Parses the ids of 1 to 25 leased comments.
pub(crate) fn leased_ids(field: &str, ids: &[i64]) -> Result<Vec<CommentId>, Vec<Violation>> {
    some_ids(MAX_CLAIM, field, ids)
}

fn some_ids(max: usize, field: &str, ids: &[i64]) -> Result<Vec<CommentId>, Vec<Violation>> {
    let parsed = batch_of(max, field, ids, |field, id| comment_id(field, *id).map_err(|violation| vec![violation]))?;
    distinct(field, parsed.iter().copied())?;
    Ok(parsed)
}

/// Rejects an empty list, and one that names a comment twice.
fn distinct(field: &str, ids: impl ExactSizeIterator<Item = CommentId>) -> Result<(), Vec<Violation>> {
    let count = ids.len();
    if count == 0 {
        return Err(vec![Violation::field(field, "must have at least one entry")]);
    }
    let distinct: BTreeSet<CommentId> = ids.collect();
    if distinct.len() == count { Ok(()) } else { Err(vec![Violation::field(field, "must name each comment once")]) }
}

/// Parses the causes that a list or a claim selects; none selects all.
pub(crate) fn causes(field: &str, causes: &[i32]) -> Result<ReviewCauses, Vec<Violation>> {
    let mut selected = ReviewCauses::NONE;
    for (n, cause) in causes.iter().enumerate() {
        let known = v1::ReviewCause::try_from(*cause).ok().and_then(cause_of);
        let unknown = || vec![Violation::field(format!("{field}[{n}]"), "is not a known value")];
        selected = selected.union(known.ok_or_else(unknown)?);
    }
    Ok(selected)
}

/// Returns the causes of the domain that a cause of the contract stands for.
fn cause_of(cause: v1::ReviewCause) -> Option<ReviewCauses> {
    let causes: &[ReviewCause] = match cause {
        v1::ReviewCause::Unspecified => return None,
        v1::ReviewCause::New => &[ReviewCause::New],
        v1::ReviewCause::Edit => &[ReviewCause::Edit],
        v1::ReviewCause::Report => &[ReviewCause::Report],
        v1::ReviewCause::Flag => &[ReviewCause::Flag],
        v1::ReviewCause::ServiceUnavailable => &[ReviewCause::ServiceUnavailable, ReviewCause::EditServiceUnavailable],
        v1::ReviewCause::Appeal => &[ReviewCause::Appeal],
        v1::ReviewCause::Withheld => &[ReviewCause::Withheld],
    };
    Some(ReviewCauses::of(causes))
}

/// Parses the number of items that a claim leases: 0 is the default.
pub(crate) fn claim_limit(field: &str, limit: i32) -> Result<usize, Violation> {
    match usize::try_from(limit) {
        Ok(0) => Ok(DEFAULT_CLAIM),
        Ok(limit) if limit <= MAX_CLAIM => Ok(limit),
        Ok(_) | Err(_) => Err(Violation::field(field, format!("must lie between 0 and {MAX_CLAIM}"))),
    }
}

/// Parses the duration of a lease.
pub(crate) fn lease(field: &str, lease: Option<&prost_types::Duration>) -> Result<Duration, Violation> {
    let Some(lease) = lease else { return Ok(DEFAULT_LEASE) };
    let duration = duration(lease).filter(|duration| LEASES.contains(duration));
    duration.ok_or_else(|| Violation::field(field, "must lie between 10 seconds and 1 hour"))
}

/// Parses the token of a lease, which is required.
pub(crate) fn lease_token(field: &str, token: &str) -> Result<LeaseToken, Violation> {
    let bytes = URL_SAFE_NO_PAD.decode(token).ok().and_then(|bytes| <[u8; 16]>::try_from(bytes).ok());
    bytes.map(LeaseToken).ok_or_else(|| Violation::field(field, "must be a lease_token of ClaimReviewItems"))
}

/// Parses the token of a lease, which is optional.
pub(crate) fn optional_lease_token(field: &str, token: &str) -> Result<Option<LeaseToken>, Violation> {
    if token.is_empty() { Ok(None) } else { lease_token(field, token).map(Some) }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use riposte_core::act::CommentAct;
    use riposte_core::decision::{Automation, Detection};
    use riposte_sdk::v1;

    use super::{act, causes, claim_limit, grounds, lease, lease_token, leased_ids, optional_lease_token, targets};

    #[test]
    fn an_act_has_the_number_of_its_action() {
        assert_eq!(act("action", v1::ModerationAction::Approve.into()), Ok(CommentAct::Approve));
        assert_eq!(act("action", v1::ModerationAction::Keep.into()), Ok(CommentAct::Keep));
        for unknown in [0, 8, -1, 257] {
            assert!(act("action", unknown).is_err(), "{unknown}");
        }
    }

    #[test]
    fn what_takes_a_comment_out_of_sight_names_its_rule() {
        for (judged, required) in [
            (CommentAct::Approve, false),
            (CommentAct::Reject, true),
            (CommentAct::Hide, true),
            (CommentAct::Unhide, false),
            (CommentAct::Delete, true),
            (CommentAct::Withhold, true),
            (CommentAct::Keep, false),
        ] {
            assert_eq!(grounds("grounds", Some(judged), None).is_err(), required, "{judged:?}");
            let named = v1::Grounds { code: "spam.links-2".into(), ..v1::Grounds::default() };
            let named = grounds("grounds", Some(judged), Some(&named)).expect("a valid code");
            assert_eq!((named.detection, named.automation), (Detection::Moderator, Automation::None));
        }
    }

    #[test]
    fn all_faults_of_reasons_are_reported_at_once() {
        let wrong = v1::Grounds {
            code: "Spam!".into(),
            explanation: "e".repeat(1_001),
            legal_reference: "l".repeat(257),
            note: "n".repeat(513),
            detection: 99,
            automation: -1,
        };
        let found = grounds("grounds", None, Some(&wrong)).expect_err("all are wrong");
        let fields: Vec<&str> = found.iter().map(|violation| violation.field.as_str()).collect();
        let named = ["code", "explanation", "note", "legal_reference", "detection", "automation"];
        assert_eq!(fields, named.map(|name| format!("grounds.{name}")));
    }

    #[test]
    fn targets_are_some_comments_each_once() {
        let target = |id, etag: &str| v1::VerdictTarget { comment_id: id, etag: etag.to_owned() };
        let approve = Some(CommentAct::Approve);
        assert_eq!(targets("targets", approve, &[target(1, "a"), target(2, "b")]).map(|found| found.len()), Ok(2));
        for wrong in [vec![], vec![target(1, "")], vec![target(0, "a")], vec![target(1, "a"), target(1, "b")]] {
            assert!(targets("targets", approve, &wrong).is_err(), "{wrong:?}");
        }
        assert!(targets("targets", approve, &vec![target(1, "a"); 101]).is_err());
        assert!(leased_ids("comment_ids", &(1..=25).collect::<Vec<i64>>()).is_ok());
        assert!(leased_ids("comment_ids", &(1..=26).collect::<Vec<i64>>()).is_err());
    }

    #[test]
    fn an_etag_says_whether_a_text_or_a_proposed_edit_is_judged() {
        let judged = |act, etag: &str| {
            let target = v1::VerdictTarget { comment_id: 1, etag: etag.to_owned() };
            targets("targets", Some(act), &[target]).map(|found| found[0].act).ok()
        };
        for (act, of_edit) in [
            (CommentAct::Approve, Some(CommentAct::ApproveEdit)),
            (CommentAct::Reject, Some(CommentAct::RejectEdit)),
            (CommentAct::Hide, None),
            (CommentAct::Withhold, None),
            (CommentAct::Keep, None),
            (CommentAct::Delete, None),
        ] {
            assert_eq!([judged(act, "1f.2.0"), judged(act, "1f.p2.0")], [Some(act), of_edit], "{act:?}");
        }
    }

    #[test]
    fn claims_have_bounds() {
        assert_eq!([0, 1, 25].map(|limit| claim_limit("limit", limit)), [Ok(10), Ok(1), Ok(25)]);
        assert!([-1, 26].into_iter().all(|limit| claim_limit("limit", limit).is_err()));
        let of = |seconds| prost_types::Duration { seconds, nanos: 0 };
        assert_eq!(lease("lease", None), Ok(Duration::from_secs(300)));
        assert_eq!([10, 3600].map(|s| lease("lease", Some(&of(s))).is_ok()), [true; 2]);
        assert_eq!([i64::MIN, -1, 9, 3601, i64::MAX].map(|s| lease("lease", Some(&of(s))).is_ok()), [false; 5]);
        for nanos in [i32::MIN, -1, 1_000_000_000, i32::MAX] {
            let wrong = prost_types::Duration { seconds: 60, nanos };
            assert!(lease("lease", Some(&wrong)).is_err(), "{nanos}");
        }
        assert!(causes("causes", &[v1::ReviewCause::New.into(), 0]).is_err());
        assert!(lease_token("lease_token", "").is_err() && lease_token("lease_token", "AAAA").is_err());
        assert!(lease_token("lease_token", "AAAAAAAAAAAAAAAAAAAAAA").is_ok());
        assert_eq!(optional_lease_token("lease_token", ""), Ok(None));
    }
}
