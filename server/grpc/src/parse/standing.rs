//! Parses the standing that a request sets.

use riposte_core::decision::Grounds;
use riposte_core::standing::{MAX_REPORT_WEIGHT, Standing, StandingInForce};
use riposte_core::{MemberOfType, Millis, ObjectType, Violation};
use riposte_sdk::v1;

use super::Violations;
use super::ids::member;
use super::moderation::grounds;
use super::values::time;

/// The parts of a standing that a request sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ParsedStanding {
    /// The object type and the member.
    pub(crate) of: MemberOfType,
    /// The standing.
    pub(crate) in_force: StandingInForce,
    /// Why.
    pub(crate) grounds: Grounds,
    /// The expected etag; an empty one matches any.
    pub(crate) etag: String,
}

/// Parses a standing, which is required. Its time is not read.
pub(crate) fn member_standing(
    v: &mut Violations,
    field: &str,
    standing: Option<v1::MemberStanding>,
) -> Option<ParsedStanding> {
    let v1::MemberStanding { member: of, standing, until, report_weight, grounds: given, etag, update_time: _ } =
        standing.unwrap_or_default();
    let within = |name: &str| format!("{field}.{name}");
    let v1::MemberOfType { object_type, member_id } = of.unwrap_or_default();
    let object_type = v.take(ObjectType::parse(&within("member.object_type"), &object_type));
    let member = v.take(member(&within("member.member_id"), &member_id));
    let standing = v.take(code(&within("standing"), standing));
    let until = v.take(end(&within("until"), standing, until));
    let report_weight = v.take(weight(&within("report_weight"), report_weight));
    let grounds = v.take(grounds(&within("grounds"), None, given.as_ref()));
    let of = MemberOfType { object_type: object_type?, member: member? };
    let in_force = StandingInForce { standing: standing?, until: until?, report_weight: report_weight? };
    Some(ParsedStanding { of, in_force, grounds: grounds?, etag })
}

fn code(field: &str, standing: i32) -> Result<Standing, Violation> {
    let known = i8::try_from(standing).ok().and_then(Standing::from_code);
    known.ok_or_else(|| Violation::field(field, "must be NORMAL, TRUSTED, PRE_MODERATED, MUTED or BANNED"))
}

/// Parses the end of a standing. NORMAL has none. Whether it lies ahead is checked later, because a
/// repeat of an old request gets its first answer.
fn end(
    field: &str,
    standing: Option<Standing>,
    until: Option<prost_types::Timestamp>,
) -> Result<Option<Millis>, Violation> {
    match time(field, until)? {
        Some(_) if standing == Some(Standing::Normal) => Err(Violation::field(field, "must be unset for NORMAL")),
        until => Ok(until),
    }
}

fn weight(field: &str, weight: Option<i32>) -> Result<Option<i32>, Violation> {
    match weight {
        Some(weight) if !(0..=MAX_REPORT_WEIGHT).contains(&weight) => {
            Err(Violation::field(field, format!("must lie between 0 and {MAX_REPORT_WEIGHT}")))
        }
        weight => Ok(weight),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sound() -> v1::MemberStanding {
        v1::MemberStanding {
            member: Some(v1::MemberOfType { object_type: "video".to_owned(), member_id: "m7".to_owned() }),
            standing: v1::Standing::Muted.into(),
            until: Some(prost_types::Timestamp { seconds: 1_001, nanos: 0 }),
            report_weight: Some(0),
            etag: "s1".to_owned(),
            ..v1::MemberStanding::default()
        }
    }

    /// Returns the fields with violations; none if the standing is parsed.
    fn fields(standing: v1::MemberStanding) -> Vec<String> {
        let mut v = Violations::default();
        let parsed = member_standing(&mut v, "standing", Some(standing));
        match v.all((parsed,)) {
            Ok(_) => Vec::new(),
            Err(error) => {
                let riposte_core::Error::Invalid(found) = error.error else { panic!("{error:?}") };
                found.into_iter().map(|violation| violation.field).collect()
            }
        }
    }

    #[test]
    fn a_standing_is_parsed_with_all_of_its_parts() {
        let parsed = member_standing(&mut Violations::default(), "standing", Some(sound())).expect("sound");
        let until = Some(Millis(1_001_000));
        let in_force = StandingInForce { standing: Standing::Muted, until, report_weight: Some(0) };
        assert_eq!((parsed.in_force, parsed.etag.as_str(), parsed.of.member.as_str()), (in_force, "s1", "m7"));
        for standing in Standing::ALL {
            let named = v1::Standing::try_from(i32::from(standing.code())).expect("a standing of the contract");
            assert_eq!(named.as_str_name().replace('_', ""), format!("STANDING{standing:?}").to_uppercase());
        }
    }

    #[test]
    fn every_part_that_is_wrong_is_named() {
        assert_eq!(fields(sound()), Vec::<String>::new());
        let of_nothing = fields(v1::MemberStanding::default());
        assert_eq!(of_nothing, ["standing.member.object_type", "standing.member.member_id", "standing.standing"]);
        let grounds = Some(v1::Grounds { code: "No Code".to_owned(), ..v1::Grounds::default() });
        for (standing, field) in [
            (v1::MemberStanding { standing: 6, ..sound() }, "standing.standing"),
            (v1::MemberStanding { standing: v1::Standing::Normal.into(), ..sound() }, "standing.until"),
            (
                v1::MemberStanding { until: Some(prost_types::Timestamp { seconds: 0, nanos: -1 }), ..sound() },
                "standing.until",
            ),
            (v1::MemberStanding { report_weight: Some(-1), ..sound() }, "standing.report_weight"),
            (v1::MemberStanding { report_weight: Some(1_001), ..sound() }, "standing.report_weight"),
            (v1::MemberStanding { grounds, ..sound() }, "standing.grounds.code"),
        ] {
            assert_eq!(fields(standing), [field]);
        }
    }
}
