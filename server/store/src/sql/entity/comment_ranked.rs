//! A list whose rank index was written, and the number of those writes.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "comment_ranked_@")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub list_id: i64,
    pub part: i16,
    pub changes: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
