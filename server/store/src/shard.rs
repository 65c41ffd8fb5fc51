//! Partition → slot → table → data source: the only routing in the house.

use std::ops::RangeInclusive;

use riposte_core::ids::PARTITIONS;
use riposte_core::{Error, Partition, Result};

/// How many tables the rows are spread over. `subject` divides `index`, so that all rows of a subject lie on one
/// data source. A count of 1 gives the table no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableCounts {
    /// Tables of subjects, 1 to 1024.
    pub subject: u16,
    /// Tables of everything below a subject, 1 to 1024.
    pub index: u16,
}

/// What ends the name of a routed table in a statement, in the order of replacement: the second one ends the first.
const SUBJECT_MARKER: &str = "comment_subject_@";
const INDEX_MARKER: &str = "_@";

/// The tables of one partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableSlot {
    partition: Partition,
    tables: TableCounts,
}

impl TableSlot {
    /// The partition.
    #[must_use]
    pub fn partition(self) -> Partition {
        self.partition
    }

    /// The number that every row of the partition carries.
    #[must_use]
    pub fn part(self) -> i16 {
        part(self.partition)
    }

    /// The statement with the names of this slot's tables in the place of their markers. Values are parameters, so
    /// nothing but names is ever touched; a statement that nobody routed names a table that cannot exist.
    #[must_use]
    pub fn bind(self, sql: String) -> String {
        if !sql.contains(INDEX_MARKER) {
            return sql;
        }
        let number = |count: u16| if count > 1 { format!("_{}", self.partition.get() % count) } else { String::new() };
        let subject = format!("comment_subject{}", number(self.tables.subject));
        sql.replace(SUBJECT_MARKER, &subject).replace(INDEX_MARKER, &number(self.tables.index))
    }
}

/// The number of a partition as its rows carry it.
#[must_use]
pub fn part(partition: Partition) -> i16 {
    partition.get() as i16 // below 1024
}

/// Which data source holds which tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardMap {
    tables: TableCounts,
    /// For each subject table: the number of its data source.
    sources: Vec<usize>,
}

impl ShardMap {
    /// The map that gives each range of subject tables to the source of the same place.
    ///
    /// # Errors
    /// When a count is out of bounds, or a table has no source or several.
    pub fn new(tables: TableCounts, ranges: &[RangeInclusive<u16>]) -> Result<Self> {
        let fault = |text: String| Err(Error::Internal(format!("shard map: {text}")));
        let TableCounts { subject, index } = tables;
        if subject == 0 || index == 0 || index > PARTITIONS || !index.is_multiple_of(subject) {
            return fault(format!("{subject} subject tables and {index} index tables do not nest"));
        }
        let mut sources = Vec::new();
        for table in 0..subject {
            let mut holders = ranges.iter().enumerate().filter(|(_, range)| range.contains(&table));
            match (holders.next(), holders.next()) {
                (Some((source, _)), None) => sources.push(source),
                (_, _) => return fault(format!("subject table {table} has no data source, or several")),
            }
        }
        Ok(Self { tables, sources })
    }

    /// The table counts.
    #[must_use]
    pub fn tables(&self) -> TableCounts {
        self.tables
    }

    /// The tables of a partition.
    #[must_use]
    pub fn slot(&self, partition: Partition) -> TableSlot {
        TableSlot { partition, tables: self.tables }
    }

    /// The number of the data source that holds a partition.
    #[must_use]
    pub fn source(&self, partition: Partition) -> usize {
        self.sources[usize::from(partition.get() % self.tables.subject)]
    }

    /// One slot for each subject table of a source, in order.
    pub fn subject_slots(&self, source: usize) -> impl Iterator<Item = TableSlot> + '_ {
        self.slots(self.tables.subject, source)
    }

    /// One slot for each index table of a source, in order.
    pub fn index_slots(&self, source: usize) -> impl Iterator<Item = TableSlot> + '_ {
        self.slots(self.tables.index, source)
    }

    fn slots(&self, count: u16, source: usize) -> impl Iterator<Item = TableSlot> + '_ {
        (0..count).map(|n| self.slot(Partition::number(n))).filter(move |slot| self.source(slot.partition) == source)
    }
}

#[cfg(test)]
mod tests;
