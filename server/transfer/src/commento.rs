//! The JSON export of Commento: comments and commenters in one object.
//!
//! A subject is a page of a domain, with the page's path as its id. Texts are Markdown and are not
//! changed. Only the sum of votes is known, so a score of 3 is imported as three likes and one of
//! -2 as two dislikes. Comments that wait for approval or are flagged are imported as hidden,
//! deleted ones as tombstones.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::group::GroupEntry;
use super::input::{self, base_name};
use super::member_ids::{self, SourceMember};
use super::page::{self, PageNames};
use super::read_settings::{ReadSettings, SubjectBy};
use super::record::{Comment, CommentState, DeletedBy, Key, Problem, Record, Subject, Votes, put_metadata};
use super::time::TimeReader;

/// Size limit of a file, which is read completely because it is one JSON document.
const FILE_BYTES_MAX: usize = 512 << 20;

#[derive(Debug, Deserialize)]
struct Export {
    version: u32,
    comments: Option<Vec<Row>>,
    commenters: Option<Vec<Commenter>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    comment_hex: String,
    #[serde(default)]
    domain: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    commenter_hex: String,
    #[serde(default)]
    markdown: String,
    #[serde(default)]
    parent_hex: String,
    #[serde(default)]
    score: i32,
    #[serde(default)]
    state: String,
    #[serde(default)]
    creation_date: String,
    #[serde(default)]
    deleted: bool,
    #[serde(default)]
    deleter_hex: String,
    #[serde(default)]
    deletion_date: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Commenter {
    commenter_hex: String,
    #[serde(default)]
    email: String,
    #[serde(default)]
    name: String,
}

/// Reads an export and passes its pages and comments to `out`.
///
/// # Errors
/// The file is not an object of this form (with file, line and column), has another version, or is
/// larger than 512 MiB.
pub(crate) fn read(path: &Path, settings: &ReadSettings, out: &mut dyn FnMut(GroupEntry)) -> Result<()> {
    let text = input::read_all(path, FILE_BYTES_MAX)?;
    let export: Export = serde_json::from_str(&text).with_context(|| base_name(path))?;
    drop(text);
    ensure!(export.version == 1, "{}: version {} of Commento's export is not known", base_name(path), export.version);
    let commenters = export.commenters.unwrap_or_default();
    let commenters: HashMap<&str, &Commenter> =
        commenters.iter().map(|commenter| (commenter.commenter_hex.as_str(), commenter)).collect();
    let mut pages = HashSet::new();
    for row in export.comments.unwrap_or_default() {
        let page = PageNames { id: "", link: &row.url, number: "" };
        let object_id = page.object_id(SubjectBy::Path);
        let key = object_id.map(|object_id| Key { object_type: settings.object_type.clone(), object_id });
        if let Some(key) = key.clone().filter(|key| pages.insert(key.clone())) {
            let mut subject = Subject { key, ..Subject::default() };
            put_metadata(&mut subject.metadata, "url", &row.url);
            put_metadata(&mut subject.metadata, "domain", &row.domain);
            out(GroupEntry::valid(Record::Subject(subject)));
        }
        let commenter = commenters.get(row.commenter_hex.as_str()).copied();
        out(comment(row, key, commenter, settings));
    }
    Ok(())
}

fn comment(row: Row, key: Option<Key>, commenter: Option<&Commenter>, settings: &ReadSettings) -> GroupEntry {
    let author = SourceMember {
        username: "",
        email: commenter.map_or("", |commenter| &commenter.email),
        // Without an entry, the hex still distinguishes commenters; "anonymous" is not a person.
        name: commenter.map_or(if row.commenter_hex == "anonymous" { "" } else { &row.commenter_hex }, |commenter| {
            &commenter.name
        }),
    };
    let create_time = TimeReader::utc().read(&row.creation_date);
    let problem = match (&create_time, &key) {
        (_, None) => Some(Problem::new("SUBJECT_MISSING", "it names no page")),
        (Err(error), _) => Some(Problem::new("TIME_INVALID", format!("{error:#}"))),
        (Ok(_), Some(_)) => None,
    };
    let is_root = matches!(row.parent_hex.as_str(), "" | "root");
    let by_author = row.deleter_hex == row.commenter_hex;
    let mut comment = Comment {
        key: key.unwrap_or_else(|| page::unknown(settings)),
        external_id: member_ids::fit_id(&row.comment_hex),
        parent_external_id: (!is_root).then(|| member_ids::fit_id(&row.parent_hex)),
        member_id: member_ids::member_id(&settings.source, &settings.salt, author),
        state: match (row.deleted, row.state.as_str()) {
            (true, _) => CommentState::Deleted,
            (false, "approved" | "") => CommentState::Active,
            (false, _) => CommentState::Hidden,
        },
        deleted_by: row.deleted.then_some(if by_author { DeletedBy::Author } else { DeletedBy::Moderator }),
        create_time: create_time.ok(),
        delete_time: TimeReader::utc().read(&row.deletion_date).ok().filter(|_| row.deleted),
        votes: Votes { up: row.score.max(0).unsigned_abs(), down: row.score.min(0).unsigned_abs() },
        text: row.markdown,
        ..Comment::default()
    };
    if let Some(commenter) = commenter {
        put_metadata(&mut comment.metadata, "author_name", &commenter.name);
    }
    GroupEntry { record: Record::Comment(comment), problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(json: &str) -> Result<Vec<GroupEntry>> {
        let file = tempfile::NamedTempFile::new()?;
        std::fs::write(file.path(), json)?;
        let (source, object_type, salt) = ("commento".to_owned(), "page".to_owned(), "s".to_owned());
        let settings = ReadSettings { source, object_type, salt, subject_by: SubjectBy::Id };
        let mut entries = Vec::new();
        read(file.path(), &settings, &mut |entry| entries.push(entry))?;
        Ok(entries)
    }

    #[test]
    fn comments_are_read_with_threads_scores_and_states() {
        let hex = "7d77e39fcd813241d6281478cc8f21ab5f807d043c750bc1a936bc23b34fb854";
        let json = format!(
            r#"{{"version": 1, "comments": [
                {{"commentHex": "{hex}", "domain": "example.com", "url": "/blog/post/1", "commenterHex": "a1", "markdown": "Example *2*",
                  "html": "", "parentHex": "root", "score": 2, "state": "approved", "creationDate": "2021-03-17T12:09:47.722181Z",
                  "direction": 0, "deleted": false}},
                {{"commentHex": "ea", "url": "/blog/post/1", "commenterHex": "anonymous", "markdown": "", "parentHex": "{hex}", "score": -1,
                  "state": "unapproved", "creationDate": "2021-05-11T15:43:01Z", "deleted": true, "deleterHex": "b2"}}],
              "commenters": [{{"commenterHex": "a1", "email": "somegreatmail@gmail.com", "name": "User5276"}}]}}"#
        );
        let entries = entries(&json).unwrap();
        let [Record::Subject(subject), Record::Comment(first), Record::Comment(reply)] =
            [&entries[0].record, &entries[1].record, &entries[2].record]
        else {
            panic!("{entries:?}")
        };
        assert_eq!((entries.len(), subject.key.object_id.as_str()), (3, "/blog/post/1"));
        assert_eq!(
            (first.external_id.as_str(), first.text.as_str(), first.votes),
            (hex, "Example *2*", Votes { up: 2, down: 0 })
        );
        assert_eq!(first.metadata["author_name"], "User5276");
        assert!(first.member_id.starts_with("commento:e:"));
        assert_eq!((reply.parent_external_id.as_deref(), reply.state), (Some(hex), CommentState::Deleted));
        assert_eq!((reply.deleted_by, reply.votes), (Some(DeletedBy::Moderator), Votes { up: 0, down: 1 }));
        assert_eq!(reply.member_id, "commento:anonymous");
    }

    #[test]
    fn a_broken_or_newer_file_is_refused() {
        assert!(format!("{:#}", entries("{\"version\": 1,\n\"comments\": 3}").unwrap_err()).contains("line 2"));
        assert!(entries("{\"version\": 2}").unwrap_err().to_string().contains("version 2"));
        assert!(entries("{\"version\": 1}").unwrap().is_empty());
    }
}
