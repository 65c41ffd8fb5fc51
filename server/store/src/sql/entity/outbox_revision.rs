//! The commit that made a revision of a subject; kept as long as the commit.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "outbox_revision")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub commit_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub subject_id: i64,
    pub revision: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
