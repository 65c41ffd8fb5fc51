//! The layout of a deployment: the numbers of tables, and their distribution over the data sources.
//! The first migration fixes it. A configuration that leaves a part of it open follows the
//! database.

use std::ops::RangeInclusive;
use std::sync::OnceLock;

use riposte_core::Result;
use riposte_core::ids::PARTITIONS;

use crate::shard::{ShardMap, TableCounts};

/// The table counts of a new database of the MySQL family whose configuration sets none. With more
/// than 8 data sources the counts are a multiple of these.
const MYSQL_DEFAULT: TableCounts = TableCounts { subject: 8, index: 32 };
/// The table counts of a new SQLite file whose configuration sets none, and of a Vitess keyspace.
const ONE_OF_EACH: TableCounts = TableCounts { subject: 1, index: 1 };

/// The part of a deployment that one data source holds, as its first migration recorded it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// The number of subject tables, over all sources.
    pub subject_tables: i16,
    /// The number of index tables, over all sources.
    pub index_tables: i16,
    /// The number of this source.
    pub source: i16,
    /// The number of sources.
    pub sources: i16,
    /// The first subject table of this source.
    pub first_table: i16,
    /// The last subject table of this source.
    pub last_table: i16,
}

impl Layout {
    /// Returns the layout that the configuration gives to a source.
    #[must_use]
    pub fn configured(map: &ShardMap, source: usize, sources: usize) -> Self {
        let tables: Vec<i16> = map.subject_slots(source).map(|slot| slot.part()).collect();
        let tables = (tables.first().copied().unwrap_or(-1), tables.last().copied().unwrap_or(-1));
        Self {
            subject_tables: map.tables().subject.cast_signed(),
            index_tables: map.tables().index.cast_signed(),
            source: i16::try_from(source).unwrap_or(i16::MAX),
            sources: i16::try_from(sources).unwrap_or(i16::MAX),
            first_table: tables.0,
            last_table: tables.1,
        }
    }

    /// Returns the change of the configuration after which it says what a source records.
    pub(crate) fn cure(&self, configured: &Self) -> String {
        let Self { subject_tables, index_tables, source, sources, first_table, last_table } = self;
        if (*subject_tables, *index_tables) != (configured.subject_tables, configured.index_tables) {
            format!(
                "leave store.subject_tables, store.index_tables and the subject_tables of store.sources out, or set \
                 the counts to {subject_tables} and {index_tables}"
            )
        } else if (*source, *sources) != (configured.source, configured.sources) {
            format!("store.sources must have {sources} entries, with this one as number {}", source + 1)
        } else {
            format!(
                "leave the subject_tables of store.sources out, or set those of this one to {first_table}-{last_table}"
            )
        }
    }
}

impl std::fmt::Display for Layout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { subject_tables, index_tables, source, sources, first_table, last_table } = self;
        write!(f, "{subject_tables}/{index_tables} tables, source {} of {sources}", source + 1)?;
        write!(f, " with subject tables {first_table}-{last_table}")
    }
}

/// The layout as the configuration gives it; `None` follows the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayoutConfig {
    /// The number of subject tables.
    pub subject: Option<u16>,
    /// The number of index tables.
    pub index: Option<u16>,
    /// The first and the last subject table of each source: given for all of them, or for none.
    pub ranges: Vec<Option<RangeInclusive<u16>>>,
    /// The counts of a new database.
    pub default: TableCounts,
}

impl LayoutConfig {
    /// Returns the layout of an SQLite file that leaves its counts open.
    #[must_use]
    pub fn sqlite() -> Self {
        Self { subject: None, index: None, ranges: vec![None], default: ONE_OF_EACH }
    }

    /// Returns the layout of a Vitess keyspace, which distributes the rows of each table itself.
    #[must_use]
    pub fn vitess() -> Self {
        Self::sqlite().with_counts(ONE_OF_EACH)
    }

    /// Returns the layout of `sources` servers of the MySQL family that leaves everything open.
    #[must_use]
    pub fn mysql(sources: usize) -> Self {
        Self { subject: None, index: None, ranges: vec![None; sources], default: MYSQL_DEFAULT }
    }

    /// Returns the layout with both counts.
    #[must_use]
    pub fn with_counts(self, TableCounts { subject, index }: TableCounts) -> Self {
        Self { subject: Some(subject), index: Some(index), ..self }
    }

    /// Returns the table counts of a new database. A count that is left open fits the other one,
    /// and there are at least as many subject tables as sources.
    #[must_use]
    pub fn new_counts(&self) -> TableCounts {
        self.counts(None)
    }

    /// Returns the number of subject tables that the ranges cover, if they are given.
    #[must_use]
    pub fn covered(&self) -> Option<u16> {
        let ends: Option<Vec<u16>> = self.ranges.iter().map(|range| Some(*range.as_ref()?.end())).collect();
        Some(ends?.into_iter().max()?.saturating_add(1))
    }

    /// Returns the map of a new database.
    ///
    /// # Errors
    /// The configured values do not fit each other.
    pub fn new_map(&self) -> Result<ShardMap> {
        self.map(&vec![None; self.ranges.len()])
    }

    /// Returns the map for what each source records.
    fn map(&self, recorded: &[Option<Layout>]) -> Result<ShardMap> {
        let first = recorded.iter().flatten().next();
        let counts = self.counts(first.map(|layout| TableCounts {
            subject: layout.subject_tables.cast_unsigned(),
            index: layout.index_tables.cast_unsigned(),
        }));
        let shares = even_ranges(counts.subject, self.ranges.len());
        let own = |(source, share): (usize, RangeInclusive<u16>)| {
            let recorded = recorded.get(source).copied().flatten();
            let is_here = |layout: &Layout| {
                (usize::try_from(layout.source), usize::try_from(layout.sources)) == (Ok(source), Ok(self.ranges.len()))
            };
            let recorded = recorded.filter(is_here);
            let range = |layout: Layout| layout.first_table.cast_unsigned()..=layout.last_table.cast_unsigned();
            self.ranges[source].clone().or(recorded.map(range)).unwrap_or(share)
        };
        ShardMap::new(counts, &shares.into_iter().enumerate().map(own).collect::<Vec<_>>())
    }

    fn counts(&self, recorded: Option<TableCounts>) -> TableCounts {
        let subject = self.subject.or(self.covered()).or(recorded.map(|counts| counts.subject));
        let subject = subject.unwrap_or_else(|| self.new_subject_tables());
        let index = self.index.or(recorded.map(|counts| counts.index));
        TableCounts { subject, index: index.unwrap_or_else(|| self.new_index_tables(subject)) }
    }

    fn new_subject_tables(&self) -> u16 {
        let sources = u16::try_from(self.ranges.len()).unwrap_or(u16::MAX);
        let least = sources.max(1).div_ceil(self.default.subject).saturating_mul(self.default.subject);
        match self.index {
            Some(index) if !index.is_multiple_of(least) => index,
            Some(_) | None => least,
        }
    }

    fn new_index_tables(&self, subject: u16) -> u16 {
        let factor = (self.default.index / self.default.subject).min(PARTITIONS / subject.max(1));
        subject.saturating_mul(factor.max(1))
    }
}

/// Returns the ranges of `tables` subject tables that are distributed evenly over `sources`, in
/// their order. With more sources than tables the ranges overlap, which no map accepts.
#[must_use]
pub fn even_ranges(tables: u16, sources: usize) -> Vec<RangeInclusive<u16>> {
    let count = u32::try_from(sources).unwrap_or(u32::MAX).max(1);
    // The quotient is at most `tables`, so the conversion cannot fail.
    let first = |source: u32| u16::try_from(u32::from(tables) * source / count).unwrap_or(u16::MAX);
    (0..count).take(sources).map(|source| first(source)..=first(source + 1).saturating_sub(1)).collect()
}

/// The shard map of open data sources: the one for a new database until a source shows another.
#[derive(Debug)]
pub(crate) struct LayoutMap {
    config: LayoutConfig,
    new: ShardMap,
    followed: OnceLock<ShardMap>,
}

impl LayoutMap {
    /// Returns the map of a new database.
    ///
    /// # Errors
    /// The configured values do not fit each other.
    pub(crate) fn new(config: LayoutConfig) -> Result<Self> {
        let new = config.new_map()?;
        Ok(Self { config, new, followed: OnceLock::new() })
    }

    /// Returns the map.
    pub(crate) fn map(&self) -> &ShardMap {
        self.followed.get().unwrap_or(&self.new)
    }

    /// Takes over what the configuration leaves open from what each source records, once and for
    /// all. Without a record, nothing changes. `complete` is true if every source was read: only
    /// then does a contradiction between the sources and the configuration end the search.
    pub(crate) fn follow(&self, recorded: &[Option<Layout>], complete: bool) {
        if recorded.iter().all(Option::is_none) {
            return;
        }
        let followed = match self.config.map(recorded) {
            Ok(map) => map,
            Err(_) if complete => self.new.clone(),
            Err(_) => return,
        };
        // A map that was set before stays: statements may have been routed by it.
        let _ = self.followed.set(followed);
    }
}

#[cfg(test)]
mod tests;
