//! A ranking snapshot of a list; `subject_id` is the list as in `comment_rank`.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "comment_epoch_@")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub subject_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub sort: i8,
    #[sea_orm(primary_key, auto_increment = false)]
    pub epoch: i64,
    pub part: i16,
    pub floors: Vec<u8>,
    pub create_time: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
