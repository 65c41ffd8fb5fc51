//! XML exports, read one small element at a time.
//!
//! Nothing outside the file is read and no entity that the file defines is expanded (a text keeps
//! its name), so a hostile file can only be large, and the size of an element is bounded (see
//! [`super::input::RECORD_BYTES_MAX`]). Names are used without their prefix, because each format
//! gives every local name one meaning.
//!
//! Markup that is wrong inside a record, such as a tag that nothing closes, is the fault of that
//! record: its end tag ends it. Outside of records it ends the reading.

mod clip;
mod raw_text;

use std::collections::HashMap;

use anyhow::{Result, anyhow, bail};
use quick_xml::errors::SyntaxError;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use serde::{Deserialize, Serialize};

use self::clip::ClippedInput;
use self::raw_text::RawText;
use super::html;
use super::input::{CUT_BYTES, Input, SourcePosition, TOO_LONG};
use super::marks::NOT_UTF8;

/// The deepest nesting that is read. The formats need less than ten levels; the rest is for markup
/// in texts that are not escaped.
const DEPTH_MAX: usize = 1_000;

/// A file that is read from tag to tag.
pub(crate) struct Xml {
    reader: Reader<ClippedInput>,
    buffer: Vec<u8>,
    /// The names of the open elements.
    open: Vec<String>,
    /// The number of innermost elements that end because one around them did.
    ending: usize,
    /// True after the start of the outermost element.
    has_begun: bool,
    /// The element that is being read at once.
    scope: Option<Scope>,
    /// The first fault of that element.
    fault: Option<String>,
    /// The number of records that were read.
    records: u64,
}

/// An element that is read at once.
#[derive(Debug, Clone, Copy)]
struct Scope {
    /// The number of open elements down to it.
    depth: usize,
    is_record: bool,
}

/// The next event between elements.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    /// An element begins: its name and its attributes.
    Open(String, HashMap<String, String>),
    /// The innermost open element ends.
    Close(String),
    /// The file ends, with all elements closed.
    End,
}

/// The text of an element and its descendants, by path: `author/name`, attributes as `thread@id`.
/// The second of several elements with one path is `path~2`.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fields {
    texts: HashMap<String, String>,
    /// The texts of those that have markup inside, with the markup.
    #[serde(default, skip_serializing_if = "HashMap::is_empty")]
    raw: HashMap<String, String>,
    place: SourcePosition,
    /// The fault for which the element is rejected.
    fault: Option<String>,
}

enum Step {
    Open {
        name: String,
        attributes: HashMap<String, String>,
        fault: Option<String>,
        /// The tag as it is written.
        tag: String,
    },
    Close {
        name: String,
        /// False if an element around it ends it.
        is_written: bool,
    },
    /// An end tag that ends nothing.
    Stray(String),
    Text(String),
    Nothing,
    End,
}

impl std::fmt::Debug for Xml {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Xml").field("input", self.reader.get_ref()).field("open", &self.open).finish_non_exhaustive()
    }
}

impl Fields {
    /// Returns the text at a path without surrounding blanks; empty if the path does not exist.
    pub(crate) fn get(&self, path: &str) -> &str {
        self.texts.get(path).map_or("", |text| text.trim())
    }

    /// Returns the place of the element.
    pub(crate) fn place(&self) -> SourcePosition {
        self.place
    }

    /// Returns the text at a path with the blanks around it.
    pub(crate) fn untrimmed(&self, path: &str) -> &str {
        self.texts.get(path).map_or("", String::as_str)
    }

    /// Returns the text at a path as it is written, if it has markup inside.
    pub(crate) fn raw(&self, path: &str) -> Option<&str> {
        self.raw.get(path).map(|text| text.trim())
    }

    /// Returns all paths and texts. What has markup inside is as it is written, except the elements
    /// `parents`, which have others inside.
    pub(crate) fn all<'f>(&'f self, parents: &'f [&str]) -> impl Iterator<Item = (&'f str, &'f str)> {
        let raw = move |path: &str| self.raw(path).filter(|_| !parents.contains(&unnumbered(path)));
        self.texts.iter().map(move |(path, text)| (path.as_str(), raw(path).unwrap_or_else(|| text.trim())))
    }

    /// Returns the paths of all elements with the same path, in the file's order.
    pub(crate) fn repeated<'f>(&'f self, path: &'f str) -> impl Iterator<Item = String> + 'f {
        let numbered = move |n: u32| if n == 1 { path.to_owned() } else { format!("{path}~{n}") };
        (1..).map(numbered).take_while(|path| self.texts.contains_key(path))
    }

    /// Returns the fault for which the element is rejected: markup that is wrong, a length beyond
    /// the limit, bytes that are not UTF-8, or elements inside of a text. Only the elements
    /// `parents` have others inside.
    pub(crate) fn fault(&self, parents: &[&str]) -> Option<String> {
        self.fault_outside(parents, "")
    }

    /// Returns the same without the faults of the text of one element.
    pub(crate) fn fault_outside(&self, parents: &[&str], element: &str) -> Option<String> {
        let is_inside = |path: &str| path.split('/').next().is_some_and(|outer| outer == element && !outer.is_empty());
        if self.texts.iter().any(|(path, text)| !is_inside(path) && text.contains(NOT_UTF8)) {
            return Some("it is not UTF-8".to_owned());
        }
        let stray = |path: &&String| {
            let (outer, inner) = path.split_once('/')?;
            let outer = unnumbered(outer);
            (!parents.contains(&outer)).then(|| format!("<{inner}> is inside of <{outer}>, whose text is not escaped"))
        };
        self.fault
            .clone()
            .or_else(|| self.texts.keys().filter(|path| !is_inside(path)).filter_map(|path| stray(&path)).min())
    }

    /// Returns true if the text of an element has others inside, or is not UTF-8.
    pub(crate) fn is_faulty(&self, element: &str) -> bool {
        self.raw.contains_key(element) || self.get(element).contains(NOT_UTF8)
    }

    fn put(&mut self, path: String, text: String) {
        self.texts.entry(path).or_insert(text);
    }
}

/// Returns a path without the number of one of several elements.
fn unnumbered(path: &str) -> &str {
    path.split('~').next().unwrap_or_default()
}

impl Xml {
    /// Reads the start tag of the outermost element, which must have the name `root`.
    ///
    /// # Errors
    /// The file cannot be read, or has another root.
    pub(crate) fn new(input: Input, root: &str) -> Result<Self> {
        let mut reader = Reader::from_reader(ClippedInput::new(input));
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.allow_dangling_amp = true;
        // The end tags are compared here, where a wrong one is the fault of a record.
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        let (buffer, open) = (Vec::new(), Vec::new());
        let mut xml = Self { reader, buffer, open, ending: 0, has_begun: false, scope: None, fault: None, records: 0 };
        match xml.next()? {
            Tag::Open(name, _) if name == root => Ok(xml),
            Tag::Open(name, _) => {
                Err(xml.error_here(&format!("this is no export: <{root}> is expected first, but there is <{name}>")))
            }
            Tag::Close(_) | Tag::End => {
                Err(xml.error_here(&format!("this is no export: <{root}> is expected, but there is no element")))
            }
        }
    }

    /// Returns the next tag and skips the text before it. An empty element counts as an opening and
    /// a closing tag.
    ///
    /// # Errors
    /// The input is not well-formed XML, with file and line.
    pub(crate) fn next(&mut self) -> Result<Tag> {
        self.reader.get_mut().end_record();
        loop {
            match self.step()? {
                Step::Open { name, attributes, .. } => return Ok(Tag::Open(name, attributes)),
                Step::Close { name, .. } => return Ok(Tag::Close(name)),
                Step::End => return Ok(Tag::End),
                // Files that were joined have marks of their byte order inside.
                Step::Text(text) if self.is_outside() && !text.trim_matches(is_blank_or_mark).is_empty() => {
                    return Err(self.error_here("there is text outside of the outermost element"));
                }
                Step::Text(_) | Step::Stray(_) | Step::Nothing => {}
            }
        }
    }

    fn is_outside(&self) -> bool {
        self.has_begun && self.open.is_empty()
    }

    /// Returns the place of the next byte.
    pub(crate) fn place(&self) -> SourcePosition {
        self.reader.get_ref().input().place()
    }

    /// Reads the element that was just opened to its end.
    ///
    /// # Errors
    /// Same as for [`Self::next`].
    pub(crate) fn fields(&mut self, attributes: HashMap<String, String>) -> Result<Fields> {
        self.element(attributes, false, 1)
    }

    /// Reads the element that was just opened to its end, which has a text and no others inside.
    ///
    /// # Errors
    /// Same as for [`Self::next`].
    pub(crate) fn text(&mut self, attributes: HashMap<String, String>) -> Result<Fields> {
        self.element(attributes, false, 0)
    }

    /// Reads an element, in which those at `text_depth` have a text.
    fn element(&mut self, attributes: HashMap<String, String>, is_record: bool, text_depth: usize) -> Result<Fields> {
        let mut fields = Fields { place: self.place(), ..Fields::default() };
        self.scope = Some(Scope { depth: self.open.len(), is_record });
        self.fill(&mut fields, attributes, text_depth)?;
        self.scope = None;
        fields.fault = self.fault.take();
        if self.reader.get_ref().is_cut() {
            fields.fault = Some(TOO_LONG.to_owned());
            let texts = fields.texts.values_mut().chain(fields.raw.values_mut());
            texts.for_each(|text| text.truncate(text.floor_char_boundary(CUT_BYTES)));
        }
        Ok(fields)
    }

    fn fill(&mut self, fields: &mut Fields, attributes: HashMap<String, String>, text_depth: usize) -> Result<()> {
        let mut counts: HashMap<String, u32> = HashMap::new();
        let mut raw = RawText::default();
        let mut path: Vec<(String, String)> = vec![(String::new(), String::new())];
        attributes.into_iter().for_each(|(name, value)| fields.put(format!("@{name}"), value));
        loop {
            match self.step()? {
                Step::Open { name, attributes, tag, .. } => {
                    raw.open(path.len().checked_sub(text_depth + 1), &name, &tag);
                    let parent_path = path.last().map_or("", |(parent_path, _)| parent_path);
                    let mut element_path = if parent_path.is_empty() { name } else { format!("{parent_path}/{name}") };
                    let count = counts.entry(element_path.clone()).or_default();
                    *count += 1;
                    if *count > 1 {
                        element_path = format!("{element_path}~{count}");
                    }
                    attributes
                        .into_iter()
                        .for_each(|(name, value)| fields.put(format!("{element_path}@{name}"), value));
                    path.push((element_path, String::new()));
                }
                Step::Close { name, is_written } => {
                    let Some((element_path, text)) = path.pop() else { return Ok(()) };
                    if let Some(text) = raw.close(path.len().checked_sub(text_depth), &name, is_written) {
                        fields.raw.insert(element_path.clone(), text);
                    }
                    fields.put(element_path, text);
                    if path.is_empty() {
                        return Ok(());
                    }
                }
                Step::Text(text) => {
                    raw.text(&text);
                    if let Some((_, open)) = path.last_mut() {
                        open.push_str(&text);
                    }
                }
                Step::Stray(tag) => raw.stray(&tag),
                Step::Nothing => {}
                Step::End => return Err(self.error_here("the file ends inside an element: it is cut off")),
            }
        }
    }

    /// Reads the record that was just opened to its end, and counts it.
    ///
    /// # Errors
    /// Same as for [`Self::fields`].
    pub(crate) fn record(&mut self, attributes: HashMap<String, String>) -> Result<Fields> {
        let mut fields = self.element(attributes, true, 1)?;
        self.records += 1;
        fields.place.record = self.records;
        Ok(fields)
    }

    fn step(&mut self) -> Result<Step> {
        if self.ending > 0 {
            self.ending -= 1;
            let is_written = self.ending == 0;
            return Ok(Step::Close { name: self.open.pop().unwrap_or_default(), is_written });
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        let step = match self.reader.read_event_into(&mut buffer) {
            Ok(event) => convert(event),
            Err(error) => Err(anyhow!(words(&error))),
        };
        self.buffer = buffer;
        // The causes of an error of the parser repeat its words.
        let step = step.map_err(|error| self.error_here(&error.to_string()))?;
        match step {
            Step::Open { .. } if self.open.len() >= DEPTH_MAX => Err(self.error_here("elements nested too deeply")),
            Step::Open { name, attributes, fault, tag } => {
                if let Some(fault) = fault {
                    self.report(fault)?;
                }
                let record = self.scope.filter(|scope| scope.is_record).and_then(|scope| scope.depth.checked_sub(1));
                if record.and_then(|record| self.open.get(record)).is_some_and(|record| *record == name) {
                    return Err(self.error_here(&format!("a <{name}> begins before the end of the one before it")));
                }
                self.has_begun = true;
                self.open.push(name.clone());
                Ok(Step::Open { name, attributes, fault: None, tag })
            }
            Step::Close { name, .. } => self.close(name),
            Step::End if !self.open.is_empty() => {
                Err(self.error_here("the file ends inside an element: it is cut off"))
            }
            Step::End | Step::Text(_) | Step::Stray(_) | Step::Nothing => Ok(step),
        }
    }

    /// Ends the innermost element with this name, and those inside of it. An end tag of none ends
    /// nothing.
    fn close(&mut self, name: String) -> Result<Step> {
        let inner = self.open.iter().rev().take_while(|open| **open != name).count();
        if inner == 0 && self.open.pop().is_some() {
            return Ok(Step::Close { name, is_written: true });
        }
        if inner == self.open.len() {
            self.report(format!("</{name}> ends an element that does not begin"))?;
            return Ok(Step::Stray(format!("</{name}>")));
        }
        let open = self.open.last().cloned().unwrap_or_default();
        let fault = format!("<{open}> has no end before </{name}>");
        // What ends more than a part of a record may have taken other records in.
        let ends_part = |scope: Scope| !scope.is_record && self.open.len() < scope.depth + inner;
        if self.scope.is_some_and(ends_part) {
            return Err(self.error_here(&fault));
        }
        self.report(fault)?;
        self.ending = inner;
        Ok(Step::Close { name: self.open.pop().unwrap_or_default(), is_written: false })
    }

    /// Reports wrong markup: as the fault of the record, or as an error outside of records.
    fn report(&mut self, fault: String) -> Result<()> {
        if self.scope.is_none() {
            return Err(self.error_here(&fault));
        }
        self.fault.get_or_insert(fault);
        Ok(())
    }

    /// Returns an error about the next byte of the file.
    pub(crate) fn error_here(&self, message: &str) -> anyhow::Error {
        let input = self.reader.get_ref().input();
        // The records count from 1; before the first one the file itself is wrong.
        let record = if self.scope.is_some() || self.records > 0 { self.records + 1 } else { 0 };
        input.error_at(SourcePosition { record, ..input.place() }, message)
    }
}

fn convert(event: Event<'_>) -> Result<Step> {
    Ok(match event {
        Event::Start(start) | Event::Empty(start) => open_step(&start)?,
        Event::End(end) => Step::Close { name: end.local_name().as_ref().to_owned(), is_written: true },
        Event::Text(text) => Step::Text(text.xml10_content().into_owned()),
        Event::CData(text) => Step::Text(text.into_inner().into_owned()),
        Event::GeneralRef(name) => match html::entity_text(&name) {
            Some(text) => Step::Text(text.into_owned()),
            None => Step::Text(format!("&{};", &*name)),
        },
        Event::Decl(declaration) => {
            if let Some(encoding) = declaration.encoding() {
                let encoding = encoding?.to_ascii_lowercase();
                if !matches!(encoding.as_str(), "utf-8" | "utf8" | "us-ascii" | "ascii") {
                    bail!("the file is {encoding}; convert it to UTF-8 first (iconv -f {encoding} -t UTF-8)");
                }
            }
            Step::Nothing
        }
        Event::Comment(_) | Event::PI(_) | Event::DocType(_) => Step::Nothing,
        Event::Eof => Step::End,
    })
}

fn open_step(start: &BytesStart<'_>) -> Result<Step> {
    let mut attributes = HashMap::new();
    let name = start.local_name().as_ref().to_owned();
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let mut fault = (!is_name).then(|| format!("<{name} is no tag; in a text, < is written as &lt;"));
    for attribute in start.attributes() {
        let Ok(attribute) = attribute else {
            fault.get_or_insert_with(|| format!("the attributes of <{name}> are not well-formed"));
            break;
        };
        let value = attribute.normalized_value(XmlVersion::Implicit1_0);
        // A value with an entity that the file defines stays as it is.
        let value = value.map_or_else(|_| attribute.value.clone().into_owned(), std::borrow::Cow::into_owned);
        attributes.insert(attribute.key.local_name().as_ref().to_owned(), value);
    }
    Ok(Step::Open { name, attributes, fault, tag: format!("<{}>", &**start) })
}

fn is_blank_or_mark(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// Returns the words of an error of the parser, whose own ones are about its parts.
fn words(error: &quick_xml::Error) -> String {
    match error {
        quick_xml::Error::Io(error) => error.to_string(),
        // Whatever has no end reaches to the end of the file.
        quick_xml::Error::Syntax(SyntaxError::InvalidBangMarkup) => "what follows <! is no markup".to_owned(),
        quick_xml::Error::Syntax(_) => "the file ends inside a tag: it is cut off".to_owned(),
        quick_xml::Error::IllFormed(_)
        | quick_xml::Error::InvalidAttr(_)
        | quick_xml::Error::Encoding(_)
        | quick_xml::Error::Escape(_)
        | quick_xml::Error::Namespace(_) => error.to_string(),
    }
}

#[cfg(test)]
mod tests;
