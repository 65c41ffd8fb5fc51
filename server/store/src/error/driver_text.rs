//! The text of driver errors without the values of the statement. A server quotes values, as in
//! "Duplicate entry 'a text' for key 'PRIMARY'", and parts of the query itself.

use sea_orm::{DbErr, RuntimeErr, SqlxError, SqlxMySqlError};

/// The characters by which servers quote values, names and parts of a query.
const QUOTES: [char; 4] = ['\'', '"', '`', '‘'];
/// The characters of a statement's start that an error names.
const START_LEN_MAX: usize = 160;

/// Returns the text of an error, without anything that its server quoted, except the name of a key.
pub(super) fn text_without_values(error: &DbErr) -> String {
    let (DbErr::Conn(RuntimeErr::SqlxError(cause))
    | DbErr::Exec(RuntimeErr::SqlxError(cause))
    | DbErr::Query(RuntimeErr::SqlxError(cause))) = error
    else {
        return error.to_string();
    };
    let SqlxError::Database(of_server) = &**cause else { return cause.to_string() };
    match of_server.try_downcast_ref::<SqlxMySqlError>() {
        Some(mysql) => {
            format!("error {} ({}): {}", mysql.number(), mysql.code().unwrap_or("-"), without_quoted(mysql.message()))
        }
        // SQLite quotes no values.
        None => format!("error {}: {}", of_server.code().unwrap_or_default(), of_server.message()),
    }
}

/// Returns the start of a statement's template.
pub(crate) fn start_of(template: &str) -> &str {
    template.char_indices().nth(START_LEN_MAX).map_or(template, |(end, _)| &template[..end])
}

/// Replaces the part from the first to the last quotation mark: a value may contain such marks
/// itself.
fn without_quoted(message: &str) -> String {
    let (Some(first), Some(last)) = (message.find(QUOTES), message.rfind(QUOTES)) else { return message.to_owned() };
    let is_key = |key: &&str| key.chars().all(|c| c.is_ascii_alphanumeric() || "_.$@".contains(c));
    let key = message.rsplit_once("' for key '").and_then(|(_, key)| key.strip_suffix('\'')).filter(is_key);
    let rest = key.map_or_else(|| message[last..].chars().skip(1).collect(), |key| format!(" for key '{key}'"));
    format!("{}'…'{rest}", &message[..first])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{start_of, without_quoted};

    #[test]
    fn quoted_parts_are_cut_and_the_name_of_a_key_stays() {
        for (message, expected) in [
            (
                "Duplicate entry 'a-b' for key 'comment_request_3.PRIMARY'",
                "Duplicate entry '…' for key 'comment_request_3.PRIMARY'",
            ),
            ("Duplicate entry 'it's' for key 'k'' for key 'PRIMARY'", "Duplicate entry '…' for key 'PRIMARY'"),
            ("Data too long for column 'text' at row 1", "Data too long for column '…' at row 1"),
            (
                "Incorrect string value: '\\xF0' for column `riposte`.`comment_content`.`text` at row 1",
                "Incorrect string value: '…' at row 1",
            ),
            (
                "You have an error in your SQL syntax; check the manual near 'x'61'' at line 1",
                "You have an error in your SQL syntax; check the manual near '…' at line 1",
            ),
            (
                "Deadlock found when trying to get lock; try restarting transaction",
                "Deadlock found when trying to get lock; try restarting transaction",
            ),
        ] {
            assert_eq!(without_quoted(message), expected);
        }
    }

    #[test]
    fn the_start_of_a_long_template_is_cut_between_characters() {
        assert_eq!(start_of("SELECT 1"), "SELECT 1");
        assert_eq!(start_of(&"é".repeat(200)).chars().count(), 160);
    }

    proptest! {
        #[test]
        fn no_value_stays_in_a_message_of_a_duplicate(value in "[a-z' ]{0,20}#[a-z' ]{0,20}") {
            let message = format!("Duplicate entry '{value}' for key 'PRIMARY'");
            prop_assert_eq!(without_quoted(&message), "Duplicate entry '…' for key 'PRIMARY'");
        }
    }
}
