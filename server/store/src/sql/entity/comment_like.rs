//! A member's like of a comment.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "comment_like_@")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub subject_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub member_id: Vec<u8>,
    #[sea_orm(primary_key, auto_increment = false)]
    pub comment_id: i64,
    pub part: i16,
    pub value: i8,
    pub operation: Vec<u8>,
    pub changed: i8,
    pub time: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
