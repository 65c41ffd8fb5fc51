//! Each row is in the partition of its id, and in the table and data source of that partition.

use std::collections::BTreeMap;

use super::super::Found;
use crate::histcheck::history::{Rows, Table};

/// Returns the partition of an id: ten bits above worker and sequence, a layout that the service
/// never changes.
fn partition(id: i64) -> i64 {
    (id >> 14) & 1023
}

/// Returns the name of the kind of a table.
fn kind(rows: &Rows) -> &'static str {
    match rows {
        Rows::Subjects(_) => "subjects",
        Rows::Comments(_) => "comments",
        Rows::Contents(_) => "contents",
        Rows::Likes(_) => "likes",
    }
}

/// Returns the routing id of each row, and the partition stored in it.
fn ids(rows: &Rows) -> Vec<(i64, i64)> {
    match rows {
        Rows::Subjects(rows) => rows.iter().map(|row| (row.id, row.part)).collect(),
        Rows::Comments(rows) => rows.iter().flat_map(|row| [(row.id, row.part), (row.subject_id, row.part)]).collect(),
        Rows::Contents(rows) => rows.iter().map(|row| (row.comment, row.part)).collect(),
        Rows::Likes(rows) => {
            rows.iter().flat_map(|row| [(row.comment, row.part), (row.subject_id, row.part)]).collect()
        }
    }
}

/// Finds rows in a table or data source where the service would not read them.
pub(super) fn check(tables: &[Table], found: &mut Found) {
    // Numbers of tables by kind, and the data sources of subjects by their tables.
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    let mut sources: BTreeMap<i64, u8> = BTreeMap::new();
    for table in tables {
        *counts.entry(kind(&table.rows)).or_default() += 1;
        if matches!(table.rows, Rows::Subjects(_)) {
            sources.insert(table.number.into(), table.source);
        }
    }
    let subjects = counts.get("subjects").copied().unwrap_or(1);
    for table in tables {
        let kind = kind(&table.rows);
        let count = counts[kind];
        for (id, part) in ids(&table.rows) {
            let due = partition(id);
            let (number, source) = (due % count, sources.get(&(due % subjects)).copied());
            if (part, i64::from(table.number), Some(table.source)) != (due, number, source) {
                let Table { source, number, rows: _ } = table;
                let place = format!("partition {part}, table {number} of source {source}");
                found.add(|| format!("{kind}: the row of {id}, of partition {due}, lies in {place}"), &[]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::plant::Plant;

    #[test]
    fn a_row_in_another_table_source_or_partition_is_found() {
        let mut plant = Plant::default();
        plant.history.tables.iter_mut().for_each(|table| table.number ^= 1);
        plant.has("comments: the row of").has("likes: the row of").has("subjects: the row of");
        let mut plant = Plant::default();
        plant.history.tables[2].source ^= 1;
        plant.has("comments: the row of");
        Plant::default().comment(12, |row| row.part += 1).has("comments: the row of");
        Plant::default().like(|row| row.part += 2).has("likes: the row of");
    }
}
