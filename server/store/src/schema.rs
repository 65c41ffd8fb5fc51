//! The migration steps that each data source has, and the layout that they were applied for.

#[rustfmt::skip]
mod generated;

use riposte_core::Millis;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryResult, QueryTrait};

pub use crate::error::{is_locked, is_missing_column};
use crate::error::{is_missing_table, is_unavailable};
pub use crate::layout::Layout;
use crate::sql::entity::riposte_schema::{ActiveModel, Column, Entity, Model};
use crate::sql::{DataSource, DataSources, bytes};
pub use generated::STEPS;

/// The schema state of a data source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceSchema {
    /// All steps that this version needs are applied.
    Ready,
    /// These steps have not been applied.
    Missing(Vec<&'static str>),
    /// The tables were created for another layout, so reads would find wrong rows. The text is for
    /// operators.
    Mismatch(String),
    /// The source is reachable, but its steps cannot be read: the database does not exist or access
    /// is denied. The text is for operators.
    Unreadable(String),
    /// The source cannot be reached. The text is for operators.
    Unreachable(String),
}

fn layout(row: &Model) -> Layout {
    Layout {
        subject_tables: row.subject_tables,
        index_tables: row.index_tables,
        source: row.source,
        sources: row.sources,
        first_table: row.first_table,
        last_table: row.last_table,
    }
}

/// The steps that a data source has, or the reason why they cannot be read.
pub(crate) type AppliedSteps = std::result::Result<Vec<(String, Layout)>, SourceSchema>;

/// Reads the steps of one data source.
pub(crate) async fn read(sources: &DataSources, number: usize) -> AppliedSteps {
    let source = &sources.all()[number];
    match applied(source).await {
        Ok(steps) => Ok(steps),
        Err(error) => {
            let text = source.explain(&error).await;
            Err(if is_unavailable(&error) { SourceSchema::Unreachable(text) } else { SourceSchema::Unreadable(text) })
        }
    }
}

/// Lets the shard map follow the layout that the data sources record, and returns the schema state
/// of each.
pub(crate) fn check(sources: &DataSources, applied_steps: Vec<AppliedSteps>) -> Vec<SourceSchema> {
    let recorded = |steps: &AppliedSteps| Some(steps.as_ref().ok()?.first()?.1);
    let recorded: Vec<_> = applied_steps.iter().map(recorded).collect();
    sources.layout().follow(&recorded, applied_steps.iter().all(Result::is_ok));
    let count = applied_steps.len();
    let state = |(number, steps): (usize, AppliedSteps)| match steps {
        Ok(steps) => compare(&steps, Layout::configured(sources.map(), number, count)),
        Err(state) => state,
    };
    applied_steps.into_iter().enumerate().map(state).collect()
}

/// Compares the steps that a source has with the steps that this version needs.
#[must_use]
pub fn compare(applied: &[(String, Layout)], configured: Layout) -> SourceSchema {
    if let Some((_, recorded)) = applied.iter().find(|(_, recorded)| *recorded != configured) {
        let cure = recorded.cure(&configured);
        return SourceSchema::Mismatch(format!("made for {recorded}, but the configuration says {configured}: {cure}"));
    }
    if let Some((newer, _)) = applied.iter().find(|(step, _)| step.as_str() > STEPS[STEPS.len() - 1]) {
        tracing::info!(step = newer, "the schema is newer than this version; newer schemas serve older versions");
    }
    let missing: Vec<_> = STEPS.into_iter().filter(|step| !applied.iter().any(|(name, _)| name == step)).collect();
    if missing.is_empty() { SourceSchema::Ready } else { SourceSchema::Missing(missing) }
}

/// Returns the steps that a source has, in the order of their names; the list is empty before the
/// first migration.
///
/// # Errors
/// The source cannot be read.
pub async fn applied(source: &DataSource) -> Result<Vec<(String, Layout)>, DbErr> {
    let select = Entity::find().build(source.write_pool().get_database_backend());
    let rows = match source.query_alone(&select).await {
        Err(error) if is_missing_table(&error) => Vec::new(),
        rows => rows?,
    };
    let step = |row: &QueryResult| {
        let row = Model::from_query_result(row, "")?;
        Ok((String::from_utf8_lossy(&row.step).into_owned(), layout(&row)))
    };
    let mut steps = rows.iter().map(step).collect::<Result<Vec<_>, DbErr>>()?;
    steps.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(steps)
}

/// Records that a step was applied; a repeated call has no effect.
///
/// # Errors
/// The row cannot be written.
pub async fn record<C: ConnectionTrait>(connection: &C, step: &str, layout: Layout, now: Millis) -> Result<(), DbErr> {
    let row = ActiveModel {
        step: Set(bytes(step)),
        subject_tables: Set(layout.subject_tables),
        index_tables: Set(layout.index_tables),
        source: Set(layout.source),
        sources: Set(layout.sources),
        first_table: Set(layout.first_table),
        last_table: Set(layout.last_table),
        applied_at: Set(now.0),
    };
    // Vitess refuses the assignment of a key to itself, so another column is named.
    let once = OnConflict::column(Column::Step).do_nothing_on([Column::AppliedAt]).to_owned();
    Entity::insert(row).on_conflict(once).exec_without_returning(connection).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Layout, STEPS, SourceSchema, compare};

    const CONFIGURED: Layout =
        Layout { subject_tables: 50, index_tables: 200, source: 0, sources: 2, first_table: 0, last_table: 24 };

    fn steps(names: &[&str]) -> Vec<(String, Layout)> {
        names.iter().map(|name| ((*name).to_owned(), CONFIGURED)).collect()
    }

    #[test]
    fn a_schema_that_is_newer_is_served_and_one_that_lacks_steps_is_not() {
        let newer: Vec<_> = STEPS.into_iter().chain(["m9999_later"]).collect();
        assert_eq!(compare(&steps(&newer), CONFIGURED), SourceSchema::Ready);
        assert_eq!(compare(&steps(&STEPS[..5]), CONFIGURED), SourceSchema::Missing(STEPS[5..].to_vec()));
        assert_eq!(compare(&[], CONFIGURED), SourceSchema::Missing(STEPS.to_vec()));
    }

    #[test]
    fn any_difference_of_layout_is_a_mismatch_even_where_steps_are_missing() {
        for other in [
            Layout { index_tables: 100, ..CONFIGURED },
            Layout { source: 1, ..CONFIGURED },
            Layout { sources: 3, ..CONFIGURED },
            Layout { last_table: 25, ..CONFIGURED },
        ] {
            let SourceSchema::Mismatch(text) = compare(&steps(&STEPS[..1]), other) else {
                panic!("{other:?} was taken")
            };
            assert!(text.contains(&CONFIGURED.to_string()) && text.contains(&other.to_string()), "{text}");
        }
    }

    #[test]
    fn a_mismatch_says_what_to_change() {
        for (other, cure) in [
            (Layout { index_tables: 100, ..CONFIGURED }, "set the counts to 50 and 200"),
            (Layout { sources: 3, last_table: 15, ..CONFIGURED }, "must have 2 entries, with this one as number 1"),
            (Layout { source: 1, first_table: 25, last_table: 49, ..CONFIGURED }, "with this one as number 1"),
            (Layout { last_table: 9, ..CONFIGURED }, "set those of this one to 0-24"),
        ] {
            let SourceSchema::Mismatch(text) = compare(&steps(&STEPS), other) else { panic!("{other:?} was taken") };
            assert!(text.ends_with(cure), "{text}");
        }
    }
}
