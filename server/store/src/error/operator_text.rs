//! Errors of a database in words for operators: what happened, and what to do. The driver's own
//! texts name its parts instead, "Connection Error: error returned from database".

use std::io::ErrorKind;

use sea_orm::{DbErr, SqlxError, SqlxMySqlError};

use super::{ACCESS_DENIED, driver_error};

/// Returns what is wrong with a data source, and what to do, in words for operators.
#[must_use]
pub fn operator_text(error: &DbErr) -> String {
    if matches!(error, DbErr::ConnectionAcquire(_)) {
        return "no connection became free in time".to_owned();
    }
    driver_error(error).map_or_else(|| error.to_string(), operator_text_of_driver)
}

/// The error of a server of the MySQL family for a database that it does not have.
const UNKNOWN_DATABASE: u16 = 1049;

/// Returns the same for an error of the driver.
pub(crate) fn operator_text_of_driver(error: &SqlxError) -> String {
    if let SqlxError::Io(fault) = error
        && fault.kind() == ErrorKind::NotFound
    {
        return format!(
            "a file of the address cannot be read ({fault}): correct its ssl-ca, ssl-cert, ssl-key or socket"
        );
    }
    if let SqlxError::Io(fault) = error
        && fault.kind() == ErrorKind::InvalidData
    {
        return format!(
            "no TLS connection ({fault}): ssl-ca of the address must be the CA of the server's certificate, and its host \
             must be in that certificate"
        );
    }
    if let SqlxError::Io(fault) = error {
        return format!("no connection ({fault}): check the host and the port, and that the server runs");
    }
    if let SqlxError::Tls(fault) = error {
        return format!(
            "no TLS connection ({fault}): enable TLS on the server, or correct ssl-mode and ssl-ca of the address"
        );
    }
    let SqlxError::Database(fault) = error else { return error.to_string() };
    let number = fault.try_downcast_ref::<SqlxMySqlError>().map(SqlxMySqlError::number);
    let message = fault.message();
    match number {
        Some(UNKNOWN_DATABASE) => format!("{message}: create it, or correct the address"),
        Some(number) if ACCESS_DENIED.contains(&number) => {
            format!("{message}: correct the user and the password, or grant the user access")
        }
        Some(number) => format!("{message} (error {number})"),
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use sea_orm::{ConnAcquireErr, DbErr, RuntimeErr, SqlxError};

    use super::operator_text;

    fn of(error: SqlxError) -> String {
        operator_text(&DbErr::Conn(RuntimeErr::SqlxError(error.into())))
    }

    #[test]
    fn a_text_says_what_happened_and_what_to_do() {
        let refused = of(SqlxError::Io(io::ErrorKind::ConnectionRefused.into()));
        assert_eq!(
            refused,
            "no connection (connection refused): check the host and the port, and that the server runs"
        );
        let missing = of(SqlxError::Io(io::ErrorKind::NotFound.into()));
        assert!(missing.starts_with("a file of the address cannot be read") && missing.contains("ssl-ca"), "{missing}");
        let unknown = of(SqlxError::Io(io::Error::new(io::ErrorKind::InvalidData, "UnknownIssuer")));
        assert!(unknown.starts_with("no TLS connection (UnknownIssuer): ssl-ca"), "{unknown}");
        let plain = of(SqlxError::Tls("server does not support TLS".into()));
        assert!(plain.starts_with("no TLS connection (server does not support TLS): enable TLS"), "{plain}");
        let busy = operator_text(&DbErr::ConnectionAcquire(ConnAcquireErr::Timeout));
        assert_eq!(busy, "no connection became free in time");
    }
}
