//! Elements that contain lists of other elements, such as a thread its comments or a comment its
//! replies: each of them is read alone, so that one that is broken or too long costs itself only,
//! and the size of what contains it is not limited.
//!
//! Brackets, strings and the names of members on the way to a list are followed, nothing else.

use std::io::BufRead;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::{Element, ElementSink, JsonLists, ListPath};
use crate::held::IndexedRecords;
use crate::input::{self, RECORD_BYTES_MAX, SourcePosition};

/// The depth to which elements are taken apart; a deeper list is a part of the text around it.
const DEPTH_MAX: usize = 10_000;
/// The longest name of a member that may lead to a list, in bytes.
const NAME_BYTES_MAX: usize = 1024;

/// The paths to the lists inside elements.
#[derive(Debug, Clone, Default)]
pub(crate) struct NodePaths {
    /// From an element of the main list to the records; empty if the elements are the records.
    pub(crate) inner: ListPath,
    /// From a record to those below it.
    pub(crate) children: Option<ListPath>,
}

/// A node that was read, and waits for the start of those around it.
#[derive(Debug, Serialize, Deserialize)]
struct HeldNode {
    depth: usize,
    text: String,
    is_cut: bool,
    place: SourcePosition,
}

/// The nodes of one element, in the order in which they begin.
#[derive(Debug)]
struct Nodes {
    held: IndexedRecords,
    /// The place of each in `held`.
    places: Vec<(u64, u32)>,
}

/// One element as it passes.
#[derive(Debug)]
struct NodeSplit<'p> {
    paths: &'p NodePaths,
    is_by_line: bool,
    open: Vec<OpenNode<'p>>,
}

#[derive(Debug)]
struct OpenNode<'p> {
    number: usize,
    depth: usize,
    place: SourcePosition,
    /// The text that was read of it, with `null` in place of the lists of other nodes.
    text: Vec<u8>,
    is_cut: bool,
    /// The path to the nodes below it.
    path: Option<&'p ListPath>,
    /// The number of open brackets.
    nesting: usize,
    /// The number of open objects on the way to the list.
    way: usize,
    in_text: bool,
    is_escaped: bool,
    has_begun: bool,
    /// True after the end of the value, until the line ends.
    is_complete: bool,
    /// True if the next text is the name of a member of an object on the way.
    expects_name: bool,
    /// The name that is being read.
    name: Option<Vec<u8>>,
    /// True if the value that follows is on the way.
    is_wanted: bool,
    list: Option<ChildList>,
}

/// An open list of nodes.
#[derive(Debug)]
struct ChildList {
    is_object: bool,
    expects_name: bool,
    in_text: bool,
    is_escaped: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Step {
    /// All bytes belong to open nodes.
    Continue,
    /// A node begins with the next byte.
    Begin,
    /// The innermost node ends before the next byte.
    End,
}

impl NodePaths {
    /// Returns true if no element contains others.
    pub(crate) fn is_empty(&self) -> bool {
        self.inner.is_empty() && self.children.is_none()
    }

    /// Returns the depth of the outermost records.
    pub(crate) fn record_depth(&self) -> usize {
        usize::from(!self.inner.is_empty())
    }

    fn below(&self, depth: usize) -> Option<&ListPath> {
        match depth {
            DEPTH_MAX.. => None,
            0 if !self.inner.is_empty() => Some(&self.inner),
            _ => self.children.as_ref().filter(|path| !path.is_empty()),
        }
    }
}

impl JsonLists<'_> {
    /// Reads the element that begins here, and passes it and the nodes inside of it to `each`, an
    /// outer one before those that it contains.
    pub(super) fn nodes(
        &mut self,
        here: &[usize],
        (paths, spool): (&NodePaths, &Path),
        each: ElementSink<'_>,
    ) -> Result<()> {
        self.next_byte()?;
        let mut split = NodeSplit { paths, is_by_line: self.is_by_line, open: Vec::new() };
        let mut nodes = Nodes { held: IndexedRecords::new(spool), places: Vec::new() };
        self.begin_node(&mut split, &mut nodes);
        let root = loop {
            let buffer = self.input.fill_buf().context("cannot read the file")?;
            let step = if buffer.is_empty() {
                if !split.may_end() {
                    return Err(self.error("the file ends inside a value: it is cut off"));
                }
                Step::End
            } else {
                let (length, step) = split.advance(buffer);
                self.input.consume(length);
                // The size of each node is bounded here.
                self.input.end_record();
                step
            };
            match step {
                Step::Continue => {}
                Step::Begin => self.begin_node(&mut split, &mut nodes),
                Step::End => {
                    let Some(node) = split.open.pop() else { continue };
                    if node.text.is_empty() {
                        return Err(self.error("a value is expected"));
                    }
                    if split.open.is_empty() {
                        break node;
                    }
                    nodes.add(node)?;
                }
            }
        };
        if nodes.places.len() == 1 {
            return self.emit_node(root.into_held()?, here, each);
        }
        nodes.add(root)?;
        for place in &nodes.places {
            let node: HeldNode = nodes.held.get(*place)?;
            // Only the outermost one is an element of other lists.
            let lists = if node.depth == 0 { here } else { &[0] };
            self.emit_node(node, lists, each)?;
        }
        Ok(())
    }

    fn begin_node<'p>(&mut self, split: &mut NodeSplit<'p>, nodes: &mut Nodes) {
        let depth = split.open.len();
        let is_record = depth >= split.paths.record_depth();
        self.records += u64::from(is_record);
        let record = if is_record { self.records } else { 0 };
        let place = SourcePosition { record, ..self.input.place() };
        split.open.push(OpenNode::new(nodes.places.len(), depth, place, split.paths.below(depth)));
        nodes.places.push((0, 0));
    }

    fn emit_node(&self, node: HeldNode, lists: &[usize], each: ElementSink<'_>) -> Result<()> {
        let HeldNode { depth, text, is_cut, place } = &node;
        let element = |list: &usize| Element {
            list: *list,
            is_single: false,
            container: self.containers,
            depth: *depth,
            text,
            is_cut: *is_cut,
            place: *place,
        };
        lists.iter().map(element).try_for_each(each)
    }
}

impl Nodes {
    fn add(&mut self, node: OpenNode<'_>) -> Result<()> {
        let number = node.number;
        let place = self.held.add(&node.into_held()?)?;
        self.places.get_mut(number).into_iter().for_each(|slot| *slot = place);
        Ok(())
    }
}

impl NodeSplit<'_> {
    /// Returns true if the file may end here: between the values of a sequence.
    fn may_end(&self) -> bool {
        let is_scalar = |node: &OpenNode<'_>| node.nesting == 0 && !node.in_text && node.has_begun;
        matches!(self.open.as_slice(), [node] if is_scalar(node))
    }

    /// Returns the number of bytes that were used, and the reason to stop after them.
    fn advance(&mut self, bytes: &[u8]) -> (usize, Step) {
        let is_line_root = self.is_by_line && self.open.len() == 1;
        let Some(node) = self.open.last_mut() else { return (0, Step::Continue) };
        for (index, byte) in bytes.iter().copied().enumerate() {
            if self.is_by_line && byte == b'\n' {
                return (index, Step::End);
            }
            let step = match &mut node.list {
                Some(_) => node.pass_list(byte),
                None => node.pass(byte, is_line_root),
            };
            match step {
                Passed::Continue => {}
                Passed::BeginHere => return (index, Step::Begin),
                Passed::EndHere => return (index, Step::End),
                Passed::EndAfter => return (index + 1, Step::End),
            }
        }
        (bytes.len(), Step::Continue)
    }
}

/// The effect of one byte.
enum Passed {
    Continue,
    BeginHere,
    EndHere,
    EndAfter,
}

impl<'p> OpenNode<'p> {
    fn new(number: usize, depth: usize, place: SourcePosition, path: Option<&'p ListPath>) -> Self {
        Self {
            number,
            depth,
            place,
            text: Vec::new(),
            is_cut: false,
            path,
            nesting: 0,
            way: 0,
            in_text: false,
            is_escaped: false,
            has_begun: false,
            is_complete: false,
            expects_name: false,
            name: None,
            is_wanted: false,
            list: None,
        }
    }

    fn into_held(self) -> Result<HeldNode> {
        let text = String::from_utf8(self.text).context("the input is not UTF-8")?;
        Ok(HeldNode { depth: self.depth, text, is_cut: self.is_cut, place: self.place })
    }

    fn push(&mut self, byte: u8) {
        if self.is_cut {
            return;
        }
        self.text.push(byte);
        if self.text.len() > RECORD_BYTES_MAX {
            self.is_cut = true;
            input::cut(&mut self.text);
        }
    }

    /// Follows a byte of the node itself.
    fn pass(&mut self, byte: u8, is_line_root: bool) -> Passed {
        if self.in_text {
            return self.pass_text(byte, is_line_root);
        }
        let is_between = self.nesting == 0 && !self.is_complete && !is_line_root;
        let is_end = matches!(byte, b',' | b':' | b'}' | b']') || self.has_begun && byte.is_ascii_whitespace();
        if is_between && is_end {
            return Passed::EndHere;
        }
        self.has_begun = true;
        if self.is_complete {
            self.push(byte);
            return Passed::Continue;
        }
        match byte {
            b'{' | b'[' => self.open(byte),
            b'}' | b']' => {
                self.push(byte);
                self.nesting = self.nesting.saturating_sub(1);
                self.way = self.way.min(self.nesting);
                (self.is_wanted, self.expects_name) = (false, false);
                return self.end_value(is_line_root);
            }
            b'"' => {
                self.push(byte);
                self.in_text = true;
                self.name = (self.is_on_way() && self.expects_name).then(Vec::new);
            }
            b',' if self.is_on_way() => {
                self.push(byte);
                (self.is_wanted, self.expects_name) = (false, true);
            }
            _ => self.push(byte),
        }
        Passed::Continue
    }

    fn pass_text(&mut self, byte: u8, is_line_root: bool) -> Passed {
        self.push(byte);
        if self.is_escaped || byte != b'"' {
            self.is_escaped = !self.is_escaped && byte == b'\\';
            self.name.iter_mut().filter(|name| name.len() <= NAME_BYTES_MAX).for_each(|name| name.push(byte));
            return Passed::Continue;
        }
        self.in_text = false;
        if let Some(name) = self.name.take() {
            self.expects_name = false;
            let segment = self.way.checked_sub(1).and_then(|index| self.path?.get(index));
            self.is_wanted = segment.is_some_and(|segment| is_name(&name, segment));
        }
        self.end_value(is_line_root)
    }

    /// Ends the node if its value ends; in a sequence of lines the line ends it.
    fn end_value(&mut self, is_line_root: bool) -> Passed {
        match (self.nesting, is_line_root) {
            (0, false) => Passed::EndAfter,
            (0, true) => {
                self.is_complete = true;
                Passed::Continue
            }
            _ => Passed::Continue,
        }
    }

    fn open(&mut self, byte: u8) {
        let is_object = byte == b'{';
        let is_root = self.nesting == 0;
        let length = self.path.map_or(0, Vec::len);
        let is_next = std::mem::take(&mut self.is_wanted);
        if is_next && self.way == length {
            b"null".iter().for_each(|byte| self.push(*byte));
            self.list = Some(ChildList { is_object, expects_name: is_object, in_text: false, is_escaped: false });
            return;
        }
        self.push(byte);
        self.nesting += 1;
        self.expects_name = false;
        if is_object && length > 0 && (is_root || is_next) {
            self.way += 1;
            self.expects_name = true;
        }
    }

    fn is_on_way(&self) -> bool {
        self.way > 0 && self.way == self.nesting
    }

    /// Follows a byte between the nodes of the open list.
    fn pass_list(&mut self, byte: u8) -> Passed {
        let Some(list) = &mut self.list else { return Passed::Continue };
        if list.in_text {
            list.in_text = list.is_escaped || byte != b'"';
            list.is_escaped = !list.is_escaped && byte == b'\\';
            return Passed::Continue;
        }
        match byte {
            byte if byte.is_ascii_whitespace() => {}
            b',' => list.expects_name = list.is_object,
            b':' => list.expects_name = false,
            b'"' if list.expects_name => list.in_text = true,
            b'}' | b']' => {
                // With the wrong bracket the text around the list is not JSON either.
                let is_wrong = (byte == b'}') != list.is_object;
                self.list = None;
                if is_wrong {
                    self.push(byte);
                }
            }
            _ => return Passed::BeginHere,
        }
        Passed::Continue
    }
}

/// Returns true for the name of a member as it is written, without its quotes.
fn is_name(written: &[u8], name: &str) -> bool {
    let unescaped = || serde_json::from_slice::<String>(&[b"\"", written, b"\""].concat()).ok();
    written == name.as_bytes() || written.contains(&b'\\') && unescaped().is_some_and(|written| written == name)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::input::Input;
    use crate::json_lists::{path, read_nodes};

    fn nodes(json: &str, list: &str, inner: &str, children: &str) -> Result<Vec<String>> {
        let paths = NodePaths { inner: path(inner), children: (!children.is_empty()).then(|| path(children)) };
        let input = Input::from_reader(Cursor::new(json.as_bytes().to_vec()), "x.json")?;
        let mut found = Vec::new();
        read_nodes(input, &[path(list)], (&paths, &std::env::temp_dir()), &mut |element| {
            let cut = if element.is_cut { " cut" } else { "" };
            let text: String = element.text.chars().take(40).collect();
            found.push(format!("{}:{}:{}{cut} {text}", element.depth, element.place.record, element.place.line));
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn an_outer_node_comes_before_those_inside_of_it() {
        let json = "{\"l\": [{\"r\": [{\"id\": 2}, {\"r\": {\"a]\": {\"id\": 4}}, \"id\": 3}], \"id\": 1},\n5, \"x\", {\"s\": {\"r\": [{}]}}]}";
        let expected = [
            "0:1:1 {\"r\": null, \"id\": 1}",
            "1:2:1 {\"id\": 2}",
            "1:3:1 {\"r\": null, \"id\": 3}",
            "2:4:1 {\"id\": 4}",
            "0:5:2 5",
            "0:6:2 \"x\"",
            "0:7:2 {\"s\": {\"r\": [{}]}}",
        ];
        assert_eq!(nodes(json, "l", "", "r").unwrap(), expected);
        let threads = "[{\"d\": {\"c\": [{\"t\": {\"c\": [1]}, \"r\": [7, {}]}]}, \"c\": [8]}]";
        let expected = [
            "0:0:1 {\"d\": {\"c\": null}, \"c\": [8]}",
            "1:1:1 {\"t\": {\"c\": [1]}, \"r\": null}",
            "2:2:1 7",
            "2:3:1 {}",
        ];
        assert_eq!(nodes(threads, "", "d.c", "r").unwrap(), expected);
    }

    #[test]
    fn names_with_escapes_lead_to_a_list_and_values_do_not() {
        let json = "[{\"x\": \"r\", \"y\": [\"r\", [{}]], \"\\u0072\": [{}], \"z\": {\"r\": [{}]}}]";
        let expected = ["0:1:1 {\"x\": \"r\", \"y\": [\"r\", [{}]], \"\\u0072\": n", "1:2:1 {}"];
        assert_eq!(nodes(json, "", "", "r").unwrap(), expected);
    }

    #[test]
    fn a_broken_line_ends_at_its_end() {
        let json = "{\"id\":1,\"r\":[{\"id\":2},{\"id\n{\"id\":3,\"r\":[{\"id\":4}]} x\n{\"id\":5}\n";
        let expected = [
            "0:1:1 {\"id\":1,\"r\":null",
            "1:2:1 {\"id\":2}",
            "1:3:1 {\"id",
            "0:4:2 {\"id\":3,\"r\":null} x",
            "1:5:2 {\"id\":4}",
            "0:6:3 {\"id\":5}",
        ];
        assert_eq!(nodes(json, "", "", "r").unwrap(), expected);
    }

    #[test]
    fn only_a_node_that_is_too_long_itself_is_cut() {
        let long = "x".repeat(RECORD_BYTES_MAX);
        let json = format!(
            "[{{\"c\": [{{\"t\": \"{long}\"}}, {{\"id\": 1}}, {{\"u\": \"{}\"}}], \"p\": 1}}]",
            &long[..RECORD_BYTES_MAX / 2]
        );
        let found = nodes(&json, "", "c", "").unwrap();
        assert_eq!(found[0], "0:0:1 {\"c\": null, \"p\": 1}");
        assert!(
            found[1].starts_with("1:1:1 cut ")
                && found[2] == "1:2:1 {\"id\": 1}"
                && found[3].starts_with("1:3:1 {\"u\"")
        );
    }

    #[test]
    fn deep_threads_are_read_and_a_document_that_is_cut_off_is_refused() {
        let depth = DEPTH_MAX + 5;
        let json = format!("[{}1{}]", "{\"r\":[".repeat(depth), "]}".repeat(depth));
        assert_eq!(nodes(&json, "", "", "r").unwrap().len(), DEPTH_MAX + 1);
        for broken in ["[{\"r\": [{\"id\": 1}", "[{\"r\": [", "{\"r\": [{}"] {
            assert!(nodes(broken, "", "", "r").unwrap_err().to_string().contains("cut off"), "{broken}");
        }
    }
}
