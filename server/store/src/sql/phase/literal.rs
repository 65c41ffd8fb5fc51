//! Values as SQL literals, and as the arguments of prepared statements. This module is the only
//! maker of literals. No value is ever escaped:
//! bytes and text are hexadecimal, so that no character of a value has a meaning in SQL, whatever
//! the server's `sql_mode` and character set are.

use std::fmt::Write;

use riposte_core::Error;
use sea_orm::Value;
use sqlx::Arguments;
use sqlx::mysql::MySqlArguments;

/// Appends the literal of a value.
///
/// # Errors
/// The value is of a kind that no column of the store has, or a number that is not finite.
pub(super) fn write_literal(text: &mut String, value: &Value) -> Result<(), Error> {
    if let Some(number) = integer(value) {
        match number {
            None => text.push_str("NULL"),
            // After an operator a minus sign could begin a comment.
            Some(number) if number < 0 => append(text, format_args!("({number})")),
            Some(number) => append(text, format_args!("{number}")),
        }
        return Ok(());
    }
    if let Some(number) = float(value) {
        return write_float(text, number);
    }
    match characters(value)? {
        None => text.push_str("NULL"),
        Some(Characters::Bytes(bytes)) => write_hex(text, bytes),
        Some(Characters::Text(characters)) => {
            text.push_str("_utf8mb4 ");
            write_hex(text, characters.as_bytes());
        }
    }
    Ok(())
}

/// Adds a value to the arguments of a prepared statement.
///
/// # Errors
/// As for [`write_literal`].
pub(in crate::sql) fn add_argument(arguments: &mut MySqlArguments, value: &Value) -> Result<(), Error> {
    let added = if let Some(number) = integer(value) {
        match number.map(i64::try_from) {
            // Only the largest unsigned numbers exceed a signed one.
            Some(Err(_)) => arguments.add(number.and_then(|number| u64::try_from(number).ok())),
            Some(Ok(number)) => arguments.add(number),
            None => arguments.add(None::<i64>),
        }
    } else if let Some(number) = float(value) {
        arguments.add(number)
    } else {
        match characters(value)? {
            None => arguments.add(None::<&[u8]>),
            Some(Characters::Bytes(bytes)) => arguments.add(bytes),
            Some(Characters::Text(text)) => arguments.add(text),
        }
    };
    added.map_err(Error::internal)
}

/// Returns an upper bound of the bytes of a value's literal.
pub(super) fn literal_len_max(value: &Value) -> usize {
    /// The longest literal of a number or NULL, and the marks around a hexadecimal one.
    const MARKS: usize = 32;
    let len = match characters(value) {
        Ok(Some(Characters::Bytes(bytes))) => bytes.len(),
        Ok(Some(Characters::Text(text))) => text.len(),
        Ok(None) | Err(_) => 0,
    };
    MARKS + 2 * len
}

/// A value that is written in hexadecimal.
enum Characters<'v> {
    Bytes(&'v [u8]),
    Text(&'v str),
}

/// Returns the integer of a value, `None` inside if it is NULL; `None` if the value is no integer.
fn integer(value: &Value) -> Option<Option<i128>> {
    if let Value::Bool(value) = value {
        return Some(value.map(i128::from));
    }
    if let Value::TinyInt(value) = value {
        return Some(value.map(i128::from));
    }
    if let Value::SmallInt(value) = value {
        return Some(value.map(i128::from));
    }
    if let Value::Int(value) = value {
        return Some(value.map(i128::from));
    }
    if let Value::BigInt(value) = value {
        return Some(value.map(i128::from));
    }
    if let Value::TinyUnsigned(value) = value {
        return Some(value.map(i128::from));
    }
    if let Value::SmallUnsigned(value) = value {
        return Some(value.map(i128::from));
    }
    if let Value::Unsigned(value) = value {
        return Some(value.map(i128::from));
    }
    if let Value::BigUnsigned(value) = value {
        return Some(value.map(i128::from));
    }
    None
}

/// Returns the floating-point number of a value, as [`integer`] does. A single is widened as the
/// server widens it, so that both forms of a statement store the same number.
fn float(value: &Value) -> Option<Option<f64>> {
    if let Value::Float(value) = value {
        return Some(value.map(f64::from));
    }
    if let Value::Double(value) = value {
        return Some(*value);
    }
    None
}

/// Returns the bytes or text of a value; `None` if it is NULL.
fn characters(value: &Value) -> Result<Option<Characters<'_>>, Error> {
    if let Value::Bytes(bytes) = value {
        return Ok(bytes.as_deref().map(Characters::Bytes));
    }
    if let Value::String(text) = value {
        return Ok(text.as_deref().map(Characters::Text));
    }
    Err(Error::internal("a value is of a kind that has no literal"))
}

fn write_float(text: &mut String, number: Option<f64>) -> Result<(), Error> {
    match number {
        None => text.push_str("NULL"),
        Some(number) if !number.is_finite() => {
            return Err(Error::internal("a number that is not finite has no literal"));
        }
        // The shortest digits that are read back as the same number; the exponent makes it a
        // floating-point literal, not a decimal one.
        Some(number) if number.is_sign_negative() => append(text, format_args!("({number:e})")),
        Some(number) => append(text, format_args!("{number:e}")),
    }
    Ok(())
}

fn write_hex(text: &mut String, bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    text.reserve(bytes.len() * 2 + 3);
    text.push_str("x'");
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text.push('\'');
}

fn append(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a String never fails.
    let _ = text.write_fmt(arguments);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sea_orm::Value;

    use super::{literal_len_max, write_literal};

    fn literal(value: impl Into<Value>) -> String {
        let (value, mut text) = (value.into(), String::new());
        write_literal(&mut text, &value).expect("has a literal");
        assert!(text.len() <= literal_len_max(&value));
        text
    }

    #[test]
    fn every_kind_of_value_has_its_literal() {
        let cases = [
            (literal(7_i32), "7"),
            (literal(-7_i8), "(-7)"),
            (literal(i64::MIN), "(-9223372036854775808)"),
            (literal(u64::MAX), "18446744073709551615"),
            (literal(true), "1"),
            (literal(None::<i64>), "NULL"),
            (literal(None::<f64>), "NULL"),
            (literal(None::<Vec<u8>>), "NULL"),
            (literal(None::<String>), "NULL"),
            (literal(1.5), "1.5e0"),
            (literal(-0.0), "(-0e0)"),
            (literal(f64::MIN_POSITIVE), "2.2250738585072014e-308"),
            (literal(Vec::<u8>::new()), "x''"),
            (literal(String::new()), "_utf8mb4 x''"),
            (literal(vec![0, 0x27, 0x5c, 0xff]), "x'00275cff'"),
            (literal("'\\é"), "_utf8mb4 x'275cc3a9'"),
        ];
        for (found, expected) in cases {
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_number_that_is_not_finite_and_an_unknown_kind_are_refused() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(write_literal(&mut String::new(), &value.into()).is_err());
        }
        assert!(write_literal(&mut String::new(), &Value::Char(Some('x'))).is_err());
    }

    proptest! {
        #[test]
        fn a_literal_of_bytes_or_text_has_no_character_of_its_value(bytes: Vec<u8>, text: String) {
            for (found, value) in [(literal(bytes.clone()), &bytes[..]), (literal(text.clone()), text.as_bytes())] {
                let digits = found.strip_prefix("_utf8mb4 ").unwrap_or(&found);
                let digits = digits.strip_prefix("x'").and_then(|rest| rest.strip_suffix('\'')).expect("hexadecimal");
                let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
                prop_assert_eq!(digits.as_bytes().chunks(2).map(byte).collect::<Vec<_>>(), value);
            }
        }

        #[test]
        fn a_literal_of_a_finite_double_reads_back_as_the_same_number(bits: u64) {
            let number = f64::from_bits(bits);
            prop_assume!(number.is_finite());
            let text = literal(number);
            prop_assert_eq!(text.trim_matches(['(', ')']).parse::<f64>().unwrap().to_bits(), bits);
        }
    }
}
