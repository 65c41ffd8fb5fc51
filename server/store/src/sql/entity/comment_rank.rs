//! A row of the rank index: the score of one comment in one sort. `subject_id` is the list: the
//! subject of a root, or the root of a reply.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "comment_rank_@")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub subject_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub sort: i8,
    #[sea_orm(primary_key, auto_increment = false)]
    pub score: f64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub floor: i32,
    pub part: i16,
    pub comment_id: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
