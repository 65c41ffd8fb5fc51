//! A content of a comment before an edit.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "comment_edit_@")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub comment_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub version: i64,
    pub part: i16,
    pub text: String,
    pub mentions: String,
    pub metadata: String,
    pub time: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
