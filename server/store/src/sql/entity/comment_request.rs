//! The idempotency record of a request, for every verb but those that create a comment.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "comment_request_@")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub subject_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub request_key: Vec<u8>,
    pub part: i16,
    pub verb: i8,
    pub print: i64,
    pub comment_id: i64,
    pub revision: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
