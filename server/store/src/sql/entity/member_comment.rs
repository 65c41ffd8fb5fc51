//! One comment in its author's member history.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "member_comment_@")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub object_type: Vec<u8>,
    #[sea_orm(primary_key, auto_increment = false)]
    pub member_id: Vec<u8>,
    #[sea_orm(primary_key, auto_increment = false)]
    pub create_time: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub comment_id: i64,
    pub part: i16,
    pub subject_id: i64,
    pub state: i8,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
