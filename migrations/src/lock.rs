//! The lock that admits one migration run at a time to each data source.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::{DatabaseTransaction, Statement};

/// The time that one run waits for another, in seconds.
const WAIT_SECONDS: u32 = 3_600;
/// The name of the lock. Lock names are shared by all databases of a server and have at most 64
/// characters. `from dual` in the statements satisfies Vitess.
const LOCK_NAME: &str = "CONCAT('riposte.', LEFT(SHA2(DATABASE(), 256), 32))";

/// Disables the idle timeout. The store sets it so that MariaDB ends idle transactions, and this
/// transaction is idle while tables are created.
const DISABLE_IDLE_TIMEOUT: &str = "SET @rest = 1 /*M!, SESSION idle_transaction_timeout = 0 */";

/// Waits for the lock of the database. The lock belongs to the connection and ends with it at the
/// latest.
pub(crate) async fn acquire(connection: &DatabaseTransaction) -> Result<(), DbErr> {
    connection.execute_unprepared(DISABLE_IDLE_TIMEOUT).await?;
    let sql = format!("SELECT CAST(GET_LOCK({LOCK_NAME}, {WAIT_SECONDS}) AS SIGNED) AS taken FROM dual");
    let row = connection.query_one_raw(Statement::from_string(connection.get_database_backend(), sql)).await?;
    match row.map(|row| row.try_get::<Option<i64>>("", "taken")).transpose()?.flatten() {
        Some(1) => Ok(()),
        Some(_) | None => Err(DbErr::Migration("another run holds the lock of this database".to_owned())),
    }
}

/// Releases the lock.
pub(crate) async fn release(connection: &DatabaseTransaction) -> Result<(), DbErr> {
    let sql = format!("SELECT CAST(RELEASE_LOCK({LOCK_NAME}) AS SIGNED) AS freed FROM dual");
    connection.query_one_raw(Statement::from_string(connection.get_database_backend(), sql)).await.map(|_| ())
}
