//! Golden statements. A released step never changes. Steps up to m0009 share two files; each later
//! step has two of its own.

use std::fmt::Write;

use sea_orm_migration::sea_orm::DbBackend;

use super::ALL;
use crate::step::MigrationStep;

/// The golden statements of some steps on one kind of database.
struct Golden {
    backend: DbBackend,
    steps: &'static [MigrationStep],
    text: &'static str,
}

const GOLDEN: [Golden; 16] = [
    Golden { backend: DbBackend::MySql, steps: steps(0, 9), text: include_str!("../../golden/mysql.sql") },
    Golden { backend: DbBackend::Sqlite, steps: steps(0, 9), text: include_str!("../../golden/sqlite.sql") },
    Golden { backend: DbBackend::MySql, steps: steps(9, 1), text: include_str!("../../golden/m0010_mysql.sql") },
    Golden { backend: DbBackend::Sqlite, steps: steps(9, 1), text: include_str!("../../golden/m0010_sqlite.sql") },
    Golden { backend: DbBackend::MySql, steps: steps(10, 1), text: include_str!("../../golden/m0011_mysql.sql") },
    Golden { backend: DbBackend::Sqlite, steps: steps(10, 1), text: include_str!("../../golden/m0011_sqlite.sql") },
    Golden { backend: DbBackend::MySql, steps: steps(11, 1), text: include_str!("../../golden/m0012_mysql.sql") },
    Golden { backend: DbBackend::Sqlite, steps: steps(11, 1), text: include_str!("../../golden/m0012_sqlite.sql") },
    Golden { backend: DbBackend::MySql, steps: steps(12, 1), text: include_str!("../../golden/m0013_mysql.sql") },
    Golden { backend: DbBackend::Sqlite, steps: steps(12, 1), text: include_str!("../../golden/m0013_sqlite.sql") },
    Golden { backend: DbBackend::MySql, steps: steps(13, 1), text: include_str!("../../golden/m0014_mysql.sql") },
    Golden { backend: DbBackend::Sqlite, steps: steps(13, 1), text: include_str!("../../golden/m0014_sqlite.sql") },
    Golden { backend: DbBackend::MySql, steps: steps(14, 1), text: include_str!("../../golden/m0015_mysql.sql") },
    Golden { backend: DbBackend::Sqlite, steps: steps(14, 1), text: include_str!("../../golden/m0015_sqlite.sql") },
    Golden { backend: DbBackend::MySql, steps: steps(15, 1), text: include_str!("../../golden/m0016_mysql.sql") },
    Golden { backend: DbBackend::Sqlite, steps: steps(15, 1), text: include_str!("../../golden/m0016_sqlite.sql") },
];

const fn steps(first: usize, count: usize) -> &'static [MigrationStep] {
    ALL.split_at(first).1.split_at(count).0
}

/// Returns the statements of the steps, with the markers of routed tables.
fn statements(steps: &[MigrationStep], backend: DbBackend) -> String {
    let mut lines = Vec::new();
    for step in steps {
        lines.push(format!("-- {}", step.name));
        for table in step.tables {
            lines.push(format!("-- {} {:?}", table.name, table.spread));
            lines.extend(table.statements(backend).into_iter().map(|statement| format!("{statement};")));
        }
        lines.extend(step.tables.iter().filter_map(|table| table.rows(backend)).map(|rows| format!("{rows};")));
        for added in step.columns {
            lines.push(format!("-- {} {:?}", added.table, added.spread));
            lines.push(format!("{};", added.statement(backend).statement));
        }
        for added in step.indexes {
            lines.push(format!("-- {} {:?}", added.table, added.spread));
            lines.push(format!("{};", added.statement(backend).statement));
        }
        lines.extend(step.dropped.iter().map(|table| format!("-- drops {table}")));
    }
    lines.iter().fold(String::new(), |mut text, line| {
        writeln!(text, "{line}").expect("a string accepts every write");
        text
    })
}

#[test]
fn every_released_step_keeps_its_golden_statements() {
    for Golden { backend, steps, text: golden } in GOLDEN {
        let text = statements(steps, backend);
        assert!(golden == text, "the schema of {backend:?} has changed; all statements as they are now:\n{text}");
    }
    for backend in [DbBackend::MySql, DbBackend::Sqlite] {
        let golden_steps = GOLDEN.iter().filter(|golden| golden.backend == backend).flat_map(|golden| golden.steps);
        assert!(
            golden_steps.map(|step| step.name).eq(ALL.iter().map(|step| step.name)),
            "a step has no golden statements"
        );
    }
}
