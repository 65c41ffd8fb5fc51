use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use async_trait::async_trait;
use riposte_conformance::model::Model;
use riposte_conformance::stores::StepClock;
use riposte_core::decision::Grounds;
use riposte_core::ports::{StandingQuery, Standings};
use riposte_core::request::{IdempotencyKey, RequestIdentity};
use riposte_core::standing::{MemberStanding, Standing, StandingOrder};
use riposte_core::{MemberId, ObjectType};

use super::super::tests::{change, in_force};
use super::*;

/// The rows of the oracle, which can be unavailable, or many.
#[derive(Debug)]
struct TestRows {
    model: Model,
    unavailable: AtomicBool,
    /// The number of rows that are made up.
    many: usize,
    reads: AtomicUsize,
    /// The number of rows that were read.
    rows: AtomicUsize,
}

#[async_trait]
impl MemberStandings for TestRows {
    async fn set(&self, order: &StandingOrder, request: RequestIdentity) -> Result<MemberStanding> {
        self.model.set(order, request).await
    }

    async fn list(&self, query: &StandingQuery) -> Result<Vec<MemberStanding>> {
        self.model.list(query).await
    }

    async fn changes(
        &self,
        selection: StandingSelection,
        after: &StandingCursor,
        limit: usize,
    ) -> Result<Vec<StandingChange>> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        if self.unavailable.load(Ordering::SeqCst) {
            return Err(Error::ShardUnavailable);
        }
        if self.many == 0 {
            let found = self.model.changes(selection, after, limit).await?;
            self.rows.fetch_add(found.len(), Ordering::SeqCst);
            return Ok(found);
        }
        let first = after.member.parse().unwrap_or(0_usize) + 1;
        let row = |n: usize| change(&format!("{n:06}"), in_force(Standing::Muted, None, None));
        Ok((first..=self.many).take(limit).map(row).collect())
    }

    async fn changed_between(&self, after: Millis, until: Millis) -> Result<u64> {
        self.model.changed_between(after, until).await
    }
}

struct Fixture {
    rows: Arc<TestRows>,
    /// The clock of the rows.
    row_clock: Arc<StepClock>,
    /// The clock of the process.
    clock: Arc<StepClock>,
    table: StandingTable,
    feed: StandingFeed,
    requests: AtomicUsize,
    metrics: Metrics,
}

impl Fixture {
    fn new(many: usize) -> Self {
        let row_clock = StepClock::at(StepClock::START);
        let model = Model::new(Arc::clone(&row_clock) as _);
        let rows = Arc::new(TestRows {
            model,
            unavailable: AtomicBool::new(false),
            many,
            reads: AtomicUsize::new(0),
            rows: AtomicUsize::new(0),
        });
        let (table, metrics) = (StandingTable::default(), Metrics::new().expect("sound"));
        let clock = StepClock::at(StepClock::START);
        let feed = StandingFeed::new(Arc::clone(&rows) as _, table.clone(), Arc::clone(&clock) as _, metrics.clone());
        Self { rows, row_clock, clock, table, feed, requests: AtomicUsize::new(0), metrics }
    }

    async fn set(&self, name: &str, standing: Standing) {
        let of = change(name, in_force(standing, None, None)).of;
        let moderator = MemberId::stored("mod".to_owned());
        let in_force = in_force(standing, None, None);
        let order = StandingOrder { of, in_force, grounds: Grounds::default(), moderator, etag: String::new() };
        let number = self.requests.fetch_add(1, Ordering::SeqCst) as u128;
        let request = RequestIdentity { key: IdempotencyKey(number.to_be_bytes()), fingerprint: order.fingerprint() };
        self.rows.set(&order, request).await.expect("set");
    }

    fn of(&self, name: &str) -> Option<Standing> {
        let (object_type, member) = (ObjectType::stored("video".to_owned()), MemberId::stored(name.to_owned()));
        self.table.of(&object_type, &member, StepClock::START).map(|in_force| in_force.standing)
    }

    /// Returns the age of the standings in seconds, as the metric has it.
    fn age(&self) -> f64 {
        let text = self.metrics.text().expect("metrics");
        let age = text.lines().find(|line| line.starts_with("riposte_standings_age_seconds")).expect("the age");
        age.rsplit(' ').next().and_then(|age| age.parse().ok()).expect("a number")
    }

    /// Waits until a member has a standing.
    async fn wait_for(&self, name: &str, standing: Option<Standing>) {
        while self.of(name) != standing {
            sleep(Duration::from_millis(1)).await;
        }
    }
}

#[tokio::test]
async fn all_standings_are_loaded_first_and_then_each_change() {
    let mut fixture = Fixture::new(0);
    fixture.feed.interval = Duration::from_millis(5);
    fixture.set("ann", Standing::Banned).await;
    fixture.set("bob", Standing::Normal).await;
    assert_eq!(fixture.feed.load().await, Ok(()));
    assert_eq!(["ann", "bob"].map(|name| fixture.of(name)), [Some(Standing::Banned), None]);
    tokio::spawn(fixture.feed.clone().run());
    for (name, standing, after) in [
        ("bob", Standing::Muted, Some(Standing::Muted)),
        ("ann", Standing::Normal, None),
        ("bob", Standing::Trusted, Some(Standing::Trusted)),
    ] {
        fixture.set(name, standing).await;
        fixture.wait_for(name, after).await;
    }
}

#[tokio::test]
async fn a_standing_is_read_also_after_one_whose_time_lies_ahead() {
    let mut fixture = Fixture::new(0);
    fixture.feed.interval = Duration::from_millis(5);
    fixture.row_clock.set(StepClock::START.plus(Duration::from_secs(3_600)));
    fixture.set("ann", Standing::Banned).await;
    assert_eq!(fixture.feed.load().await, Ok(()));
    // The clock is right again.
    fixture.row_clock.set(StepClock::START);
    fixture.set("bob", Standing::Banned).await;
    tokio::spawn(fixture.feed.clone().run());
    fixture.wait_for("bob", Some(Standing::Banned)).await;
    assert_eq!(fixture.of("ann"), Some(Standing::Banned));
}

#[tokio::test]
async fn many_standings_are_read_once_and_one_that_becomes_visible_late_is_found() {
    let fixture = Fixture::new(0);
    assert_eq!(fixture.feed.load().await, Ok(()));
    for n in 0..50 {
        fixture.set(&format!("m{n}"), Standing::Muted).await;
    }
    let poll = async || {
        fixture.feed.poll().await.expect("read");
        fixture.rows.rows.swap(0, Ordering::SeqCst)
    };
    assert_eq!(poll().await, 50);
    assert_eq!((poll().await, poll().await), (0, 0));
    fixture.set("m7", Standing::Normal).await;
    assert_eq!((poll().await, poll().await, fixture.of("m7")), (1, 0, None));
    // The times of these rows were read before, and their transactions end now.
    for (name, seconds) in [("late", 59), ("later", 1)] {
        fixture.row_clock.set(Millis(StepClock::START.0 - seconds * 1_000));
        fixture.set(name, Standing::Banned).await;
        assert!(poll().await > 0);
        assert_eq!((poll().await, fixture.of(name)), (0, Some(Standing::Banned)));
    }
    assert_eq!(fixture.of("m8"), Some(Standing::Muted));
    // After a minute no transaction of that time is left.
    fixture.clock.set(StepClock::START.plus(Duration::from_secs(61)));
    let minute = Duration::from_secs(61);
    fixture.feed.progress.lock().await.window.reads.iter_mut().for_each(|(at, _)| *at -= minute);
    assert_eq!((poll().await, poll().await), (0, 0));
    assert_eq!(fixture.feed.progress.lock().await.window.count_until(Millis(i64::MAX)), 0);
    fixture.row_clock.set(StepClock::START.plus(Duration::from_secs(61)));
    fixture.set("next", Standing::Banned).await;
    assert_eq!((poll().await, fixture.of("next")), (1, Some(Standing::Banned)));
}

#[tokio::test]
async fn the_process_that_sets_a_standing_reads_it_at_once() {
    let mut fixture = Fixture::new(0);
    fixture.feed.interval = Duration::from_secs(24 * 3600);
    assert_eq!(fixture.feed.load().await, Ok(()));
    tokio::spawn(fixture.feed.clone().run());
    fixture.set("cal", Standing::Muted).await;
    fixture.table.was_set();
    fixture.wait_for("cal", Some(Standing::Muted)).await;
}

#[tokio::test]
async fn standings_stay_while_their_rows_are_unavailable() {
    let mut fixture = Fixture::new(0);
    fixture.feed.interval = Duration::from_millis(5);
    fixture.set("ann", Standing::Banned).await;
    assert_eq!(fixture.feed.load().await, Ok(()));
    fixture.feed.progress.lock().await.read -= Duration::from_secs(40);
    fixture.rows.unavailable.store(true, Ordering::SeqCst);
    tokio::spawn(fixture.feed.clone().run());
    fixture.set("bob", Standing::Banned).await;
    while fixture.age() < 30.0 {
        sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(["ann", "bob"].map(|name| fixture.of(name)), [Some(Standing::Banned), None]);
    fixture.rows.unavailable.store(false, Ordering::SeqCst);
    fixture.wait_for("bob", Some(Standing::Banned)).await;
}

#[tokio::test]
async fn a_process_does_not_start_with_too_many_standings_or_with_none_that_it_could_read() {
    let fixture = Fixture::new(LOADED_MAX);
    assert_eq!((fixture.feed.load().await, fixture.table.count()), (Ok(()), LOADED_MAX));
    let fixture = Fixture::new(LOADED_MAX + 1);
    let failed = fixture.feed.load().await;
    assert_eq!(failed, Err(StandingLoadError::TooMany));
    assert!(StandingLoadError::TooMany.to_string().starts_with("more than 200000 members have a standing"));
    fixture.rows.unavailable.store(true, Ordering::SeqCst);
    assert_eq!(fixture.feed.load().await, Err(StandingLoadError::Failed(Error::ShardUnavailable)));
}
