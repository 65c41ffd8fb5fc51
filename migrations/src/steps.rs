//! All migration steps, in order.

mod m0001_schema;
mod m0002_worker_leases;
mod m0003_subjects;
mod m0004_comments;
mod m0005_likes;
mod m0006_requests;
mod m0007_projections;
mod m0008_ranked_lists;
mod m0009_commits;

use crate::step::MigrationStep;

pub(crate) const ALL: [MigrationStep; 9] = [
    m0001_schema::STEP,
    m0002_worker_leases::STEP,
    m0003_subjects::STEP,
    m0004_comments::STEP,
    m0005_likes::STEP,
    m0006_requests::STEP,
    m0007_projections::STEP,
    m0008_ranked_lists::STEP,
    m0009_commits::STEP,
];

#[cfg(test)]
mod golden;

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn the_store_asks_for_exactly_these_steps() {
        assert_eq!(ALL.each_ref().map(|step| step.name), riposte_store::schema::STEPS);
    }

    #[test]
    fn every_routed_table_has_its_marker_and_its_partition() {
        use crate::table::TableSpread;
        for table in ALL.iter().flat_map(|step| (step.tables)()) {
            assert_eq!(table.name.ends_with("_@"), table.spread != TableSpread::Once, "{}", table.name);
            let part = table.columns.iter().any(|column| column.get_column_name() == "part");
            assert!(part || table.spread == TableSpread::Once, "{} has no column part", table.name);
        }
    }
}
