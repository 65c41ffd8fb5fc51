//! The lock that admits one migration run at a time to each data source.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::{DatabaseTransaction, Statement};

/// The time that one run waits for another, in seconds.
const WAIT_SECONDS: u32 = 3_600;
/// The name of the lock. Lock names are shared by all databases of a server and have at most 64
/// characters. Vitess takes the functions only by themselves in a select list, drops their aliases,
/// and wants `FROM dual`.
const LOCK_NAME: &str = "CONCAT('riposte.', LEFT(SHA2(DATABASE(), 256), 32))";

/// Disables the idle timeout. The store sets it so that MariaDB ends idle transactions, and this
/// transaction is idle while tables are created.
const DISABLE_IDLE_TIMEOUT: &str = "SET @rest = 1 /*M!, SESSION idle_transaction_timeout = 0 */";

/// Waits for the lock of the database. The lock belongs to the connection and ends with it at the
/// latest.
pub(crate) async fn acquire(connection: &DatabaseTransaction) -> Result<(), DbErr> {
    connection.execute_unprepared(DISABLE_IDLE_TIMEOUT).await?;
    let sql = format!("SELECT GET_LOCK({LOCK_NAME}, {WAIT_SECONDS}) FROM dual");
    let row = connection.query_one_raw(Statement::from_string(connection.get_database_backend(), sql)).await?;
    match row.map(|row| row.try_get_by_index::<Option<i64>>(0)).transpose()?.flatten() {
        Some(1) => Ok(()),
        Some(_) | None => Err(DbErr::Migration("another run holds the lock of this database".to_owned())),
    }
}

/// Releases the lock, by a statement that is not prepared: at a preparation more than five seconds
/// after the lock was taken, a vtgate of Vitess sends a query of its own to the connection of the
/// lock, and refuses a statement that comes meanwhile ("in use: for query").
pub(crate) async fn release(connection: &DatabaseTransaction) -> Result<(), DbErr> {
    connection.execute_unprepared(&format!("SELECT RELEASE_LOCK({LOCK_NAME}) FROM dual")).await.map(|_| ())
}
