//! Each row is in the partition of its id, and in the table and data source of that partition.

use std::collections::BTreeMap;

use super::super::Findings;
use crate::histcheck::history::{Rows, Table};

/// Returns the partition of an id: the ten bits above worker number and sequence. The layout of ids
/// never changes.
fn partition(id: i64) -> i64 {
    (id >> 14) & 1023
}

/// Returns the kind of a table.
fn kind(rows: &Rows) -> &'static str {
    match rows {
        Rows::Subjects(_) => "subjects",
        Rows::Comments(_) => "comments",
        Rows::Contents(_) => "contents",
        Rows::Likes(_) => "likes",
        Rows::Reviews(_) => "reviews",
        Rows::Decisions(_) => "decisions",
        Rows::Proposals(_) => "proposals",
        Rows::Reports(_) => "reports",
    }
}

/// Returns the routing id of each row, and the partition stored in it. Reviews and decisions have
/// one table in each data source.
fn ids(rows: &Rows) -> Vec<(i64, i64)> {
    match rows {
        Rows::Subjects(rows) => rows.iter().map(|row| (row.id, row.part)).collect(),
        Rows::Comments(rows) => rows.iter().flat_map(|row| [(row.id, row.part), (row.subject_id, row.part)]).collect(),
        Rows::Contents(rows) => rows.iter().map(|row| (row.comment, row.part)).collect(),
        Rows::Likes(rows) => {
            rows.iter().flat_map(|row| [(row.comment, row.part), (row.subject_id, row.part)]).collect()
        }
        Rows::Reviews(_) | Rows::Decisions(_) | Rows::Proposals(_) | Rows::Reports(_) => Vec::new(),
    }
}

/// Finds rows in a table or data source where the service would not read them.
pub(super) fn check(tables: &[Table], findings: &mut Findings) {
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
            let expected = partition(id);
            let (number, source) = (expected % count, sources.get(&(expected % subjects)).copied());
            if (part, i64::from(table.number), Some(table.source)) != (expected, number, source) {
                let Table { source, number, rows: _ } = table;
                let location = format!("partition {part}, table {number} of source {source}");
                findings.add(|| format!("{kind}: the row of {id}, of partition {expected}, is in {location}"), &[]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::sample_data::SampleData;

    #[test]
    fn a_row_in_another_table_source_or_partition_is_found() {
        let mut data = SampleData::default();
        data.history.tables.iter_mut().for_each(|table| table.number ^= 1);
        data.finds("comments: the row of").finds("likes: the row of").finds("subjects: the row of");
        let mut data = SampleData::default();
        data.history.tables[2].source ^= 1;
        data.finds("comments: the row of");
        SampleData::default().comment(12, |row| row.part += 1).finds("comments: the row of");
        SampleData::default().like(|row| row.part += 2).finds("likes: the row of");
    }
}
