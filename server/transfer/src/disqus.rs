//! The XML export of Disqus: threads become subjects, posts become comments.
//!
//! A subject's id is the thread's own `<id>` (the identifier that the site gave it), or else path
//! and query of its link, or else Disqus' number; with `--subject-by path` the link comes first.
//! Deleted posts are imported as tombstones, spam as hidden comments. Posts of a thread that is not
//! in the file are rejected. The text is HTML and is converted to plain text.

use std::collections::HashMap;
use std::path::Path;

use anyhow::Result;

use super::group::GroupEntry;
use super::html;
use super::member_ids::{self, SourceMember};
use super::page::{self, PageNames};
use super::read_settings::ReadSettings;
use super::record::{Client, Comment, CommentState, Key, Problem, Record, Subject, SubjectState, put_metadata};
use super::time::TimeReader;
use super::xml::{Fields, Tag, Xml};

/// Reads an export and passes its threads and posts to `out`.
///
/// # Errors
/// The file is not well-formed XML, with file and line.
pub(crate) fn read(path: &Path, settings: &ReadSettings, out: &mut dyn FnMut(GroupEntry)) -> Result<()> {
    let mut xml = Xml::open(path, "disqus")?;
    let mut threads: HashMap<String, Key> = HashMap::new();
    let mut posts: Vec<Fields> = Vec::new();
    loop {
        match xml.next()? {
            Tag::End => break,
            Tag::Open(name, attributes) if name == "thread" => {
                let fields = xml.fields(attributes)?;
                if let Some(subject) = thread(&fields, settings) {
                    threads.insert(fields.get("@id").to_owned(), subject.key.clone());
                    out(GroupEntry::valid(Record::Subject(subject)));
                }
            }
            // A post may precede its thread, so posts are kept until the end of the file.
            Tag::Open(name, attributes) if name == "post" => posts.push(xml.fields(attributes)?),
            Tag::Open(..) | Tag::Close(_) => {}
        }
    }
    posts.iter().for_each(|fields| out(post(fields, &threads, settings)));
    Ok(())
}

/// Converts a thread; `None` for a thread without identifier and link, which no page can show.
fn thread(fields: &Fields, settings: &ReadSettings) -> Option<Subject> {
    let page = PageNames { id: fields.get("id"), link: fields.get("link"), number: "" };
    let object_id = page.object_id(settings.subject_by)?;
    let mut subject = Subject {
        key: Key { object_type: settings.object_type.clone(), object_id },
        create_time: TimeReader::utc().read(fields.get("createdAt")).ok(),
        ..Subject::default()
    };
    if fields.get("isClosed") == "true" {
        subject.state = SubjectState::ReadOnly;
    }
    if fields.get("isDeleted") == "true" {
        subject.state = SubjectState::Hidden;
    }
    put_metadata(&mut subject.metadata, "title", fields.get("title"));
    put_metadata(&mut subject.metadata, "url", fields.get("link"));
    Some(subject)
}

fn post(fields: &Fields, threads: &HashMap<String, Key>, settings: &ReadSettings) -> GroupEntry {
    let thread_id = fields.get("thread@id");
    let author = SourceMember {
        username: fields.get("author/username"),
        email: fields.get("author/email"),
        name: fields.get("author/name"),
    };
    let create_time = TimeReader::utc().read(fields.get("createdAt"));
    let parent = fields.get("parent@id");
    let state = match (fields.get("isDeleted"), fields.get("isSpam")) {
        ("true", _) => CommentState::Deleted,
        (_, "true") => CommentState::Hidden,
        _ => CommentState::Active,
    };
    let mut comment = Comment {
        key: threads.get(thread_id).cloned().unwrap_or_else(|| page::unknown(settings)),
        external_id: member_ids::fit_id(fields.get("@id")),
        parent_external_id: (!parent.is_empty()).then(|| member_ids::fit_id(parent)),
        member_id: member_ids::member_id(&settings.source, &settings.salt, author),
        text: html::to_text(fields.get("message")),
        client: Client { ip: fields.get("ipAddress").to_owned(), ..Client::default() },
        state,
        create_time: create_time.as_ref().ok().copied(),
        ..Comment::default()
    };
    put_metadata(&mut comment.metadata, "author_name", author.name);
    let problem = match (&create_time, fields.get("@id"), threads.contains_key(thread_id)) {
        (_, "", _) => Some(Problem::new("ID_EMPTY", "it has no id")),
        (_, _, false) => Some(Problem::new("SUBJECT_MISSING", format!("the thread {thread_id} is not in the file"))),
        (Err(error), ..) => Some(Problem::new("TIME_INVALID", format!("{error:#}"))),
        (Ok(_), ..) => None,
    };
    GroupEntry { record: Record::Comment(comment), problem }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::read_settings::SubjectBy;

    const EXPORT: &str = r#"<?xml version="1.0"?>
<disqus xmlns="http://disqus.com" xmlns:dsq="http://disqus.com/disqus-internals">
  <category dsq:id="1"><title>Technology</title></category>
  <thread dsq:id="2"><id>some-id</id><link>http://example.org/</link><category dsq:id="1"/><title>Hello, World!</title>
    <createdAt>2012-12-12T12:12:12Z</createdAt></thread>
  <thread dsq:id="3"><id/></thread>
  <post dsq:id="4"><id /><message>...</message><createdAt>2013-10-10T19:20:29Z</createdAt><isDeleted>false</isDeleted>
    <isSpam>false</isSpam><author><email>foo@bar.com</email><name>peter</name></author><ipAddress>127.0.0.1</ipAddress>
    <thread dsq:id="2" /></post>
  <post dsq:id="5"><message><![CDATA[<p>Hello, World.</p>]]></message><createdAt>2013-10-11T06:51:33Z</createdAt>
    <author><email>foo@bar.com</email><name>user</name><username>user</username></author><thread dsq:id="2" />
    <parent dsq:id="4" /></post>
  <post dsq:id="6"><message>...</message><createdAt>2013-10-10T19:20:29Z</createdAt><author/><thread dsq:id="1337" /></post>
  <thread dsq:id="7"><id /><link>http://localhost:4000/blog/2013/02/12/redacted/index.html</link><title />
    <createdAt>2013-02-12T16:29:45Z</createdAt><isClosed>true</isClosed></thread>
  <post dsq:id="8"><message>spam</message><createdAt>never</createdAt><isSpam>true</isSpam><author/><thread dsq:id="7" /></post>
  <post dsq:id="9"><message/><createdAt>2013-10-10T19:20:29Z</createdAt><isDeleted>true</isDeleted><author/><thread dsq:id="2" /></post>
</disqus>"#;

    fn entries(subject_by: SubjectBy) -> Vec<GroupEntry> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(EXPORT.as_bytes()).unwrap();
        let settings = ReadSettings {
            source: "disqus".to_owned(),
            object_type: "page".to_owned(),
            salt: "s".to_owned(),
            subject_by,
        };
        let mut entries = Vec::new();
        read(file.path(), &settings, &mut |entry| entries.push(entry)).unwrap();
        entries
    }

    fn comment(entries: &[GroupEntry], id: &str) -> (Comment, Option<String>) {
        let found = entries.iter().find_map(|entry| match &entry.record {
            Record::Comment(comment) if comment.external_id == id => {
                Some((comment.clone(), entry.problem.as_ref().map(|problem| problem.reason.clone())))
            }
            Record::Comment(_) | Record::Subject(_) | Record::Like(_) => None,
        });
        found.unwrap()
    }

    #[test]
    fn threads_become_subjects_by_identifier_or_link() {
        let ids = |entries: Vec<GroupEntry>| {
            let subjects = entries.into_iter().filter(|entry| matches!(entry.record, Record::Subject(_)));
            subjects.map(|entry| entry.record.key().object_id.clone()).collect::<Vec<_>>()
        };
        assert_eq!(ids(entries(SubjectBy::Id)), ["some-id", "/blog/2013/02/12/redacted/index.html"]);
        assert_eq!(ids(entries(SubjectBy::Path)), ["/", "/blog/2013/02/12/redacted/index.html"]);
    }

    #[test]
    fn posts_become_comments_with_times_threads_and_states() {
        let entries = entries(SubjectBy::Id);
        let (first, _) = comment(&entries, "4");
        assert_eq!(
            (first.key.object_id.as_str(), first.text.as_str(), first.client.ip.as_str()),
            ("some-id", "...", "127.0.0.1")
        );
        assert_eq!(first.metadata["author_name"], "peter");
        assert!(!format!("{first:?}").contains("foo@bar.com"));
        let (reply, problem) = comment(&entries, "5");
        assert_eq!(
            (reply.parent_external_id.as_deref(), reply.text.as_str(), problem),
            (Some("4"), "Hello, World.", None)
        );
        assert_eq!((reply.member_id.as_str(), reply.create_time.unwrap().as_second()), ("disqus:user", 1_381_474_293));
        let (orphan, problem) = comment(&entries, "6");
        assert_eq!((orphan.key.object_id.as_str(), problem.as_deref()), ("", Some("SUBJECT_MISSING")));
        let (spam, problem) = comment(&entries, "8");
        assert_eq!((spam.state, problem.as_deref()), (CommentState::Hidden, Some("TIME_INVALID")));
        assert_eq!(comment(&entries, "9").0.state, CommentState::Deleted);
    }
}
