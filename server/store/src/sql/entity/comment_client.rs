//! The client data of a comment, such as its address; deleted after its retention.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "comment_client_@")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub comment_id: i64,
    pub part: i16,
    pub ip: Option<Vec<u8>>,
    pub platform: Vec<u8>,
    pub device: Vec<u8>,
    pub create_time: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
