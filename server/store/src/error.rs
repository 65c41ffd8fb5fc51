//! What the database says, in the words of the domain: made here, once. Driver text goes to the log only, see
//! [`Complaints`](crate::complaints::Complaints).

use std::time::Duration;

use riposte_core::{Breaker, Error};
use sea_orm::{DbErr, RuntimeErr, SqlxError, SqlxMySqlError};

/// Why work on the database failed.
#[derive(Debug, Clone)]
pub(crate) enum Fault {
    /// The database refused or could not be reached.
    Db(DbErr),
    /// The domain refused, or a row makes no sense.
    Domain(Error),
    /// The database has said nothing for longer than a transaction may take.
    Silence,
    /// The database has not been asked: it was away a moment ago.
    Away,
}

/// What a failed statement means for the transaction around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// Another transaction stood in the way: the same again will do.
    Conflict,
    /// Another transaction has held a row for longer than anybody waits.
    Locked,
    /// A unique key is taken: another transaction was first.
    Duplicate,
    /// The connection went away, or the disk behind it; of a commit the outcome is not known.
    Lost,
    /// No connection could be had for as long as a caller waits: nothing was sent.
    Unreachable,
    /// Nothing that a repeat would cure.
    Fatal,
}

impl Meaning {
    /// Whether it may be the data source itself that fails.
    pub(crate) fn is_away(self) -> bool {
        match self {
            Self::Lost | Self::Unreachable => true,
            Self::Conflict | Self::Locked | Self::Duplicate | Self::Fatal => false,
        }
    }
}

impl From<DbErr> for Fault {
    fn from(error: DbErr) -> Self {
        Self::Db(error)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Domain(error)
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Domain(error) => error,
            Fault::Silence => Self::ShardUnavailable,
            Fault::Away => Self::ShardAway { after: Breaker::PAUSE },
            Fault::Db(error) => match meaning(&error) {
                Meaning::Lost | Meaning::Unreachable => Self::ShardUnavailable,
                // Retried inside already, and rolled back each time: nothing happened, and later it may.
                Meaning::Conflict | Meaning::Locked => Self::Overloaded { after: Duration::from_millis(200) },
                Meaning::Duplicate | Meaning::Fatal => Self::internal(error),
            },
        }
    }
}

impl Fault {
    pub(crate) fn meaning(&self) -> Meaning {
        match self {
            Self::Db(error) => meaning(error),
            Self::Domain(Error::ShardUnavailable | Error::ShardAway { .. } | Error::Overloaded { .. })
            | Self::Silence
            | Self::Away => Meaning::Unreachable,
            Self::Domain(_) => Meaning::Fatal,
        }
    }
}

/// Whether the connection went away under a statement. A pool that has none to give is another matter.
pub(crate) fn is_lost(error: &DbErr) -> bool {
    let (DbErr::Conn(RuntimeErr::SqlxError(cause))
    | DbErr::Exec(RuntimeErr::SqlxError(cause))
    | DbErr::Query(RuntimeErr::SqlxError(cause))) = error
    else {
        return false;
    };
    matches!(**cause, SqlxError::Io(_) | SqlxError::Tls(_) | SqlxError::Protocol(_))
}

/// Whether another transaction stood in the way.
pub(crate) fn is_conflict(error: &DbErr) -> bool {
    matches!(meaning(error), Meaning::Conflict | Meaning::Locked)
}

/// Whether the data source itself may be away; one that does not let us in is there.
pub(crate) fn is_away(error: &DbErr) -> bool {
    meaning(error).is_away() && !is_denied(error)
}

fn is_denied(error: &DbErr) -> bool {
    let (DbErr::Conn(RuntimeErr::SqlxError(cause))
    | DbErr::Exec(RuntimeErr::SqlxError(cause))
    | DbErr::Query(RuntimeErr::SqlxError(cause))) = error
    else {
        return false;
    };
    denies(cause)
}

/// Whether a server of the MySQL family said that it does not let us in.
pub(crate) fn denies(error: &SqlxError) -> bool {
    let SqlxError::Database(said) = error else { return false };
    said.try_downcast_ref::<SqlxMySqlError>().is_some_and(|mysql| DENIED.contains(&mysql.number()))
}

fn meaning(error: &DbErr) -> Meaning {
    if matches!(error, DbErr::ConnectionAcquire(_)) {
        return Meaning::Unreachable;
    }
    let (DbErr::Conn(RuntimeErr::SqlxError(cause))
    | DbErr::Exec(RuntimeErr::SqlxError(cause))
    | DbErr::Query(RuntimeErr::SqlxError(cause))) = error
    else {
        return Meaning::Fatal;
    };
    if let SqlxError::Database(said) = &**cause {
        let code = said.code();
        return match said.try_downcast_ref::<SqlxMySqlError>() {
            Some(mysql) if is_full(mysql.number(), mysql.message()) => Meaning::Lost,
            Some(mysql) => of_mysql(mysql.number()),
            None if said.is_unique_violation() => Meaning::Duplicate,
            None => of_sqlite(code.as_deref().unwrap_or_default()),
        };
    }
    let gone = matches!(
        **cause,
        SqlxError::Io(_)
            | SqlxError::Tls(_)
            | SqlxError::Protocol(_)
            | SqlxError::PoolTimedOut
            | SqlxError::PoolClosed
            | SqlxError::WorkerCrashed
    );
    if gone { Meaning::Lost } else { Meaning::Fatal }
}

/// Whether a statement failed because its table was never created.
pub(crate) fn is_missing_table(error: &DbErr) -> bool {
    let (DbErr::Exec(RuntimeErr::SqlxError(cause)) | DbErr::Query(RuntimeErr::SqlxError(cause))) = error else {
        return false;
    };
    let SqlxError::Database(said) = &**cause else { return false };
    // SQLite has no code of its own for it.
    said.try_downcast_ref::<SqlxMySqlError>()
        .map_or_else(|| said.message().starts_with("no such table"), |mysql| mysql.number() == 1146)
}

/// Whether a temporary file or a call of the storage engine failed for want of room on disk: each has one code for all its errors.
fn is_full(number: u16, message: &str) -> bool {
    [1, 3, 1030].contains(&number) && ["Errcode: 28 ", "error 28 "].iter().any(|words| message.contains(words))
}

fn of_mysql(number: u16) -> Meaning {
    match number {
        // Deadlock, record changed since the last read, no room for another prepared statement.
        1213 | 1020 | 1461 => Meaning::Conflict,
        1205 => Meaning::Locked,
        1062 => Meaning::Duplicate,
        // Too many connections, shutdown, killed, read-only after a failover, server gone.
        1040 | 1053 | 1077 | 1129 | 1158..=1161 | 1203 | 1226 | 1290 | 1317 | 1792 | 1836 | 1927 | 3169 => {
            Meaning::Lost
        }
        // Its disk is full, for anything or for a table; a write failed, or a commit.
        1021 | 1026 | 1114 | 1180 => Meaning::Lost,
        // A password that was changed under us: nothing was sent.
        number if DENIED.contains(&number) => Meaning::Unreachable,
        _ => Meaning::Fatal,
    }
}

/// A server that is there and does not let us in: access denied to it or to the database, and no such database.
const DENIED: [u16; 4] = [1044, 1045, 1049, 1698];

/// Extended result codes carry the plain one in their low byte: 5 is BUSY, 6 LOCKED, 10 IOERR, 13 FULL.
fn of_sqlite(code: &str) -> Meaning {
    match code.parse::<u32>().map(|code| code & 0xff) {
        Ok(5 | 6) => Meaning::Conflict,
        Ok(10 | 13) => Meaning::Lost,
        Ok(_) | Err(_) => Meaning::Fatal,
    }
}

#[cfg(test)]
mod tests {
    use super::{Meaning, is_full, of_mysql, of_sqlite};

    #[test]
    fn codes_tell_conflicts_from_faults() {
        for (number, meaning) in [
            (1213, Meaning::Conflict),
            (1461, Meaning::Conflict),
            (1205, Meaning::Locked),
            (1062, Meaning::Duplicate),
            (1053, Meaning::Lost),
            (1114, Meaning::Lost),
            (1045, Meaning::Unreachable),
            (1406, Meaning::Fatal),
        ] {
            assert_eq!(of_mysql(number), meaning, "{number}");
        }
        assert!(is_full(1030, "Got error 28 \"No space left on device\" from storage engine InnoDB"));
        assert!(is_full(3, "Error writing file '/tmp/x' (Errcode: 28 \"No space left on device\")"));
        assert!(!is_full(1030, "Got error 194 \"Tablespace is missing for a table\" from storage engine InnoDB"));
        for (code, meaning) in [
            ("5", Meaning::Conflict),
            ("517", Meaning::Conflict),
            ("262", Meaning::Conflict),
            ("13", Meaning::Lost),
            ("778", Meaning::Lost),
            ("19", Meaning::Fatal),
        ] {
            assert_eq!(of_sqlite(code), meaning, "{code}");
        }
    }
}
