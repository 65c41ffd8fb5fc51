use super::{CODE_OF_STANDINGS, GatedAct, Standing, StandingInForce, StandingOrder, StandingRecord};
use crate::domain::decision::{Detection, Grounds, RuleHit};
use crate::domain::disposition::Disposition;
use crate::domain::error::Error;
use crate::domain::member::{MemberId, MemberOfType};
use crate::domain::object_type::{ModerationMode, ObjectType};
use crate::domain::policy_judgement::PolicyJudgement;
use crate::domain::request::{IdempotencyKey, RequestIdentity};
use crate::domain::review::{ReviewCause, ReviewCauses};
use crate::domain::time::Millis;

fn hit() -> RuleHit {
    let (source, version, rule) = ("list".to_owned(), String::new(), "r".to_owned());
    RuleHit { source, version, rule, start: 0, end: 1, dry_run: false }
}

fn order(standing: Standing, etag: &str) -> StandingOrder {
    let member = |id: &str| MemberId::stored(id.to_owned());
    let of = MemberOfType { object_type: ObjectType::stored("video".to_owned()), member: member("m7") };
    let in_force = StandingInForce { standing, until: Some(Millis(9)), report_weight: None };
    StandingOrder { of, in_force, grounds: Grounds::default(), moderator: member("mod"), etag: etag.to_owned() }
}

#[test]
fn codes_are_fixed_for_ever() {
    assert_eq!(Standing::ALL.map(Standing::code), [1, 2, 3, 4, 5]);
    assert!(Standing::ALL.iter().all(|standing| Standing::from_code(standing.code()) == Some(*standing)));
    assert_eq!([-1, 0, 6].map(Standing::from_code), [None; 3]);
}

#[test]
fn a_muted_member_writes_no_texts_and_a_banned_one_writes_nothing() {
    use GatedAct::{Create, Edit, Like, Open, Other, Reply, Report};
    let acts = [Open, Create, Reply, Edit, Like, Report, Other];
    for (standing, refused) in [
        (Standing::Normal, [false; 7]),
        (Standing::Trusted, [false; 7]),
        (Standing::PreModerated, [false; 7]),
        (Standing::Muted, [false, true, true, true, false, false, false]),
        (Standing::Banned, [false, true, true, true, true, true, true]),
    ] {
        assert_eq!(acts.map(|act| standing.refuses(act)), refused, "{standing:?}");
        let until = Some(Millis(7));
        let in_force = StandingInForce { standing, until, report_weight: None };
        for (act, refused) in acts.into_iter().zip(refused) {
            assert_eq!(in_force.check(act).err(), refused.then_some(Error::MemberSuspended { until }));
        }
    }
}

#[test]
fn of_two_standings_the_stricter_one_is_in_force_until_the_later_end() {
    let ban = |until: Option<i64>, report_weight| StandingInForce {
        standing: Standing::Banned,
        until: until.map(Millis),
        report_weight,
    };
    let trusted = StandingInForce { standing: Standing::Trusted, report_weight: Some(7), ..StandingInForce::default() };
    for (own, other, expected) in [
        (StandingInForce::default(), ban(Some(9), Some(3)), ban(Some(9), Some(3))),
        (trusted, StandingInForce::default(), trusted),
        (trusted, ban(Some(9), Some(3)), ban(Some(9), Some(7))),
        (ban(Some(9), None), ban(None, None), ban(None, None)),
        (ban(None, None), ban(Some(9), None), ban(None, None)),
        (ban(Some(9), None), ban(Some(8), None), ban(Some(9), None)),
    ] {
        assert_eq!(own.stricter(other), expected, "{own:?} {other:?}");
    }
}

#[test]
fn a_standing_ends_by_itself_and_its_weight_stays() {
    let in_force = StandingInForce { standing: Standing::Banned, until: Some(Millis(9)), report_weight: Some(0) };
    assert_eq!(in_force.at(Millis(8)), in_force);
    let ended = StandingInForce { standing: Standing::Normal, until: None, report_weight: Some(0) };
    assert_eq!(in_force.at(Millis(9)), ended);
    assert!(ended.is_notable() && !StandingInForce::default().is_notable());
    let endless = StandingInForce { until: None, ..in_force };
    assert_eq!(endless.at(Millis(i64::MAX)), endless);
}

#[test]
fn a_standing_makes_the_judgement_on_a_text_stricter_and_trust_lowers_a_flag_alone() {
    let grounds = || Some(Box::new(Grounds { code: "a.list".to_owned(), hits: vec![hit()], ..Grounds::default() }));
    let by_content = |disposition| PolicyJudgement { disposition, grounds: grounds(), ..PolicyJudgement::default() };
    for disposition in Disposition::ALL {
        for standing in [Standing::Normal, Standing::Muted, Standing::Banned] {
            assert_eq!(standing.judgement(by_content(disposition)), by_content(disposition));
        }
        let trusted = Standing::Trusted.judgement(by_content(disposition));
        let lowered = matches!(disposition, Disposition::Allow | Disposition::Flag);
        let expected = if lowered { Disposition::Allow } else { disposition };
        assert_eq!((trusted.disposition, trusted.grounds.is_some()), (expected, !lowered), "{disposition:?}");
        assert_eq!(trusted.mode(ModerationMode::Pre), ModerationMode::Post);
        let held = Standing::PreModerated.judgement(by_content(disposition));
        let grounds = held.grounds.clone().expect("reasons");
        assert_eq!(grounds.hits, [hit()], "what was found stays");
        let by_standing = !matches!(disposition, Disposition::Hold | Disposition::Reject);
        assert_eq!(grounds.code, if by_standing { CODE_OF_STANDINGS } else { "a.list" }, "{disposition:?}");
        assert_eq!(grounds.detection == Detection::MemberStanding, by_standing);
        assert_eq!(held.disposition, if by_standing { Disposition::Hold } else { disposition });
        assert_eq!(held.mode(ModerationMode::Pre), ModerationMode::Pre);
    }
}

#[test]
fn an_outage_stays_a_cause_beside_what_a_standing_asks_for() {
    use ReviewCause::{Flag, New, ServiceUnavailable};
    let by_content = |disposition, more: &[ReviewCause]| PolicyJudgement {
        disposition,
        more_causes: ReviewCauses::of(more),
        ..PolicyJudgement::default()
    };
    for (standing, disposition, more, causes) in [
        (
            Standing::PreModerated,
            Disposition::Unchecked,
            &[] as &[ReviewCause],
            &[New, ServiceUnavailable] as &[ReviewCause],
        ),
        (Standing::PreModerated, Disposition::Unchecked, &[Flag], &[New, Flag, ServiceUnavailable]),
        (Standing::PreModerated, Disposition::Allow, &[ServiceUnavailable], &[New, ServiceUnavailable]),
        (Standing::PreModerated, Disposition::Hold, &[ServiceUnavailable], &[New, ServiceUnavailable]),
        // Trust lowers a flag, and neither a hold nor the outage.
        (Standing::Trusted, Disposition::Unchecked, &[Flag], &[ServiceUnavailable]),
        (Standing::Trusted, Disposition::Flag, &[ServiceUnavailable], &[ServiceUnavailable]),
        (Standing::Trusted, Disposition::Hold, &[ServiceUnavailable], &[New, ServiceUnavailable]),
        (Standing::Normal, Disposition::Unchecked, &[Flag], &[Flag, ServiceUnavailable]),
    ] {
        let judged = standing.judgement(by_content(disposition, more));
        assert_eq!(judged.causes(ModerationMode::Post), ReviewCauses::of(causes), "{standing:?} {disposition:?}");
        let of_mode = if standing == Standing::Trusted { ReviewCauses::NONE } else { ReviewCauses::of(&[New]) };
        let causes = ReviewCauses::of(causes).union(of_mode);
        assert_eq!(judged.causes(ModerationMode::Pre), causes, "{standing:?} {disposition:?}");
        assert!(!judged.only_shows(ModerationMode::Post), "a moderator judges it");
    }
}

#[test]
fn each_standing_has_a_number_and_a_later_time_and_replaces_what_its_etag_names() {
    let first = order(Standing::Muted, "").after(None, Millis(5)).expect("any etag");
    assert_eq!((first.number, first.changed, first.etag().as_str()), (1, Millis(5), "s1"));
    let second = order(Standing::Banned, "s1").after(Some(&first), Millis(5)).expect("the etag");
    assert_eq!((second.number, second.changed), (2, Millis(6)), "a clock that stands still");
    let stale = order(Standing::Normal, "s1").after(Some(&second), Millis(8));
    assert_eq!(stale, Err(Error::EtagMismatch { current: "s2".to_owned() }));
    let passed = order(Standing::Normal, "").after(Some(&second), Millis(9));
    assert!(matches!(passed, Err(Error::Invalid(_))), "{passed:?}");
    let never = order(Standing::Normal, "s1").after(None, Millis(9));
    assert_eq!(never, Err(Error::EtagMismatch { current: "s0".to_owned() }));
}

#[test]
fn a_repeat_has_the_first_result_and_another_body_is_refused() {
    let order = order(Standing::Muted, "");
    let first = order.after(None, Millis(5)).expect("any etag");
    let identity =
        |order: &StandingOrder| RequestIdentity { key: IdempotencyKey([0; 16]), fingerprint: order.fingerprint() };
    let fingerprint = order.fingerprint();
    let record = StandingRecord { fingerprint, number: first.number, changed: first.changed };
    assert_eq!(order.replayed(identity(&order), record), Ok(first));
    let other = StandingOrder { etag: "s1".to_owned(), ..order };
    assert_eq!(other.replayed(identity(&other), record), Err(Error::RequestIdReused));
}

#[test]
fn fingerprints_keep_their_golden_values() {
    // They are stored: with other values a repeat of an old request would be refused.
    let mut full = order(Standing::Trusted, "s7");
    full.in_force = StandingInForce { until: None, report_weight: Some(50), ..full.in_force };
    full.grounds.code = "spam".to_owned();
    let golden = [5_917_980_435_270_252_737, 1_880_445_799_694_262_661];
    assert_eq!([order(Standing::Muted, "").fingerprint().0, full.fingerprint().0], golden);
}
