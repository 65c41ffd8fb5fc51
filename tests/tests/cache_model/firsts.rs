//! Rendered first pages (`server/cache/src/redis/lua/page.lua`). A reader assembles a page from the
//! cached data of a subject entry and stores it later as a rendered page. The page is returned
//! while the entry has the revision and the content version at which it was assembled. Only the
//! likes of the cached data matter here; each commit is a like with a bit of its own.

use stateright::{Checker, HasDiscoveries, Model, Property};

/// A rule. When a rule is left out, the checker must find a violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// An applied like changes the content version of the entry.
    LikesChangeTheVersion,
    /// A fill changes it too, because it may contain likes that the cache was not notified of.
    FillsChangeTheVersion,
    /// The revision is part of a page's name.
    RevisionsAreCompared,
    /// Content versions come from a clock: a replica that took over issues none that its master has
    /// issued.
    VersionsNeverRepeat,
}

/// The likes, one bit each.
type Likes = u8;

/// The revision and the content version that a page belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
struct Name {
    revision: u8,
    content_version: u8,
}

/// The subject entry and a stored page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
struct Redis {
    name: Name,
    likes: Likes,
    page: Option<(Name, u8, Likes)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Reader {
    Begins,
    /// The page that the reader assembled: its name and its content.
    Read(Name, u8, Likes),
    Done,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct State {
    /// The committed likes and the revision.
    rows: (Likes, u8),
    redis: Redis,
    replica: Redis,
    readers: [Reader; READERS],
    clock: u8,
    fills: u8,
    failovers: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// A member likes: the like is committed, and the cache is not notified yet.
    Like(u8),
    /// The cache is notified of a like, possibly again.
    Apply(u8),
    /// Another change is committed and applied.
    Change,
    Fill,
    Read(usize),
    Keep(usize),
    ReplicaCatchesUp,
    Failover,
}

#[derive(Debug, Clone)]
struct Firsts {
    without: &'static [Rule],
    failovers: u8,
}

const TRUE: &str = "a served page shows what the cached data shows";
const SERVES: &str = "a page with likes is served";
const READERS: usize = 1;
const LIKES: u8 = 2;
const REVISIONS: u8 = 2;

impl Model for Firsts {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        let (redis, readers) = (Redis::default(), [Reader::Begins; READERS]);
        let failovers = self.failovers;
        vec![State { rows: (0, 0), redis, replica: redis, readers, clock: 0, fills: 2, failovers }]
    }

    fn actions(&self, state: &State, steps: &mut Vec<Step>) {
        let State { rows: (likes, revision), redis, replica, fills, failovers, .. } = state;
        for like in 0..LIKES {
            let committed = likes & 1 << like != 0;
            steps.push(if committed { Step::Apply(like) } else { Step::Like(like) });
        }
        steps.extend((*revision < REVISIONS).then_some(Step::Change));
        steps.extend((*fills > 0).then_some(Step::Fill));
        for (number, reader) in state.readers.iter().enumerate() {
            match reader {
                Reader::Begins => steps.push(Step::Read(number)),
                Reader::Read(..) => steps.push(Step::Keep(number)),
                Reader::Done => {}
            }
        }
        steps.extend((*failovers > 0 && replica != redis).then_some(Step::ReplicaCatchesUp));
        steps.extend((*failovers > 0 && replica != redis).then_some(Step::Failover));
    }

    fn next_state(&self, last: &State, step: Step) -> Option<State> {
        let mut next = last.clone();
        let State { rows: (likes, revision), redis, replica, readers, fills, failovers, .. } = &mut next;
        match step {
            Step::Like(like) => *likes |= 1 << like,
            Step::Apply(like) => {
                redis.likes |= 1 << like;
                self.next_version(&mut next, Rule::LikesChangeTheVersion);
            }
            Step::Change => {
                *revision += 1;
                redis.name.revision = *revision;
            }
            Step::Fill => {
                redis.likes |= *likes;
                *fills -= 1;
                self.next_version(&mut next, Rule::FillsChangeTheVersion);
            }
            Step::Read(number) => readers[number] = Reader::Read(redis.name, redis.name.revision, redis.likes),
            Step::Keep(number) => {
                if let Reader::Read(name, revision, likes) = readers[number] {
                    redis.page = Some((name, revision, likes));
                }
                readers[number] = Reader::Done;
            }
            Step::ReplicaCatchesUp => *replica = *redis,
            Step::Failover => (*redis, *failovers) = (*replica, *failovers - 1),
        }
        (next.clock < 5).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(TRUE, |of: &Self, State { redis, .. }: &State| {
                of.served(redis).is_none_or(|shown| shown == (redis.name.revision, redis.likes))
            }),
            Property::sometimes(SERVES, |of: &Self, State { redis, .. }: &State| {
                of.served(redis).is_some_and(|(_, likes)| likes != 0)
            }),
        ]
    }
}

impl Firsts {
    fn keeps(&self, rule: Rule) -> bool {
        !self.without.contains(&rule)
    }

    fn next_version(&self, state: &mut State, rule: Rule) {
        if self.keeps(rule) {
            state.clock += 1;
            let counted = state.redis.name.content_version + 1;
            state.redis.name.content_version =
                if self.keeps(Rule::VersionsNeverRepeat) { state.clock } else { counted };
        }
    }

    /// Returns the content of the rendered page that may be returned, if one exists.
    fn served(&self, redis: &Redis) -> Option<(u8, Likes)> {
        let (name, revision, likes) = redis.page?;
        let compared = |name: Name| Name {
            revision: if self.keeps(Rule::RevisionsAreCompared) { name.revision } else { 0 },
            ..name
        };
        (compared(name) == compared(redis.name)).then_some((revision, likes))
    }
}

#[test]
fn a_page_that_is_cached_as_a_whole_is_correct_while_it_is_served() {
    for failovers in [0, 1] {
        let checker = Firsts { without: &[], failovers }.checker().spawn_dfs().join();
        println!("{failovers} failovers: {} states", checker.unique_state_count());
        checker.assert_properties();
    }
}

#[test]
fn without_any_of_its_rules_it_may_be_another() {
    let all: [(&[Rule], u8); 4] = [
        (&[Rule::LikesChangeTheVersion], 0),
        (&[Rule::FillsChangeTheVersion], 0),
        (&[Rule::RevisionsAreCompared], 0),
        (&[Rule::VersionsNeverRepeat], 1),
    ];
    for (without, failovers) in all {
        let model = Firsts { without, failovers };
        let checker = model.checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
        let Some(way) = checker.discovery(TRUE) else { panic!("without {without:?} nothing was found") };
        println!("without {without:?}: {:?}", way.into_actions());
    }
}
