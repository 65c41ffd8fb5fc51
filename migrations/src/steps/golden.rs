//! Golden statements. A released step never changes, so each file only grows.

use std::fmt::Write;

use sea_orm_migration::sea_orm::DbBackend;

use super::ALL;

const MYSQL: &str = include_str!("../../golden/mysql.sql");
const SQLITE: &str = include_str!("../../golden/sqlite.sql");

/// Returns the statements of all steps, with the markers of routed tables.
fn statements(backend: DbBackend) -> String {
    let mut text = String::new();
    for step in &ALL {
        writeln!(text, "-- {}", step.name).expect("a string takes it");
        for table in (step.tables)() {
            writeln!(text, "-- {} {:?}", table.name, table.spread).expect("a string takes it");
            for statement in table.statements(backend) {
                writeln!(text, "{statement};").expect("a string takes it");
            }
        }
        if let Some(rows) = (step.rows)() {
            writeln!(text, "{};", backend.build(&rows)).expect("a string takes it");
        }
        for table in step.dropped {
            writeln!(text, "-- drops {table}").expect("a string takes it");
        }
    }
    text
}

#[test]
fn every_released_step_keeps_its_golden_statements() {
    for (name, backend, golden) in [("MySQL", DbBackend::MySql, MYSQL), ("SQLite", DbBackend::Sqlite, SQLITE)] {
        let text = statements(backend);
        assert!(golden == text, "the schema of {name} has changed; all statements as they are now:\n{text}");
    }
}
