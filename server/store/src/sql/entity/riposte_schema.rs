//! A migration step that was applied, with the layout it was applied for.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "riposte_schema")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub step: Vec<u8>,
    pub subject_tables: i16,
    pub index_tables: i16,
    pub source: i16,
    pub sources: i16,
    pub first_table: i16,
    pub last_table: i16,
    pub applied_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
