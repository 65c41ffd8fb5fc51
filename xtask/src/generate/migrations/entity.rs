//! The SeaORM entities of the tables.

use super::{HEAD, Table};
use anyhow::Result;
use std::fmt::Write;

/// Returns the module that contains all entities.
pub(super) fn list(tables: &[Table]) -> Result<String> {
    let mut text = format!("{HEAD}\n");
    for table in tables {
        writeln!(text, "pub(crate) mod {};", table.module())?;
    }
    Ok(text)
}

/// Returns the module of one entity.
pub(super) fn module(table: &Table) -> Result<String> {
    let mut text = format!("{HEAD}\n//! {}\n\nuse sea_orm::entity::prelude::*;\n\n", table.about);
    writeln!(text, "#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]")?;
    writeln!(text, "#[sea_orm(table_name = {:?})]\npub struct Model {{", table.name)?;
    for column in &table.columns {
        if table.primary.contains(&column.name) {
            writeln!(text, "    #[sea_orm(primary_key, auto_increment = false)]")?;
        }
        writeln!(text, "    pub {}: {},", column.name, column.rust())?;
    }
    text += "}\n\n#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]\npub enum Relation {}\n\n\
             impl ActiveModelBehavior for ActiveModel {}\n";
    Ok(text)
}
