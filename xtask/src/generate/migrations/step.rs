//! The steps as constants of the migrations, and the list of their names.

use super::{HEAD, Key, Schema, Spread, Step, Table};
use anyhow::Result;
use std::fmt::Write;

/// Returns the module that contains all steps.
pub(super) fn list(schema: &Schema) -> Result<String> {
    let mut text = format!("{HEAD}\n");
    for Step { name, .. } in &schema.steps {
        writeln!(text, "mod {name};")?;
    }
    text += "\nuse crate::step::MigrationStep;\n\n/// All steps, in order.\n";
    writeln!(text, "pub(crate) const ALL: [MigrationStep; {}] = [", schema.steps.len())?;
    for Step { name, .. } in &schema.steps {
        writeln!(text, "    {name}::STEP,")?;
    }
    text += "];\n";
    Ok(text)
}

/// Returns the names of all steps as a constant of the store.
pub(super) fn names(schema: &Schema) -> Result<String> {
    let mut text = format!("{HEAD}\n/// The steps that this version needs, in order.\n");
    writeln!(text, "pub const STEPS: [&str; {}] = [", schema.steps.len())?;
    for Step { name, .. } in &schema.steps {
        writeln!(text, "    {name:?},")?;
    }
    text += "];\n";
    Ok(text)
}

/// Returns the module of one step.
pub(super) fn module(step: &Step, schema: &Schema) -> Result<String> {
    let mut body = format!("pub(super) const STEP: MigrationStep = MigrationStep {{\n    name: {:?},\n", step.name);
    let tables: Vec<String> = step.tables.iter().map(|table| table.name.to_uppercase().replace("_@", "")).collect();
    writeln!(body, "    tables: &[{}],", tables.join(", "))?;
    let mut columns = String::new();
    for added in &step.add_columns {
        let of = target(schema.created(&added.table)?);
        for column in &added.columns {
            writeln!(columns, "        AddColumn {{ {of}, column: {} }},", column.constant())?;
        }
    }
    writeln!(body, "    columns: &[{}],", broken(&columns))?;
    let mut keys = String::new();
    for added in &step.add_keys {
        let of = target(schema.created(&added.table)?);
        for key in &added.keys {
            writeln!(keys, "        AddIndex {{ {of}, index: {} }},", constant(key))?;
        }
    }
    writeln!(body, "    indexes: &[{}],", broken(&keys))?;
    writeln!(body, "    dropped: &{:?},\n}};", step.drops)?;
    for (table, constant) in step.tables.iter().zip(&tables) {
        body += &create(table, constant)?;
    }
    let about: String = step.about.lines().map(|line| format!("//! {line}\n")).collect();
    Ok(format!("{HEAD}\n{about}\n{}\n{body}", imports(&body)))
}

/// Returns the `use` lines of the types that a module names.
fn imports(body: &str) -> String {
    let used = |of: &str, names: &[&str]| {
        let named = |name: &&str| [" {", "::"].iter().any(|end| body.contains(&format!("{name}{end}")));
        let names: Vec<&str> = names.iter().copied().filter(named).collect();
        match names.as_slice() {
            [] => String::new(),
            [name] => format!("use crate::{of}::{name};\n"),
            names => format!("use crate::{of}::{{{}}};\n", names.join(", ")),
        }
    };
    let alter = used("alter", &["AddColumn", "AddIndex"]);
    alter
        + &used("step", &["MigrationStep"])
        + &used("table", &["ColumnSpec", "ColumnType", "IndexSpec", "NumberedRows", "TableSpec", "TableSpread"])
}

fn create(table: &Table, constant: &str) -> Result<String> {
    let mut text = format!("\nconst {constant}: TableSpec = TableSpec {{\n    {},\n    columns: &[\n", named(table));
    for column in &table.columns {
        writeln!(text, "        {},", column.constant())?;
    }
    writeln!(text, "    ],\n    primary: &{:?},", table.primary)?;
    let keys: String = table.keys.iter().map(|key| format!("        {},\n", self::constant(key))).collect();
    writeln!(text, "    keys: &[{}],", broken(&keys))?;
    let numbered = table.numbered.as_ref().map_or_else(
        || "None".to_owned(),
        |rows| format!("Some(NumberedRows {{ column: {:?}, count: {} }})", rows.column, rows.count),
    );
    writeln!(text, "    numbered: {numbered},\n}};")?;
    Ok(text)
}

/// Returns the fields that name a new table.
fn named(table: &Table) -> String {
    format!("name: {:?},\n    spread: {}", table.name, spread(table.spread))
}

/// Returns the fields that name the table of a change.
fn target(table: &Table) -> String {
    format!("table: {:?}, spread: {}", table.name, spread(table.spread))
}

fn spread(spread: Spread) -> &'static str {
    match spread {
        Spread::Once => "TableSpread::Once",
        Spread::Subjects => "TableSpread::Subjects",
        Spread::Index => "TableSpread::Index",
    }
}

fn constant(key: &Key) -> String {
    let Key { name, unique, columns } = key;
    format!("IndexSpec {{ name: {name:?}, unique: {unique}, columns: &{columns:?} }}")
}

/// Returns the lines of a list between its brackets, which stand on lines of their own.
fn broken(lines: &str) -> String {
    if lines.is_empty() { String::new() } else { format!("\n{lines}    ") }
}
