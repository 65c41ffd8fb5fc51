//! Templates: texts with `{column}` placeholders, by which a mapping file defines values. Examples:
//! `"{date} {time}"`, `"{content.message}"`.

use super::excerpt::{VALUE_CHARS_MAX, excerpt};
use ::csv::StringRecord;
use anyhow::{Context, Result, bail};

/// The columns that a template may name: those of the row as `column`, and those of joined rows as
/// `alias.column`.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    /// The alias and the header of each table: first the table of the row, which has an empty
    /// alias, then the joined tables in order.
    headers: Vec<(String, StringRecord)>,
}

/// One row and its joined rows, in the order of [`Columns`]; `None` for a join without a match.
pub(crate) type Row<'a> = [Option<&'a StringRecord>];

/// A compiled template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template {
    parts: Vec<TemplatePart>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum TemplatePart {
    Literal(String),
    Column { table: usize, column: usize },
}

impl Columns {
    /// Adds the header of a table. The first table is that of the row; its alias is empty.
    pub(crate) fn add(&mut self, alias: &str, header: StringRecord) {
        self.headers.push((alias.to_owned(), header));
    }

    /// Compiles a template; `{{` and `}}` stand for braces.
    ///
    /// # Errors
    /// A brace has no counterpart, or no column has the name of a placeholder.
    pub(crate) fn compile(&self, text: &str) -> Result<Template> {
        let part = |piece| match piece {
            Piece::Literal(text) => Ok(TemplatePart::Literal(text)),
            Piece::Name(name) => self.column(&name).with_context(|| format!("in {text:?}")),
        };
        Ok(Template { parts: pieces(text)?.into_iter().map(part).collect::<Result<_>>()? })
    }

    fn column(&self, name: &str) -> Result<TemplatePart> {
        let own = self.headers.first().map(|(_, header)| header);
        let is_twice = |header: &StringRecord| header.iter().filter(|known| *known == name).count() > 1;
        if own.is_some_and(is_twice) {
            bail!("there are two columns with the name {name:?}; rename one of them");
        }
        if let Some(column) = own.and_then(|header| header.iter().position(|known| known == name)) {
            return Ok(TemplatePart::Column { table: 0, column });
        }
        for (table, (alias, header)) in self.headers.iter().enumerate().skip(1) {
            let column_name = name.strip_prefix(alias.as_str()).and_then(|column_name| column_name.strip_prefix('.'));
            if let Some(column) =
                column_name.and_then(|column_name| header.iter().position(|known| known == column_name))
            {
                return Ok(TemplatePart::Column { table, column });
            }
        }
        let names = self.headers.iter().flat_map(|(alias, header)| {
            header
                .iter()
                .map(move |column| if alias.is_empty() { column.to_owned() } else { format!("{alias}.{column}") })
        });
        let names = names.filter(|name| !name.is_empty()).take(60).map(|name| excerpt(&name, VALUE_CHARS_MAX));
        let names: Vec<String> = names.collect();
        bail!("there is no column {name:?}; the columns are {}", names.join(", "))
    }
}

/// A piece of a template as it is written.
#[derive(Debug)]
enum Piece {
    Literal(String),
    Name(String),
}

fn pieces(text: &str) -> Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut literal = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' if chars.peek() == Some(&c) => {
                chars.next();
                literal.push(c);
            }
            '{' => {
                let mut name = String::new();
                loop {
                    match chars.next() {
                        Some('}') => break,
                        Some(c) => name.push(c),
                        None => bail!("in {text:?}: an opening brace without its closing one; write {{{{ for a brace"),
                    }
                }
                if !literal.is_empty() {
                    pieces.push(Piece::Literal(std::mem::take(&mut literal)));
                }
                pieces.push(Piece::Name(name.trim().to_owned()));
            }
            '}' => bail!("in {text:?}: a closing brace without its opening one; write }}}} for a brace"),
            other => literal.push(other),
        }
    }
    if !literal.is_empty() {
        pieces.push(Piece::Literal(literal));
    }
    Ok(pieces)
}

/// Returns the names between the braces of a template.
///
/// # Errors
/// A brace has no counterpart.
pub(crate) fn names(text: &str) -> Result<Vec<String>> {
    let name = |piece| match piece {
        Piece::Name(name) => Some(name),
        Piece::Literal(_) => None,
    };
    Ok(pieces(text)?.into_iter().filter_map(name).collect())
}

impl Template {
    /// Returns the columns of the row itself that the template names.
    pub(crate) fn own_columns(&self) -> impl Iterator<Item = usize> {
        self.parts.iter().filter_map(|part| match part {
            TemplatePart::Column { table: 0, column } => Some(*column),
            TemplatePart::Column { .. } | TemplatePart::Literal(_) => None,
        })
    }

    /// Fills the template from a row. `nulls` has the cell texts that stand for "no value"; such
    /// cells are treated as empty.
    pub(crate) fn fill(&self, row: &Row<'_>, nulls: &[String]) -> String {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                TemplatePart::Literal(text) => out.push_str(text),
                TemplatePart::Column { table, column } => {
                    let cell = row.get(*table).copied().flatten().and_then(|record| record.get(*column));
                    let cell = cell.unwrap_or_default();
                    if !nulls.iter().any(|null| null == cell) {
                        out.push_str(cell);
                    }
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Columns {
        let mut columns = Columns::default();
        columns.add("", StringRecord::from(vec!["", "id", "date", "a.b"]));
        columns.add("content", StringRecord::from(vec!["message"]));
        columns
    }

    #[test]
    fn columns_and_joined_columns_are_filled_in() {
        let columns = columns();
        let row = StringRecord::from(vec!["0", "7", "NULL", "x"]);
        let joined = StringRecord::from(vec!["hi"]);
        let fill =
            |text: &str, joined| columns.compile(text).unwrap().fill(&[Some(&row), joined], &["NULL".to_owned()]);
        assert_eq!(fill("{id}/{date}/{content.message}/{{{a.b}}}", Some(&joined)), "7//hi/{x}");
        assert_eq!(fill("{content.message}", None), "");
        assert_eq!(fill("fixed", None), "fixed");
    }

    #[test]
    fn an_unknown_column_is_refused_with_the_known_ones() {
        let error = format!("{:#}", columns().compile("{datum}").unwrap_err());
        assert!(error.contains("datum") && error.contains("id, date, a.b, content.message"), "{error}");
    }

    #[test]
    fn a_column_that_is_there_twice_is_refused_if_it_is_named() {
        let mut columns = Columns::default();
        columns.add("", StringRecord::from(vec!["id", "text", "text"]));
        assert!(columns.compile("{id}").is_ok());
        assert!(format!("{:#}", columns.compile("{text}").unwrap_err()).contains("two columns"));
    }

    #[test]
    fn a_brace_without_its_counterpart_is_an_error_also_around_a_known_column() {
        for text in ["a}b", "{open", "{id", "{id}{date"] {
            assert!(columns().compile(text).is_err(), "{text}");
        }
    }
}
