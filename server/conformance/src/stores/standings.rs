//! The standings of members.

use riposte_core::decision::{Automation, Detection, Grounds};
use riposte_core::ports::{StandingCursor, StandingQuery, StandingSelection};
use riposte_core::request::RequestIdentity;
use riposte_core::standing::{MemberStanding, Standing, StandingChange, StandingInForce, StandingOrder};
use riposte_core::{Error, MemberId, MemberOfType, Millis, ObjectType, Result};

use super::backend::Backend;
use super::fixture::{Fixture, member};

/// A time ahead of all clocks: the year 2100.
const FAR: Millis = Millis(4_102_444_800_000);

impl Fixture {
    /// Returns an order about a member under a type of this case.
    fn order(&self, name: &str, standing: Standing) -> StandingOrder {
        let of = MemberOfType { object_type: self.standing_type(), member: member(name) };
        let in_force = StandingInForce { standing, until: None, report_weight: None };
        let (code, detection, automation) = ("spam".to_owned(), Detection::Moderator, Automation::Partial);
        let explanation = "Six links. 🏠".to_owned();
        let (legal_reference, note) = ("a law".to_owned(), "seen before".to_owned());
        let grounds = Grounds { code, explanation, legal_reference, note, detection, automation, ..Grounds::default() };
        StandingOrder { of, in_force, grounds, moderator: member("mod"), etag: String::new() }
    }

    fn standing_type(&self) -> ObjectType {
        ObjectType::stored(self.object_type("s"))
    }

    /// Returns the identity of a request with the key of `of` and the body of `order`.
    fn identity(of: RequestIdentity, order: &StandingOrder) -> RequestIdentity {
        RequestIdentity { fingerprint: order.fingerprint(), ..of }
    }

    /// Sets a standing by a new request.
    async fn set(&self, order: &StandingOrder) -> Result<MemberStanding> {
        self.process.standings.set(order, Self::identity(self.request(), order)).await
    }

    async fn listed(&self, query: &StandingQuery) -> Vec<MemberStanding> {
        self.process.standings.list(query).await.expect("read")
    }

    fn query(&self) -> StandingQuery {
        let (object_type, now) = (self.standing_type(), Millis(0));
        StandingQuery { object_type, member: None, after: None, limit: 100, now }
    }

    /// Reads the changes of this case after a position, in parts of `limit`.
    async fn changes(
        &self,
        selection: StandingSelection,
        mut after: StandingCursor,
        limit: usize,
    ) -> Vec<StandingChange> {
        let mut found = Vec::new();
        loop {
            let part = self.process.standings.changes(selection, &after, limit).await.expect("read");
            let Some(last) = part.last() else { break };
            assert!(part.iter().all(|change| StandingCursor::of(change) > after) && part.len() <= limit);
            after = StandingCursor::of(last);
            found.extend(part);
        }
        assert!(found.is_sorted_by_key(StandingCursor::of));
        // Other cases set standings of other types at the same time.
        found.retain(|change| change.of.object_type == self.standing_type());
        found
    }
}

fn change_of(standing: &MemberStanding) -> StandingChange {
    StandingChange { of: standing.of.clone(), in_force: standing.in_force, changed: standing.changed }
}

pub(super) async fn a_standing_replaces_the_earlier_one_and_its_etag_guards_it(backend: Backend) {
    let fixture = Fixture::new(&backend, "a standing replaces the earlier one");
    let muted = fixture.order("ann", Standing::Muted);
    let first = fixture.set(&muted).await.expect("set");
    assert_eq!((first.number, &first.of, &first.grounds), (1, &muted.of, &muted.grounds));
    assert_eq!(fixture.listed(&fixture.query()).await, std::slice::from_ref(&first));
    let in_force = StandingInForce { standing: Standing::Banned, until: Some(FAR), report_weight: Some(0) };
    let banned = StandingOrder { in_force, etag: first.etag(), moderator: member("other"), ..muted.clone() };
    let second = fixture.set(&banned).await.expect("the etag is that of the first standing");
    assert!(second.number == 2 && second.changed > first.changed && second.in_force == in_force);
    assert_eq!(second.moderator, member("other"));
    let stale = fixture.set(&StandingOrder { etag: first.etag(), ..muted.clone() }).await;
    assert_eq!(stale, Err(Error::EtagMismatch { current: second.etag() }));
    assert_eq!(fixture.listed(&fixture.query()).await, [second]);
    let normal = fixture.set(&fixture.order("ann", Standing::Normal)).await.expect("any etag");
    assert_eq!(normal.number, 3);
    assert_eq!(fixture.listed(&fixture.query()).await, [], "a member with nothing of note is not listed");
    let of = |name: &str| StandingQuery { member: Some(member(name)), ..fixture.query() };
    assert_eq!(fixture.listed(&of("ann")).await, std::slice::from_ref(&normal), "unless it is asked about");
    assert_eq!(fixture.listed(&of("bob")).await, []);
    let again = fixture.set(&StandingOrder { etag: normal.etag(), ..muted }).await.expect("the row is kept");
    assert_eq!(again.number, 4);
}

pub(super) async fn a_repeated_request_for_a_standing_returns_the_first_result(backend: Backend) {
    let fixture = Fixture::new(&backend, "a repeated request for a standing");
    let (order, request) = (fixture.order("ann", Standing::Muted), fixture.request());
    let request = Fixture::identity(request, &order);
    let first = fixture.process.standings.set(&order, request).await.expect("set");
    assert_eq!(fixture.process.standings.set(&order, request).await, Ok(first.clone()));
    let second = fixture.set(&fixture.order("ann", Standing::Banned)).await.expect("set");
    assert_eq!(fixture.process.standings.set(&order, request).await, Ok(first), "the first result");
    assert_eq!(fixture.listed(&fixture.query()).await, [second], "and it changed nothing");
    let other = fixture.order("bob", Standing::Muted);
    let reused = fixture.process.standings.set(&other, Fixture::identity(request, &other)).await;
    assert_eq!(reused, Err(Error::RequestIdReused));
    let refused = StandingOrder { etag: "another".to_owned(), ..fixture.order("cal", Standing::Muted) };
    let key = fixture.request();
    let mismatch = fixture.process.standings.set(&refused, Fixture::identity(key, &refused)).await;
    assert!(matches!(mismatch, Err(Error::EtagMismatch { .. })));
    let in_force = StandingInForce { until: Some(Millis(1)), ..refused.in_force };
    let passed = fixture.set(&StandingOrder { in_force, etag: String::new(), ..refused }).await;
    assert!(matches!(passed, Err(Error::Invalid(_))), "{passed:?}");
    let accepted = fixture.order("cal", Standing::Muted);
    let accepted = fixture.process.standings.set(&accepted, Fixture::identity(key, &accepted)).await;
    assert_eq!(accepted.map(|set| set.number), Ok(1), "a refused request leaves its key free");
}

pub(super) async fn concurrent_orders_for_one_member_are_all_counted(backend: Backend) {
    let fixture = Fixture::new(&backend, "concurrent orders for one member");
    let order = fixture.order("ann", Standing::Muted);
    let orders = (0..8).map(|_| fixture.set(&order));
    let set: Vec<MemberStanding> =
        futures::future::join_all(orders).await.into_iter().map(|set| set.expect("set")).collect();
    let mut numbers: Vec<i64> = set.iter().map(|set| set.number).collect();
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(1..=8));
    let request = Fixture::identity(fixture.request(), &order);
    let repeats = futures::future::join_all((0..8).map(|_| fixture.process.standings.set(&order, request))).await;
    assert!(repeats.iter().all(|set| set.as_ref().map(|set| set.number) == Ok(9)), "{repeats:?}");
}

pub(super) async fn standings_of_note_are_listed_newest_first(backend: Backend) {
    let fixture = Fixture::new(&backend, "standings of note are listed");
    let mut set = Vec::new();
    for (name, standing, until, report_weight) in [
        ("ann", Standing::Muted, None, None),
        ("Ann", Standing::Trusted, None, None),
        ("bob", Standing::Normal, None, None),
        ("cal", Standing::Normal, None, Some(500)),
        ("dan", Standing::Banned, Some(FAR), None),
        ("eve", Standing::Banned, Some(FAR), Some(50)),
        ("fay", Standing::PreModerated, Some(Millis(FAR.0 + 1)), None),
    ] {
        let in_force = StandingInForce { standing, until, report_weight };
        set.push(fixture.set(&StandingOrder { in_force, ..fixture.order(name, standing) }).await.expect("set"));
    }
    set.reverse();
    let names = |found: &[MemberStanding]| -> Vec<String> {
        found.iter().map(|standing| standing.of.member.as_str().to_owned()).collect()
    };
    let query = StandingQuery { now: FAR, ..fixture.query() };
    let listed = fixture.listed(&query).await;
    let is_expected = |standing: &&MemberStanding| !["bob", "dan"].contains(&standing.of.member.as_str());
    assert_eq!(listed, set.iter().filter(is_expected).cloned().collect::<Vec<_>>());
    let mut walked: Vec<MemberStanding> = Vec::new();
    loop {
        let after = walked.last().map(|last| (last.changed, last.of.member.clone()));
        let page = fixture.listed(&StandingQuery { after, limit: 2, ..query.clone() }).await;
        if page.is_empty() {
            break;
        }
        walked.extend(page);
    }
    assert_eq!(walked, listed);
    let of = |name: &str| StandingQuery { member: Some(MemberId::stored(name.to_owned())), ..query.clone() };
    assert_eq!(names(&fixture.listed(&of("ann")).await), ["ann"], "byte by byte");
    assert_eq!(names(&fixture.listed(&of("dan")).await), ["dan"], "though it has ended");
    let other = StandingQuery { object_type: ObjectType::stored("x".to_owned()), ..fixture.query() };
    assert_eq!(names(&fixture.listed(&other).await), Vec::<String>::new());
}

pub(super) async fn changed_standings_are_read_in_the_order_of_their_times(backend: Backend) {
    let fixture = Fixture::new(&backend, "changed standings are read");
    let start = StandingCursor::after(Millis(i64::MIN));
    let mut last = Vec::new();
    for (name, standing) in [
        ("ann", Standing::Muted),
        ("bob", Standing::Trusted),
        ("ann", Standing::Normal),
        ("cal", Standing::Banned),
        ("bob", Standing::Banned),
    ] {
        let set = fixture.set(&fixture.order(name, standing)).await.expect("set");
        last.retain(|earlier: &MemberStanding| earlier.of != set.of);
        last.push(set);
    }
    let mut expected: Vec<StandingChange> = last.iter().map(change_of).collect();
    expected.sort_by_key(StandingCursor::of);
    for limit in [1, 2, 100] {
        assert_eq!(fixture.changes(StandingSelection::All, start.clone(), limit).await, expected, "{limit}");
    }
    let notable: Vec<StandingChange> = expected.iter().filter(|change| change.in_force.is_notable()).cloned().collect();
    assert_eq!(fixture.changes(StandingSelection::Notable, start, 100).await, notable);
    for (n, change) in expected.iter().enumerate() {
        let from = StandingCursor::after(Millis(change.changed.0 - 1));
        let later: Vec<StandingChange> =
            expected.iter().filter(|other| other.changed >= change.changed).cloned().collect();
        assert_eq!(fixture.changes(StandingSelection::All, from, 2).await, later);
        let until = expected.last().expect("set").changed;
        let between = fixture.process.standings.changed_between(Millis(change.changed.0 - 1), until).await;
        // Other cases may set standings at these times.
        assert!(between.expect("counted") >= later.len() as u64);
        let none = fixture.process.standings.changed_between(change.changed, change.changed).await;
        assert_eq!(none, Ok(0));
        let behind = StandingCursor::of(change);
        assert_eq!(fixture.changes(StandingSelection::All, behind, 2).await, expected[n + 1..]);
    }
}
