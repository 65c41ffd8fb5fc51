//! The results of a phase.

use riposte_core::Error;
use sea_orm::{FromQueryResult, QueryResult, TryGetableMany};

use super::RowsSlot;
use crate::error::{StoreError, StoreResult};

/// The result of each statement group of a phase, in their order.
#[derive(Debug, Default)]
pub(crate) struct PhaseResults(Vec<GroupResult>);

/// The result of one statement group.
#[derive(Debug)]
pub(super) enum GroupResult {
    Rows(Vec<QueryResult>),
    Written,
}

impl PhaseResults {
    pub(super) fn push(&mut self, result: GroupResult) {
        self.0.push(result);
    }

    /// Takes the rows of a read; a second call returns none.
    ///
    /// # Errors
    /// The slot is not one of this phase.
    pub(crate) fn rows(&mut self, RowsSlot(slot): RowsSlot) -> StoreResult<Vec<QueryResult>> {
        match self.0.get_mut(slot) {
            Some(GroupResult::Rows(rows)) => Ok(std::mem::take(rows)),
            Some(GroupResult::Written) | None => Err(foreign_slot()),
        }
    }

    /// Takes the rows of a read, each as a model of an entity.
    ///
    /// # Errors
    /// As for [`Self::rows`], or a row has other columns.
    pub(crate) fn models<M: FromQueryResult>(&mut self, slot: RowsSlot) -> StoreResult<Vec<M>> {
        let model = |row| Ok(M::from_query_result(&row, "")?);
        self.rows(slot)?.into_iter().map(model).collect()
    }

    /// Takes the rows of a read, each as a tuple of its columns.
    ///
    /// # Errors
    /// As for [`Self::models`].
    pub(crate) fn tuples<T: TryGetableMany>(&mut self, slot: RowsSlot) -> StoreResult<Vec<T>> {
        let tuple = |row| Ok(T::try_get_many_by_index(&row).map_err(sea_orm::DbErr::from)?);
        self.rows(slot)?.into_iter().map(tuple).collect()
    }
}

fn foreign_slot() -> StoreError {
    Error::internal("a slot belongs to another phase").into()
}
