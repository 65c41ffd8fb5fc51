//! Reads all keys of Redis directly into the history. An example of the cache crate
//! (`server/cache/examples/dump.rs`) decodes the values, so this module does not depend on their
//! encoding.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::SubjectKey;
use tokio::sync::Mutex;

use super::line::Line;
use crate::histcheck::history::{CacheEntry, CachedSubject, CommentRow, ContentRow, ListOwner, Recorder};
use crate::histcheck::names;
use crate::redis::{FaultTarget, StoredKey};

/// Records every key.
///
/// # Errors
/// Fails when Redis does not respond, or when the decoder is missing or its output is malformed.
pub(super) async fn read(redis: Arc<Mutex<dyn FaultTarget + Send>>, recorder: &Recorder) -> Result<()> {
    let redis = redis.lock_owned().await;
    let (texts, lines) = tokio::task::spawn_blocking(move || {
        let keys = redis.keys()?;
        anyhow::Ok((texts(&keys)?, decoded(keys)?))
    })
    .await??;
    for ((text_subject, text), key) in texts {
        recorder.cache_entry(CacheEntry::Text { key, text_subject, text })?;
    }
    for line in lines {
        if let Some(entry) = entry(&line).with_context(|| line.clone())? {
            recorder.cache_entry(entry)?;
        }
    }
    Ok(())
}

/// Returns the texts of the run that the keys contain anywhere in their values, and the name of one
/// key for each. The values are not decoded: what no reader finds is found, too.
fn texts(keys: &[StoredKey]) -> Result<BTreeMap<(u32, u64), String>> {
    let mut found = BTreeMap::new();
    for StoredKey { name, values, .. } in keys {
        for value in values {
            let digit = |at: usize| value.get(at..at + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
            let bytes: Option<Vec<u8>> = (0..value.len()).step_by(2).map(digit).collect();
            for text in texts_in(&bytes.context("no hexadecimal digits")?) {
                found.entry(text).or_insert_with(|| name.clone());
            }
        }
    }
    Ok(found)
}

/// Returns the texts that bytes contain.
fn texts_in(bytes: &[u8]) -> Vec<(u32, u64)> {
    const MIDDLE: &[u8] = b" t";
    let text_at = |at: usize| {
        let before = bytes[..at].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let after = bytes[at + MIDDLE.len()..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let begin = at.checked_sub(before + 1)?;
        let text = names::text_number(std::str::from_utf8(&bytes[begin..at + MIDDLE.len() + after]).ok()?);
        (text.0 != u32::MAX).then_some(text)
    };
    let middles = bytes.windows(MIDDLE.len()).enumerate().filter(|(_, window)| *window == MIDDLE);
    middles.filter_map(|(at, _)| text_at(at)).collect()
}

/// Returns the decoded lines of all keys.
fn decoded(keys: Vec<StoredKey>) -> Result<Vec<String>> {
    let path = std::env::current_exe()?.parent().context("no folder")?.join("examples/dump");
    let mut program = Command::new(&path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let program = program.as_mut().map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
    let (mut stdin, stdout) = (program.stdin.take().context("no stdin")?, program.stdout.take().context("no stdout")?);
    let count = keys.len();
    let writer = std::thread::spawn(move || {
        for StoredKey { name, kind, values } in keys {
            let name: String = name.bytes().map(|byte| format!("{byte:02x}")).collect();
            let values: String = values.iter().flat_map(|value| ["\t", value]).collect();
            writeln!(stdin, "{name}\t{kind}{values}")?;
        }
        std::io::Result::Ok(())
    });
    let lines = BufReader::new(stdout).lines().collect::<std::io::Result<Vec<String>>>()?;
    writer.join().map_err(|_| anyhow::anyhow!("writing panicked"))??;
    ensure!(program.wait()?.success() && lines.len() == count, "{} lines for {count} keys", lines.len());
    Ok(lines)
}

/// Parses a line; `None` for entries that are not served.
fn entry(text: &str) -> Result<Option<CacheEntry>> {
    let mut line = Line::of(text);
    let entry = match line.text()? {
        "cursor" => CacheEntry::Generation { part: line.number()?, generation: line.text()?.to_owned() },
        "name" => {
            line.text()?;
            CacheEntry::SubjectId { subject: line.key()?, id: line.number()? }
        }
        "block" => {
            let (part, id, incarnation) = (line.number()?, line.number()?, line.text()?.to_owned());
            let (generation, served) = (line.text()?.to_owned(), line.text()? == "1");
            let row = if served { Some(subject(&mut line)?) } else { None };
            CacheEntry::Subject { part, id, incarnation, generation, row }
        }
        "comment" => comment(&mut line)?,
        "list" => {
            line.text()?;
            let (kind, id) = line.text()?.split_at_checked(1).context("no owner")?;
            let id = i64::from_str_radix(id, 16)?;
            let owner = if kind == "s" { ListOwner::Subject(id) } else { ListOwner::Root(id) };
            let (incarnation, low, high) = (line.text()?.to_owned(), line.number()?, line.number()?);
            CacheEntry::List { owner, incarnation, low, high, members: line.pairs()? }
        }
        "choice" => {
            line.text()?;
            CacheEntry::Candidates {
                root: line.number()?,
                incarnation: line.text()?.to_owned(),
                members: line.pairs()?,
            }
        }
        "states" => {
            let (part, subject, member) = (line.number()?, line.key()?, names::member(line.text()?));
            CacheEntry::LikeStates { part, subject, member, generation: line.text()?.to_owned(), values: line.pairs()? }
        }
        "aside" => return Ok(None),
        _ => CacheEntry::Unknown { description: text.replace('\t', ": ") },
    };
    Ok(Some(entry))
}

fn subject(line: &mut Line<'_>) -> Result<CachedSubject> {
    let subject = line.key()?;
    Ok(CachedSubject { subject, roots: line.number()?, comments: line.number()?, revision: line.number()? })
}

fn comment(line: &mut Line<'_>) -> Result<CacheEntry> {
    let (part, id, incarnation) = (line.number()?, line.number()?, line.text()?.to_owned());
    let row = CommentRow {
        id,
        part,
        subject_id: line.number()?,
        root: line.number()?,
        parent: line.number()?,
        floor: line.number()?,
        // Only writers use the next floor, and they read it from the row.
        next_floor: 0,
        member: names::member(line.text()?),
        state: line.number()?,
        listed: 0,
        likes: line.number()?,
        dislikes: line.number()?,
        replies: line.number()?,
        revision: line.number()?,
    };
    let (text_subject, text) = names::text_number(line.text()?);
    Ok(CacheEntry::Comment { incarnation, row, content: ContentRow { comment: id, part, text_subject, text } })
}

impl Line<'_> {
    fn key(&mut self) -> Result<u32> {
        let key = SubjectKey { object_type: self.text()?.to_owned(), object_id: self.text()?.to_owned() };
        Ok(names::subject(Some(&key)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_in_any_value_is_found() {
        let key = |name: &str, values: &[&[u8]]| StoredKey {
            name: name.to_owned(),
            kind: "hash".to_owned(),
            values: values.iter().map(|value| value.iter().map(|byte| format!("{byte:02x}")).collect()).collect(),
        };
        let keys = [
            key("a", &[b"s7 t99", b"\xff s0 t1\x00s12 t345\xe6", b"t5 s6 x t8 t9 s t1"]),
            key("b", &[b"s7 t99s7 t98"]),
        ];
        let found: Vec<_> = texts(&keys).unwrap().into_iter().collect();
        let named = |text, name: &str| (text, name.to_owned());
        assert_eq!(found, [named((0, 1), "a"), named((7, 98), "b"), named((7, 99), "a"), named((12, 345), "a")]);
    }

    #[test]
    fn lines_are_parsed_and_unknown_keys_are_reported_as_printed() {
        let read = |line: &str| entry(line).unwrap();
        let generation = "g".to_owned();
        assert_eq!(read("cursor\t7\tg"), Some(CacheEntry::Generation { part: 7, generation: generation.clone() }));
        assert_eq!(read("name\t7\tdeep\tobject-2\t9"), Some(CacheEntry::SubjectId { subject: 7, id: 9 }));
        let row = Some(CachedSubject { subject: 7, roots: 2, comments: 3, revision: 4 });
        let subject = |row| {
            Some(CacheEntry::Subject { part: 7, id: 9, incarnation: "0a".into(), generation: generation.clone(), row })
        };
        assert_eq!(read("block\t7\t9\t0a\tg\t1\tdeep\tobject-2\t2\t3\t4"), subject(row));
        assert_eq!(read("block\t7\t9\t0a\tg\t0"), subject(None));
        let list = read("list\t7\tr000000000000000a\t0a\t0\t2147483647\t1\t11\t3\t12");
        let (owner, members) = (ListOwner::Root(10), vec![(1, 11), (3, 12)]);
        assert_eq!(list, Some(CacheEntry::List { owner, incarnation: "0a".into(), low: 0, high: i32::MAX, members }));
        let candidates = CacheEntry::Candidates { root: 9, incarnation: "0a".into(), members: vec![(1, 11)] };
        assert_eq!(read("choice\t7\t9\t0a\t1\t11"), Some(candidates));
        let values = vec![(11, -1)];
        let states = read("states\t7\tdeep\tobject-2\tm5\tg\t11\t-1");
        assert_eq!(states, Some(CacheEntry::LikeStates { part: 7, subject: 7, member: 5, generation, values }));
        let Some(CacheEntry::Comment { row, content, .. }) =
            read("comment\t7\t11\t0a\t9\t0\t0\t3\tm5\t1\t4\t5\t6\t8\ts7 t99")
        else {
            panic!("a comment");
        };
        assert_eq!((row.id, row.subject_id, row.floor, row.member, row.state), (11, 9, 3, 5, 1));
        assert_eq!((row.likes, row.dislikes, row.replies, row.revision), (4, 5, 6, 8));
        assert_eq!((content.text_subject, content.text), (7, 99));
        assert_eq!(read("aside"), None);
        assert_eq!(read("strange\tsession"), Some(CacheEntry::Unknown { description: "strange: session".into() }));
        assert!(entry("choice\t7\t9\t0a\t1").is_err());
    }
}
