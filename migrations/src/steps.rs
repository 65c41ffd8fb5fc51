//! All migration steps, in order. They are generated from migrations/steps.

pub(crate) use crate::generated::ALL;

#[cfg(test)]
mod golden;

#[cfg(test)]
mod tests {
    use super::ALL;
    use riposte_core::ids::WORKERS;

    #[test]
    fn the_store_requires_exactly_these_steps() {
        assert_eq!(ALL.each_ref().map(|step| step.name), riposte_store::schema::STEPS);
    }

    #[test]
    fn every_routed_table_has_its_marker_and_its_partition() {
        use crate::table::TableSpread;
        for table in ALL.iter().flat_map(|step| step.tables) {
            assert_eq!(table.name.ends_with("_@"), table.spread != TableSpread::Once, "{}", table.name);
            let part = table.columns.iter().any(|column| column.name == "part");
            assert!(part || table.spread == TableSpread::Once, "{} has no column part", table.name);
        }
    }

    #[test]
    fn every_worker_number_has_a_row() {
        let rows = ALL.iter().flat_map(|step| step.tables).filter_map(|table| table.numbered.as_ref());
        assert_eq!(rows.map(|rows| rows.count).collect::<Vec<_>>(), [i16::from(WORKERS)]);
    }
}
