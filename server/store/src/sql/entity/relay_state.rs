//! The lease of this data source's relay, and the position of each consumer of its events.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "relay_state")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: Vec<u8>,
    pub owner: Vec<u8>,
    pub epoch: i64,
    pub position: i64,
    pub leased_until: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
