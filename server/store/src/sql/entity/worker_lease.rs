//! The process that generates ids with a worker number in this data source.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "worker_lease")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub worker: i16,
    pub owner: Vec<u8>,
    pub minted_until: i64,
    pub leased_until: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
