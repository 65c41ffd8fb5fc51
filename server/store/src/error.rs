//! The classification of database errors and their conversion to domain errors, in one place.
//! Driver text goes to the log only, see [`StoreErrorLog`](crate::error_log::StoreErrorLog), and
//! only without the values that it may quote.

mod driver_text;
mod operator_text;

use std::fmt;
use std::time::Duration;

use riposte_core::Error;
use riposte_sync::CircuitBreaker;
use sea_orm::{ConnAcquireErr, DbErr, RuntimeErr, SqlxError, SqlxMySqlError};

pub(crate) use driver_text::start_of;
use driver_text::text_without_values;
pub use operator_text::operator_text;
pub(crate) use operator_text::operator_text_of_driver;

/// The reason why a database operation failed.
#[derive(Debug, Clone)]
pub(crate) enum StoreError {
    /// The database returned an error or could not be reached.
    Db(DbFault),
    /// The domain returned an error, or a row is invalid.
    Domain(Error),
    /// The database did not respond within the time limit of a transaction.
    NoResponse,
    /// The database was not called, because the circuit breaker is open.
    Unavailable,
    /// The rows of a batch require the gate of moderation, which was not read.
    GateUnknown,
}

/// The text for the log.
impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Db(fault) => fault.fmt(f),
            Self::Domain(error) => f.write_str(&error.log_text()),
            Self::NoResponse => f.write_str("the data source did not respond in time"),
            Self::Unavailable => f.write_str("the data source is unavailable and was not called"),
            Self::GateUnknown => f.write_str("the gate of moderation was not read"),
        }
    }
}

/// An error of the database, without the values that the text of the driver may quote.
#[derive(Debug, Clone)]
pub(crate) struct DbFault {
    class: ErrorClass,
    text: String,
}

impl fmt::Display for DbFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The result of a database operation.
pub(crate) type StoreResult<T> = Result<T, StoreError>;

/// The class of a failed statement: its consequence for the surrounding transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorClass {
    /// A conflict with another transaction, or a gate that was not read; a retry succeeds.
    Conflict,
    /// A vtgate of Vitess reached a second shard to describe a statement. Each retry prepares the
    /// statement on its connection, and succeeds on a connection that has it.
    SecondShard,
    /// Another transaction has held a row lock for longer than the statement may wait.
    Locked,
    /// A unique key is taken, because another transaction was first.
    Duplicate,
    /// The connection or the disk failed. The outcome of a commit is unknown.
    Lost,
    /// No connection became free within the acquire timeout; nothing was sent.
    Unreachable,
    /// Any other error: a retry would fail in the same way.
    Fatal,
}

impl ErrorClass {
    /// Returns whether the data source itself may have failed.
    pub(crate) fn is_unavailable(self) -> bool {
        match self {
            Self::Lost | Self::Unreachable => true,
            Self::Conflict | Self::SecondShard | Self::Locked | Self::Duplicate | Self::Fatal => false,
        }
    }
}

impl From<DbErr> for StoreError {
    fn from(error: DbErr) -> Self {
        // A pool closes only at the stop of its process, which is no fault of the data source.
        if matches!(error, DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed)) {
            return Self::Unavailable;
        }
        Self::Db(DbFault { class: class_of(&error), text: text_without_values(&error) })
    }
}

impl From<Error> for StoreError {
    fn from(error: Error) -> Self {
        Self::Domain(error)
    }
}

impl From<StoreError> for Error {
    fn from(fault: StoreError) -> Self {
        match fault {
            StoreError::Domain(error) => error,
            StoreError::NoResponse => Self::ShardUnavailable,
            StoreError::Unavailable => Self::ShardCircuitOpen { after: CircuitBreaker::PAUSE },
            StoreError::GateUnknown => Self::Overloaded { after: Duration::from_millis(200) },
            StoreError::Db(fault) => match fault.class {
                ErrorClass::Lost | ErrorClass::Unreachable => Self::ShardUnavailable,
                // The transaction was retried inside and rolled back each time: nothing was
                // written, and a later call may succeed.
                ErrorClass::Conflict | ErrorClass::SecondShard | ErrorClass::Locked => {
                    Self::Overloaded { after: Duration::from_millis(200) }
                }
                ErrorClass::Duplicate | ErrorClass::Fatal => Self::internal(fault),
            },
        }
    }
}

impl StoreError {
    /// Returns the error of a statement, with the start of its template, which has no values.
    pub(crate) fn of_statement(error: DbErr, template: &str) -> Self {
        let text = format!("{} (in: {})", text_without_values(&error), start_of(template));
        Self::Db(DbFault { class: class_of(&error), text })
    }

    /// Returns the class of the error.
    pub(crate) fn class(&self) -> ErrorClass {
        match self {
            Self::Db(fault) => fault.class,
            Self::Domain(Error::ShardUnavailable | Error::ShardCircuitOpen { .. } | Error::Overloaded { .. })
            | Self::NoResponse
            | Self::Unavailable => ErrorClass::Unreachable,
            Self::GateUnknown => ErrorClass::Conflict,
            Self::Domain(_) => ErrorClass::Fatal,
        }
    }
}

/// Returns whether the connection was lost during a statement. A pool without a free connection is
/// a different error.
pub(crate) fn is_lost(error: &DbErr) -> bool {
    let (DbErr::Conn(RuntimeErr::SqlxError(cause))
    | DbErr::Exec(RuntimeErr::SqlxError(cause))
    | DbErr::Query(RuntimeErr::SqlxError(cause))) = error
    else {
        return false;
    };
    matches!(**cause, SqlxError::Io(_) | SqlxError::Tls(_) | SqlxError::Protocol(_))
}

/// Returns whether the same statement may succeed at once: a conflict with another transaction
/// ended it. A lock that another transaction still has is a different error.
pub(crate) fn is_conflict(error: &DbErr) -> bool {
    matches!(class_of(error), ErrorClass::Conflict | ErrorClass::SecondShard)
}

/// Returns whether another transaction has held a lock, of a row or of a table, for too long.
#[must_use]
pub fn is_locked(error: &DbErr) -> bool {
    matches!(class_of(error), ErrorClass::Locked)
}

/// Returns whether the data source itself may be unavailable; a source that denies access is
/// available.
pub(crate) fn is_unavailable(error: &DbErr) -> bool {
    class_of(error).is_unavailable() && !is_denied(error)
}

fn is_denied(error: &DbErr) -> bool {
    driver_error(error).is_some_and(is_access_denied)
}

/// Returns the driver's own error.
fn driver_error(error: &DbErr) -> Option<&SqlxError> {
    let (DbErr::Conn(RuntimeErr::SqlxError(cause))
    | DbErr::Exec(RuntimeErr::SqlxError(cause))
    | DbErr::Query(RuntimeErr::SqlxError(cause))) = error
    else {
        return None;
    };
    Some(cause)
}

/// Returns whether a server of the MySQL family denied access.
pub(crate) fn is_access_denied(error: &SqlxError) -> bool {
    let SqlxError::Database(error) = error else { return false };
    error.try_downcast_ref::<SqlxMySqlError>().is_some_and(|mysql| ACCESS_DENIED.contains(&mysql.number()))
}

fn class_of(error: &DbErr) -> ErrorClass {
    if matches!(error, DbErr::ConnectionAcquire(_)) {
        return ErrorClass::Unreachable;
    }
    let (DbErr::Conn(RuntimeErr::SqlxError(cause))
    | DbErr::Exec(RuntimeErr::SqlxError(cause))
    | DbErr::Query(RuntimeErr::SqlxError(cause))) = error
    else {
        return ErrorClass::Fatal;
    };
    if let SqlxError::Database(error) = &**cause {
        let code = error.code();
        return match error.try_downcast_ref::<SqlxMySqlError>() {
            Some(mysql) if is_disk_full(mysql.number(), mysql.message()) => ErrorClass::Lost,
            Some(mysql) if is_second_shard(mysql.number(), mysql.message()) => ErrorClass::SecondShard,
            Some(mysql) => mysql_class(mysql.number()),
            None if error.is_unique_violation() => ErrorClass::Duplicate,
            None => sqlite_class(code.as_deref().unwrap_or_default()),
        };
    }
    let is_connection_lost = matches!(
        **cause,
        SqlxError::Io(_)
            | SqlxError::Tls(_)
            | SqlxError::Protocol(_)
            | SqlxError::PoolTimedOut
            | SqlxError::PoolClosed
            | SqlxError::WorkerCrashed
    );
    if is_connection_lost { ErrorClass::Lost } else { ErrorClass::Fatal }
}

/// Returns whether a statement failed because its table was never created.
pub(crate) fn is_missing_table(error: &DbErr) -> bool {
    let (DbErr::Exec(RuntimeErr::SqlxError(cause)) | DbErr::Query(RuntimeErr::SqlxError(cause))) = error else {
        return false;
    };
    let SqlxError::Database(error) = &**cause else { return false };
    // SQLite has no error code of its own for a missing table.
    error
        .try_downcast_ref::<SqlxMySqlError>()
        .map_or_else(|| error.message().starts_with("no such table"), |mysql| mysql.number() == 1146)
}

/// Returns whether a statement failed because the server does not know a column.
#[must_use]
pub fn is_missing_column(error: &DbErr) -> bool {
    let (DbErr::Exec(RuntimeErr::SqlxError(cause)) | DbErr::Query(RuntimeErr::SqlxError(cause))) = error else {
        return false;
    };
    let SqlxError::Database(error) = &**cause else { return false };
    error.try_downcast_ref::<SqlxMySqlError>().is_some_and(|mysql| mysql.number() == 1054)
}

/// Returns whether a temporary file or a call of the storage engine failed because the disk is
/// full. The error codes have other causes too, so the message decides.
fn is_disk_full(number: u16, message: &str) -> bool {
    [1, 3, 1030].contains(&number) && ["Errcode: 28 ", "error 28 "].iter().any(|words| message.contains(words))
}

/// Returns whether a vtgate ended a transaction because it reached a second shard. A statement that
/// a connection prepares first in a transaction is described by a shard of the vtgate's choice. It
/// is prepared then, so the transaction succeeds when it runs again.
fn is_second_shard(number: u16, message: &str) -> bool {
    number == 1317 && message.contains("multi-db transaction attempted")
}

fn mysql_class(number: u16) -> ErrorClass {
    match number {
        // Deadlock; record changed since the last read; prepared statement limit reached.
        1213 | 1020 | 1461 => ErrorClass::Conflict,
        // The lock wait limit passed; a statement that may not wait found a lock.
        1205 | 3572 => ErrorClass::Locked,
        1062 => ErrorClass::Duplicate,
        // Too many connections, shutdown, killed, read-only after a failover, server gone.
        1040 | 1053 | 1077 | 1129 | 1158..=1161 | 1203 | 1226 | 1290 | 1317 | 1792 | 1836 | 1927 | 3169 => {
            ErrorClass::Lost
        }
        // The disk is full, for the server or for a table; a write or a commit failed.
        1021 | 1026 | 1114 | 1180 => ErrorClass::Lost,
        // The password was changed while the process ran; nothing was sent.
        number if ACCESS_DENIED.contains(&number) => ErrorClass::Unreachable,
        _ => ErrorClass::Fatal,
    }
}

/// The codes by which a reachable server denies access: to itself, to the database, or because the
/// database does not exist.
const ACCESS_DENIED: [u16; 4] = [1044, 1045, 1049, 1698];

/// Classifies a SQLite result code. Extended codes carry the plain code in their low byte: 5 is
/// BUSY, 6 LOCKED, 10 IOERR, 13 FULL.
fn sqlite_class(code: &str) -> ErrorClass {
    match code.parse::<u32>().map(|code| code & 0xff) {
        Ok(5 | 6) => ErrorClass::Conflict,
        Ok(10 | 13) => ErrorClass::Lost,
        Ok(_) | Err(_) => ErrorClass::Fatal,
    }
}

#[cfg(test)]
mod tests {
    use sea_orm::{ConnAcquireErr, DbErr};

    use super::{ErrorClass, StoreError, is_disk_full, is_second_shard, mysql_class, sqlite_class};

    #[test]
    fn a_pool_that_closed_is_no_fault_of_its_source() {
        let of = |reason| StoreError::from(DbErr::ConnectionAcquire(reason));
        assert!(matches!(of(ConnAcquireErr::ConnectionClosed), StoreError::Unavailable));
        assert!(matches!(of(ConnAcquireErr::Timeout), StoreError::Db(_)));
    }

    #[test]
    fn codes_distinguish_conflicts_from_faults() {
        for (number, class) in [
            (1213, ErrorClass::Conflict),
            (1461, ErrorClass::Conflict),
            (1205, ErrorClass::Locked),
            (3572, ErrorClass::Locked),
            (1062, ErrorClass::Duplicate),
            (1053, ErrorClass::Lost),
            (1114, ErrorClass::Lost),
            (1045, ErrorClass::Unreachable),
            (1406, ErrorClass::Fatal),
        ] {
            assert_eq!(mysql_class(number), class, "{number}");
        }
        assert!(is_disk_full(1030, "Got error 28 \"No space left on device\" from storage engine InnoDB"));
        assert!(is_disk_full(3, "Error writing file '/tmp/x' (Errcode: 28 \"No space left on device\")"));
        assert!(is_second_shard(1317, "multi-db transaction attempted: [target:{keyspace:\"riposte\"}]"));
        assert!(!is_second_shard(1317, "Query execution was interrupted"));
        assert!(!is_disk_full(1030, "Got error 194 \"Tablespace is missing for a table\" from storage engine InnoDB"));
        for (code, class) in [
            ("5", ErrorClass::Conflict),
            ("517", ErrorClass::Conflict),
            ("262", ErrorClass::Conflict),
            ("13", ErrorClass::Lost),
            ("778", ErrorClass::Lost),
            ("19", ErrorClass::Fatal),
        ] {
            assert_eq!(sqlite_class(code), class, "{code}");
        }
    }
}
