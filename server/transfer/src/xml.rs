//! XML exports, read one small element at a time.
//!
//! Nothing outside the file is read and no entity that the file defines is expanded (a text keeps
//! its name), so a hostile file can only be large, and the size of an element is bounded (see
//! [`super::input::RECORD_BYTES_MAX`]). Names are used without their prefix, because each format
//! gives every local name one meaning.

use std::collections::HashMap;

use anyhow::{Result, bail};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use serde::{Deserialize, Serialize};

use super::html;
use super::input::{Input, NOT_UTF8, SourcePosition};

/// The deepest nesting that any of the formats needs.
const DEPTH_MAX: usize = 64;

/// A file that is read from tag to tag.
pub(crate) struct Xml {
    reader: Reader<Input>,
    buffer: Vec<u8>,
    depth: usize,
    /// The number of records that were read.
    records: u64,
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
    place: SourcePosition,
}

enum Step {
    Open { name: String, attributes: HashMap<String, String> },
    Close(String),
    Text(String),
    Nothing,
    End,
}

impl std::fmt::Debug for Xml {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Xml").field("input", self.reader.get_ref()).field("depth", &self.depth).finish_non_exhaustive()
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

    /// Returns all paths and texts.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts.iter().map(|(path, text)| (path.as_str(), text.trim()))
    }

    /// Returns the paths of all elements with the same path, in the file's order.
    pub(crate) fn repeated<'f>(&'f self, path: &'f str) -> impl Iterator<Item = String> + 'f {
        let numbered = move |n: u32| if n == 1 { path.to_owned() } else { format!("{path}~{n}") };
        (1..).map(numbered).take_while(|path| self.texts.contains_key(path))
    }

    /// Returns true if a part of the element is not UTF-8.
    pub(crate) fn has_invalid_text(&self) -> bool {
        self.texts.values().any(|text| text.contains(NOT_UTF8))
    }

    fn put(&mut self, path: String, text: String) {
        self.texts.entry(path).or_insert(text);
    }
}

impl Xml {
    /// Reads the start tag of the outermost element, which must have the name `root`.
    ///
    /// # Errors
    /// The file cannot be read, or has another root.
    pub(crate) fn new(input: Input, root: &str) -> Result<Self> {
        let mut reader = Reader::from_reader(input);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.allow_dangling_amp = true;
        let mut xml = Self { reader, buffer: Vec::new(), depth: 0, records: 0 };
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
                Step::Open { name, attributes } => return Ok(Tag::Open(name, attributes)),
                Step::Close(name) => return Ok(Tag::Close(name)),
                Step::End => return Ok(Tag::End),
                Step::Text(_) | Step::Nothing => {}
            }
        }
    }

    /// Reads the element that was just opened to its end.
    ///
    /// # Errors
    /// Same as for [`Self::next`]; or the element is too large.
    pub(crate) fn fields(&mut self, attributes: HashMap<String, String>) -> Result<Fields> {
        let mut fields = Fields { place: self.reader.get_ref().place(), ..Fields::default() };
        let mut counts: HashMap<String, u32> = HashMap::new();
        let mut path: Vec<(String, String)> = vec![(String::new(), String::new())];
        attributes.into_iter().for_each(|(name, value)| fields.put(format!("@{name}"), value));
        loop {
            match self.step()? {
                Step::Open { name, attributes } => {
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
                Step::Close(_) => {
                    let Some((element_path, text)) = path.pop() else { return Ok(fields) };
                    fields.put(element_path, text);
                    if path.is_empty() {
                        return Ok(fields);
                    }
                }
                Step::Text(text) => {
                    if let Some((_, open)) = path.last_mut() {
                        open.push_str(&text);
                    }
                }
                Step::Nothing => {}
                Step::End => return Err(self.error_here("the file ends inside an element")),
            }
        }
    }

    /// Reads the record that was just opened to its end, and counts it.
    ///
    /// # Errors
    /// Same as for [`Self::fields`].
    pub(crate) fn record(&mut self, attributes: HashMap<String, String>) -> Result<Fields> {
        let mut fields = self.fields(attributes)?;
        self.records += 1;
        fields.place.record = self.records;
        Ok(fields)
    }

    fn step(&mut self) -> Result<Step> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        let step = match self.reader.read_event_into(&mut buffer) {
            Ok(event) => convert(event),
            Err(error) => Err(error.into()),
        };
        self.buffer = buffer;
        // The causes of an error of the parser repeat its words.
        let step = step.map_err(|error| self.error_here(&error.to_string()))?;
        match &step {
            Step::Open { .. } if self.depth >= DEPTH_MAX => return Err(self.error_here("elements nested too deeply")),
            Step::Open { .. } => self.depth += 1,
            Step::Close(_) => self.depth = self.depth.saturating_sub(1),
            Step::End if self.depth > 0 => {
                return Err(self.error_here("the file ends inside an element: it is cut off"));
            }
            Step::End | Step::Text(_) | Step::Nothing => {}
        }
        Ok(step)
    }

    /// Returns an error about the next byte of the file.
    pub(crate) fn error_here(&self, message: &str) -> anyhow::Error {
        let input = self.reader.get_ref();
        input.error_at(input.place(), message)
    }
}

fn convert(event: Event<'_>) -> Result<Step> {
    Ok(match event {
        Event::Start(start) | Event::Empty(start) => open_step(&start)?,
        Event::End(end) => Step::Close(end.local_name().as_ref().to_owned()),
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
    for attribute in start.attributes() {
        let attribute = attribute?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0);
        // A value with an entity that the file defines stays as it is.
        let value = value.map_or_else(|_| attribute.value.clone().into_owned(), std::borrow::Cow::into_owned);
        attributes.insert(attribute.key.local_name().as_ref().to_owned(), value);
    }
    Ok(Step::Open { name: start.local_name().as_ref().to_owned(), attributes })
}

#[cfg(test)]
mod tests;
