//! First pages as they are kept in print (`server/cache/src/redis/library.lua`): put together of a block's copies by who reads,
//! brought back later in print, and answered while the block is of the revision and the stamp at which they were put together. Of the
//! copies only the likes matter here; each commit is a like, a bit of its own.

use stateright::{Checker, HasDiscoveries, Model, Property};

/// A rule. Whoever leaves it out has to be found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// A like that is heard stamps the block.
    LikesStamp,
    /// A fill does, for it may bring likes that nobody was told of.
    FillsStamp,
    /// A revision is part of a page's name.
    RevisionsAreCompared,
    /// Stamps come from a clock: a replica that took over gives none that its master has given.
    StampsNeverComeTwice,
}

/// The likes: a bit for each.
type Likes = u8;

/// What a page is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
struct Name {
    revision: u8,
    stamp: u8,
}

/// The block, and a page that was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
struct Redis {
    name: Name,
    likes: Likes,
    kept: Option<(Name, u8, Likes)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Reader {
    Begins,
    /// What it put together: its name, and what it shows.
    Read(Name, u8, Likes),
    Done,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct State {
    /// What is committed, and the revision.
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
    /// A member likes: committed, and not told yet.
    Like(u8),
    /// The copies hear of a like, perhaps not for the first time.
    Hear(u8),
    /// Something else is committed and applied.
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

const TRUE: &str = "a page that is answered whole shows what the copies show";
const ANSWERS: &str = "a page is answered whole, with likes on it";
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
            steps.push(if committed { Step::Hear(like) } else { Step::Like(like) });
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
            Step::Hear(like) => {
                redis.likes |= 1 << like;
                self.stamp(&mut next, Rule::LikesStamp);
            }
            Step::Change => {
                *revision += 1;
                redis.name.revision = *revision;
            }
            Step::Fill => {
                redis.likes |= *likes;
                *fills -= 1;
                self.stamp(&mut next, Rule::FillsStamp);
            }
            Step::Read(number) => readers[number] = Reader::Read(redis.name, redis.name.revision, redis.likes),
            Step::Keep(number) => {
                if let Reader::Read(name, revision, likes) = readers[number] {
                    redis.kept = Some((name, revision, likes));
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
                of.whole(redis).is_none_or(|shown| shown == (redis.name.revision, redis.likes))
            }),
            Property::sometimes(ANSWERS, |of: &Self, State { redis, .. }: &State| {
                of.whole(redis).is_some_and(|(_, likes)| likes != 0)
            }),
        ]
    }
}

impl Firsts {
    fn keeps(&self, rule: Rule) -> bool {
        !self.without.contains(&rule)
    }

    fn stamp(&self, state: &mut State, rule: Rule) {
        if self.keeps(rule) {
            state.clock += 1;
            let counted = state.redis.name.stamp + 1;
            state.redis.name.stamp = if self.keeps(Rule::StampsNeverComeTwice) { state.clock } else { counted };
        }
    }

    /// What the page shows that is answered whole, if there is one.
    fn whole(&self, redis: &Redis) -> Option<(u8, Likes)> {
        let (name, revision, likes) = redis.kept?;
        let compared = |name: Name| Name {
            revision: if self.keeps(Rule::RevisionsAreCompared) { name.revision } else { 0 },
            ..name
        };
        (compared(name) == compared(redis.name)).then_some((revision, likes))
    }
}

#[test]
fn a_page_that_is_kept_whole_is_true_while_it_is_answered() {
    for failovers in [0, 1] {
        let checker = Firsts { without: &[], failovers }.checker().spawn_dfs().join();
        println!("{failovers} failovers: {} states", checker.unique_state_count());
        checker.assert_properties();
    }
}

#[test]
fn without_any_of_its_rules_it_may_be_another() {
    let all: [(&[Rule], u8); 4] = [
        (&[Rule::LikesStamp], 0),
        (&[Rule::FillsStamp], 0),
        (&[Rule::RevisionsAreCompared], 0),
        (&[Rule::StampsNeverComeTwice], 1),
    ];
    for (without, failovers) in all {
        let model = Firsts { without, failovers };
        let checker = model.checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
        let Some(way) = checker.discovery(TRUE) else { panic!("without {without:?} nothing was found") };
        println!("without {without:?}: {:?}", way.into_actions());
    }
}
