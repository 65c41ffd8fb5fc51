//! The text of a statement: its template with literals in place of the placeholders, and the shape
//! of the rows that it returns.

use riposte_core::Error;
use sea_orm::Statement;

use super::literal::write_literal;

/// Appends the text of a statement. The template is one statement as sea-query builds it: outside
/// of quoted identifiers it has no quotes, comments or semicolons, and every question mark is a
/// placeholder.
///
/// # Errors
/// The template has another form, the number of placeholders differs from that of the values, or a
/// value has no literal.
pub(super) fn write_text(text: &mut String, statement: &Statement) -> Result<(), Error> {
    let values = statement.values.as_ref().map_or(&[][..], |values| &values.0);
    let mut values_left = values.iter();
    let mut rest = statement.sql.as_str();
    while let Some(end) = rest.find(['`', '?', '\'', '"', '\\', ';', '#', '-', '/']) {
        let (before, from) = rest.split_at(end);
        text.push_str(before);
        rest = match from.as_bytes() {
            [b'`', ..] => {
                // A doubled quote inside of an identifier ends it and begins another one, so the
                // rule is the same.
                let length = from[1..].find('`').ok_or_else(|| malformed("an identifier does not end"))? + 2;
                text.push_str(&from[..length]);
                &from[length..]
            }
            [b'?', ..] => {
                let value = values_left.next().ok_or_else(|| malformed("a placeholder has no value"))?;
                write_literal(text, value)?;
                &from[1..]
            }
            [b'-', next, ..] if *next != b'-' => {
                text.push('-');
                &from[1..]
            }
            [b'/', next, ..] if *next != b'*' => {
                text.push('/');
                &from[1..]
            }
            _ => return Err(malformed("a template has a quote, a comment or a second statement")),
        };
    }
    text.push_str(rest);
    if values_left.next().is_some() { Err(malformed("a value has no placeholder")) } else { Ok(()) }
}

fn malformed(reason: &'static str) -> Error {
    Error::internal(format!("the text of a statement: {reason}"))
}

/// The columns that a SELECT returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RowShape<'s> {
    /// The name of each column; `None` for an expression without a name. `None` if the columns are
    /// those of another select.
    columns: Option<Vec<Option<&'s str>>>,
}

impl<'s> RowShape<'s> {
    /// Reads the shape from a statement as sea-query builds it.
    pub(super) fn of(sql: &'s str) -> Self {
        let (mut columns, mut name, mut depth, mut is_star) = (Vec::new(), None, 0_u32, false);
        let mut rest = sql.strip_prefix("SELECT ").unwrap_or(sql);
        while !(rest.is_empty() || depth == 0 && rest.starts_with(" FROM ")) {
            let first = rest.as_bytes()[0];
            let length = match first {
                b'`' => rest[1..].find('`').map_or(rest.len(), |end| end + 2),
                _ => rest.chars().next().map_or(1, char::len_utf8),
            };
            match first {
                b'`' => name = Some(&rest[1..length.max(2) - 1]),
                b',' if depth == 0 => columns.push(name.take()),
                b'(' => depth += 1,
                b')' => {
                    depth = depth.saturating_sub(1);
                    name = None;
                }
                b'*' if depth == 0 => is_star = true,
                b' ' => {}
                _ => name = None,
            }
            rest = &rest[length..];
        }
        columns.push(name);
        Self { columns: (!is_star).then_some(columns) }
    }

    /// Returns true if rows of these columns may be of this shape.
    pub(super) fn accepts<'n>(&self, names: impl ExactSizeIterator<Item = &'n str>) -> bool {
        let Some(columns) = &self.columns else { return true };
        columns.len() == names.len()
            && columns.iter().zip(names).all(|(column, name)| column.is_none_or(|column| column == name))
    }
}

#[cfg(test)]
mod tests {
    use sea_orm::{DbBackend, Statement, Value};

    use super::{RowShape, write_text};

    fn text(sql: &str, values: Vec<Value>) -> Result<String, riposte_core::Error> {
        let statement = Statement::from_sql_and_values(DbBackend::MySql, sql, values);
        let mut text = String::new();
        write_text(&mut text, &statement)?;
        Ok(text)
    }

    #[test]
    fn placeholders_outside_of_identifiers_are_replaced_in_order() {
        let sql = "UPDATE `a?``b` SET `n` = `n` + ? WHERE `x` IN (?, ?) AND `y` = 1 - 2 / 3";
        let found = text(sql, vec![(-1_i32).into(), "?".into(), vec![b'`'].into()]);
        assert_eq!(
            found.as_deref(),
            Ok("UPDATE `a?``b` SET `n` = `n` + (-1) WHERE `x` IN (_utf8mb4 x'3f', x'60') AND `y` = 1 - 2 / 3")
        );
    }

    #[test]
    fn a_template_of_another_form_is_refused() {
        for sql in [
            "SELECT 'a'",
            "SELECT \"a\"",
            "SELECT 1; SELECT 2",
            "SELECT 1 -- x",
            "SELECT 1 /* x */",
            "SELECT 1 # x",
            "SELECT `a",
            "SELECT \\",
        ] {
            assert!(text(sql, Vec::new()).is_err(), "{sql}");
        }
        assert!(text("SELECT ?", Vec::new()).is_err());
        assert!(text("SELECT ?", vec![1.into(), 2.into()]).is_err());
    }

    #[test]
    fn a_shape_has_the_names_of_the_columns_and_accepts_no_other_rows() {
        let shape = RowShape::of("SELECT `t`.`id`, COUNT(`x`, `y`), CAST(`z` AS signed) AS `k`, 1 FROM `t`");
        assert!(shape.accepts(["id", "COUNT(x, y)", "k", "1"].into_iter()));
        assert!(!shape.accepts(["id", "COUNT(x, y)", "k"].into_iter()));
        assert!(!shape.accepts(["part", "COUNT(x, y)", "k", "1"].into_iter()));
        assert!(!shape.accepts(["id", "COUNT(x, y)", "z", "1"].into_iter()));
        assert!(RowShape::of("SELECT * FROM (SELECT `a` FROM `t`) AS `side`").accepts(["a", "b"].into_iter()));
    }
}
