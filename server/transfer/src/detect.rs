//! Recognition of the exports of other systems by the start of a file, so that a file in the wrong
//! format is refused by its name before anything is imported.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use anyhow::{Result, bail};

use super::format::ImportFormat;
use super::input::Input;

/// The mark that some programs write before UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A kind of file that is recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KnownFile {
    Artalk,
    Comentario,
    Commento,
    Disqus,
    Feed,
    Html,
    Isso,
    Remark42,
    Riposte,
    SqlDump,
    Sqlite,
    Twikoo,
    Waline,
    WordPress,
}

/// Checks that a file may be a JSON document, by its start.
///
/// # Errors
/// It begins as no JSON document with comments does.
pub(crate) fn require_json(input: &Input) -> Result<()> {
    let head = input.head().strip_prefix(BYTE_ORDER_MARK).unwrap_or(input.head()).trim_ascii_start();
    match head.first() {
        Some(b'{' | b'[') => Ok(()),
        Some(_) => bail!("{} is no list and no object of JSON: it begins with neither [ nor {{", input.name()),
        None => bail!("{} is no list and no object of JSON: it is empty", input.name()),
    }
}

impl KnownFile {
    /// Recognises a file by its first 64 KiB; `None` for a file of any other kind.
    pub(crate) fn of(head: &[u8]) -> Option<Self> {
        if head.starts_with(b"SQLite format 3\0") {
            return Some(Self::Sqlite);
        }
        let head = head.trim_ascii_start();
        match head.first() {
            Some(b'-' | b'/' | b'C' | b'D' | b'I' | b'P') if is_sql(head) => Some(Self::SqlDump),
            Some(b'<') => Self::of_xml(&String::from_utf8_lossy(head)),
            Some(b'{' | b'[') => Self::of_json(head),
            Some(_) | None => None,
        }
    }

    fn of_xml(head: &str) -> Option<Self> {
        let mut rest = head;
        let name = loop {
            let (_, tag) = rest.split_once('<')?;
            if !tag.starts_with(['?', '!']) {
                break tag.split(|c: char| c.is_whitespace() || c == '>' || c == '/').next()?;
            }
            rest = tag;
        };
        let name = name.rsplit(':').next()?.to_ascii_lowercase();
        match name.as_str() {
            "disqus" => Some(Self::Disqus),
            "rss" if head.contains("wordpress.org/export/") || head.contains("wxr_version") => Some(Self::WordPress),
            "rss" | "feed" => Some(Self::Feed),
            "html" => Some(Self::Html),
            _ => None,
        }
    }

    fn of_json(head: &[u8]) -> Option<Self> {
        let keys = MemberNames::of(head);
        let (top, inner, list) = (keys.at(1), keys.at(2), keys.at(3));
        let in_list = head.first() == Some(&b'[');
        let has = |keys: &BTreeSet<String>, names: &[&str]| names.iter().all(|name| keys.contains(*name));
        let record = if in_list { &inner } else { &top };
        if has(record, &["page_key", "content"]) || has(record, &["rid", "page_key"]) {
            return Some(Self::Artalk);
        }
        if has(record, &["locator", "pid"]) || has(&top, &["version", "users", "posts"]) {
            return Some(Self::Remark42);
        }
        if has(record, &["nick", "comment", "mailMd5"]) || has(record, &["_id", "nick", "comment"]) {
            return Some(Self::Twikoo);
        }
        let is_riposte = ["schema", "subject", "comment", "like"].iter().any(|name| top.contains(*name));
        if is_riposte && !has(&top, &["comments"]) {
            return Some(Self::Riposte);
        }
        if in_list {
            return (has(&inner, &["comments"]) && (has(&inner, &["id"]) || has(&inner, &["title"])))
                .then_some(Self::Isso);
        }
        if has(&inner, &["Comment"]) && (has(&top, &["data"]) || has(&top, &["tables"])) {
            return Some(Self::Waline);
        }
        if has(&list, &["commentHex"]) || has(&list, &["commenterHex"]) {
            return Some(Self::Commento);
        }
        let is_comentario = has(&top, &["pages"]) || ["pageId", "userCreated"].iter().any(|name| list.contains(*name));
        (has(&top, &["version"]) && is_comentario).then_some(Self::Comentario)
    }

    /// Returns true if this file is read with this format.
    pub(crate) fn fits(self, format: ImportFormat) -> bool {
        match format {
            ImportFormat::Disqus => self == Self::Disqus,
            ImportFormat::WordPress => self == Self::WordPress,
            ImportFormat::Isso => self == Self::Isso,
            ImportFormat::Commento => self == Self::Commento,
            ImportFormat::Jsonl => self == Self::Riposte,
            ImportFormat::Json => !self.is_no_json(),
            ImportFormat::Csv => false,
        }
    }

    fn is_no_json(self) -> bool {
        matches!(self, Self::Disqus | Self::Feed | Self::Html | Self::WordPress | Self::SqlDump | Self::Sqlite)
    }

    /// Returns the options with which this file is imported; `None` if it holds no comments.
    pub(crate) fn options(self) -> Option<&'static str> {
        Some(match self {
            Self::Artalk => "--format json --map docs/import/artalk.toml",
            Self::Comentario => "--format json --map docs/import/comentario.toml",
            Self::Commento => "--format commento",
            Self::Disqus => "--format disqus",
            Self::Isso => "--format isso",
            Self::Remark42 => "--format json --map docs/import/remark42.toml",
            Self::Riposte => "--format jsonl",
            Self::Twikoo => "--format json --map docs/import/twikoo.toml",
            Self::Waline => "--format json --map docs/import/waline.toml",
            Self::WordPress => "--format wordpress",
            Self::Feed | Self::Html | Self::SqlDump | Self::Sqlite => return None,
        })
    }
}

impl fmt::Display for KnownFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Artalk => "an Artalk backup (Artrans)",
            Self::Comentario => "a Comentario export",
            Self::Commento => "a Commento export",
            Self::Disqus => "a Disqus export",
            Self::Feed => "a news feed, which holds no comments of WordPress",
            Self::Html => "an HTML page",
            Self::Isso => "a file in Isso's generic format",
            Self::Remark42 => "a remark42 backup",
            Self::Riposte => "a file of `riposte export` or of rejects",
            Self::SqlDump => "a dump of SQL statements",
            Self::Sqlite => "an SQLite database",
            Self::Twikoo => "a Twikoo export",
            Self::Waline => "a Waline export",
            Self::WordPress => "a WordPress export (WXR)",
        })
    }
}

/// The sources of the shipped mapping files, each named after its system.
const SHIPPED: [(KnownFile, &str); 5] = [
    (KnownFile::Artalk, "artalk"),
    (KnownFile::Comentario, "comentario"),
    (KnownFile::Remark42, "remark42"),
    (KnownFile::Twikoo, "twikoo"),
    (KnownFile::Waline, "waline"),
];

/// Returns the message about a file that the mapping file of another system would read.
pub(crate) fn wrong_map(name: &str, known: KnownFile, source: &str) -> Option<String> {
    let (system, _) = SHIPPED.iter().find(|(_, shipped)| *shipped == source)?;
    let options = known.options().filter(|_| known != *system)?;
    Some(format!("{name} is {known}, but the map is for {system}; import it with {options}"))
}

/// Returns the message about a file that is not in the format of the command.
pub(crate) fn wrong_format(name: &str, known: KnownFile, format: ImportFormat) -> String {
    let cure = match (known, known.options()) {
        (_, Some(options)) => format!("; import it with {options}"),
        (KnownFile::SqlDump, None) => {
            "; write its tables as text (mysql --batch, SELECT … INTO OUTFILE, COPY … CSV) and import them with --format csv"
                .to_owned()
        }
        (KnownFile::Sqlite, None) => "; docs/import.md has the command that writes Isso's database as JSON".to_owned(),
        (_, None) => String::new(),
    };
    format!("{name} is {known}, not a file for --format {}{cure}", format.name())
}

/// Returns true for the start of a dump that is a sequence of SQL statements.
fn is_sql(head: &[u8]) -> bool {
    let start = head.get(..head.len().min(1024)).unwrap_or_default();
    let start = String::from_utf8_lossy(start).to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| start.contains(word));
    match start.starts_with("--") || start.starts_with("/*") {
        true => has(&["mysql dump", "mariadb dump", "sql dump", "database dump", "adminer", "/*!40", "/*m!"]),
        false => ["create table ", "drop table ", "insert into ", "pragma foreign_keys"]
            .iter()
            .any(|statement| start.starts_with(statement)),
    }
}

/// The names of members in the start of a JSON document, by their depth; the document may be cut
/// off anywhere.
#[derive(Debug, Default)]
struct MemberNames(BTreeMap<usize, BTreeSet<String>>);

impl MemberNames {
    fn of(head: &[u8]) -> Self {
        let mut names = Self::default();
        let (mut depth, mut text, mut last) = (0_usize, None::<Vec<u8>>, Vec::new());
        let mut is_escaped = false;
        for byte in head {
            match (&mut text, byte) {
                (Some(open), byte) if is_escaped => {
                    is_escaped = false;
                    open.push(*byte);
                }
                (Some(_), b'\\') => is_escaped = true,
                (Some(open), b'"') => {
                    last = std::mem::take(open);
                    text = None;
                }
                (Some(open), byte) => open.push(*byte),
                (None, b'"') => text = Some(Vec::new()),
                (None, b'{' | b'[') => depth += 1,
                (None, b'}' | b']') => depth = depth.saturating_sub(1),
                (None, b':') => {
                    let name = String::from_utf8_lossy(&last).into_owned();
                    names.0.entry(depth).or_default().insert(name);
                }
                (None, _) => {}
            }
        }
        names
    }

    fn at(&self, depth: usize) -> BTreeSet<String> {
        self.0.get(&depth).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_are_recognised_by_their_start() {
        let cases: [(&str, Option<KnownFile>); 24] = [
            (r#"[{"id":"1","rid":"0","content":"hi","page_key":"/a/"}]"#, Some(KnownFile::Artalk)),
            (r#"{"version": 3, "pages": [{"id": "0"#, Some(KnownFile::Comentario)),
            (r#"{"version": 3, "comments": [{"id": "b", "pageId": "c"}], "pag"#, Some(KnownFile::Comentario)),
            (r#"{"version": 1, "comments": [{"commentHex": "7d"}]}"#, Some(KnownFile::Commento)),
            (r#"{"version":1,"users":[],"posts":[]}"#, Some(KnownFile::Remark42)),
            (r#"{"id":"a","pid":"","locator":{"site":"s"}}"#, Some(KnownFile::Remark42)),
            (r#"{"type":"waline","tables":["Comment"],"data":{"Comment":[{"#, Some(KnownFile::Waline)),
            (r#"[{"_id":"x","nick":"a","comment":"<p>x</p>"}]"#, Some(KnownFile::Twikoo)),
            (r#"[{"comments": [], "id": "/a", "title": ""}]"#, Some(KnownFile::Isso)),
            (r#"{"schema":"riposte.export.v1"}"#, Some(KnownFile::Riposte)),
            (r#"{"comment":{},"rejected":{"original":{"commenterHex":"7d"}}}"#, Some(KnownFile::Riposte)),
            (r#"{"subject":{"key":{},"metadata":{"commentHex":"7d","pageId":"1"}}}"#, Some(KnownFile::Riposte)),
            ("\n<?xml version=\"1.0\"?>\n<!-- x --><disqus xmlns=\"http://disqus.com\">", Some(KnownFile::Disqus)),
            ("<rss xmlns:wp=\"http://wordpress.org/export/1.2/\">", Some(KnownFile::WordPress)),
            ("<rss><channel/></rss>", Some(KnownFile::Feed)),
            ("<!DOCTYPE html><html>", Some(KnownFile::Html)),
            ("-- MySQL dump 10.13  Distrib 8.0\n", Some(KnownFile::SqlDump)),
            ("--\n-- PostgreSQL database dump\n--\n", Some(KnownFile::SqlDump)),
            ("INSERT INTO `c` VALUES (1);", Some(KnownFile::SqlDump)),
            ("SQLite format 3\0", Some(KnownFile::Sqlite)),
            ("-- my notes,x\n", None),
            ("id,text\n1,x\n", None),
            ("", None),
            (r#"{"posts": [{"id": 1}]}"#, None),
        ];
        for (head, expected) in cases {
            assert_eq!(KnownFile::of(head.as_bytes()), expected, "{head}");
        }
    }
}
