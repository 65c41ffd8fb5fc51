use std::collections::BTreeSet;

use riposte_core::Partition;
use riposte_core::ids::PARTITIONS;

use super::{ShardMap, TableCounts};

const REFERENCE: TableCounts = TableCounts { subject: 50, index: 200 };

fn reference() -> ShardMap {
    ShardMap::new(REFERENCE, &[0..=24, 25..=49]).unwrap_or_else(|e| panic!("{e:?}"))
}

#[test]
fn statements_are_bound_to_the_tables_of_the_partition() {
    let slot = reference().slot(Partition::number(517));
    let sql = "SELECT `comment_subject_@`.`id` FROM `comment_subject_@`, `comment_index_@` WHERE a = ?".to_owned();
    let bound = "SELECT `comment_subject_17`.`id` FROM `comment_subject_17`, `comment_index_117` WHERE a = ?";
    assert_eq!(slot.bind(sql), bound);
    assert_eq!(slot.bind("SELECT 1 FROM `comment_outbox`".to_owned()), "SELECT 1 FROM `comment_outbox`");
}

#[test]
fn a_single_table_has_no_number() {
    let map = ShardMap::new(TableCounts { subject: 1, index: 1 }, &[0..=0]).unwrap_or_else(|e| panic!("{e:?}"));
    let sql = "`comment_subject_@` `comment_like_@`".to_owned();
    assert_eq!(map.slot(Partition::number(900)).bind(sql), "`comment_subject` `comment_like`");
}

#[test]
fn all_tables_of_a_subject_lie_on_one_source() {
    let map = reference();
    for source in 0..2 {
        assert_eq!(map.subject_slots(source).count(), 25);
        assert_eq!(map.index_slots(source).count(), 100);
        assert!(map.index_slots(source).all(|slot| map.source(slot.partition()) == source));
    }
    for n in 0..1024 {
        let subject_table = Partition::number(n % 200 % 50);
        assert_eq!(map.source(Partition::number(n)), map.source(subject_table), "partition {n}");
    }
}

#[test]
fn a_map_with_holes_or_overlaps_is_refused() {
    for ranges in [vec![0..=23, 25..=49], vec![0..=25, 25..=49], vec![]] {
        assert!(ShardMap::new(REFERENCE, &ranges).is_err(), "{ranges:?}");
    }
    assert!(ShardMap::new(TableCounts { subject: 3, index: 200 }, &[0..=2]).is_err(), "3 does not divide 200");
}

#[test]
fn a_group_has_consecutive_subject_tables_and_about_eight_index_tables() {
    for (counts, groups, subjects, indexes) in [
        (TableCounts { subject: 1, index: 1 }, 1, 1, 1),
        (TableCounts { subject: 8, index: 32 }, 4, 2, 8),
        (REFERENCE, 25, 2, 8),
        (TableCounts { subject: 2, index: 64 }, 2, 1, 32),
    ] {
        let map = ShardMap::new(counts, &[0..=counts.subject - 1]).unwrap_or_else(|e| panic!("{e:?}"));
        let mut count = 0;
        for group in 0..groups {
            let all: Vec<u16> = (0..PARTITIONS).filter(|n| map.table_group(Partition::number(*n)) == group).collect();
            let distinct = |tables: u16| all.iter().map(|n| n % tables).collect::<BTreeSet<_>>();
            let (subject, index) = (distinct(counts.subject), distinct(counts.index));
            assert_eq!((subject.len(), index.len()), (subjects, indexes), "{counts:?}, group {group}");
            assert!(subject.iter().zip(subject.iter().skip(1)).all(|(a, b)| a + 1 == *b), "{subject:?}");
            count += all.len();
        }
        assert_eq!(count, usize::from(PARTITIONS), "every partition has a group");
    }
}
