//! The row of a comment without its content.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "comment_index_@")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    pub part: i16,
    pub subject_id: i64,
    pub root_id: i64,
    pub parent_id: i64,
    pub depth: i8,
    pub path: Vec<u8>,
    pub floor: i32,
    pub next_floor: i32,
    pub member_id: Vec<u8>,
    pub state: i8,
    pub prior_state: i8,
    pub deleted_by: i8,
    pub like_count: i32,
    pub dislike_count: i32,
    pub reply_count: i32,
    pub live_below: i32,
    pub listed: i8,
    pub revision: i64,
    pub version: i64,
    pub born_revision: i64,
    pub request_key: Vec<u8>,
    pub request_print: i64,
    pub create_time: i64,
    pub update_time: i64,
    pub edit_time: Option<i64>,
    pub delete_time: Option<i64>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
