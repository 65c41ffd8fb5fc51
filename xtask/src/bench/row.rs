//! The rows of the table, with their measurements and goals.

use super::book::Book;
use super::figures::Figures;
use super::variant::Variant;
use clap::ValueEnum;

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
    /// Creates on one subject through two server processes, against one
    #[value(name = "create_hot_2")]
    CreateHot2,
    /// Likes on one comment at a steady 10,000 per second
    #[value(name = "like_hot_10k")]
    LikeHot10k,
    /// Creates on a subject that has 1 M comments, against one that has 1 k
    #[value(name = "create_1m")]
    Create1m,
    /// First pages of a hot subject, against a server of constant bytes; pinned
    PageHot,
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
    /// 1,000 readers of a cold subject at the same moment
    Storm,
    /// 95 % reads and 5 % writes on a subject with 100 k comments
    Mixed,
}

impl Row {
    /// The name on the command line and in the table.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::CreateHot => "create_hot",
            Self::CreateSpread => "create_spread",
            Self::LikeHot => "like_hot",
            Self::LikeSpread => "like_spread",
            Self::CreateHot2 => "create_hot_2",
            Self::LikeHot10k => "like_hot_10k",
            Self::Create1m => "create_1m",
            Self::PageHot => "page_hot",
            Self::PageRedis => "page_redis",
            Self::PageDb => "page_db",
            Self::DeepStable => "deep_stable",
            Self::DeepRanked => "deep_ranked",
            Self::LargeStable => "large_stable",
            Self::StatesHit => "states_hit",
            Self::StatesMiss => "states_miss",
            Self::Storm => "storm",
            Self::Mixed => "mixed",
        }
    }

    /// The benchmark that contains the row.
    pub(super) fn book(self) -> Book {
        match self {
            Self::CreateHot
            | Self::CreateSpread
            | Self::LikeHot
            | Self::LikeSpread
            | Self::CreateHot2
            | Self::LikeHot10k
            | Self::Create1m => Book::Write,
            Self::PageHot
            | Self::PageRedis
            | Self::PageDb
            | Self::DeepStable
            | Self::DeepRanked
            | Self::LargeStable
            | Self::StatesHit
            | Self::StatesMiss
            | Self::Storm
            | Self::Mixed => Book::Read,
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
        let behind = [Self::PageRedis, Self::PageDb, Self::DeepStable, Self::DeepRanked, Self::LargeStable];
        if behind.contains(&self) { &["response_cache.enabled=false"] } else { &[] }
    }

    /// Returns `true` if the service has a cache in Redis.
    pub(super) fn has_redis(self) -> bool {
        matches!(self, Self::PageRedis | Self::StatesHit)
    }

    /// Returns `true` if the row's other sides are parts of one whole, so that their CPU is added
    /// up.
    pub(super) fn adds_up(self) -> bool {
        self == Self::PageRedis
    }

    /// Returns the number of rounds, of those that were requested: a row that lasts minutes has
    /// one.
    pub(super) fn rounds(self, requested: usize) -> usize {
        if self == Self::Mixed { 1 } else { requested }
    }

    /// Returns `true` if the row is also measured at sync_binlog=1 and on MySQL: these are the rows
    /// in which all writes meet in one database row.
    pub(super) fn is_hot(self) -> bool {
        matches!(self, Self::CreateHot | Self::LikeHot)
    }

    /// Returns the number of serving processes.
    pub(super) fn servers(self) -> usize {
        if self == Self::CreateHot2 { 2 } else { 1 }
    }

    /// Returns `true` if a round counts only if the processor was available before and after it:
    /// where the load does not wait for the service, a preempted machine shows as latency of the
    /// service.
    pub(super) fn depends_on_the_processor(self) -> bool {
        self == Self::LikeHot10k
    }

    /// Returns the goal of the row as text; it is empty for a row that is only reported.
    pub(super) fn goal(self, variant: Variant) -> &'static str {
        if variant.is_mysql() {
            return "–";
        }
        match self {
            Self::CreateHot | Self::LikeHot if variant.sync_binlog => "≥ 10 ×, p99 ≤ 30",
            Self::CreateHot | Self::LikeHot => "≥ 8 ×, p99 ≤ 30",
            Self::CreateSpread => "≥ 2 ×",
            Self::LikeSpread => "≥ 3 ×",
            Self::CreateHot2 => "≥ 0.8 ×",
            Self::LikeHot10k => "p99 ≤ 30, p99.9 < 100",
            Self::Create1m | Self::DeepStable | Self::DeepRanked | Self::LargeStable => "≤ 1.2 × the time",
            Self::PageHot => "≥ 0.9 ×",
            Self::PageRedis => "≥ 0.55 × by CPU",
            Self::PageDb => "≥ 0.7 ×",
            Self::StatesHit | Self::StatesMiss => "≤ 1.5 × the time",
            Self::Storm => "p99 < 200",
            Self::Mixed => "p99 < 200, likes < 100, ≥ 99 % from memory",
        }
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
