use std::ops::RangeInclusive;

use super::{Layout, LayoutConfig, LayoutMap, even_ranges};
use crate::shard::TableCounts;

fn counts(subject: u16, index: u16) -> TableCounts {
    TableCounts { subject, index }
}

fn with(subject: Option<u16>, index: Option<u16>, sources: usize) -> LayoutConfig {
    LayoutConfig { subject, index, ..LayoutConfig::mysql(sources) }
}

fn divided(ranges: &[RangeInclusive<u16>]) -> LayoutConfig {
    LayoutConfig { ranges: ranges.iter().cloned().map(Some).collect(), ..LayoutConfig::mysql(0) }
}

/// Returns what the sources of a database record, source by source.
fn recorded(subject: u16, index: u16, ranges: &[RangeInclusive<u16>]) -> Vec<Option<Layout>> {
    let config = divided(ranges).with_counts(counts(subject, index));
    let map = config.new_map().unwrap_or_else(|error| panic!("{error}"));
    (0..ranges.len()).map(|source| Some(Layout::configured(&map, source, ranges.len()))).collect()
}

/// Returns the layouts of all sources of an open store that saw `recorded`.
fn followed(config: LayoutConfig, recorded: &[Option<Layout>], complete: bool) -> Vec<Option<Layout>> {
    let sources = config.ranges.len();
    let map = LayoutMap::new(config).unwrap_or_else(|error| panic!("{error}"));
    map.follow(recorded, complete);
    (0..sources).map(|source| Some(Layout::configured(map.map(), source, sources))).collect()
}

#[test]
fn a_new_database_has_the_default_counts_and_an_open_count_fits_the_other() {
    for (config, expected) in [
        (with(None, None, 1), (8, 32)),
        (with(None, None, 8), (8, 32)),
        (with(None, None, 10), (16, 64)),
        (with(Some(50), None, 2), (50, 200)),
        (with(Some(300), None, 1), (300, 900)),
        (with(None, Some(400), 1), (8, 400)),
        (with(None, Some(100), 1), (100, 100)),
        (with(None, Some(1), 1), (1, 1)),
        (LayoutConfig::sqlite(), (1, 1)),
        (LayoutConfig { subject: Some(4), ..LayoutConfig::sqlite() }, (4, 4)),
        (divided(&[0..=24, 25..=49]), (50, 200)),
    ] {
        assert_eq!(config.new_counts(), counts(expected.0, expected.1), "{config:?}");
        assert!(config.new_map().is_ok(), "{config:?}");
    }
}

#[test]
fn subject_tables_are_distributed_evenly() {
    assert_eq!(even_ranges(50, 3), [0..=15, 16..=32, 33..=49]);
    assert_eq!(even_ranges(8, 1), [0..=7]);
    assert!(with(Some(2), None, 3).new_map().is_err());
}

#[test]
fn whatever_is_left_open_follows_the_database() {
    let database = recorded(50, 200, &[0..=9, 10..=49]);
    for config in [
        with(None, None, 2),
        with(Some(50), None, 2),
        with(None, Some(200), 2),
        with(Some(50), Some(200), 2),
        divided(&[0..=9, 10..=49]),
    ] {
        assert_eq!(followed(config.clone(), &database, true), database, "{config:?}");
    }
    let file = recorded(4, 8, std::slice::from_ref(&(0..=3)));
    assert_eq!(followed(LayoutConfig::sqlite(), &file, true), file);
}

#[test]
fn a_source_that_has_no_tables_yet_takes_its_share_of_the_recorded_counts() {
    let database = recorded(50, 200, &[0..=24, 25..=49]);
    assert_eq!(followed(with(None, None, 2), &[None, database[1]], true), database);
    let nothing = [None, None];
    assert_eq!(followed(with(None, None, 2), &nothing, true), recorded(8, 32, &[0..=3, 4..=7]));
}

#[test]
fn a_configured_value_is_never_replaced_by_the_database() {
    let database = recorded(50, 200, &[0..=24, 25..=49]);
    for config in [
        with(Some(10), None, 2),
        with(None, Some(400), 2),
        with(Some(8), Some(32), 2),
        with(None, None, 1),
        with(None, None, 3),
        with(Some(7), None, 2),
        divided(&[0..=9, 10..=49]),
        divided(&[25..=49, 0..=24]),
    ] {
        assert_ne!(followed(config.clone(), &database, true)[0], database[0], "{config:?}");
    }
    let swapped = [database[1], database[0]];
    assert_ne!(followed(with(None, None, 2), &swapped, true), swapped);
}

#[test]
fn a_layout_that_the_reachable_sources_leave_unclear_stays_open() {
    let database = recorded(50, 200, &[0..=9, 10..=49]);
    let config = with(None, None, 2);
    let map = LayoutMap::new(config).unwrap_or_else(|error| panic!("{error}"));
    map.follow(&[database[0], None], false);
    assert_eq!(map.map().tables(), counts(8, 32));
    map.follow(&database, true);
    assert_eq!(Some(Layout::configured(map.map(), 1, 2)), database[1]);
    // What was followed once is not changed by a later answer.
    map.follow(&recorded(8, 32, &[0..=3, 4..=7]), true);
    assert_eq!(map.map().tables(), counts(50, 200));
}
