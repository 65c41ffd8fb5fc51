//! The entry point of the fuzzer.

use sea_orm::{DbBackend, Statement, Value};

use super::text::write_text;

/// Writes the text of a statement whose values are made of `bytes`, and reads the values back from
/// it; then takes `bytes` as a template, which may be refused.
///
/// # Panics
/// The text has other values, or more statements than one.
pub fn statement_text(bytes: &[u8]) {
    let values: Vec<Value> = bytes.chunks(9).filter_map(value).collect();
    let placeholders = vec!["?"; values.len()].join(", ");
    let template = format!("INSERT INTO `t?` VALUES ({placeholders})");
    let statement = Statement::from_sql_and_values(DbBackend::MySql, template, values.clone());
    let mut text = String::new();
    // Only a number that is not finite has no literal.
    let written = write_text(&mut text, &statement);
    let is_finite = |value: &Value| !matches!(value, Value::Double(Some(number)) if !number.is_finite());
    assert_eq!(written.is_ok(), values.iter().all(is_finite), "a value is refused or accepted wrongly");
    if written.is_ok() {
        let literals = text.strip_prefix("INSERT INTO `t?` VALUES (").and_then(|rest| rest.strip_suffix(')'));
        let literals = literals.unwrap_or_default();
        let read: Vec<&str> = if literals.is_empty() { Vec::new() } else { literals.split(", ").collect() };
        assert_eq!(read.len(), values.len(), "a value is several literals");
        assert!(read.iter().zip(&values).all(|(literal, value)| is_literal_of(literal, value)), "{text}");
    }
    let template = String::from_utf8_lossy(bytes).into_owned();
    let statement = Statement::from_sql_and_values(DbBackend::MySql, template, values);
    let mut text = String::new();
    if write_text(&mut text, &statement).is_ok() {
        let outside = text.split('`').step_by(2);
        assert!(outside.into_iter().all(|part| !part.contains(';')), "a template is several statements");
    }
}

/// Makes a value of a few bytes: the first one selects its kind.
fn value(bytes: &[u8]) -> Option<Value> {
    let (kind, rest) = bytes.split_first()?;
    let mut eight = [0; 8];
    eight[..rest.len()].copy_from_slice(rest);
    Some(match kind % 5 {
        0 => Value::Bytes(Some(rest.to_vec())),
        1 => Value::String(Some(String::from_utf8_lossy(rest).into_owned())),
        2 => Value::BigInt(Some(i64::from_be_bytes(eight))),
        3 => Value::Double(Some(f64::from_be_bytes(eight))),
        _ => Value::Bytes(None),
    })
}

fn is_literal_of(literal: &str, value: &Value) -> bool {
    let hex = |text: &str| -> Option<Vec<u8>> {
        let digits = text.strip_prefix("x'")?.strip_suffix('\'')?.as_bytes().chunks(2);
        digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
    };
    let number = literal.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(literal);
    if let Value::Bytes(Some(bytes)) = value {
        return hex(literal).as_ref() == Some(bytes);
    }
    if let Value::String(Some(text)) = value {
        return literal.strip_prefix("_utf8mb4 ").and_then(hex).as_deref() == Some(text.as_bytes());
    }
    if let Value::BigInt(Some(integer)) = value {
        return number.parse() == Ok(*integer);
    }
    if let Value::Double(Some(double)) = value {
        return number.parse::<f64>().map(f64::to_bits) == Ok(double.to_bits());
    }
    literal == "NULL"
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_values_of_a_text_are_those_of_its_statement(bytes: Vec<u8>) {
            super::statement_text(&bytes);
        }
    }
}
