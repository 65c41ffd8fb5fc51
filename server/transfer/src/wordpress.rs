//! The XML export of WordPress (WXR): items with comments become subjects.
//!
//! The object id of a subject is the post id of the item, or, without one, path and query of its
//! link; `--subject-by path` prefers the link. Comments that wait for approval or are spam are
//! imported as hidden, comments in the trash as deleted. Pingbacks and trackbacks are rejected. The
//! text of a comment is HTML, and is converted to plain text.

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

/// Reads an export and passes its items and comments to `out`.
///
/// # Errors
/// The file is not well-formed XML; the error names file and line.
pub(crate) fn read(path: &Path, settings: &ReadSettings, out: &mut dyn FnMut(GroupEntry)) -> Result<()> {
    let mut xml = Xml::open(path, "rss")?;
    loop {
        match xml.next()? {
            Tag::End => return Ok(()),
            Tag::Open(name, _) if name == "item" => read_item(&mut xml, settings, out)?,
            Tag::Open(..) | Tag::Close(_) => {}
        }
    }
}

/// Reads one item to its end. Its comments may precede the fields that identify the subject, so the
/// comments are kept until the end. An item without comments is skipped.
fn read_item(xml: &mut Xml, settings: &ReadSettings, out: &mut dyn FnMut(GroupEntry)) -> Result<()> {
    let mut item_fields: HashMap<String, String> = HashMap::new();
    let mut comments: Vec<Fields> = Vec::new();
    loop {
        match xml.next()? {
            Tag::Open(name, attributes) if name == "comment" => comments.push(xml.fields(attributes)?),
            Tag::Open(name, attributes) => {
                let fields = xml.fields(attributes)?;
                item_fields.entry(name).or_insert_with(|| fields.get("").to_owned());
            }
            Tag::Close(_) | Tag::End => break,
        }
    }
    if comments.is_empty() {
        return Ok(());
    }
    let subject = item(&item_fields, settings);
    let key = subject.as_ref().map_or_else(|| page::unknown(settings), |subject| subject.key.clone());
    subject.into_iter().for_each(|subject| out(GroupEntry::valid(Record::Subject(subject))));
    comments.iter().for_each(|fields| out(comment(fields, &key, settings)));
    Ok(())
}

fn item(item_fields: &HashMap<String, String>, settings: &ReadSettings) -> Option<Subject> {
    let get = |name: &str| item_fields.get(name).map_or("", String::as_str);
    let page = PageNames { id: get("post_id"), link: get("link"), number: "" };
    let mut subject = Subject {
        key: Key { object_type: settings.object_type.clone(), object_id: page.object_id(settings.subject_by)? },
        create_time: TimeReader::utc().read(get("post_date_gmt")).ok(),
        ..Subject::default()
    };
    if !get("creator").is_empty() {
        let author = SourceMember { username: get("creator"), ..SourceMember::default() };
        subject.owner_id = member_ids::member_id(&settings.source, &settings.salt, author);
    }
    if get("comment_status") == "closed" {
        subject.state = SubjectState::ReadOnly;
    }
    put_metadata(&mut subject.metadata, "title", get("title"));
    put_metadata(&mut subject.metadata, "url", get("link"));
    Some(subject)
}

fn comment(fields: &Fields, key: &Key, settings: &ReadSettings) -> GroupEntry {
    let author =
        SourceMember { username: "", email: fields.get("comment_author_email"), name: fields.get("comment_author") };
    let create_time = TimeReader::utc().read(fields.get("comment_date_gmt"));
    let parent = fields.get("comment_parent");
    let state = match fields.get("comment_approved") {
        "1" | "approve" => CommentState::Active,
        "trash" => CommentState::Deleted,
        _ => CommentState::Hidden,
    };
    let mut comment = Comment {
        key: key.clone(),
        external_id: member_ids::fit_id(fields.get("comment_id")),
        parent_external_id: (!matches!(parent, "" | "0")).then(|| member_ids::fit_id(parent)),
        member_id: member_ids::member_id(&settings.source, &settings.salt, author),
        text: html::to_text(fields.get("comment_content")),
        client: Client { ip: fields.get("comment_author_IP").to_owned(), ..Client::default() },
        state,
        create_time: create_time.as_ref().ok().copied(),
        ..Comment::default()
    };
    put_metadata(&mut comment.metadata, "author_name", author.name);
    let problem = if fields.get("comment_id").is_empty() {
        Some(Problem::new("ID_EMPTY", "it has no id"))
    } else if key.object_id.is_empty() {
        Some(Problem::new("SUBJECT_MISSING", "its item has neither post id nor link"))
    } else if matches!(fields.get("comment_type"), "pingback" | "trackback") {
        Some(Problem::new("NOT_A_COMMENT", format!("it is a {}", fields.get("comment_type"))))
    } else {
        create_time.err().map(|error| Problem::new("TIME_INVALID", format!("{error:#}")))
    };
    GroupEntry { record: Record::Comment(comment), problem }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::read_settings::SubjectBy;

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

    #[test]
    fn items_and_comments_are_read_with_times_threads_and_states() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(EXPORT.as_bytes()).unwrap();
        let settings = ReadSettings {
            source: "wordpress".to_owned(),
            object_type: "page".to_owned(),
            salt: "s".to_owned(),
            subject_by: SubjectBy::Id,
        };
        let (mut subjects, mut comments) = (Vec::new(), Vec::new());
        let mut sort = |entry: GroupEntry| match entry.record {
            Record::Subject(subject) => subjects.push(subject),
            Record::Comment(comment) => comments.push((comment, entry.problem.map(|problem| problem.reason))),
            Record::Like(_) => panic!("WordPress has no likes"),
        };
        read(file.path(), &settings, &mut sort).unwrap();
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
