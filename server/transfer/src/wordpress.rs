//! The XML export of WordPress (WXR): items with comments become subjects.
//!
//! The object id of a subject is the post id of the item, or, without one, path and query of its
//! link; `--subject-by path` or `url` prefers the link. A post that the public cannot read (a
//! draft, a private one, one in the trash or behind a password) becomes a hidden subject. Comments
//! that wait for approval are imported as unapproved, spam as hidden, comments in the trash as
//! deleted. Records of other types than comments and reviews, such as the notes of a shop's orders,
//! are rejected. The text of a comment is HTML, and is converted to plain text.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use anyhow::Result;
use jiff::Timestamp;

use super::group::{EntrySink, GroupEntry};
use super::held::HeldRecords;
use super::html;
use super::input::{Input, SourcePosition};
use super::member_ids::{self, SourceMember};
use super::page::PageNames;
use super::read_notes::ReadNotes;
use super::read_settings::ReadSettings;
use super::record::{Client, Comment, CommentState, Key, Problem, Record, Subject, SubjectState};
use super::time::TimeReader;
use super::xml::{Fields, Tag, Xml};

/// The types of comments that are imported; a comment without a type is one too.
const COMMENT_TYPES: [&str; 3] = ["", "comment", "review"];
/// The elements of comments that have others inside.
const PARENTS: [&str; 1] = ["commentmeta"];
/// The states of posts that the public can read. A post without a state may be a draft.
const PUBLIC_STATES: [&str; 1] = ["publish"];
/// The most posts through which a post is attached to another.
const ATTACHED_DEPTH_MAX: usize = 100;
/// The state of a post that has the state of another, to which it is attached.
const INHERITED: &str = "inherit";

/// Reads an export and passes its items and comments to `out`. The comments of an item wait in
/// `spool` until the item ends.
///
/// # Errors
/// The file is not well-formed XML, with its place; the error of `out`.
pub(crate) fn read(
    input: Input,
    settings: &ReadSettings,
    spool: &Path,
    notes: &mut ReadNotes,
    out: EntrySink<'_>,
) -> Result<()> {
    let mut xml = Xml::new(input, "rss")?;
    let mut posts = Posts { notes, public: HashSet::new(), parents: HashMap::new(), attached: Vec::new() };
    loop {
        match xml.next()? {
            Tag::End => break,
            Tag::Open(name, _) if name == "item" => read_item(&mut xml, settings, spool, &mut posts, out)?,
            Tag::Open(..) | Tag::Close(_) => {}
        }
    }
    posts.attached().into_iter().try_for_each(out)
}

/// The posts that others are attached to, and the attached ones.
#[derive(Debug)]
struct Posts<'n> {
    notes: &'n mut ReadNotes,
    /// The ids of those that the public can read by themselves.
    public: HashSet<String>,
    /// The ids of the posts that others are attached to, by the ids of these.
    parents: HashMap<String, String>,
    /// Each with its id.
    attached: Vec<(String, GroupEntry)>,
}

impl Posts<'_> {
    /// Adds a post that has no password and is not hidden by its own state. One that has the state
    /// of another is public by itself only if it is a file that is attached to none.
    fn add(&mut self, fields: &ItemFields) {
        let (id, parent) = (fields.get("post_id").to_owned(), fields.get("post_parent"));
        let is_free = matches!(parent, "" | "0") && fields.get("post_type") == "attachment";
        if fields.get("status") == INHERITED && !is_free {
            self.parents.insert(id, parent.to_owned());
        } else {
            self.public.insert(id);
        }
    }

    /// Returns the attached posts, hidden unless the file shows that the public can read the post
    /// that they are attached to, through any number of others.
    fn attached(&mut self) -> Vec<GroupEntry> {
        let attached = std::mem::take(&mut self.attached);
        let state = |(id, mut entry): (String, GroupEntry)| {
            if let Record::Subject(subject) = &mut entry.record
                && !self.is_public(&id)
            {
                subject.state = SubjectState::Hidden;
            }
            entry
        };
        attached.into_iter().map(state).collect()
    }

    fn is_public(&self, id: &str) -> bool {
        let mut id = id;
        // A file may attach posts in a circle.
        for _ in 0..ATTACHED_DEPTH_MAX {
            if self.public.contains(id) {
                return true;
            }
            let Some(parent) = self.parents.get(id) else { return false };
            id = parent;
        }
        false
    }
}

/// Reads one item to its end. Its comments may precede the fields that identify the subject, so the
/// comments are kept until the end. An item without comments is skipped.
fn read_item(
    xml: &mut Xml,
    settings: &ReadSettings,
    spool: &Path,
    posts: &mut Posts<'_>,
    out: EntrySink<'_>,
) -> Result<()> {
    let mut fields = ItemFields {
        texts: HashMap::new(),
        raw: HashMap::new(),
        fault: None,
        is_title_lost: false,
        place: xml.place(),
    };
    let mut comments = HeldRecords::new(spool);
    loop {
        match xml.next()? {
            Tag::Open(name, attributes) if name == "comment" => comments.add(&xml.record(attributes)?)?,
            Tag::Open(name, _) if name == "item" => {
                return Err(xml.error_here("an <item> begins inside of another, which has no end"));
            }
            Tag::Open(name, attributes) => fields.add(name, &xml.text(attributes)?),
            Tag::Close(_) | Tag::End => break,
        }
    }
    if !fields.is_hidden() {
        posts.add(&fields);
    }
    if comments.is_empty() {
        return Ok(());
    }
    let subject = fields.subject(settings);
    if let Some(subject) = subject.as_ref().filter(|_| fields.is_title_lost && fields.fault.is_none()) {
        posts.notes.add_unreadable_title(&subject.key.object_id);
    }
    posts.notes.posts_without_status += u64::from(subject.is_some() && fields.get("status").is_empty());
    let key = subject.as_ref().map_or_else(|| settings.unknown_page(), |subject| subject.key.clone());
    let post_time = fields.time("post_date", settings).ok().flatten();
    match subject {
        Some(subject) if fields.get("status") == INHERITED => {
            posts.attached.push((fields.get("post_id").to_owned(), fields.entry(subject, settings)));
        }
        Some(subject) => out(fields.entry(subject, settings))?,
        None => {}
    }
    let item = Item { key, post_time };
    comments.drain(&mut |comment: Fields| out(item.comment(&comment, settings)))
}

/// The elements of an item that make its subject.
const ITEM_FIELDS: [&str; 11] = [
    "title",
    "link",
    "creator",
    "post_id",
    "post_date",
    "post_date_gmt",
    "post_parent",
    "post_password",
    "post_type",
    "comment_status",
    "status",
];

/// The elements of an item, by name.
#[derive(Debug)]
struct ItemFields {
    texts: HashMap<String, String>,
    /// Those with markup inside, as they are written.
    raw: HashMap<String, String>,
    /// The first fault of those that make its subject.
    fault: Option<String>,
    /// True if its title cannot be read. Its comments do not depend on it.
    is_title_lost: bool,
    place: SourcePosition,
}

impl ItemFields {
    fn add(&mut self, name: String, fields: &Fields) {
        if !ITEM_FIELDS.contains(&name.as_str()) {
            return;
        }
        let fault = fields.fault(&[]).map(|fault| format!("{name}: {fault}"));
        if let Some(raw) = fields.raw("").filter(|_| fault.is_some()) {
            self.raw.insert(name.clone(), raw.to_owned());
        }
        match (name.as_str(), fault) {
            ("title", Some(_)) => {
                self.is_title_lost = true;
                return;
            }
            (_, Some(fault)) => {
                self.fault.get_or_insert(fault);
            }
            (_, None) => {}
        }
        // A password of blanks is one; line ends are those of an indented file.
        let is_exact = name == "post_password" && !fields.untrimmed("").contains(['\n', '\r']);
        let text = if is_exact { fields.untrimmed("") } else { fields.get("") };
        self.texts.entry(name).or_insert_with(|| text.to_owned());
    }

    fn get(&self, name: &str) -> &str {
        self.texts.get(name).map_or("", String::as_str)
    }

    /// Returns the subject with the fault for which it is rejected.
    fn entry(&self, subject: Subject, settings: &ReadSettings) -> GroupEntry {
        let mut entry = GroupEntry::valid(Record::Subject(subject)).at(self.place);
        entry.problem = match (&self.fault, self.time("post_date", settings)) {
            (Some(fault), _) => Some(entry.problem("RECORD_INVALID", fault)),
            (None, Err(error)) => Some(entry.problem("TIME_INVALID", &format!("{error:#}"))),
            (None, Ok(_)) => None,
        };
        if entry.problem.is_some() {
            let raw = |name: &String| self.raw.get(name).map(String::as_str);
            let texts = self.texts.iter().map(|(name, text)| (name.as_str(), raw(name).unwrap_or(text)));
            entry.keep_original(texts);
        }
        entry
    }

    fn time(&self, name: &str, settings: &ReadSettings) -> Result<Option<Timestamp>> {
        time_of(self.get(&format!("{name}_gmt")), self.get(name), settings)
    }

    fn is_hidden(&self) -> bool {
        let status = self.get("status");
        let is_public = PUBLIC_STATES.contains(&status) || status == INHERITED;
        !is_public || !self.get("post_password").is_empty()
    }

    fn subject(&self, settings: &ReadSettings) -> Option<Subject> {
        let page = PageNames { id: self.get("post_id"), link: self.get("link"), number: "" };
        let mut subject = Subject {
            key: Key { object_type: settings.object_type.clone(), object_id: page.object_id(&settings.pages)? },
            create_time: self.time("post_date", settings).ok().flatten(),
            ..Subject::default()
        };
        if !self.get("creator").is_empty() {
            let author = SourceMember { username: self.get("creator"), ..SourceMember::default() };
            subject.owner_id = member_ids::member_id(&settings.source, &settings.salt, author);
        }
        subject.state = match (self.is_hidden(), self.get("comment_status")) {
            (true, _) => SubjectState::Hidden,
            (false, "closed") => SubjectState::ReadOnly,
            (false, _) => SubjectState::Active,
        };
        subject.put_metadata("title", &html::to_line(self.get("title")));
        subject.put_metadata("url", self.get("link"));
        Some(subject)
    }
}

/// Reads a time that WordPress stores in UTC and as local time; either may be one of its zero
/// dates. `None` if both are.
///
/// # Errors
/// The time is neither a time nor a zero date.
fn time_of(utc: &str, local: &str, settings: &ReadSettings) -> Result<Option<Timestamp>> {
    if !TimeReader::is_none(utc) {
        return TimeReader::utc().read(utc).map(Some);
    }
    if TimeReader::is_none(local) {
        return Ok(None);
    }
    TimeReader::local(&settings.zone).read(local).map(Some)
}

/// The values that the comments of an item take from it.
struct Item {
    key: Key,
    post_time: Option<Timestamp>,
}

impl Item {
    fn comment(&self, fields: &Fields, settings: &ReadSettings) -> GroupEntry {
        let name = html::to_line(fields.get("comment_author"));
        let author = SourceMember { username: "", email: fields.get("comment_author_email"), name: &name };
        let create_time = time_of(fields.get("comment_date_gmt"), fields.get("comment_date"), settings);
        let create_time = create_time.map(|time| time.or(self.post_time));
        let parent = fields.get("comment_parent");
        let state = match fields.get("comment_approved") {
            "1" | "approve" => CommentState::Active,
            "trash" => CommentState::Deleted,
            "0" | "hold" => CommentState::Unapproved,
            _ => CommentState::Hidden,
        };
        let mut comment = Comment {
            key: self.key.clone(),
            external_id: member_ids::fit_id(fields.get("comment_id")),
            parent_external_id: (!matches!(parent, "" | "0")).then(|| member_ids::fit_id(parent)),
            member_id: member_ids::member_id(&settings.source, &settings.salt, author),
            text: html::to_comment(fields.get("comment_content")),
            client: Client { ip: fields.get("comment_author_IP").to_owned(), ..Client::default() },
            state,
            create_time: create_time.as_ref().ok().copied().flatten(),
            ..Comment::default()
        };
        comment.put_metadata("author_name", author.name);
        comment.put_metadata("rating", rating(fields));
        let problem = self.problem(fields, create_time, settings);
        let mut entry = GroupEntry { record: Record::Comment(comment), problem, place: Some(fields.place()) };
        entry.keep_original(fields.all(&PARENTS));
        entry
    }

    fn problem(
        &self,
        fields: &Fields,
        create_time: Result<Option<Timestamp>>,
        settings: &ReadSettings,
    ) -> Option<Problem> {
        let kind = fields.get("comment_type");
        let is_comment = COMMENT_TYPES.contains(&kind) || settings.comment_types.iter().any(|known| known == kind);
        let (reason, message) = if let Some(fault) = fields.fault(&PARENTS) {
            ("RECORD_INVALID", fault)
        } else if fields.get("comment_id").is_empty() {
            ("ID_EMPTY", "it has no id".to_owned())
        } else if self.key.object_id.is_empty() {
            ("SUBJECT_MISSING", "its item has neither post id nor link".to_owned())
        } else if !is_comment {
            ("NOT_A_COMMENT", format!("its type is {kind}; --comment-types {kind} imports it"))
        } else {
            match create_time {
                Ok(Some(_)) => return None,
                Ok(None) => ("TIME_INVALID", "neither it nor its post has a time".to_owned()),
                Err(error) => ("TIME_INVALID", format!("{error:#}")),
            }
        };
        Some(Problem::at(reason, fields.place(), message))
    }
}

/// Returns the stars of a review, which a shop stores with it.
fn rating(fields: &Fields) -> &str {
    let mut metas = fields.repeated("commentmeta");
    let rating = metas.find(|path| fields.get(&format!("{path}/meta_key")) == "rating");
    rating.map_or("", |path| fields.get(&format!("{path}/meta_value")))
}

#[cfg(test)]
mod tests;
