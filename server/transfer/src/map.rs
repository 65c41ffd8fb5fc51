//! The mapping file of `--format csv` and `--format json`, which assigns columns or members to
//! fields. See docs/import/ for examples.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::json_record;
use super::marks;
use super::names;
use super::template;

/// A mapping file. Texts are templates: `{column}` is a column of the row, `{alias.column}` one of
/// a joined row.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Map {
    /// Name of the source. Together with the external id it lets a second import find the comments
    /// of the first.
    pub(crate) source: String,
    /// Object type of subjects and comments that do not name one themselves.
    #[serde(default)]
    pub(crate) object_type: String,
    /// IANA zone of times without an offset.
    #[serde(default)]
    pub(crate) timezone: String,
    /// `auto`, `unix`, `unix_ms` or a strptime pattern, for times without a format of their own.
    #[serde(default)]
    pub(crate) time_format: String,
    /// The names of the columns of the author's e-mail address, which no rejects file has.
    #[serde(skip)]
    pub(crate) secret_names: Vec<String>,
    /// The form of the files of `--format csv`.
    #[serde(default)]
    pub(crate) dialect: Dialect,
    /// Separates cells: by default a comma, in MySQL's dialect a tab.
    #[serde(default)]
    pub(crate) delimiter: Option<char>,
    /// For MySQL's dialect: ends rows (`LINES TERMINATED BY`), `"\\n"` or `"\\r\\n"`. By default
    /// the first rows of the file show it.
    #[serde(default)]
    pub(crate) line_end: Option<String>,
    /// For MySQL's dialect: encloses cells (`ENCLOSED BY`).
    #[serde(default)]
    pub(crate) quote: Option<char>,
    /// The names of the columns, if the file does not begin with them.
    #[serde(default)]
    pub(crate) header: Vec<String>,
    /// For JSON: the path to the list of comments, such as `data.comments`; by default the
    /// outermost list, or the values of the file.
    #[serde(default)]
    pub(crate) list: Option<String>,
    /// Escapes a quote inside quotes; without it a doubled quote does.
    #[serde(default)]
    pub(crate) escape: Option<char>,
    /// Cells that mean "no value", such as `NULL` or `\N`.
    #[serde(default)]
    pub(crate) null: Vec<String>,
    /// Additional files, by alias.
    #[serde(default)]
    pub(crate) tables: BTreeMap<String, JoinedTable>,
    #[serde(default)]
    pub(crate) subject: Option<SubjectMap>,
    pub(crate) comment: CommentMap,
    #[serde(default)]
    pub(crate) like: Option<LikeMap>,
}

/// The line end of Windows.
pub(crate) const CRLF: &str = "\r\n";

/// The form of CSV files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Dialect {
    /// RFC 4180, with another delimiter or escape if the map names them.
    #[default]
    Csv,
    /// `SELECT … INTO OUTFILE` and `mysql --batch`: cells end at tabs and rows at line ends, a
    /// backslash escapes both, `\\N` is no value.
    Mysql,
}

/// An additional CSV file, or an additional list of the JSON file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JoinedTable {
    /// For CSV: searched among the FILEs of the command, then in the folder of the first of them.
    #[serde(default)]
    pub(crate) file: Option<String>,
    /// For JSON: the path to the list.
    #[serde(default)]
    pub(crate) list: Option<String>,
    /// Template over the table's own columns that identifies a row.
    #[serde(default)]
    pub(crate) key: Option<String>,
    /// Template over the main row (and tables joined before, in alphabetical order) that selects
    /// the row with that key.
    #[serde(default)]
    pub(crate) on: Option<String>,
}

/// Subjects: one for every row of a table, or for every page that the comments name.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SubjectMap {
    /// Alias of the table whose rows are the subjects; by default the rows of the comments.
    #[serde(default)]
    pub(crate) table: Option<String>,
    #[serde(default)]
    pub(crate) object_type: Option<Field>,
    pub(crate) id: Field,
    #[serde(default)]
    pub(crate) owner: Option<Field>,
    #[serde(default)]
    pub(crate) state: Option<Field>,
    #[serde(default)]
    pub(crate) create_time: Option<Field>,
    #[serde(default)]
    pub(crate) metadata: BTreeMap<String, Field>,
}

/// Comments: one for every row of the main file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommentMap {
    /// A row for which this is empty is no comment and is left out.
    #[serde(default)]
    pub(crate) when: Option<Field>,
    /// For JSON: the path from a comment to the list of its replies.
    #[serde(default)]
    pub(crate) children: Option<String>,
    #[serde(default)]
    pub(crate) object_type: Option<Field>,
    /// Object id of the subject.
    pub(crate) subject: Field,
    pub(crate) id: Field,
    #[serde(default)]
    pub(crate) parent: Option<Field>,
    /// Parent values that mean "none"; an empty value always does.
    #[serde(default)]
    pub(crate) parent_root: Vec<String>,
    /// The member id. If it is empty, `email` or else `name` gives a hash.
    #[serde(default)]
    pub(crate) member: Option<Field>,
    #[serde(default)]
    pub(crate) email: Option<Field>,
    #[serde(default)]
    pub(crate) name: Option<Field>,
    pub(crate) text: Field,
    pub(crate) create_time: Field,
    #[serde(default)]
    pub(crate) edit_time: Option<Field>,
    #[serde(default)]
    pub(crate) delete_time: Option<Field>,
    /// ACTIVE, UNAPPROVED, PENDING, REJECTED, HIDDEN or DELETED.
    #[serde(default)]
    pub(crate) state: Option<Field>,
    /// AUTHOR, SUBJECT_OWNER or MODERATOR.
    #[serde(default)]
    pub(crate) deleted_by: Option<Field>,
    #[serde(default)]
    pub(crate) up: Option<Field>,
    #[serde(default)]
    pub(crate) down: Option<Field>,
    /// The difference of votes up and down, if the source knows no more.
    #[serde(default)]
    pub(crate) score: Option<Field>,
    /// Member ids separated by commas or blanks.
    #[serde(default)]
    pub(crate) mentions: Option<Field>,
    #[serde(default)]
    pub(crate) ip: Option<Field>,
    #[serde(default)]
    pub(crate) platform: Option<Field>,
    #[serde(default)]
    pub(crate) device: Option<Field>,
    #[serde(default)]
    pub(crate) metadata: BTreeMap<String, Field>,
    /// The text is HTML and becomes plain text.
    #[serde(default)]
    pub(crate) html: bool,
}

/// Likes: one for every row of a table. Of one member's rows for one comment, the latest counts.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LikeMap {
    pub(crate) table: String,
    #[serde(default)]
    pub(crate) object_type: Option<Field>,
    pub(crate) subject: Field,
    pub(crate) comment: Field,
    pub(crate) member: Field,
    /// LIKE, DISLIKE or NONE.
    pub(crate) value: Field,
    pub(crate) time: Field,
}

/// A value: a template, or a table with the template and its conversion.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FieldTable {
    pub(crate) value: String,
    /// Replacements for the output of the template.
    #[serde(default)]
    pub(crate) map: BTreeMap<String, String>,
    /// Replacement for a value that `map` does not contain, or for an empty one.
    #[serde(default)]
    pub(crate) default: Option<String>,
    /// For a time: same as `time_format`. For a subject or its id: `page`, if the value is the
    /// address of a page.
    #[serde(default)]
    pub(crate) format: Option<String>,
}

/// One value of a mapping file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Field(pub(crate) FieldTable);

impl Map {
    /// Checks that the map fits `--format csv`, or else `--format json`.
    ///
    /// # Errors
    /// A key of the other format.
    pub(crate) fn check_format(&self, is_csv: bool) -> Result<()> {
        let is_json = !is_csv;
        ensure!(is_json || self.list.is_none(), "list is for --format json");
        ensure!(is_json || self.comment.children.is_none(), "children is for --format json");
        let is_plain = self.dialect == Dialect::Csv && self.delimiter.is_none() && self.escape.is_none();
        ensure!(
            is_csv || (is_plain && self.header.is_empty()),
            "dialect, delimiter, escape and header are for --format csv"
        );
        for (alias, table) in &self.tables {
            ensure!(
                table.file.is_some() == is_csv,
                "[tables.{alias}] needs file for --format csv, list for --format json"
            );
            ensure!(
                table.list.is_some() == is_json,
                "[tables.{alias}] needs file for --format csv, list for --format json"
            );
        }
        Ok(())
    }

    /// Returns the object types that the map itself names, whatever the rows are.
    fn object_types(&self) -> Vec<&str> {
        let subject = self.subject.as_ref().and_then(|subject| subject.object_type.as_ref());
        let like = self.like.as_ref().and_then(|like| like.object_type.as_ref());
        let fields = [subject, self.comment.object_type.as_ref(), like].into_iter().flatten();
        let constants = fields.filter_map(|field| field.constant());
        std::iter::once(self.object_type.as_str()).filter(|name| !name.is_empty()).chain(constants).collect()
    }

    /// Returns every template over the rows of the comments, and over those of each table.
    pub(crate) fn templates(&self) -> (Vec<&str>, BTreeMap<&str, Vec<&str>>) {
        let mut main = self.comment.templates();
        let mut tables: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (alias, table) in &self.tables {
            main.extend(table.on.as_deref());
            tables.entry(alias).or_default().extend(table.key.as_deref());
        }
        if let Some(subject) = &self.subject {
            match &subject.table {
                Some(alias) => tables.entry(alias).or_default().extend(subject.templates()),
                None => main.extend(subject.templates()),
            }
        }
        if let Some(like) = &self.like {
            tables.entry(&like.table).or_default().extend(like.templates());
        }
        (main, tables)
    }
}

impl Field {
    /// Returns the value of all rows, if it depends on none of them.
    fn constant(&self) -> Option<&str> {
        let FieldTable { value, map, .. } = &self.0;
        let depends_on_row = value.contains('{') || value.is_empty() || !map.is_empty();
        (!depends_on_row).then_some(value)
    }
}

fn values<'f>(fields: impl IntoIterator<Item = &'f Field>) -> Vec<&'f str> {
    fields.into_iter().map(|field| field.0.value.as_str()).collect()
}

impl SubjectMap {
    fn templates(&self) -> Vec<&str> {
        let Self { table: _, object_type, id, owner, state, create_time, metadata } = self;
        let optional = [object_type, owner, state, create_time].into_iter().flatten();
        values(optional.chain([id]).chain(metadata.values()))
    }
}

impl LikeMap {
    fn templates(&self) -> Vec<&str> {
        let Self { table: _, object_type, subject, comment, member, value, time } = self;
        values(object_type.iter().chain([subject, comment, member, value, time]))
    }
}

impl CommentMap {
    fn templates(&self) -> Vec<&str> {
        let Self { when, object_type, parent, member, email, name, edit_time, delete_time, state, .. } = self;
        let Self { deleted_by, up, down, score, mentions, ip, platform, device, metadata, .. } = self;
        let Self { subject, id, text, create_time, children: _, parent_root: _, html: _, .. } = self;
        let optional = [when, object_type, parent, member, email, name, edit_time, delete_time, state, deleted_by, up];
        let more = [down, score, mentions, ip, platform, device];
        let optional = optional.into_iter().chain(more).flatten();
        values(optional.chain([subject, id, text, create_time]).chain(metadata.values()))
    }
}

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        struct TextOrTable;
        impl<'de> Visitor<'de> for TextOrTable {
            type Value = Field;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a template such as \"{column}\", or a table with value, map, default, format")
            }

            fn visit_str<E>(self, text: &str) -> std::result::Result<Field, E> {
                Ok(Field(FieldTable { value: text.to_owned(), ..FieldTable::default() }))
            }

            fn visit_map<M: MapAccess<'de>>(self, map: M) -> std::result::Result<Field, M::Error> {
                FieldTable::deserialize(MapAccessDeserializer::new(map)).map(Field)
            }
        }
        from.deserialize_any(TextOrTable)
    }
}

/// Reads and checks a mapping file.
///
/// # Errors
/// The file cannot be read, is not TOML, has an unknown key (with its line), or names a table that
/// it does not define.
pub(crate) fn load(path: &Path) -> Result<Map> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        let is_binary = error.kind() == std::io::ErrorKind::InvalidData;
        let file = path.display();
        if is_binary {
            anyhow!("the mapping file {file} is not text in UTF-8")
        } else {
            anyhow!("cannot read {file}: {error}")
        }
    })?;
    parse(&text).with_context(|| format!("in the mapping file {}", path.display()))
}

/// Returns an error of TOML in one line, with its place.
fn toml_fault(text: &str, error: &toml::de::Error) -> anyhow::Error {
    let message = error.message().lines().collect::<Vec<_>>().join("; ");
    let before = error.span().and_then(|span| text.get(..span.start));
    match before {
        Some(before) => {
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().map_or(0, |start| start.chars().count()) + 1;
            anyhow!("line {line}, column {column}: {message}")
        }
        None => anyhow!(message),
    }
}

fn parse(text: &str) -> Result<Map> {
    // Its texts are compared with those of files, in which these characters are escaped, too.
    let text = &marks::escaped(&json_record::marked(text));
    let mut map: Map = toml::from_str(text).map_err(|error| toml_fault(text, &error))?;
    if let Some(email) = &map.comment.email {
        map.secret_names = template::names(&email.0.value)?;
    }
    if let Some(fault) = names::source_fault(map.source.trim()) {
        bail!("source is {:?}: {fault}", map.source);
    }
    for object_type in map.object_types() {
        ensure!(names::is_object_type(object_type), "object_type {:?} {}", object_type, names::OBJECT_TYPE_RULE);
    }
    ensure!(
        [map.delimiter, map.escape, map.quote].iter().flatten().all(char::is_ascii),
        "delimiter, escape and quote are ASCII"
    );
    let tables = map.subject.iter().filter_map(|s| s.table.as_ref()).chain(map.like.iter().map(|l| &l.table));
    for alias in tables {
        ensure!(map.tables.contains_key(alias), "there is no [tables.{alias}]");
    }
    for (alias, table) in &map.tables {
        ensure!(table.key.is_some() == table.on.is_some(), "[tables.{alias}] has only one of key and on");
    }
    let comment = &map.comment;
    ensure!(
        comment.member.is_some() || comment.email.is_some() || comment.name.is_some(),
        "[comment] names no member, email or name"
    );
    let is_mysql = map.dialect == Dialect::Mysql;
    ensure!(is_mysql || map.line_end.is_none(), "line_end is for dialect = \"mysql\"");
    let is_line_end = map.line_end.as_deref().is_none_or(|end| end == CRLF || end == "\n");
    ensure!(is_line_end, "line_end is \"\\n\" or \"\\r\\n\"");
    ensure!(is_mysql || map.quote.is_none(), "quote is for dialect = \"mysql\"");
    ensure!(!is_mysql || map.escape.is_none(), "in dialect = \"mysql\" the backslash escapes; leave escape out");
    Ok(map)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"
        source = "s"
        [comment]
        subject = "{s}"
        id = "{id}"
        member = "{m}"
        text = "{t}"
        create_time = { value = "{c}", format = "unix" }
    "#;

    #[test]
    fn a_small_map_is_read_with_its_defaults() {
        let map = parse(SMALL).unwrap();
        assert_eq!((map.delimiter, map.dialect), (None, Dialect::Csv));
        assert_eq!(map.comment.create_time.0.format.as_deref(), Some("unix"));
        assert_eq!(map.comment.text.0.value, "{t}");
    }

    #[test]
    fn a_fault_of_toml_is_one_line_with_its_place() {
        let fault = parse("source = \"s\"\ndelimiter = ").unwrap_err().to_string();
        assert!(fault.starts_with("line 2, column 13: ") && !fault.contains('\n'), "{fault}");
    }

    #[test]
    fn subjects_may_be_described_by_the_rows_of_their_comments() {
        let subject = "[subject]\nid = \"{page}\"\nmetadata.title = \"{title}\"";
        let map = parse(&format!("{SMALL}\n{subject}")).unwrap();
        let (main, tables) = map.templates();
        assert!(main.contains(&"{page}") && main.contains(&"{title}"), "{main:?}");
        assert!(tables.is_empty(), "{tables:?}");
    }

    #[test]
    fn a_wrong_key_or_table_is_refused() {
        let error = format!("{:#}", parse(&format!("{SMALL}\nparnt = \"x\"")).unwrap_err());
        assert!(error.contains("parnt") && error.contains("parent"), "{error}");
        assert!(parse(&format!("{SMALL}\n[subject]\ntable = \"p\"\nid = \"{{id}}\"")).is_err());
        assert!(parse(&format!("{SMALL}\n[tables.p]\nfile = \"f\"\nkey = \"k\"")).is_err());
        assert!(format!("{:#}", parse(&format!("{SMALL}\nstate = 3")).unwrap_err()).contains("a template such as"));
    }

    #[test]
    fn the_maps_in_the_documentation_are_valid() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/import");
        let maps = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let maps: Vec<_> = maps.filter(|path| path.extension().is_some_and(|ext| ext == "toml")).collect();
        assert!(maps.len() >= 8);
        for path in maps {
            load(&path).unwrap();
        }
    }
}
