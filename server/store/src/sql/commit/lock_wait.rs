//! The time that locking reads wait.

use sea_orm::sea_query::{LockBehavior, LockType};
use sea_orm::{EntityTrait, QuerySelect, Select};

use crate::sql::keys_join::PRIMARY;
use crate::sql::read::force_index;

/// The wait of locking reads for rows that another transaction holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LockWait {
    /// They wait, for the lock wait limit of the connection at most.
    Bounded,
    /// They fail at once. The error names no row, and the transaction keeps the locks that it has
    /// taken until it is rolled back.
    None,
}

impl LockWait {
    /// Returns the locking read of these rows, which are named by their primary key. It reads along
    /// this key. MySQL would scan a small table, and wait for rows that it only passes.
    pub(super) fn lock<E: EntityTrait>(self, select: Select<E>) -> Select<E> {
        let select = force_index(select, PRIMARY);
        match self {
            Self::Bounded => select.lock_exclusive(),
            Self::None => select.lock_with_behavior(LockType::Update, LockBehavior::Nowait),
        }
    }
}
