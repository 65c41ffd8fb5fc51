//! The routing: partition → slot → table → data source. No other module routes.

use std::ops::RangeInclusive;

use riposte_core::ids::PARTITIONS;
use riposte_core::{Error, Partition, Result};

/// The number of tables over which the rows are spread. `subject` divides `index`, so that all rows
/// of a subject are in one data source. A table whose count is 1 has no number in its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableCounts {
    /// The number of subject tables, 1 to 1024.
    pub subject: u16,
    /// The number of index tables, 1 to 1024.
    pub index: u16,
}

/// The markers that end the name of a routed table in a statement, in the order of replacement: the
/// first one ends in the second one.
const SUBJECT_MARKER: &str = "comment_subject_@";
const INDEX_MARKER: &str = "_@";

/// The number of index tables in a group of tables, as near as the counts allow.
const GROUP_INDEX_TABLES: u16 = 8;

/// The tables of one partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableSlot {
    partition: Partition,
    tables: TableCounts,
}

impl TableSlot {
    /// Returns the partition.
    #[must_use]
    pub fn partition(self) -> Partition {
        self.partition
    }

    /// Returns the number that every row of the partition carries.
    #[must_use]
    pub fn part(self) -> i16 {
        part(self.partition)
    }

    /// Returns the statement with this slot's table names in place of the markers. Values are
    /// parameters, so only names are replaced. A statement that was not routed names a table that
    /// cannot exist.
    #[must_use]
    pub fn bind(self, sql: String) -> String {
        if !sql.contains(INDEX_MARKER) {
            return sql;
        }
        let suffix = |count: u16| if count > 1 { format!("_{}", self.partition.get() % count) } else { String::new() };
        let subject = format!("comment_subject{}", suffix(self.tables.subject));
        sql.replace(SUBJECT_MARKER, &subject).replace(INDEX_MARKER, &suffix(self.tables.index))
    }
}

/// Returns the number of a partition as its rows carry it.
#[must_use]
pub fn part(partition: Partition) -> i16 {
    partition.get() as i16 // A partition is below 1024.
}

/// The assignment of tables to data sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardMap {
    tables: TableCounts,
    /// The number of the data source, for each subject table.
    sources: Vec<usize>,
}

impl ShardMap {
    /// Creates the map that assigns range `n` of subject tables to source `n`.
    ///
    /// # Errors
    /// A count is out of bounds, or a table has no source or several.
    pub fn new(tables: TableCounts, ranges: &[RangeInclusive<u16>]) -> Result<Self> {
        let fault = |text: String| Err(Error::Internal(format!("shard map: {text}")));
        let TableCounts { subject, index } = tables;
        if subject == 0 || index == 0 || index > PARTITIONS || !index.is_multiple_of(subject) {
            return fault(format!("{subject} subject tables and {index} index tables do not nest"));
        }
        let mut sources = Vec::new();
        for table in 0..subject {
            let mut owners = ranges.iter().enumerate().filter(|(_, range)| range.contains(&table));
            match (owners.next(), owners.next()) {
                (Some((source, _)), None) => sources.push(source),
                (_, _) => return fault(format!("subject table {table} has no data source, or several")),
            }
        }
        Ok(Self { tables, sources })
    }

    /// Returns the table counts.
    #[must_use]
    pub fn tables(&self) -> TableCounts {
        self.tables
    }

    /// Returns the slot of a partition.
    #[must_use]
    pub fn slot(&self, partition: Partition) -> TableSlot {
        TableSlot { partition, tables: self.tables }
    }

    /// Returns the number of the data source that holds a partition.
    #[must_use]
    pub fn source(&self, partition: Partition) -> usize {
        self.sources[usize::from(partition.get() % self.tables.subject)]
    }

    /// Returns the group of tables of a partition, from 0. A group has consecutive subject tables
    /// and their index tables, which are about [`GROUP_INDEX_TABLES`]. Transactions of one group
    /// have fewer statements than those of the same commands over all tables.
    #[must_use]
    pub fn table_group(&self, partition: Partition) -> usize {
        let TableCounts { subject, index } = self.tables;
        let groups = index.div_ceil(GROUP_INDEX_TABLES).min(subject);
        usize::from(partition.get() % subject) * usize::from(groups) / usize::from(subject)
    }

    /// Returns one slot for each subject table of a source, in order.
    pub fn subject_slots(&self, source: usize) -> impl Iterator<Item = TableSlot> + '_ {
        self.slots(self.tables.subject, source)
    }

    /// Returns one slot for each index table of a source, in order.
    pub fn index_slots(&self, source: usize) -> impl Iterator<Item = TableSlot> + '_ {
        self.slots(self.tables.index, source)
    }

    fn slots(&self, count: u16, source: usize) -> impl Iterator<Item = TableSlot> + '_ {
        (0..count).map(|n| self.slot(Partition::number(n))).filter(move |slot| self.source(slot.partition) == source)
    }
}

#[cfg(test)]
mod tests;
