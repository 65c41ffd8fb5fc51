//! JSON documents of any size: the elements of lists, one at a time.
//!
//! Only the containers on the way to a list are interpreted, so one element is in memory at a time
//! and an element that is not valid JSON does not end the reading. A document may also be a
//! sequence of values, usually one on each line.

mod nodes;

use std::io::BufRead;
use std::path::Path;

use anyhow::{Context, Result};

pub(crate) use self::nodes::NodePaths;
use super::input::{self, Input, RECORD_BYTES_MAX, SourcePosition};
use super::json_record;

/// The segment of a path that stands for every element or member.
pub(crate) const EVERY: &str = "*";

/// A path to a list: the names of members from the outermost value, [`EVERY`] for all elements.
pub(crate) type ListPath = Vec<String>;

/// One element of a list, as it stands in the file.
#[derive(Debug)]
pub(crate) struct Element<'a> {
    /// The index of the list among the paths.
    pub(crate) list: usize,
    /// True if there is no list at the path, but this single value.
    pub(crate) is_single: bool,
    /// The number of containers that were entered by [`EVERY`] so far: it differs between elements
    /// of different ones.
    pub(crate) container: u64,
    /// The number of elements that contain it, if they are taken apart.
    pub(crate) depth: usize,
    pub(crate) text: &'a str,
    /// True if it is too long, so that the text is only its start.
    pub(crate) is_cut: bool,
    pub(crate) place: SourcePosition,
}

/// The lists of a document that was read.
#[derive(Debug)]
pub(crate) struct FoundLists {
    /// True for each path at which there is a list.
    pub(crate) lists: Vec<bool>,
    /// The number of containers that were entered by [`EVERY`].
    pub(crate) containers: u64,
}

/// Receives elements; an error from it ends the reading.
pub(crate) type ElementSink<'a> = &'a mut dyn FnMut(Element<'_>) -> Result<()>;

/// A document that is read from list to list.
#[derive(Debug)]
pub(crate) struct JsonLists<'p> {
    input: Input,
    paths: &'p [ListPath],
    /// True for each path at which there is a list.
    found: Vec<bool>,
    records: u64,
    containers: u64,
    buffer: Vec<u8>,
    /// True if the value in the buffer is only the start of a longer one.
    is_cut: bool,
    /// True if the document is a sequence of values, each of which is an element.
    is_sequence: bool,
    /// True if each value of a sequence has its own line. A broken line then ends at its end.
    is_by_line: bool,
    /// The paths by which the elements of the first list are taken apart, and the folder of
    /// temporary files.
    inside: Option<(&'p NodePaths, &'p Path)>,
}

/// Parses a path: names separated by dots; an empty path is the outermost list.
pub(crate) fn path(text: &str) -> ListPath {
    text.split('.').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Reads the elements of the lists at `paths` and returns the lists that there are. At the empty
/// path the elements are those of the outermost array, or the values of a sequence. The values of
/// an object at any other path are its elements.
///
/// # Errors
/// The containers around the lists are not valid JSON, or the file is cut off (with its place); the
/// error of `each`.
pub(crate) fn read(input: Input, paths: &[ListPath], each: ElementSink<'_>) -> Result<FoundLists> {
    read_all(input, paths, None, each)
}

/// Reads in the same way, and takes the elements of the first list apart: those that lie inside of
/// one, at the paths `inside`, follow it. They wait in a folder while it is read.
///
/// # Errors
/// Same as for [`read`]; a temporary file cannot be written.
pub(crate) fn read_nodes(
    input: Input,
    paths: &[ListPath],
    inside: (&NodePaths, &Path),
    each: ElementSink<'_>,
) -> Result<FoundLists> {
    read_all(input, paths, Some(inside).filter(|(paths, _)| !paths.is_empty()), each)
}

fn read_all(
    input: Input,
    paths: &[ListPath],
    inside: Option<(&NodePaths, &Path)>,
    each: ElementSink<'_>,
) -> Result<FoundLists> {
    let found = vec![false; paths.len()];
    let buffer = Vec::new();
    let is_by_line = has_value_on_each_line(input.head());
    let mut lists = JsonLists {
        input,
        paths,
        found,
        records: 0,
        containers: 0,
        buffer,
        is_cut: false,
        is_sequence: is_by_line,
        is_by_line,
        inside,
    };
    let all: Vec<usize> = (0..paths.len()).collect();
    while lists.next_byte()?.is_some() {
        lists.value(&all, 0, each)?;
    }
    Ok(FoundLists { lists: lists.found, containers: lists.containers })
}

/// Returns true for the start of a sequence of objects with a line each: no indented object has
/// another one at the start of its second line.
fn has_value_on_each_line(head: &[u8]) -> bool {
    let head = head.trim_ascii_start();
    let mut lines = head.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let begins = |line: Option<&[u8]>| line.is_some_and(|line| line.starts_with(b"{"));
    let continues = |line: &&[u8]| line.trim_ascii_end().last().is_some_and(|byte| b"{[,:".contains(byte));
    let first = lines.next().filter(|line| !continues(line));
    begins(first) && begins(lines.next())
}

impl JsonLists<'_> {
    /// Reads one value, of which the paths `live` lead to a list or have one here, after `depth`
    /// segments.
    fn value(&mut self, live: &[usize], depth: usize, each: ElementSink<'_>) -> Result<()> {
        let here: Vec<usize> = live.iter().copied().filter(|index| self.path_length(*index) == depth).collect();
        let first = self.next_byte()?;
        match (first, here.is_empty()) {
            (_, _) if live.is_empty() => self.raw_value(false),
            (Some(_), false) if depth == 0 && self.is_sequence => self.top_record(&here, each),
            (Some(b'['), false) => self.elements(b']', &here, each),
            (Some(b'{'), false) if depth > 0 => self.elements(b'}', &here, each),
            (Some(b'{'), false) => self.top_record(&here, each),
            (Some(_), false) if depth == 0 => Err(self.error("a list or an object is expected")),
            (Some(_), false) => {
                self.mark_found(&here);
                self.emit(&here, true, each)
            }
            (Some(first), true) if depth == 0 && !matches!(first, b'{' | b'[') => {
                Err(self.error("there are words outside of the list or object"))
            }
            (Some(b'{'), true) => self.members(live, depth, each),
            (Some(b'['), true) => {
                let next = self.follow(live, depth, EVERY);
                self.open_list()?;
                while self.has_next(b']')? {
                    self.containers += 1;
                    self.value(&next, depth + 1, each)?;
                }
                Ok(())
            }
            (_, _) => self.raw_value(false),
        }
    }

    fn members(&mut self, live: &[usize], depth: usize, each: ElementSink<'_>) -> Result<()> {
        self.open_list()?;
        while self.has_next(b'}')? {
            let name = self.member_name()?;
            let next = self.follow(live, depth, &name);
            self.value(&next, depth + 1, each)?;
        }
        Ok(())
    }

    fn elements(&mut self, end: u8, here: &[usize], each: ElementSink<'_>) -> Result<()> {
        self.mark_found(here);
        self.open_list()?;
        while self.has_next(end)? {
            if end == b'}' {
                self.member_name()?;
            }
            self.emit(here, false, each)?;
        }
        Ok(())
    }

    fn top_record(&mut self, here: &[usize], each: ElementSink<'_>) -> Result<()> {
        self.mark_found(here);
        let first_line = self.input.place().line;
        let is_first = self.records == 0;
        self.is_sequence = true;
        self.emit(here, false, each)?;
        self.is_by_line |= is_first && self.input.place().line == first_line;
        Ok(())
    }

    fn emit(&mut self, here: &[usize], is_single: bool, each: ElementSink<'_>) -> Result<()> {
        if let Some(inside) = self.inside.filter(|_| !is_single && here.contains(&0)) {
            return self.nodes(here, inside, each);
        }
        self.next_byte()?;
        let place = self.input.place();
        self.raw_value(true)?;
        self.records += u64::from(!is_single);
        let container = self.containers;
        let place = SourcePosition { record: self.records, ..place };
        let text = std::str::from_utf8(&self.buffer).context("the input is not UTF-8")?;
        let is_cut = self.is_cut;
        let depth = 0;
        here.iter()
            .try_for_each(|list| each(Element { list: *list, is_single, container, depth, text, is_cut, place }))?;
        self.input.end_record();
        Ok(())
    }

    fn mark_found(&mut self, here: &[usize]) {
        here.iter().for_each(|index| {
            if let Some(found) = self.found.get_mut(*index) {
                *found = true;
            }
        });
    }

    fn path_length(&self, index: usize) -> usize {
        self.paths.get(index).map_or(0, Vec::len)
    }

    /// Returns those of `live` whose segment at `depth` is `name` or [`EVERY`].
    fn follow(&self, live: &[usize], depth: usize, name: &str) -> Vec<usize> {
        let segment = |index: usize| self.paths.get(index).and_then(|path| path.get(depth));
        let follows = |index: &usize| segment(*index).is_some_and(|segment| segment == name || segment == EVERY);
        live.iter().copied().filter(follows).collect()
    }

    fn open_list(&mut self) -> Result<()> {
        self.next_byte()?;
        self.input.consume(1);
        Ok(())
    }

    /// Consumes the end of a container, or the comma before its next part.
    fn has_next(&mut self, end: u8) -> Result<bool> {
        match self.next_byte()? {
            Some(byte) if byte == end => {
                self.input.consume(1);
                self.input.end_record();
                Ok(false)
            }
            Some(b',') => {
                self.input.consume(1);
                Ok(true)
            }
            Some(b'}' | b']' | b':') => Err(self.error("a bracket or a comma is wrong")),
            Some(_) => Ok(true),
            None => Err(self.error("the file ends inside a list: it is cut off")),
        }
    }

    fn member_name(&mut self) -> Result<String> {
        if self.next_byte()? != Some(b'"') {
            return Err(self.error("the name of a member is expected"));
        }
        self.raw_value(true)?;
        let name = std::str::from_utf8(&self.buffer).context("the input is not UTF-8")?;
        let name = json_record::parse(name).map_err(|_| self.error("the name of a member is expected"))?;
        if self.next_byte()? != Some(b':') {
            return Err(self.error("a colon is expected"));
        }
        self.input.consume(1);
        Ok(name)
    }

    /// Skips blanks and returns the next byte; `None` at the end of the file.
    fn next_byte(&mut self) -> Result<Option<u8>> {
        loop {
            let buffer = self.input.fill_buf().with_context(|| "cannot read the file")?;
            let Some(first) = buffer.first().copied() else { return Ok(None) };
            let blanks = buffer.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            if blanks == 0 {
                return Ok(Some(first));
            }
            self.input.consume(blanks);
        }
    }

    /// Reads one value without interpreting it, into the buffer if `keep`.
    fn raw_value(&mut self, keep: bool) -> Result<()> {
        self.buffer.clear();
        self.is_cut = false;
        let mut scan = ValueScan { is_by_line: self.is_by_line, ..ValueScan::default() };
        loop {
            let buffer = self.input.fill_buf().context("cannot read the file")?;
            if buffer.is_empty() {
                let is_complete_value = scan.is_scalar() && !self.buffer.is_empty();
                return if is_complete_value {
                    Ok(())
                } else {
                    Err(self.error("the file ends inside a value: it is cut off"))
                };
            }
            let (length, is_complete) = scan.advance(buffer);
            if (keep || scan.is_scalar()) && !self.is_cut {
                self.buffer.extend_from_slice(buffer.get(..length).unwrap_or_default());
            }
            self.input.consume(length);
            if self.buffer.len() > RECORD_BYTES_MAX {
                self.is_cut = true;
                input::cut(&mut self.buffer);
            }
            if !keep || self.is_cut {
                self.input.end_record();
            }
            if is_complete {
                return match length == 0 && self.buffer.is_empty() {
                    true => Err(self.error("a value is expected")),
                    false => Ok(()),
                };
            }
        }
    }

    fn error(&self, message: &str) -> anyhow::Error {
        self.input.error_at(self.input.place(), &format!("not JSON: {message}"))
    }
}

/// The end of a value: brackets and strings are followed, nothing else.
#[derive(Debug, Default)]
struct ValueScan {
    depth: usize,
    in_text: bool,
    is_escaped: bool,
    has_begun: bool,
    is_by_line: bool,
}

impl ValueScan {
    fn is_scalar(&self) -> bool {
        self.depth == 0 && !self.in_text
    }

    /// Returns the number of bytes that belong to the value, and true if the value ends with them.
    fn advance(&mut self, bytes: &[u8]) -> (usize, bool) {
        for (index, byte) in bytes.iter().enumerate() {
            if self.is_by_line && *byte == b'\n' {
                return (index, true);
            }
            if self.in_text {
                match byte {
                    _ if self.is_escaped => self.is_escaped = false,
                    b'\\' => self.is_escaped = true,
                    b'"' => {
                        self.in_text = false;
                        if self.depth == 0 && !self.is_by_line {
                            return (index + 1, true);
                        }
                    }
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_text = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' if self.depth == 0 && !self.is_by_line => return (index, true),
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 && !self.is_by_line {
                        return (index + 1, true);
                    }
                }
                b',' | b':' if self.depth == 0 && !self.is_by_line => return (index, true),
                byte if self.depth == 0 && self.has_begun && !self.is_by_line && byte.is_ascii_whitespace() => {
                    return (index, true);
                }
                _ => {}
            }
            self.has_begun = true;
        }
        (bytes.len(), false)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn elements(json: &str, paths: &[&str]) -> Result<(Vec<String>, Vec<bool>)> {
        let paths: Vec<ListPath> = paths.iter().map(|text| path(text)).collect();
        let input = Input::from_reader(Cursor::new(json.as_bytes().to_vec()), "x.json")?;
        let mut all = Vec::new();
        let found = read(input, &paths, &mut |element| {
            let SourcePosition { record, line, .. } = element.place;
            all.push(format!("{}:{record}:{line} {}", element.list, element.text));
            Ok(())
        })?;
        Ok((all, found.lists))
    }

    #[test]
    fn the_elements_of_lists_are_found_wherever_they_lie() {
        let cases: [(&str, &[&str], &[&str]); 12] = [
            (
                "{\"v\":1}\n[\"x\", 3]\n7\n{\"v\":2}\n",
                &[""],
                &["0:1:1 {\"v\":1}", "0:2:2 [\"x\", 3]", "0:3:3 7", "0:4:4 {\"v\":2}"],
            ),
            ("{\"v\":1\n{\"v\":2}\n", &[""], &["0:1:1 {\"v\":1", "0:2:2 {\"v\":2}"]),
            ("[1]\n[2]", &[""], &["0:1:1 1", "0:2:2 2"]),
            ("[1, {\"a\": [2]},\n\"x\"]", &[""], &["0:1:1 1", "0:2:1 {\"a\": [2]}", "0:3:2 \"x\""]),
            ("{\"v\":1}\n\n{\"v\":2}\n", &[""], &["0:1:1 {\"v\":1}", "0:2:3 {\"v\":2}"]),
            ("{\n\"v\":1}\n{\n\"v\":2}", &[""], &["0:1:1 {\n\"v\":1}", "0:2:3 {\n\"v\":2}"]),
            ("{\"v\":1}\n{\"v\":\"\n{\"v\":3}", &[""], &["0:1:1 {\"v\":1}", "0:2:2 {\"v\":\"", "0:3:3 {\"v\":3}"]),
            ("{\"a\": {\"b\": [1, 2]}, \"c\": [3]}", &["c", "a.b"], &["1:1:1 1", "1:2:1 2", "0:3:1 3"]),
            ("{\"x\": \"]},{\\\"\", \"a\": [{}]}", &["a"], &["0:1:1 {}"]),
            ("[{\"a\": [1]}, {\"b\": 0, \"a\": [2]}]", &["*.a"], &["0:1:1 1", "0:2:1 2"]),
            ("{\"a\": {\"k\": {\"id\": 1}, \"l\": {}}}", &["a"], &["0:1:1 {\"id\": 1}", "0:2:1 {}"]),
            ("{\"a\": [] }", &["a"], &[]),
        ];
        for (json, paths, expected) in cases {
            let (found, lists) = elements(json, paths).unwrap();
            assert_eq!(found, expected, "{json}");
            assert!(lists.iter().all(|found| *found), "{json}");
        }
        assert_eq!(elements("{\"b\": [1]}", &["a"]).unwrap().1, [false]);
        assert_eq!(elements("", &["a"]).unwrap().1, [false]);
    }

    #[test]
    fn broken_documents_are_refused_with_their_place() {
        for (json, expected) in [
            ("{\"a\": [1", "x.json: line 1, byte 8: not JSON: the file ends inside a list"),
            ("{\"a\": [\n{\"b\": 1", "line 2, byte 15: not JSON: the file ends inside a value"),
            ("{\"a\": [1}", "not JSON: a bracket or a comma"),
            ("{\"a\" [1]}", "not JSON: a colon"),
            ("{a: [1]}", "not JSON: the name"),
            ("{\"a\": [1, ]}", "not JSON"),
            ("{\"a\": [1]}\nwords", "line 2, byte 11: not JSON: there are words outside"),
        ] {
            let error = format!("{:#}", elements(json, &["a"]).unwrap_err());
            assert!(error.contains(expected), "{json}: {error}");
        }
    }

    #[test]
    fn an_element_beyond_the_limit_is_cut_and_the_next_one_is_complete() {
        for (start, end) in [("[", "]"), ("{\"v\":[", "]}")] {
            let json = format!("{start}{{\"t\":\"{}\"}}, {{\"t\":1}}{end}", "x\\\"".repeat(RECORD_BYTES_MAX / 2));
            let mut found = Vec::new();
            let input = Input::from_reader(Cursor::new(json.into_bytes()), "x").unwrap();
            let list = if end == "]" { "" } else { "v" };
            read(input, &[path(list)], &mut |element| {
                found.push((element.text.len(), element.is_cut));
                Ok(())
            })
            .unwrap();
            assert_eq!(found, [(input::CUT_BYTES, true), (7, false)]);
        }
    }

    #[test]
    fn a_long_document_is_read_in_pieces() {
        let json = format!("[{}]", vec![format!("{{\"t\":\"{}\"}}", "x".repeat(1000)); 40_000].join(","));
        let mut elements = 0;
        let input = Input::from_reader(Cursor::new(json.into_bytes()), "x").unwrap();
        read(input, &[ListPath::new()], &mut |_| {
            elements += 1;
            Ok(())
        })
        .unwrap();
        assert_eq!(elements, 40_000);
    }
}
