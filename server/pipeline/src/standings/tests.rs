use super::*;

fn member(name: &str) -> MemberId {
    MemberId::stored(name.to_owned())
}

fn video() -> ObjectType {
    ObjectType::stored("video".to_owned())
}

pub(super) fn change(name: &str, in_force: StandingInForce) -> StandingChange {
    let of = riposte_core::MemberOfType { object_type: video(), member: member(name) };
    StandingChange { of, in_force, changed: Millis(1) }
}

pub(super) fn in_force(standing: Standing, until: Option<i64>, report_weight: Option<i32>) -> StandingInForce {
    StandingInForce { standing, until: until.map(Millis), report_weight }
}

#[test]
fn a_member_has_the_standing_that_was_set_last_until_it_ends() {
    let table = StandingTable::default();
    assert_eq!((table.of(&video(), &member("ann"), Millis(0)), table.count()), (None, 0));
    let banned = in_force(Standing::Banned, Some(10), Some(0));
    let muted = in_force(Standing::Muted, None, None);
    table.apply(&[change("ann", banned), change("bob", muted)], Millis(0));
    assert_eq!(table.of(&video(), &member("ann"), Millis(9)), Some(banned));
    assert_eq!(table.of(&video(), &member("ann"), Millis(10)), Some(in_force(Standing::Normal, None, Some(0))));
    assert_eq!(table.of(&video(), &member("bob"), Millis(i64::MAX)), Some(muted));
    assert_eq!(table.of(&ObjectType::stored("article".to_owned()), &member("bob"), Millis(0)), None, "by type");
    table.apply(&[change("ann", banned), change("bob", in_force(Standing::Normal, None, None))], Millis(0));
    assert_eq!((table.of(&video(), &member("bob"), Millis(0)), table.count()), (None, 1));
}

#[test]
fn what_has_ended_leaves_no_entry() {
    let table = StandingTable::default();
    let ended = in_force(Standing::Banned, Some(10), None);
    table.apply(&[change("ann", ended)], Millis(9));
    assert_eq!(table.count(), 1);
    table.apply(&[change("ann", ended), change("bob", ended)], Millis(10));
    assert_eq!(table.count(), 0);
    assert!(table.0.entries.load().is_none(), "without standings a write asks for one branch");
}
