//! XML exports, read one small element at a time.
//!
//! Nothing outside the file is read and no entity that the file defines is expanded, so a hostile
//! file can only be large, and the size of an element is bounded (see
//! [`super::input::RECORD_BYTES_MAX`]). Names are used without their prefix, because each format
//! gives every local name one meaning.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::html;
use super::input::{self, Input, RecordMeter, base_name};

/// The deepest nesting that any of the formats needs.
const DEPTH_MAX: usize = 64;

/// A file that is read from tag to tag.
pub(crate) struct Xml {
    reader: Reader<Input>,
    meter: RecordMeter,
    path: PathBuf,
    buffer: Vec<u8>,
    depth: usize,
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
/// Of several elements with one path, the first counts.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Fields(HashMap<String, String>);

enum Step {
    Open { name: String, attributes: HashMap<String, String> },
    Close(String),
    Text(String),
    Nothing,
    End,
}

impl std::fmt::Debug for Xml {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Xml").field("path", &self.path).field("depth", &self.depth).finish_non_exhaustive()
    }
}

impl Fields {
    /// Returns the text at a path without surrounding blanks; empty if the path does not exist.
    pub(crate) fn get(&self, path: &str) -> &str {
        self.0.get(path).map_or("", |text| text.trim())
    }

    fn put(&mut self, path: String, text: String) {
        self.0.entry(path).or_insert(text);
    }
}

impl Xml {
    /// Opens a file and reads the start tag of its outermost element, which must have the name
    /// `root`.
    ///
    /// # Errors
    /// The file cannot be read, is not UTF-8, or has another root.
    pub(crate) fn open(path: &Path, root: &str) -> Result<Self> {
        let (input, meter) = input::open(path)?;
        let mut reader = Reader::from_reader(input);
        reader.config_mut().expand_empty_elements = true;
        let mut xml = Self { reader, meter, path: path.to_owned(), buffer: Vec::new(), depth: 0 };
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
        self.meter.reset();
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
        let mut fields = Fields::default();
        let mut path: Vec<(String, String)> = vec![(String::new(), String::new())];
        attributes.into_iter().for_each(|(name, value)| fields.put(format!("@{name}"), value));
        loop {
            match self.step()? {
                Step::Open { name, attributes } => {
                    let parent_path = path.last().map_or("", |(parent_path, _)| parent_path);
                    let element_path = if parent_path.is_empty() { name } else { format!("{parent_path}/{name}") };
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

    fn step(&mut self) -> Result<Step> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        let step = match self.reader.read_event_into(&mut buffer) {
            Ok(event) => convert(event),
            Err(error) => Err(error.into()),
        };
        self.buffer = buffer;
        let step = step.map_err(|error| self.error_here(&format!("{error:#}")))?;
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

    fn error_here(&self, message: &str) -> anyhow::Error {
        let line = input::line_at(&self.path, self.reader.buffer_position());
        let line = line.map_or_else(|| "?".to_owned(), |line| line.to_string());
        anyhow!("{}:{line}: {message}", base_name(&self.path))
    }
}

fn convert(event: Event<'_>) -> Result<Step> {
    Ok(match event {
        Event::Start(start) | Event::Empty(start) => open_step(&start)?,
        Event::End(end) => Step::Close(end.local_name().as_ref().to_owned()),
        Event::Text(text) => Step::Text(text.xml10_content().into_owned()),
        Event::CData(text) => Step::Text(text.into_inner().into_owned()),
        Event::GeneralRef(name) => match html::entity_character(&name) {
            Some(character) => Step::Text(character.to_string()),
            None => bail!("the entity &{}; is not known (entities that a file defines are not expanded)", &*name),
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
        let value = attribute.normalized_value(XmlVersion::Implicit1_0)?.into_owned();
        attributes.insert(attribute.key.local_name().as_ref().to_owned(), value);
    }
    Ok(Step::Open { name: start.local_name().as_ref().to_owned(), attributes })
}

#[cfg(test)]
mod tests;
