//! What one batch changed under one subject, until nobody needs it any more.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "comment_outbox")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    pub part: i16,
    pub subject_id: i64,
    pub revision: i64,
    pub changes: Vec<u8>,
    pub pub_seq: Option<i64>,
    pub create_time: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
