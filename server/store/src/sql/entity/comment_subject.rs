//! The row of a subject.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "comment_subject_@")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    pub part: i16,
    pub object_type: Vec<u8>,
    pub object_id: Vec<u8>,
    pub owner_id: Option<Vec<u8>>,
    pub state: i8,
    pub next_floor: i32,
    pub root_count: i32,
    pub comment_count: i32,
    pub revision: i64,
    pub version: i64,
    pub pins: Vec<u8>,
    pub metadata: String,
    pub create_time: i64,
    pub update_time: i64,
    pub delete_time: Option<i64>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
