//! Reads all keys of Redis directly into the history. A program of the crate that writes the values
//! decodes them (`server/cache/examples/look.rs`), so this module does not depend on their
//! encoding.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::SubjectKey;
use tokio::sync::Mutex;

use super::line::Line;
use crate::histcheck::history::{BlockRow, CommentRow, ContentRow, Copy, Owner, Recorder};
use crate::histcheck::names;
use crate::redis::{StoredKey, Victim};

/// Records every key.
///
/// # Errors
/// Fails when Redis does not respond, or when the decoder is missing or prints something else.
pub(super) async fn read(redis: Arc<Mutex<dyn Victim + Send>>, recorder: &Recorder) -> Result<()> {
    let redis = redis.lock_owned().await;
    let lines = tokio::task::spawn_blocking(move || decoded(redis.keys()?)).await??;
    for line in lines {
        if let Some(copy) = copy(&line).with_context(|| line.clone())? {
            recorder.copy(copy)?;
        }
    }
    Ok(())
}

/// Returns the decoded lines of all keys.
fn decoded(kept: Vec<StoredKey>) -> Result<Vec<String>> {
    let beside = std::env::current_exe()?.parent().context("no folder")?.join("examples/look");
    let mut program = Command::new(&beside).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let program = program.as_mut().map_err(|error| anyhow::anyhow!("{}: {error}", beside.display()))?;
    let (mut stdin, stdout) = (program.stdin.take().context("no stdin")?, program.stdout.take().context("no stdout")?);
    let count = kept.len();
    let writes = std::thread::spawn(move || {
        for StoredKey { name, kind, values } in kept {
            let name: String = name.bytes().map(|byte| format!("{byte:02x}")).collect();
            let values: String = values.iter().flat_map(|value| ["\t", value]).collect();
            writeln!(stdin, "{name}\t{kind}{values}")?;
        }
        std::io::Result::Ok(())
    });
    let lines = BufReader::new(stdout).lines().collect::<std::io::Result<Vec<String>>>()?;
    writes.join().map_err(|_| anyhow::anyhow!("writing panicked"))??;
    ensure!(program.wait()?.success() && lines.len() == count, "{} lines for {count} keys", lines.len());
    Ok(lines)
}

/// Parses a line; `None` for entries that are not served.
fn copy(text: &str) -> Result<Option<Copy>> {
    let mut line = Line::of(text);
    let copy = match line.text()? {
        "cursor" => Copy::Generation { part: line.number()?, generation: line.text()?.to_owned() },
        "name" => {
            line.text()?;
            Copy::Name { subject: line.key()?, id: line.number()? }
        }
        "block" => {
            let (part, id, born) = (line.number()?, line.number()?, line.text()?.to_owned());
            let (generation, answers) = (line.text()?.to_owned(), line.text()? == "1");
            let row = if answers { Some(block(&mut line)?) } else { None };
            Copy::Block { part, id, born, generation, row }
        }
        "comment" => comment(&mut line)?,
        "list" => {
            line.text()?;
            let (kind, id) = line.text()?.split_at_checked(1).context("no owner")?;
            let id = i64::from_str_radix(id, 16)?;
            let owner = if kind == "s" { Owner::Subject(id) } else { Owner::Root(id) };
            let (born, low, high) = (line.text()?.to_owned(), line.number()?, line.number()?);
            Copy::List { owner, born, low, high, members: line.pairs()? }
        }
        "choice" => {
            line.text()?;
            Copy::Choice { root: line.number()?, born: line.text()?.to_owned(), members: line.pairs()? }
        }
        "states" => {
            let (part, subject, member) = (line.number()?, line.key()?, names::member(line.text()?));
            Copy::States { part, subject, member, generation: line.text()?.to_owned(), values: line.pairs()? }
        }
        "aside" => return Ok(None),
        _ => Copy::Odd { what: text.replace('\t', ": ") },
    };
    Ok(Some(copy))
}

fn block(line: &mut Line<'_>) -> Result<BlockRow> {
    let subject = line.key()?;
    Ok(BlockRow { subject, roots: line.number()?, comments: line.number()?, revision: line.number()? })
}

fn comment(line: &mut Line<'_>) -> Result<Copy> {
    let (part, id, born) = (line.number()?, line.number()?, line.text()?.to_owned());
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
    let (marked, text) = names::mark(line.text()?);
    Ok(Copy::Comment { born, row, says: ContentRow { comment: id, part, marked, text } })
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
    fn lines_are_read_and_what_nobody_knows_is_kept_as_it_is_told() {
        let read = |line: &str| copy(line).unwrap();
        let generation = "g".to_owned();
        assert_eq!(read("cursor\t7\tg"), Some(Copy::Generation { part: 7, generation: generation.clone() }));
        assert_eq!(read("name\t7\tdeep\tobject-2\t9"), Some(Copy::Name { subject: 7, id: 9 }));
        let row = Some(BlockRow { subject: 7, roots: 2, comments: 3, revision: 4 });
        let block = |row| Some(Copy::Block { part: 7, id: 9, born: "0a".into(), generation: generation.clone(), row });
        assert_eq!(read("block\t7\t9\t0a\tg\t1\tdeep\tobject-2\t2\t3\t4"), block(row));
        assert_eq!(read("block\t7\t9\t0a\tg\t0"), block(None));
        let list = read("list\t7\tr000000000000000a\t0a\t0\t2147483647\t1\t11\t3\t12");
        let (owner, members) = (Owner::Root(10), vec![(1, 11), (3, 12)]);
        assert_eq!(list, Some(Copy::List { owner, born: "0a".into(), low: 0, high: i32::MAX, members }));
        let choice = Copy::Choice { root: 9, born: "0a".into(), members: vec![(1, 11)] };
        assert_eq!(read("choice\t7\t9\t0a\t1\t11"), Some(choice));
        let values = vec![(11, -1)];
        let states = read("states\t7\tdeep\tobject-2\tm5\tg\t11\t-1");
        assert_eq!(states, Some(Copy::States { part: 7, subject: 7, member: 5, generation, values }));
        let Some(Copy::Comment { row, says, .. }) = read("comment\t7\t11\t0a\t9\t0\t0\t3\tm5\t1\t4\t5\t6\t8\ts7 t99")
        else {
            panic!("a comment");
        };
        assert_eq!((row.id, row.subject_id, row.floor, row.member, row.state), (11, 9, 3, 5, 1));
        assert_eq!((row.likes, row.dislikes, row.replies, row.revision), (4, 5, 6, 8));
        assert_eq!((says.marked, says.text), (7, 99));
        assert_eq!(read("aside"), None);
        assert_eq!(read("strange\tsession"), Some(Copy::Odd { what: "strange: session".into() }));
        assert!(copy("choice\t7\t9\t0a\t1").is_err());
    }
}
