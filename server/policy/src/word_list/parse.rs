//! The two forms of list files.

use super::{ListSettings, MAX_ENTRIES, MAX_ENTRY_CODE_POINTS, MatchMode, WordEntry, WordList};
use crate::day::Day;
use crate::outcome::PolicyOutcome;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fmt;

/// The number of hex digits of a version, and of the id of an entry that names none.
const VERSION_DIGITS: usize = 16;
const ID_DIGITS: usize = 12;
/// The largest size of an id and of a code, in bytes.
const MAX_NAME_BYTES: usize = 64;
/// The number of faults that are reported of one file.
const MAX_FAULTS: usize = 20;
const KEYS: [&str; 6] = ["word", "outcome", "mode", "id", "code", "expires"];

/// The faults of a file, without any word of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListError {
    /// The faults with their lines, which are counted from 1; the first twenty. Never empty.
    pub faults: Vec<(u32, String)>,
    /// The number of further faults.
    pub more: usize,
}

impl fmt::Display for ListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (line, what)) in self.faults.iter().enumerate() {
            let separator = if at > 0 { "; " } else { "" };
            write!(f, "{separator}line {line}: {what}")?;
        }
        if self.more > 0 {
            write!(f, "; and {} more", self.more)?;
        }
        Ok(())
    }
}

impl std::error::Error for ListError {}

impl WordList {
    /// Reads the bytes of a list file. A file whose first line that is neither empty nor a comment
    /// begins with `{` has an entry in JSON on each line; any other file has a word on each line.
    ///
    /// # Errors
    /// If a line is wrong; no entry of the file may be used.
    pub fn parse(settings: &ListSettings, bytes: &[u8]) -> Result<Self, ListError> {
        let mut reader = Reader { settings, entries: Vec::new(), ids: HashMap::new(), faults: Vec::new(), more: 0 };
        match std::str::from_utf8(bytes) {
            Ok(text) => reader.read(text.strip_prefix('\u{feff}').unwrap_or(text)),
            Err(error) => {
                let lines = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
                reader.fault(lines as u32 + 1, "is no UTF-8 text".to_owned());
            }
        }
        let Reader { entries, faults, more, .. } = reader;
        if !faults.is_empty() {
            return Err(ListError { faults, more });
        }
        let version = version_of(bytes);
        Ok(Self { name: settings.name.clone(), version, effect: settings.effect, entries })
    }
}

struct Reader<'s> {
    settings: &'s ListSettings,
    entries: Vec<WordEntry>,
    /// The position of the entry of each id.
    ids: HashMap<String, usize>,
    faults: Vec<(u32, String)>,
    more: usize,
}

/// The result of reading one line: `None` for a word that the list has already.
type Line = Result<Option<WordEntry>, String>;

impl Reader<'_> {
    fn read(&mut self, text: &str) {
        let lines = (1..).zip(text.lines().map(str::trim));
        let lines: Vec<(u32, &str)> = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).collect();
        if lines.len() > MAX_ENTRIES {
            let line = lines[MAX_ENTRIES].0;
            return self.fault(line, format!("more than {MAX_ENTRIES} entries: write at most this number"));
        }
        let is_json = lines.first().is_some_and(|(_, line)| line.starts_with('{'));
        for (line, text) in lines {
            let entry = if is_json { self.json(line, text) } else { self.plain(line, text) };
            match entry {
                Ok(entry) => self.entries.extend(entry),
                Err(what) => self.fault(line, what),
            }
        }
    }

    fn fault(&mut self, line: u32, what: String) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push((line, what));
        } else {
            self.more += 1;
        }
    }

    fn plain(&mut self, line: u32, word: &str) -> Line {
        if word.starts_with('{') {
            return Err("begins with `{` in a file of plain words: write all lines as JSON objects, or none".to_owned());
        }
        self.entry(line, word, &Map::new())
    }

    fn json(&mut self, line: u32, text: &str) -> Line {
        let fields: Map<String, Value> =
            serde_json::from_str(text).map_err(|_| r#"must be a JSON object, as {"word":"example"}"#.to_owned())?;
        if fields.keys().any(|key| !KEYS.contains(&key.as_str())) {
            // The message leaves out the key, which may be a word.
            return Err(format!("has an unknown key: write only {}", KEYS.join(", ")));
        }
        let word = field(&fields, "word")?.ok_or("has no word")?;
        self.entry(line, word, &fields)
    }

    fn entry(&mut self, line: u32, word: &str, fields: &Map<String, Value>) -> Line {
        if word.trim().is_empty() {
            return Err("has an empty word".to_owned());
        }
        let count = word.chars().count();
        if count > MAX_ENTRY_CODE_POINTS {
            return Err(format!("has {count} code points: at most {MAX_ENTRY_CODE_POINTS} are possible"));
        }
        let settings = self.settings;
        let outcome = match field(fields, "outcome")? {
            None => settings.outcome,
            Some(name) => PolicyOutcome::named(name).ok_or_else(|| {
                let names = PolicyOutcome::ALL.map(PolicyOutcome::name).join(", ");
                format!("`outcome` must be one of {names}")
            })?,
        };
        let mode = match field(fields, "mode")? {
            None => settings.mode,
            Some(name) => Some(MatchMode::named(name).ok_or("`mode` must be word or part")?),
        };
        let expires = match field(fields, "expires")? {
            None => None,
            Some(day) => Some(Day::parse(day).ok_or("`expires` must be a day, as 2027-01-31")?),
        };
        let code = name(fields, "code")?.unwrap_or(&settings.code).to_owned();
        if code.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Err("`code` must have small letters only".to_owned());
        }
        let named = name(fields, "id")?;
        let id = named.map_or_else(|| hex(word.as_bytes(), ID_DIGITS), str::to_owned);
        let entry = WordEntry { word: word.to_owned(), id, line, outcome, code, mode, expires };
        match self.ids.get(&entry.id).map(|position| &self.entries[*position]) {
            None => {
                self.ids.insert(entry.id.clone(), self.entries.len());
                Ok(Some(entry))
            }
            // Collections of several lists have words twice.
            Some(first) if WordEntry { line, ..first.clone() } == entry && named.is_none() => Ok(None),
            Some(first) if first.word == entry.word && named.is_none() => {
                Err(format!("has the word of line {} with other values: keep one of the two", first.line))
            }
            Some(first) => Err(format!("has the `id` of line {}: each entry has its own", first.line)),
        }
    }
}

/// Returns the text of a field, if the entry has it.
fn field<'f>(fields: &'f Map<String, Value>, key: &str) -> Result<Option<&'f str>, String> {
    let text = |value: &'f Value| value.as_str().ok_or_else(|| format!("`{key}` must be a text"));
    fields.get(key).map(text).transpose()
}

/// Returns a field that others refer to.
fn name<'f>(fields: &'f Map<String, Value>, key: &str) -> Result<Option<&'f str>, String> {
    let text = field(fields, key)?;
    let is_name = |text: &str| {
        !text.is_empty()
            && text.len() <= MAX_NAME_BYTES
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    match text {
        Some(text) if !is_name(text) => {
            Err(format!("`{key}` must have 1 to {MAX_NAME_BYTES} letters, digits, dots, hyphens or underscores"))
        }
        text => Ok(text),
    }
}

/// Returns the version of bytes.
pub(crate) fn version_of(bytes: &[u8]) -> String {
    hex(bytes, VERSION_DIGITS)
}

/// Returns the beginning of the SHA-256 of bytes, as hex digits.
fn hex(bytes: &[u8], digits: usize) -> String {
    Sha256::digest(bytes).iter().take(digits / 2).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
