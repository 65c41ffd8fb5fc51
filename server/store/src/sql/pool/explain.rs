//! Why a data source cannot be used, in words for operators.

use sea_orm::DbErr;

use super::{DataSource, mysql};
use crate::error::operator_text;

impl DataSource {
    /// Returns what is wrong with the data source, and what to do, in words for operators.
    pub async fn explain(&self, error: &DbErr) -> String {
        if self.server.is_some()
            && matches!(error, DbErr::ConnectionAcquire(_))
            && let Some(fault) = mysql::connection_fault(self).await
        {
            return fault;
        }
        operator_text(error)
    }
}
