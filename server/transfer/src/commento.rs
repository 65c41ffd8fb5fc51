//! The JSON export of Commento: comments and commenters in one object.
//!
//! A subject is a page of a domain, with the page's path as its id. Texts are Markdown and are not
//! changed. Only the sum of votes is known, so a score of 3 is imported as three likes and one of
//! -2 as two dislikes. Comments that wait for approval or are flagged are imported as hidden,
//! deleted ones as tombstones.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Result, bail, ensure};
use serde::{Deserialize, Serialize};

use super::group::{EntrySink, GroupEntry};
use super::held::HeldRecords;
use super::input::{Input, SourcePosition};
use super::isso::by_path;
use super::json_lists::{self, Element, ListPath};
use super::json_record;
use super::member_ids::{self, SourceMember};
use super::not_utf8;
use super::page::PageNames;
use super::read_settings::ReadSettings;
use super::record::{Comment, CommentState, DeletedBy, Key, Problem, Record, Subject, Votes};
use super::seen::SeenKeys;
use super::time::TimeReader;

/// The version of the export that is read.
const VERSION: &str = "1";

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

/// A comment that waits for the list of commenters, which follows it.
#[derive(Debug, Serialize, Deserialize)]
struct HeldComment {
    text: String,
    is_cut: bool,
    place: SourcePosition,
}

/// The parts of a file that other parts need.
struct CommentoFile {
    version: Option<String>,
    commenters: Commenters,
    comments: HeldRecords,
}

/// The authors of the comments.
#[derive(Default)]
struct Commenters {
    /// Each, or the fault for which the entry cannot be read.
    by_hex: HashMap<String, Result<Commenter, String>>,
    /// The fault of the first entry that does not say whose it is either.
    unknown_fault: Option<String>,
}

/// Reads an export and passes its pages and comments to `out`. The comments wait in `spool` until
/// the file ends.
///
/// # Errors
/// The file is not JSON or is cut off (with its place), has no version and comments, or has another
/// version; the error of `out`.
pub(crate) fn read(input: Input, settings: &ReadSettings, spool: &Path, out: EntrySink<'_>) -> Result<()> {
    let paths: [ListPath; 3] = ["comments", "commenters", "version"].map(json_lists::path);
    let name = input.name().to_owned();
    let mut file = CommentoFile { version: None, commenters: Commenters::default(), comments: HeldRecords::new(spool) };
    let found = json_lists::read(input, &paths, &mut |element| file.add(&element))?;
    let has_comments = matches!(found.lists.as_slice(), [true, ..]);
    let Some(version) = file.version.filter(|_| has_comments) else {
        bail!("{name} is no Commento export: it has no version or no comments");
    };
    ensure!(version == VERSION, "{name}: version {version} of Commento's export is not known");
    let commenters = file.commenters;
    let mut pages = SeenKeys::default();
    file.comments.drain(&mut |held: HeldComment| {
        let held = HeldComment { text: json_record::marked(&held.text).into_owned(), ..held };
        let row: Row = match json_record::parse_complete(&held.text, held.is_cut) {
            Ok(row) => row,
            Err(message) => {
                let url = json_record::after_name(&held.text, 1, "url").unwrap_or_default();
                let page = PageNames { id: "", link: &url, number: "" };
                let object_id = page.object_id(&by_path(&settings.pages)).unwrap_or_default();
                let key = Key { object_type: settings.object_type.clone(), object_id };
                return out(json_record::rejected(&held.text, held.place, &key, &message));
            }
        };
        let page = PageNames { id: "", link: &row.url, number: "" };
        let object_id = page.object_id(&by_path(&settings.pages));
        let key = object_id.map(|object_id| Key { object_type: settings.object_type.clone(), object_id });
        if let Some(key) = key.clone().filter(|key| pages.add(key)) {
            let mut subject = Subject { key, ..Subject::default() };
            subject.put_metadata("url", &row.url);
            subject.put_metadata("domain", &row.domain);
            out(GroupEntry::valid(Record::Subject(subject)))?;
        }
        let mut entry = comment(row, held.place, key, &commenters, settings);
        if let Some(fault) = not_utf8::fault(&held.text) {
            entry.problem = Some(entry.problem("RECORD_INVALID", fault));
        }
        json_record::keep_original(&mut entry, &held.text);
        out(entry)
    })
}

impl CommentoFile {
    fn add(&mut self, element: &Element<'_>) -> Result<()> {
        match (element.list, element.is_single) {
            (0, false) => {
                return self.comments.add(&HeldComment {
                    text: element.text.to_owned(),
                    is_cut: element.is_cut,
                    place: element.place,
                });
            }
            (1, false) => {
                self.commenters.add(element);
            }
            (2, true) => self.version = Some(element.text.to_owned()),
            (_, _) => {}
        }
        Ok(())
    }
}

impl Commenters {
    fn add(&mut self, element: &Element<'_>) {
        let parsed = json_record::parse_complete::<Commenter>(element.text, element.is_cut);
        let commenter = parsed.and_then(|commenter| {
            let texts = [&commenter.commenter_hex, &commenter.email, &commenter.name];
            let fault = texts.into_iter().find_map(|text| not_utf8::fault(text));
            fault.map_or(Ok(commenter), |fault| Err(fault.to_owned()))
        });
        let commenter = commenter.map_err(|fault| format!("{}: {fault}", element.place));
        let hex =
            || json_record::after_name(element.text, 1, "commenterHex").filter(|hex| not_utf8::fault(hex).is_none());
        let hex = match &commenter {
            Ok(commenter) => Some(commenter.commenter_hex.clone()),
            Err(_) => hex(),
        };
        match (hex, commenter) {
            (Some(hex), commenter) => {
                self.by_hex.insert(hex, commenter);
            }
            (None, Err(fault)) => {
                self.unknown_fault.get_or_insert(fault);
            }
            (None, Ok(_)) => {}
        }
    }

    /// Returns the commenter with this hex; `None` for one without an entry.
    ///
    /// # Errors
    /// The entry cannot be read.
    fn get(&self, hex: &str) -> Result<Option<&Commenter>, String> {
        match (self.by_hex.get(hex), &self.unknown_fault) {
            (Some(Ok(commenter)), _) => Ok(Some(commenter)),
            (Some(Err(fault)), _) => Err(format!("its commenter cannot be read ({fault})")),
            (None, Some(fault)) if !matches!(hex, "" | "anonymous") => {
                Err(format!("its commenter may be one that cannot be read ({fault})"))
            }
            (None, _) => Ok(None),
        }
    }
}

fn comment(
    row: Row,
    place: SourcePosition,
    key: Option<Key>,
    commenters: &Commenters,
    settings: &ReadSettings,
) -> GroupEntry {
    let (commenter, commenter_fault) = match commenters.get(&row.commenter_hex) {
        Ok(commenter) => (commenter, None),
        Err(fault) => (None, Some(fault)),
    };
    let author = SourceMember {
        username: "",
        email: commenter.map_or("", |commenter| &commenter.email),
        // Without an entry, the hex still distinguishes commenters; "anonymous" is not a person.
        name: commenter.map_or(if row.commenter_hex == "anonymous" { "" } else { &row.commenter_hex }, |commenter| {
            &commenter.name
        }),
    };
    let create_time = TimeReader::utc().read(&row.creation_date);
    let has_delete_time = row.deleted && !TimeReader::is_none(&row.deletion_date);
    let delete_time = has_delete_time.then(|| TimeReader::utc().read(&row.deletion_date)).transpose();
    let problem = match (create_time.as_ref().err().or(delete_time.as_ref().err()), &key) {
        _ if commenter_fault.is_some() => {
            Some(Problem::at("RECORD_INVALID", place, commenter_fault.unwrap_or_default()))
        }
        (_, None) => Some(Problem::at("SUBJECT_MISSING", place, "it names no page")),
        (Some(error), _) => Some(Problem::at("TIME_INVALID", place, format!("{error:#}"))),
        (None, Some(_)) => None,
    };
    let is_root = matches!(row.parent_hex.as_str(), "" | "root");
    let by_author = row.deleter_hex == row.commenter_hex;
    let mut comment = Comment {
        key: key.unwrap_or_else(|| settings.unknown_page()),
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
        delete_time: delete_time.ok().flatten(),
        votes: Votes { up: row.score.max(0).unsigned_abs(), down: row.score.min(0).unsigned_abs() },
        text: row.markdown,
        ..Comment::default()
    };
    if let Some(commenter) = commenter {
        comment.put_metadata("author_name", &commenter.name);
    }
    GroupEntry { record: Record::Comment(comment), problem, place: Some(place) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(json: &str) -> Result<Vec<GroupEntry>> {
        let input = Input::from_reader(std::io::Cursor::new(json.as_bytes().to_vec()), "x.json")?;
        let mut entries = Vec::new();
        read(input, &ReadSettings::of("commento"), &std::env::temp_dir(), &mut |entry| {
            entries.push(entry);
            Ok(())
        })?;
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
    fn a_comment_whose_commenter_cannot_be_read_is_rejected() {
        let json = |people: &str| {
            let comment = |id: &str, by: &str| {
                format!(
                    r#"{{"commentHex": "{id}", "url": "/p", "commenterHex": "{by}", "markdown": "x", "creationDate": "2020-01-01T00:00:00Z"}}"#
                )
            };
            let comments = [comment("a", "h"), comment("b", "i"), comment("c", "anonymous")].join(", ");
            format!(
                r#"{{"version": 1, "comments": [{comments}], "commenters": [{people}, {{"commenterHex": "i", "name": "Bob"}}]}}"#
            )
        };
        for (person, words) in [
            (r#"{"commenterHex": "h", "email": "a@example.org", "name": "Ann \ud800"}"#, "cannot be read (record 4, "),
            (r#"{"email": "a@example.org", "name": 5, "commenterHex": "h"}"#, "cannot be read (record 4, "),
            (r#"{"name": "Ann", "commenterHex": }"#, "may be one that"),
            (r#"{"name": "Ann"}"#, "may be one that cannot be read (record 4, "),
        ] {
            let found = entries(&json(person)).unwrap();
            let problems: Vec<_> =
                found.iter().map(|entry| entry.problem.as_ref().map(|p| p.message.as_str())).collect();
            let [None, Some(problem), None, None] = problems.as_slice() else { panic!("{person}: {problems:?}") };
            assert!(problem.contains("its commenter") && problem.contains(words), "{person}: {problem}");
        }
    }

    #[test]
    fn a_broken_or_newer_file_is_refused_and_a_broken_comment_rejected() {
        for json in ["{\"version\": 1,\n\"comments\": [3", "{\"version\": 1}", "{\"comments\": []}", "[]"] {
            assert!(entries(json).is_err(), "{json}");
        }
        assert!(entries("{\"version\": 2, \"comments\": []}").unwrap_err().to_string().contains("version 2"));
        assert!(entries("{\"version\": 1, \"comments\": null}").unwrap().is_empty());
        let broken = entries("{\"version\": 1, \"comments\": [{\"commentHex\": \"a\", \"score\": \"x\"}]}").unwrap();
        assert_eq!(broken[0].problem.as_ref().unwrap().reason, "RECORD_INVALID");
        assert_eq!(broken[0].record.external_id(), "a");
    }
}
