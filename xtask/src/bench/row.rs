//! The rows of the table, with their measurements and goals.

use super::book::Book;
use super::figures::Figures;
use super::variant::{Tables, Variant};
use clap::ValueEnum;

/// The setting of the object type whose comments wait for review, and its name.
const HELD: &str = "object_types.held.moderation=pre";
pub(super) const HELD_TYPE: &str = "held";

/// One row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Row {
    /// Creates on one subject, against the bare loop
    CreateHot,
    /// Creates over 10,000 subjects, against the bare loop
    CreateSpread,
    /// Likes on one comment, against the bare loop
    LikeHot,
    /// Likes over 10,000 comments, against the bare loop
    LikeSpread,
    /// Creates over 10,000 subjects, CPU against one table of each kind
    LayoutCreate,
    /// Likes over 10,000 comments, CPU against one table of each kind
    LayoutLike,
    /// Creates on one subject through two server processes, against one; and creates on other
    /// subjects beside them, against those alone
    #[value(name = "create_hot_2")]
    CreateHot2,
    /// Likes on one comment at a steady 10,000 per second
    #[value(name = "like_hot_10k")]
    LikeHot10k,
    /// Creates on a subject that has 1 M comments, against one that has 1 k
    #[value(name = "create_1m")]
    Create1m,
    /// Creates on one subject whose comments wait for review, against those that are visible
    CreatePre,
    /// A service that nothing calls: processor, statements, calls to Redis
    Idle,
    /// First pages of a hot subject, against a server of constant bytes; pinned
    PageHot,
    /// First pages of a hot subject beside 500 creates per second that wait for review, against
    /// those alone
    PageHotPre,
    /// First pages of many subjects from Redis, against bare commands and constant bytes
    PageRedis,
    /// First pages from the database, against the bare statements
    PageDb,
    /// Page 5,000 of a subject with 1 M comments, against page 1
    DeepStable,
    /// Page 5,000 of the ranked list of a subject with 1 M comments, against page 1
    DeepRanked,
    /// Page 1 of a subject with 1 M comments, against one with 1 k
    LargeStable,
    /// The like states of 100 comments for a member, from Redis, against one HMGET
    StatesHit,
    /// The like states of 100 comments for a member, against one range of the primary key
    StatesMiss,
    /// BatchGetSubjects of 100 from the database, one caller, against one statement on one table
    #[value(name = "subjects_100")]
    Subjects100,
    /// BatchGetComments of 200 from the database, one caller, against two statements on one table
    #[value(name = "comments_200")]
    Comments200,
    /// 1,000 readers of a cold subject at the same moment
    Storm,
    /// 95 % reads and 5 % writes on a subject with 100 k comments
    Mixed,
    /// Events at two processes, with few creates
    EventsIdle,
    /// Events at two processes, with many creates
    EventsLoad,
    /// Events of many creates to one subscriber of one process, at the highest rate that it keeps
    /// up with
    #[value(name = "events_1")]
    Events1,
    /// The same to 100 subscribers
    #[value(name = "events_100")]
    Events100,
    /// The same to 200 subscribers
    #[value(name = "events_200")]
    Events200,
    /// The same to 1,000 subscribers
    #[value(name = "events_1000")]
    Events1000,
    /// Events of comments that exist, from the outbox to one subscriber that resumes
    EventsResume,
    /// Records of the Kafka topic with few creates through two processes
    TopicIdle,
    /// Records of the Kafka topic with many creates through two processes
    TopicLoad,
    /// Creates on one subject without subscribers, against those that one subscriber receives
    CreateFeed,
}

impl Row {
    /// The name on the command line and in the table.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::CreateHot => "create_hot",
            Self::CreateSpread => "create_spread",
            Self::LikeHot => "like_hot",
            Self::LikeSpread => "like_spread",
            Self::LayoutCreate => "layout_create",
            Self::LayoutLike => "layout_like",
            Self::CreateHot2 => "create_hot_2",
            Self::LikeHot10k => "like_hot_10k",
            Self::Create1m => "create_1m",
            Self::CreatePre => "create_pre",
            Self::Idle => "idle",
            Self::PageHot => "page_hot",
            Self::PageHotPre => "page_hot_pre",
            Self::PageRedis => "page_redis",
            Self::PageDb => "page_db",
            Self::DeepStable => "deep_stable",
            Self::DeepRanked => "deep_ranked",
            Self::LargeStable => "large_stable",
            Self::StatesHit => "states_hit",
            Self::StatesMiss => "states_miss",
            Self::Subjects100 => "subjects_100",
            Self::Comments200 => "comments_200",
            Self::Storm => "storm",
            Self::Mixed => "mixed",
            Self::EventsIdle => "events_idle",
            Self::EventsLoad => "events_load",
            Self::Events1 => "events_1",
            Self::Events100 => "events_100",
            Self::Events200 => "events_200",
            Self::Events1000 => "events_1000",
            Self::EventsResume => "events_resume",
            Self::TopicIdle => "topic_idle",
            Self::TopicLoad => "topic_load",
            Self::CreateFeed => "create_feed",
        }
    }

    /// The benchmark that contains the row.
    pub(super) fn book(self) -> Book {
        match self {
            Self::CreateHot
            | Self::CreateSpread
            | Self::LikeHot
            | Self::LikeSpread
            | Self::LayoutCreate
            | Self::LayoutLike
            | Self::CreateHot2
            | Self::LikeHot10k
            | Self::Create1m
            | Self::CreatePre
            | Self::Idle => Book::Write,
            Self::PageHot
            | Self::PageHotPre
            | Self::PageRedis
            | Self::PageDb
            | Self::DeepStable
            | Self::DeepRanked
            | Self::LargeStable
            | Self::StatesHit
            | Self::StatesMiss
            | Self::Subjects100
            | Self::Comments200
            | Self::Storm
            | Self::Mixed => Book::Read,
            Self::EventsIdle
            | Self::EventsLoad
            | Self::Events1
            | Self::Events100
            | Self::Events200
            | Self::Events1000
            | Self::EventsResume
            | Self::TopicIdle
            | Self::TopicLoad
            | Self::CreateFeed => Book::Events,
        }
    }

    /// Returns `true` if server and load have cores of their own by default: the row's rate is
    /// compared with that of a server, not of a database.
    pub(super) fn is_pinned(self) -> bool {
        self == Self::PageHot
    }

    /// Returns the service's configuration for this row. Rows that measure the path after the
    /// response cache disable that cache.
    pub(super) fn sets(self) -> &'static [&'static str] {
        if self == Self::CreatePre {
            return &[HELD];
        }
        let is_behind_cache =
            matches!(self, Self::PageRedis | Self::PageDb | Self::DeepStable | Self::DeepRanked | Self::LargeStable);
        if is_behind_cache { &["response_cache.enabled=false"] } else { &[] }
    }

    /// Returns `true` if the service has a cache in Redis.
    pub(super) fn has_redis(self) -> bool {
        matches!(self, Self::PageRedis | Self::StatesHit | Self::Idle)
    }

    /// Returns `true` if the service sends its events to a Kafka topic.
    pub(super) fn has_topic(self) -> bool {
        matches!(self, Self::TopicIdle | Self::TopicLoad)
    }

    /// Returns `true` if the row's other sides are parts of one whole, so that their CPU is added
    /// up.
    pub(super) fn adds_up(self) -> bool {
        self == Self::PageRedis
    }

    /// Returns the number of rounds, of those that were requested: a row that lasts minutes has
    /// one.
    pub(super) fn rounds(self, requested: usize) -> usize {
        if [Self::Mixed, Self::Idle].contains(&self) { 1 } else { requested }
    }

    /// Returns `true` if the row is also measured at sync_binlog=1 and on MySQL: these are the rows
    /// in which all writes meet in one database row.
    pub(super) fn is_hot(self) -> bool {
        matches!(self, Self::CreateHot | Self::LikeHot)
    }

    /// Returns `true` if the row takes minutes and shows little that another number of tables would
    /// change: it is measured with the tables of a new database only, unless others are requested.
    pub(super) fn is_long(self) -> bool {
        matches!(
            self,
            Self::Create1m | Self::DeepStable | Self::DeepRanked | Self::LargeStable | Self::Storm | Self::Mixed
        )
    }

    /// Returns `true` if the row only compares layouts, so that one table of each kind is not a
    /// variant of its own.
    pub(super) fn is_layout(self) -> bool {
        matches!(self, Self::LayoutCreate | Self::LayoutLike)
    }

    /// Returns `true` if the service also runs the load with one table of each kind, on servers of
    /// its own, in turns with the others.
    pub(super) fn has_single(self, variant: Variant) -> bool {
        variant.tables != Tables::One
            && (self.is_layout()
                || matches!(
                    self,
                    Self::CreateHot
                        | Self::CreateSpread
                        | Self::LikeHot
                        | Self::LikeSpread
                        | Self::PageDb
                        | Self::StatesMiss
                        | Self::Subjects100
                        | Self::Comments200
                ))
    }

    /// Returns the number of serving processes.
    pub(super) fn servers(self) -> usize {
        let of_two =
            [Self::CreateHot2, Self::EventsIdle, Self::EventsLoad, Self::TopicIdle, Self::TopicLoad].contains(&self);
        if of_two { 2 } else { 1 }
    }

    /// Returns `true` if a round counts only if the processor was available before and after it:
    /// where the load does not wait for the service, a preempted machine shows as latency of the
    /// service.
    pub(super) fn depends_on_the_processor(self) -> bool {
        self == Self::LikeHot10k
    }

    /// Returns the figure of the row: the ratio to the baseline's rate, to its time where the goal
    /// is a time, or to its CPU where the baseline is a sum.
    pub(super) fn ratio(self, ours: &Figures, baseline: &Figures) -> f64 {
        let of_time =
            [Self::Create1m, Self::DeepStable, Self::DeepRanked, Self::LargeStable, Self::StatesHit, Self::StatesMiss];
        if self.adds_up() {
            baseline.served_cpu_us() / ours.served_cpu_us()
        } else if of_time.contains(&self) {
            baseline.rate / ours.rate
        } else {
            ours.rate / baseline.rate
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_knows_a_row_by_the_name_in_the_table() {
        for row in Row::value_variants() {
            assert_eq!(Row::from_str(row.name(), false), Ok(*row));
        }
    }

    #[test]
    fn a_subject_that_is_twice_as_slow_takes_twice_the_time() {
        let figures = |rate| Figures { rate, ..Figures::default() };
        assert_eq!(Row::Create1m.ratio(&figures(500.0), &figures(1000.0)), 2.0);
        assert_eq!(Row::CreateHot.ratio(&figures(8000.0), &figures(1000.0)), 8.0);
    }

    #[test]
    fn the_sum_is_compared_with_the_cpu_of_all_parts() {
        let ours = Figures { server_cpu_us: 150.0, cache_cpu_us: 50.0, client_cpu_us: 900.0, ..Figures::default() };
        let redis = Figures { client_cpu_us: 30.0, cache_cpu_us: 40.0, ..Figures::default() };
        let constant = Figures { server_cpu_us: 30.0, client_cpu_us: 20.0, ..Figures::default() };
        assert_eq!(Row::PageRedis.ratio(&ours, &Figures::added(&redis, &constant)), 0.5);
    }
}
