//! The XML export of Disqus: threads become subjects, posts become comments.
//!
//! A subject's id is the thread's own `<id>` (the identifier that the site gave it), or else path
//! and query of its link, or else Disqus' number; with `--subject-by path` or `url` the link comes
//! first. Several threads with one id or one address are one subject (see [`threads`]). Deleted
//! posts are imported as tombstones, spam as hidden comments, posts that wait as unapproved ones.
//! Posts of a thread that is not in the file are rejected. The text is HTML and is converted to
//! plain text.

mod threads;

use std::path::Path;

use anyhow::Result;

use self::threads::{Pages, Threads};
use super::group::{EntrySink, GroupEntry};
use super::held::HeldRecords;
use super::html;
use super::input::Input;
use super::member_ids::{self, SourceMember};
use super::read_notes::ReadNotes;
use super::read_settings::ReadSettings;
use super::record::{Client, Comment, CommentState, Problem, Record};
use super::time::TimeReader;
use super::xml::{Fields, Tag, Xml};

/// The elements of threads and posts that have others inside.
const PARENTS: [&str; 4] = ["author", "category", "thread", "parent"];

/// Reads an export and passes its threads and posts to `out`. The posts wait in `spool` until the
/// file ends: a thread after them may be of the same page.
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
    let mut xml = Xml::new(input, "disqus")?;
    let mut threads = Threads::default();
    let mut posts = HeldRecords::new(spool);
    loop {
        match xml.next()? {
            Tag::End => break,
            Tag::Open(name, attributes) if name == "thread" => threads.add(&xml.fields(attributes)?, settings, notes),
            Tag::Open(name, attributes) if name == "post" => {
                let fields = xml.record(attributes)?;
                threads.count_post(fields.get("thread@id"));
                posts.add(&fields)?;
            }
            Tag::Open(..) | Tag::Close(_) => {}
        }
    }
    let pages = threads.into_pages(notes);
    posts.drain(&mut |fields: Fields| out(post(&fields, &pages, settings)))?;
    pages.into_subjects(notes).into_iter().try_for_each(out)
}

fn post(fields: &Fields, pages: &Pages, settings: &ReadSettings) -> GroupEntry {
    let thread_id = fields.get("thread@id");
    let key = pages.key(thread_id);
    let name = html::to_line(fields.get("author/name"));
    let author =
        SourceMember { username: fields.get("author/username"), email: fields.get("author/email"), name: &name };
    let create_time = TimeReader::utc().read(fields.get("createdAt"));
    let parent = fields.get("parent@id");
    let state = if is_set(fields.get("isDeleted")) {
        CommentState::Deleted
    } else if is_set(fields.get("isSpam")) {
        CommentState::Hidden
    } else if matches!(fields.get("isApproved"), "" | "true") {
        CommentState::Active
    } else {
        CommentState::Unapproved
    };
    let mut comment = Comment {
        key: key.clone().unwrap_or_else(|| settings.unknown_page()),
        external_id: member_ids::fit_id(fields.get("@id")),
        parent_external_id: (!parent.is_empty()).then(|| member_ids::fit_id(parent)),
        member_id: member_ids::member_id(&settings.source, &settings.salt, author),
        text: html::to_comment(fields.get("message")),
        client: Client { ip: fields.get("ipAddress").to_owned(), ..Client::default() },
        state,
        create_time: create_time.as_ref().ok().copied(),
        ..Comment::default()
    };
    comment.put_metadata("author_name", author.name);
    let problem = |reason, message: String| Some(Problem::at(reason, fields.place(), message));
    let fault = fields.fault(&PARENTS);
    let problem = match (create_time, fields.get("@id"), key) {
        _ if fault.is_some() => problem("RECORD_INVALID", fault.unwrap_or_default()),
        (_, "", _) => problem("ID_EMPTY", "it has no id".to_owned()),
        (_, _, None) => problem(
            "SUBJECT_MISSING",
            format!("the thread {thread_id} is not in the file, or it has neither id nor link"),
        ),
        (Err(error), ..) => problem("TIME_INVALID", format!("{error:#}")),
        (Ok(_), ..) => None,
    };
    let mut entry = GroupEntry { record: Record::Comment(comment), problem, place: Some(fields.place()) };
    entry.keep_original(fields.all(&PARENTS));
    entry
}

/// Returns true for a flag that is not off: whatever else it says, it must not show what the source
/// withholds.
fn is_set(flag: &str) -> bool {
    !["", "false", "0", "no"].iter().any(|off| flag.eq_ignore_ascii_case(off))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{PageRules, SubjectBy};
    use crate::record::SubjectState;

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
        let pages = PageRules { by: subject_by, ..PageRules::default() };
        read_text(EXPORT, pages).0
    }

    fn read_text(xml: &str, pages: PageRules) -> (Vec<GroupEntry>, ReadNotes) {
        let input = Input::from_reader(std::io::Cursor::new(xml.as_bytes().to_vec()), "x.xml").unwrap();
        let settings = ReadSettings { pages, ..ReadSettings::of("disqus") };
        let (mut entries, mut notes) = (Vec::new(), ReadNotes::default());
        read(input, &settings, &std::env::temp_dir(), &mut notes, &mut |entry| {
            entries.push(entry);
            Ok(())
        })
        .unwrap();
        (entries, notes)
    }

    fn subjects(entries: &[GroupEntry]) -> Vec<(&str, &str, SubjectState)> {
        entries
            .iter()
            .filter_map(|entry| match &entry.record {
                Record::Subject(subject) => Some((
                    subject.key.object_id.as_str(),
                    subject.metadata.get("title").map_or("", String::as_str),
                    subject.state,
                )),
                Record::Comment(_) | Record::Like(_) => None,
            })
            .collect()
    }

    fn twins(threads: &[(&str, &str, &str, u32)]) -> String {
        let mut xml = "<disqus>".to_owned();
        for (n, (link, title, flag, posts)) in threads.iter().enumerate() {
            xml.push_str(&format!(
                "<thread id='{n}'><link>{link}</link><title>{title}</title><{flag}>true</{flag}></thread>"
            ));
            for post in 0..*posts {
                xml.push_str(&format!(
                    "<post id='{n}0{post}'><createdAt>2012-02-02T10:00:00Z</createdAt><thread id='{n}'/></post>"
                ));
            }
        }
        xml + "</disqus>"
    }

    #[test]
    fn a_flag_in_another_spelling_shows_nothing_that_is_withheld() {
        let post = |n: usize, flag: &str| {
            format!("<post id='{n}'><createdAt>2012-02-02T10:00:00Z</createdAt>{flag}<thread id='1'/></post>")
        };
        let flags = [
            "<isDeleted>True</isDeleted>",
            "<isDeleted>1</isDeleted>",
            "<isSpam>TRUE</isSpam>",
            "<isApproved>false</isApproved>",
            "<isDeleted>False</isDeleted><isSpam>0</isSpam>",
        ];
        let posts: String = flags.iter().enumerate().map(|(n, flag)| post(n, flag)).collect();
        let xml = format!("<disqus><thread id='1'><id>a</id><isDeleted>True</isDeleted></thread>{posts}</disqus>");
        let (entries, _) = read_text(&xml, PageRules::default());
        let state = |entry: &GroupEntry| match &entry.record {
            Record::Comment(comment) => Some(comment.state),
            Record::Subject(_) | Record::Like(_) => None,
        };
        let states: Vec<CommentState> = entries.iter().filter_map(state).collect();
        use CommentState::{Active, Deleted, Hidden, Unapproved};
        assert_eq!(states, [Deleted, Deleted, Hidden, Unapproved, Active]);
        assert_eq!(subjects(&entries)[0].2, SubjectState::Hidden);
    }

    #[test]
    fn twin_threads_are_one_subject_with_the_state_and_title_of_those_with_posts() {
        use SubjectState::{Active, Hidden, ReadOnly};
        let cases = [
            (vec![("/a", "A real", "x", 1), ("/a", "A twin", "isDeleted", 0)], ("A real", Active)),
            (vec![("/a", "B twin", "isClosed", 0), ("/a", "B real", "x", 1)], ("B real", Active)),
            (vec![("/a", "one", "x", 1), ("/a", "two", "isDeleted", 2)], ("two", Hidden)),
            (vec![("/a", "one", "isClosed", 0), ("/a", "two", "isDeleted", 0)], ("one", ReadOnly)),
            (vec![("/a", "one", "isDeleted", 0), ("/a", "two", "isDeleted", 0)], ("one", Hidden)),
            (vec![("/a", "one &amp;amp; &amp;hellip;", "isDeleted", 0)], ("one & …", Hidden)),
        ];
        for (threads, (title, state)) in cases {
            let (entries, notes) = read_text(&twins(&threads), PageRules::default());
            assert_eq!(subjects(&entries), [("/a", title, state)], "{threads:?}");
            assert!(notes.lines().is_empty());
        }
    }

    #[test]
    fn pages_of_two_hosts_with_one_path_are_reported_and_separate_on_request() {
        let xml = twins(&[("https://one.example/about/", "1", "x", 1), ("https://two.example/about/", "2", "x", 1)]);
        let (entries, notes) = read_text(&xml, PageRules::default());
        assert_eq!(subjects(&entries).len(), 1);
        let text = notes.lines().join("\n");
        assert!(text.contains("/about/ (one.example, two.example)") && text.contains("--subject-by url"), "{text}");
        let by_url = PageRules { by: SubjectBy::Url, ..PageRules::default() };
        let (entries, notes) = read_text(&xml, by_url);
        let ids: Vec<&str> = subjects(&entries).into_iter().map(|(id, ..)| id).collect();
        assert_eq!(ids, ["one.example/about/", "two.example/about/"]);
        assert!(notes.lines().is_empty());
    }

    /// Threads with identifier, link and number of posts.
    fn pages(threads: &[(&str, &str, u32)], pages: PageRules) -> (Vec<(String, usize)>, ReadNotes) {
        let (mut xml, mut late) = ("<disqus>".to_owned(), String::new());
        for (n, (id, link, posts)) in threads.iter().enumerate() {
            let thread = format!("<thread id='{n}'><id>{id}</id><link>{link}</link></thread>");
            // The last thread comes after the posts.
            if n + 1 == threads.len() { &mut late } else { &mut xml }.push_str(&thread);
            for post in 0..*posts {
                late.insert_str(
                    0,
                    &format!(
                        "<post id='{n}0{post}'><createdAt>2012-02-02T10:00:00Z</createdAt><thread id='{n}'/></post>"
                    ),
                );
            }
        }
        let (entries, notes) = read_text(&format!("{xml}{late}</disqus>"), pages);
        let count = |id: &str| {
            entries.iter().filter(|entry| matches!(&entry.record, Record::Comment(c) if c.key.object_id == id)).count()
        };
        let found = subjects(&entries).into_iter().map(|(id, ..)| (id.to_owned(), count(id))).collect();
        (found, notes)
    }

    #[test]
    fn threads_of_one_address_are_one_subject_whatever_their_identifiers() {
        const GUID: &str = "12 https://b.example/?p=12";
        let a = "https://b.example/a/";
        let cases = [
            (vec![("", a, 1), (GUID, "http://B.example/a/#x", 1)], vec![(GUID, 2)]),
            (vec![(GUID, a, 0), ("", a, 3)], vec![(GUID, 3)]),
            (vec![("one", a, 1), ("two", a, 2), ("", a, 0)], vec![("two", 3)]),
            (
                vec![("one", a, 1), ("one", "https://b.example/b/", 1), ("", "https://b.example/b/", 1)],
                vec![("one", 3)],
            ),
            (vec![("one", a, 1), ("two", "https://b.example/a/?x", 1)], vec![("one", 1), ("two", 1)]),
            (vec![("one", "", 1), ("two", "", 1)], vec![("one", 1), ("two", 1)]),
        ];
        for (threads, expected) in cases {
            let (found, notes) = pages(&threads, PageRules::default());
            let found: Vec<(&str, usize)> = found.iter().map(|(id, posts)| (id.as_str(), *posts)).collect();
            assert_eq!(found, expected, "{threads:?}");
            let lines = notes.lines().join("\n");
            assert_eq!(lines.contains("two (also one)"), expected == [("two", 3)], "{lines}");
        }
        let strip = PageRules { strip: crate::page::StrippedQuery::All, ..PageRules::default() };
        let (found, _) = pages(&[("", a, 1), ("two", "https://b.example/a/?x", 1)], strip);
        assert_eq!(found, [("two".to_owned(), 2)]);
        let by_path = PageRules { by: SubjectBy::Path, ..PageRules::default() };
        assert_eq!(pages(&[("", a, 1), ("two", a, 1)], by_path).0, [("/a/".to_owned(), 2)]);
    }

    #[test]
    fn a_title_that_cannot_be_read_costs_no_posts() {
        let xml = "<disqus><thread id='1'><id>a</id><title>x <b>y</b></title></thread>\
            <post id='2'><createdAt>2012-02-02T10:00:00Z</createdAt><thread id='1'/></post></disqus>";
        let (entries, notes) = read_text(xml, PageRules::default());
        assert!(entries.iter().all(|entry| entry.problem.is_none()), "{entries:?}");
        assert!(
            subjects(&entries)[0].1.is_empty() && notes.lines()[0].contains("without the title"),
            "{:?}",
            notes.lines()
        );
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
