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
use super::input::Input;
use super::member_ids::{self, SourceMember};
use super::page::PageNames;
use super::read_settings::ReadSettings;
use super::record::{Client, Comment, CommentState, Key, Problem, Record, Subject, SubjectState};
use super::time::TimeReader;
use super::xml::{Fields, Tag, Xml};

/// The types of comments that are imported; a comment without a type is one too.
const COMMENT_TYPES: [&str; 3] = ["", "comment", "review"];
/// The states of posts that the public can read. Older exports name no state.
const PUBLIC_STATES: [&str; 2] = ["", "publish"];
/// The state of a post that has the state of another, to which it is attached.
const INHERITED: &str = "inherit";

/// Reads an export and passes its items and comments to `out`. The comments of an item wait in
/// `spool` until the item ends.
///
/// # Errors
/// The file is not well-formed XML, with its place; the error of `out`.
pub(crate) fn read(input: Input, settings: &ReadSettings, spool: &Path, out: EntrySink<'_>) -> Result<()> {
    let mut xml = Xml::new(input, "rss")?;
    let mut posts = Posts::default();
    loop {
        match xml.next()? {
            Tag::End => break,
            Tag::Open(name, _) if name == "item" => read_item(&mut xml, settings, spool, &mut posts, out)?,
            Tag::Open(..) | Tag::Close(_) => {}
        }
    }
    posts.attached().into_iter().try_for_each(|subject| out(GroupEntry::valid(Record::Subject(subject))))
}

/// The posts that others are attached to, and the attached ones.
#[derive(Debug, Default)]
struct Posts {
    /// The ids of those that the public can read.
    public: HashSet<String>,
    /// Each with the id of the post that it is attached to.
    attached: Vec<(String, Subject)>,
}

impl Posts {
    /// Returns the attached posts, hidden unless the file shows that the public can read the post
    /// that they are attached to.
    fn attached(self) -> Vec<Subject> {
        let Self { public, attached } = self;
        let state = |(parent, mut subject): (String, Subject)| {
            if !matches!(parent.as_str(), "" | "0") && !public.contains(&parent) {
                subject.state = SubjectState::Hidden;
            }
            subject
        };
        attached.into_iter().map(state).collect()
    }
}

/// Reads one item to its end. Its comments may precede the fields that identify the subject, so the
/// comments are kept until the end. An item without comments is skipped.
fn read_item(
    xml: &mut Xml,
    settings: &ReadSettings,
    spool: &Path,
    posts: &mut Posts,
    out: EntrySink<'_>,
) -> Result<()> {
    let mut fields = ItemFields(HashMap::new());
    let mut comments = HeldRecords::new(spool);
    loop {
        match xml.next()? {
            Tag::Open(name, attributes) if name == "comment" => comments.add(&xml.record(attributes)?)?,
            Tag::Open(name, attributes) => {
                let text = xml.fields(attributes)?;
                fields.0.entry(name).or_insert_with(|| text.get("").to_owned());
            }
            Tag::Close(_) | Tag::End => break,
        }
    }
    if !fields.is_hidden() {
        posts.public.insert(fields.get("post_id").to_owned());
    }
    if comments.is_empty() {
        return Ok(());
    }
    let subject = fields.subject(settings);
    let key = subject.as_ref().map_or_else(|| settings.unknown_page(), |subject| subject.key.clone());
    let post_time = fields.time("post_date", settings).ok().flatten();
    match subject {
        Some(subject) if fields.get("status") == INHERITED => {
            posts.attached.push((fields.get("post_parent").to_owned(), subject));
        }
        Some(subject) => out(GroupEntry::valid(Record::Subject(subject)))?,
        None => {}
    }
    let item = Item { key, post_time };
    comments.drain(&mut |comment: Fields| out(item.comment(&comment, settings)))
}

/// The elements of an item, by name.
#[derive(Debug)]
struct ItemFields(HashMap<String, String>);

impl ItemFields {
    fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
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
        entry.keep_original(fields.all());
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
        let (reason, message) = if fields.has_invalid_text() {
            ("RECORD_INVALID", "it is not UTF-8".to_owned())
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
mod tests {
    use super::*;

    const EXPORT: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:wp="http://wordpress.org/export/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
  <title>Blog</title><link>http://example.tld</link>
  <item><title>Hello, World…</title><link>http://example.tld/2014/test/</link><dc:creator><![CDATA[Tester]]></dc:creator>
    <wp:post_id>18</wp:post_id><wp:post_date_gmt>2014-01-14 17:31:03</wp:post_date_gmt><wp:comment_status>open</wp:comment_status>
    <wp:comment><wp:comment_id>2</wp:comment_id><wp:comment_author><![CDATA[Ohai]]></wp:comment_author>
      <wp:comment_author_email>test@example.org
      </wp:comment_author_email><wp:comment_author_IP>::ffff:82.119.20.0</wp:comment_author_IP>
      <wp:comment_date>2014-01-14 18:32:12</wp:comment_date><wp:comment_date_gmt>2014-01-14 17:32:12</wp:comment_date_gmt>
      <wp:comment_content>
        <![CDATA[Erster!1]]></wp:comment_content><wp:comment_approved>1</wp:comment_approved><wp:comment_type></wp:comment_type>
      <wp:comment_parent>0</wp:comment_parent></wp:comment>
    <wp:comment><wp:comment_id>7</wp:comment_id><wp:comment_author><![CDATA[Tester]]></wp:comment_author>
      <wp:comment_date_gmt>2014-04-29 15:21:35</wp:comment_date_gmt><wp:comment_content><![CDATA[Drölfter!
zwei]]></wp:comment_content><wp:comment_approved>spam</wp:comment_approved><wp:comment_parent>2</wp:comment_parent></wp:comment>
    <wp:comment><wp:comment_id>8</wp:comment_id><wp:comment_type>pingback</wp:comment_type><wp:comment_approved>1</wp:comment_approved>
      <wp:comment_date_gmt>2014-04-29 15:21:35</wp:comment_date_gmt><wp:comment_content>x</wp:comment_content></wp:comment>
  </item>
  <item><title>...</title><link>http://example.tld/?p=4</link>
    <wp:comment><wp:comment_id>2</wp:comment_id><wp:comment_approved>trash</wp:comment_approved>
      <wp:comment_date_gmt>0000-00-00 00:00:00</wp:comment_date_gmt><wp:comment_content>x</wp:comment_content></wp:comment></item>
  <item><title>No comments</title><link>http://example.tld/?p=6</link></item>
</channel></rss>"#;

    type Rejected = Option<String>;

    fn entries(xml: &str, settings: ReadSettings) -> Vec<GroupEntry> {
        let input = Input::from_reader(std::io::Cursor::new(xml.as_bytes().to_vec()), "x.xml").unwrap();
        let mut entries = Vec::new();
        read(input, &settings, &std::env::temp_dir(), &mut |entry| {
            entries.push(entry);
            Ok(())
        })
        .unwrap();
        entries
    }

    fn subjects(entries: &[GroupEntry]) -> Vec<Subject> {
        let subject = |entry: &GroupEntry| match &entry.record {
            Record::Subject(subject) => Some(subject.clone()),
            Record::Comment(_) | Record::Like(_) => None,
        };
        entries.iter().filter_map(subject).collect()
    }

    fn comments(entries: &[GroupEntry]) -> Vec<(Comment, Rejected)> {
        let comment = |entry: &GroupEntry| match &entry.record {
            Record::Comment(comment) => {
                Some((comment.clone(), entry.problem.as_ref().map(|problem| problem.reason.clone())))
            }
            Record::Subject(_) | Record::Like(_) => None,
        };
        entries.iter().filter_map(comment).collect()
    }

    fn export(item: &str, comments: &[&str]) -> String {
        let comment = |(n, fields): (usize, &&str)| format!("<comment><comment_id>{n}</comment_id>{fields}</comment>");
        let comments: String = comments.iter().enumerate().map(comment).collect();
        format!("<rss><channel><item><post_id>7</post_id>{item}{comments}</item></channel></rss>")
    }

    #[test]
    fn only_comments_and_reviews_come_in() {
        const TIME: &str = "<comment_date_gmt>2014-04-29 15:21:35</comment_date_gmt>";
        let kinds = ["", "comment", "review", "order_note", "webmention", "like", "note", "pingback", "action_log"];
        let comments_of = |settings| {
            let fields: Vec<String> =
                kinds.iter().map(|kind| format!("{TIME}<comment_type>{kind}</comment_type>")).collect();
            let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
            let found = comments(&entries(&export("", &fields), settings));
            found.into_iter().map(|(_, rejected)| rejected.is_none()).collect::<Vec<_>>()
        };
        assert_eq!(comments_of(ReadSettings::of("w")), [true, true, true, false, false, false, false, false, false]);
        let more = ReadSettings { comment_types: vec!["webmention".to_owned()], ..ReadSettings::of("w") };
        assert_eq!(comments_of(more), [true, true, true, false, true, false, false, false, false]);
    }

    #[test]
    fn a_post_that_the_public_cannot_read_is_a_hidden_subject() {
        const COMMENT: &str = "<comment_date_gmt>2014-04-29 15:21:35</comment_date_gmt>";
        let state = |item: &str| subjects(&entries(&export(item, &[COMMENT]), ReadSettings::of("w")))[0].state;
        for status in ["draft", "private", "trash", "pending", "future", "auto-draft", "wc-completed", "unheard-of"] {
            assert_eq!(state(&format!("<status>{status}</status>")), SubjectState::Hidden, "{status}");
        }
        assert_eq!(state("<status>publish</status><post_password>secret</post_password>"), SubjectState::Hidden);
        assert_eq!(state("<status>publish</status><post_password/>"), SubjectState::Active);
        assert_eq!(state("<status>publish</status><comment_status>closed</comment_status>"), SubjectState::ReadOnly);
        assert_eq!(state("<status>private</status><comment_status>closed</comment_status>"), SubjectState::Hidden);
        assert_eq!(state(""), SubjectState::Active);
        let attached = |parent: &str| {
            let attachment = export("<status>inherit</status><post_parent>9</post_parent>", &[COMMENT]);
            let post = format!("<item><post_id>9</post_id><status>{parent}</status></item></channel>");
            subjects(&entries(&attachment.replace("</channel>", &post), ReadSettings::of("w")))[0].state
        };
        assert_eq!((attached("publish"), attached("private")), (SubjectState::Active, SubjectState::Hidden));
        assert_eq!(state("<status>inherit</status><post_parent>9</post_parent>"), SubjectState::Hidden);
        assert_eq!(state("<status>inherit</status><post_parent>0</post_parent>"), SubjectState::Active);
    }

    #[test]
    fn the_stars_of_a_review_and_entities_of_names_are_kept() {
        let review = "<comment_date_gmt>2014-04-29 15:21:35</comment_date_gmt><comment_type>review</comment_type>\
            <comment_author><![CDATA[Ren&eacute;e &#8217;]]></comment_author><comment_content><![CDATA[<img src=\"/a.png\">]]></comment_content>\
            <commentmeta><meta_key>verified</meta_key><meta_value>0</meta_value></commentmeta>\
            <commentmeta><meta_key>rating</meta_key><meta_value>4</meta_value></commentmeta>";
        let found = comments(&entries(&export("<title>A &amp;amp; B</title>", &[review]), ReadSettings::of("w")));
        let (comment, _) = &found[0];
        assert_eq!((comment.metadata["rating"].as_str(), comment.metadata["author_name"].as_str()), ("4", "Renée ’"));
        assert_eq!(comment.text, "/a.png");
        assert_eq!(comment.original["comment_author"], "Ren&eacute;e &#8217;");
        assert_eq!(comment.original["comment_content"], "<img src=\"/a.png\">");
    }

    #[test]
    fn zero_dates_fall_back_to_the_local_time_and_then_to_the_post() {
        let times = |utc: &str, local: &str| {
            format!("<comment_date_gmt>{utc}</comment_date_gmt><comment_date>{local}</comment_date>")
        };
        const ZERO: &str = "0000-00-00 00:00:00";
        let fields = [
            times(ZERO, "2009-05-01 08:00:00"),
            times(ZERO, ZERO),
            times("-0001-11-30 00:00:00", "-0001-11-30 00:00:00"),
            times("", "2009-05-02 08:00:00"),
            times("soon", "2009-05-02 08:00:00"),
        ];
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        let zone = jiff::tz::TimeZone::get("Europe/Berlin").unwrap();
        let settings = ReadSettings { zone, ..ReadSettings::of("w") };
        let found = comments(&entries(
            &export("<post_date_gmt>2011-03-30 09:00:00</post_date_gmt>", &fields),
            settings.clone(),
        ));
        let found: Vec<String> = found
            .into_iter()
            .map(|(comment, rejected)| rejected.unwrap_or_else(|| comment.create_time.unwrap().to_string()))
            .collect();
        let post = "2011-03-30T09:00:00Z";
        assert_eq!(found, ["2009-05-01T06:00:00Z", post, post, "2009-05-02T06:00:00Z", "TIME_INVALID"]);
        let without = comments(&entries(&export("", &fields[1..2]), settings));
        assert_eq!(without[0].1.as_deref(), Some("TIME_INVALID"));
    }

    #[test]
    fn items_and_comments_are_read_with_times_threads_and_states() {
        let entries = entries(EXPORT, ReadSettings::of("wordpress"));
        let (subjects, comments) = (subjects(&entries), comments(&entries));
        let ids: Vec<_> = subjects.iter().map(|subject| subject.key.object_id.as_str()).collect();
        assert_eq!(ids, ["18", "/?p=4"]);
        assert_eq!(
            (subjects[0].owner_id.as_str(), subjects[0].metadata["title"].as_str()),
            ("wordpress:Tester", "Hello, World…")
        );
        let [first, reply, ping, trash] = comments.as_slice() else { panic!("{comments:?}") };
        assert_eq!((first.0.text.as_str(), first.0.client.ip.as_str()), ("Erster!1", "::ffff:82.119.20.0"));
        assert_eq!(first.0.create_time.unwrap().to_string(), "2014-01-14T17:32:12Z");
        assert!(first.0.member_id.starts_with("wordpress:e:") && first.1.is_none());
        assert_eq!((reply.0.parent_external_id.as_deref(), reply.0.text.as_str()), (Some("2"), "Drölfter!\nzwei"));
        assert_eq!(reply.0.state, CommentState::Hidden);
        assert_eq!(ping.1.as_deref(), Some("NOT_A_COMMENT"));
        assert_eq!((trash.0.state, trash.1.as_deref()), (CommentState::Deleted, Some("TIME_INVALID")));
    }
}
