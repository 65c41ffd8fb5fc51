//! The import origin of a comment.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "comment_origin_@")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub comment_id: i64,
    pub part: i16,
    pub source: Vec<u8>,
    pub external_id: Vec<u8>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
