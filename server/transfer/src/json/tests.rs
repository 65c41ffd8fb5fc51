use super::*;
use crate::group::GroupEntry;
use crate::record::{Comment, CommentState, Record, Subject, SubjectState, Votes};

struct Found {
    subjects: Vec<Subject>,
    comments: Vec<Comment>,
    rejects: Vec<(String, String)>,
}

fn read_text(json: &str, map: &Map) -> Result<Found> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("export.json");
    std::fs::write(&file, json)?;
    let mut found = Found { subjects: Vec::new(), comments: Vec::new(), rejects: Vec::new() };
    let settings = ReadSettings::of(&map.source);
    read(&[file], map, &settings, folder.path(), &mut |GroupEntry { record, problem, .. }| {
        match (record, problem) {
            (_, Some(problem)) => found.rejects.push((problem.reason, problem.message)),
            (Record::Subject(subject), None) => found.subjects.push(subject),
            (Record::Comment(comment), None) => found.comments.push(comment),
            (Record::Like(_), None) => panic!("no map here has likes"),
        }
        Ok(())
    })?;
    Ok(found)
}

fn shipped(name: &str) -> Map {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/import");
    let map = crate::map::load(&folder.join(name)).unwrap();
    map.check_format(false).unwrap();
    map
}

fn map(text: &str) -> Map {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("map.toml");
    let comment =
        "id = \"{id}\"\nmember = \"{by}\"\ntext = \"{text}\"\ncreate_time = { value = \"{at}\", format = \"unix\" }";
    std::fs::write(&file, text.replace("FIELDS", comment)).unwrap();
    let map = crate::map::load(&file).unwrap();
    map.check_format(false).unwrap();
    map
}

fn ids(found: &Found) -> Vec<(&str, &str, Option<&str>)> {
    let comments = found.comments.iter();
    comments.map(|c| (c.key.object_id.as_str(), c.external_id.as_str(), c.parent_external_id.as_deref())).collect()
}

#[test]
fn comentario_comments_are_joined_to_pages_and_people() {
    let json = r#"{"version": 3, "comments": [
        {"id": "b", "pageId": "1", "markdown": "hello", "score": 2, "isApproved": true, "isPending": false, "isDeleted": false,
         "createdTime": "2023-02-01T00:00:00Z", "userCreated": "32"},
        {"id": "c", "parentId": "b", "pageId": "1", "markdown": "re", "score": -1, "isApproved": true, "createdTime": "2023-02-01T00:01:00Z",
         "userCreated": "00000000-0000-0000-0000-000000000000", "authorName": "Guest"},
        {"id": "d", "pageId": "1", "markdown": "waits", "isApproved": false, "isPending": true, "isDeleted": false,
         "createdTime": "2023-02-01T00:02:00Z", "userCreated": "32"},
        {"id": "e", "pageId": "1", "markdown": "", "isApproved": true, "isPending": false, "isDeleted": true,
         "createdTime": "2023-02-01T00:03:00Z", "userCreated": "32"}],
        "pages": [{"id": "1", "path": "/a/", "title": "A", "isReadonly": true}],
        "commenters": [{"id": "32", "email": "a@example.org", "name": "Ann"}]}"#;
    let found = read_text(json, &shipped("comentario.toml")).unwrap();
    assert!(found.rejects.is_empty(), "{:?}", found.rejects);
    let [page] = found.subjects.as_slice() else { panic!("{:?}", found.subjects) };
    assert_eq!(
        (page.key.object_id.as_str(), page.metadata["title"].as_str(), page.state),
        ("/a/", "A", SubjectState::ReadOnly)
    );
    let states: Vec<_> = found.comments.iter().map(|comment| comment.state).collect();
    assert_eq!(states, [CommentState::Active, CommentState::Active, CommentState::Hidden, CommentState::Deleted]);
    let [first, reply, ..] = found.comments.as_slice() else { panic!("four comments") };
    assert_eq!((first.member_id.as_str(), first.metadata["author_name"].as_str()), ("comentario:32", "Ann"));
    assert_eq!((first.votes, reply.votes), (Votes { up: 2, down: 0 }, Votes { up: 0, down: 1 }));
    assert_eq!((reply.parent_external_id.as_deref(), reply.metadata["author_name"].as_str()), (Some("b"), "Guest"));
    assert!(reply.member_id.starts_with("comentario:n:"));
}

#[test]
fn remark42_lines_are_read_without_their_header() {
    let json = concat!(
        r#"{"version":1,"users":[],"posts":[]}"#,
        "\n",
        r#"{"id":"a","pid":"","text":"<p>h&eacute;</p>","user":{"name":"Ann","id":"github_1"},"#,
        r#""locator":{"site":"s","url":"https://blog.example/a/"},"score":1,"votes":{},"time":"2021-01-01T00:00:00Z","title":"A"}"#,
        "\n",
        r#"{"id":"b","pid":"a","text":"","user":{"name":"Bob","id":"google_2"},"locator":{"url":"https://blog.example/a/"},"#,
        r#""score":0,"time":"2021-01-01T00:00:00-06:00","delete":true}"#,
        "\n{broken\n",
        r#"{"id":"c","pid":"","text":"x","user":{"id":"u"},"locator":{"url":"https://blog.example/b"},"time":"2021-13-01T00:00:00Z"}"#,
        "\n"
    );
    let found = read_text(json, &shipped("remark42.toml")).unwrap();
    assert_eq!(ids(&found), [("/a/", "a", None), ("/a/", "b", Some("a"))]);
    assert_eq!((found.comments[0].text.as_str(), found.comments[0].member_id.as_str()), ("hé", "remark42:github_1"));
    assert_eq!(found.comments[1].state, CommentState::Deleted);
    let urls: Vec<_> = found.subjects.iter().map(|subject| subject.metadata["url"].as_str()).collect();
    assert_eq!(urls, ["https://blog.example/a/", "https://blog.example/b"]);
    let reasons: Vec<&str> = found.rejects.iter().map(|(reason, _)| reason.as_str()).collect();
    assert_eq!(reasons, ["RECORD_INVALID", "TIME_INVALID"]);
    assert!(found.rejects[0].1.starts_with("record 4, line 4, byte "), "{}", found.rejects[0].1);
}

#[test]
fn artalk_texts_are_read_as_counts_times_and_states() {
    let json = r#"[{"id":"1","rid":"0","content":"hi","ua":"","ip":"192.0.2.1","is_collapsed":"false","is_pending":"false","vote_up":"1",
        "vote_down":"0","created_at":"2022-01-01 00:00:00 +0800","nick":"Ann","email":"a@example.org","page_key":"/a/","page_title":"A"},
       {"id":"2","rid":"1","content":"re","is_pending":"true","vote_up":"0","vote_down":"2","created_at":"2022-01-02 00:00:00 +0800",
        "nick":"B","email":"","page_key":"https://e.example/b?x","page_title":"B","site_name":"s"}]"#;
    let found = read_text(json, &shipped("artalk.toml")).unwrap();
    assert_eq!(ids(&found), [("/a/", "1", None), ("/b?x", "2", Some("1"))]);
    let [first, second] = found.comments.as_slice() else { panic!("two comments") };
    assert_eq!((first.create_time.unwrap().to_string().as_str(), first.votes.up), ("2021-12-31T16:00:00Z", 1));
    assert!(first.member_id.starts_with("artalk:e:") && second.member_id.starts_with("artalk:n:"));
    assert_eq!((second.state, second.votes.down), (CommentState::Hidden, 2));
    assert_eq!(found.subjects[0].metadata["title"], "A");
    // A backup of the program itself has its zone by name.
    let named = json.replace("+0800", "+0800 CST").replace("00:00:00", "00:00:00.123");
    let times =
        |found: Found| found.comments.into_iter().map(|c| c.create_time.unwrap().as_millisecond()).collect::<Vec<_>>();
    assert_eq!(times(read_text(&named, &shipped("artalk.toml")).unwrap()), [1_640_966_400_123, 1_641_052_800_123]);
}

#[test]
fn waline_and_twikoo_comments_are_read() {
    let waline = r#"{"type":"waline","version":1,"tables":["Comment","Users"],"data":{"Counter":[{"url":"/a","time":3}],"Comment":[
        {"objectId":1,"user_id":null,"comment":"hi","insertedAt":"2022-01-01T00:00:00.000Z","ip":"::1","mail":"a@example.org","nick":"Ann",
         "pid":null,"rid":null,"status":"approved","like":null,"url":"/a"},
        {"objectId":2,"user_id":7,"comment":"re","insertedAt":{"__type":"Date","iso":"2022-01-02T00:00:00.000Z"},"nick":"B","pid":1,"rid":1,
         "status":"spam","like":3,"url":"/a"}],"Users":[{"objectId":7,"password":"x"}]}}"#;
    let found = read_text(waline, &shipped("waline.toml")).unwrap();
    assert_eq!(ids(&found), [("/a", "1", None), ("/a", "2", Some("1"))]);
    assert_eq!((found.comments[1].member_id.as_str(), found.comments[1].state), ("waline:7", CommentState::Hidden));
    assert_eq!(found.comments[1].votes.up, 3);
    let twikoo = r#"[{"_id":"x","nick":"Ann","mail":"a@example.org","comment":"<p>hi <img src=\"/e.png\" alt=\":)\"></p>","url":"/a/",
        "href":"https://e.example/a/","created":1640995200000,"like":["u","v"],"isSpam":false},
       {"_id":{"$oid":"y"},"nick":"B","comment":"re","url":"/a/","pid":"x","created":1640995201000,"isSpam":true}]"#;
    let found = read_text(twikoo, &shipped("twikoo.toml")).unwrap();
    assert_eq!(ids(&found), [("/a/", "x", None), ("/a/", "y", Some("x"))]);
    assert_eq!((found.comments[0].text.as_str(), found.comments[0].votes.up), ("hi :)", 2));
    assert_eq!(found.comments[0].create_time.unwrap().to_string(), "2022-01-01T00:00:00Z");
    assert_eq!(found.comments[1].state, CommentState::Hidden);
}

#[test]
fn replies_inside_comments_take_subject_and_parent_from_them() {
    let map =
        map("source = \"x\"\nlist = \"d.list\"\n[comment]\nsubject = \"{page}\"\nchildren = \"replies.items\"\nFIELDS");
    let json = r#"{"d": {"list": [{"id": 9007199254740993, "page": "p", "by": "a", "text": "t", "at": 1, "replies": {"items": [
        {"id": 2, "by": "b", "text": "t", "at": 2, "replies": {"items": [{"id": 3, "by": "b", "text": "t", "at": 3}]}},
        {"id": 4, "by": "b", "text": "t", "at": 2}]}}, {"id": 5, "page": "q", "by": "a", "text": "t", "at": 1}, 7]}}"#;
    let found = read_text(json, &map).unwrap();
    let first = "9007199254740993";
    let expected =
        [("p", first, None), ("p", "2", Some(first)), ("p", "3", Some("2")), ("p", "4", Some(first)), ("q", "5", None)];
    assert_eq!(ids(&found), expected);
    assert_eq!(found.rejects.len(), 1, "{:?}", found.rejects);
}

#[test]
fn lists_inside_other_lists_see_the_value_that_contains_them() {
    let map = map(
        "source = \"x\"\nlist = \"threads.*.comments\"\n[subject]\nid = \"{up.url}\"\nmetadata.title = \"{up.title}\"\n\
         [comment]\nsubject = \"{up.url}\"\nFIELDS",
    );
    let json = r#"{"threads": [{"comments": [{"id": 1, "by": "a", "text": "t", "at": 1}], "url": "/a", "title": "A"},
        {"url": "/b", "title": "B", "comments": [{"id": 2, "by": "a", "text": "t", "at": 1}]}]}"#;
    let found = read_text(json, &map).unwrap();
    assert_eq!(ids(&found), [("/a", "1", None), ("/b", "2", None)]);
    assert_eq!(found.subjects[1].metadata["title"], "B");
}

#[test]
fn a_file_without_the_list_of_the_map_is_refused_and_recognised() {
    let artalk = r#"[{"id":"1","rid":"0","content":"hi","page_key":"/a/"}]"#;
    let Err(error) = read_text(artalk, &shipped("waline.toml")) else { panic!("it has no such list") };
    let error = format!("{error:#}");
    assert!(error.contains("an Artalk backup") && error.contains("docs/import/artalk.toml"), "{error}");
    let map = map("source = \"x\"\nlist = \"data.Comment\"\n[comment]\nsubject = \"{page}\"\nFIELDS");
    let Err(error) = read_text(artalk, &map) else { panic!("it has no such list") };
    let error = format!("{error:#}");
    assert!(error.contains("data.Comment") && error.contains("docs/import/artalk.toml"), "{error}");
    let Err(error) = read_text("<rss/>", &shipped("waline.toml")) else { panic!("it is not JSON") };
    assert!(format!("{error:#}").contains("news feed"));
}

#[test]
fn a_flag_in_another_spelling_shows_nothing_that_is_withheld() {
    let artalk = |flag: &str| {
        format!(
            r#"[{{"id":"1","rid":"0","content":"x","page_key":"/a/","created_at":"2022-01-01 00:00:00 +0800","nick":"A","is_pending":{flag}}}]"#
        )
    };
    let twikoo = |flag: &str| {
        format!(r#"[{{"_id":"1","nick":"A","comment":"x","url":"/a","created":1600000000000,"isSpam":{flag}}}]"#)
    };
    let remark42 = |flag: &str| {
        format!(
            r#"{{"id":"1","text":"x","user":{{"id":"u"}},"locator":{{"url":"https://e/a"}},"time":"2021-01-01T00:00:00Z","delete":{flag}}}"#
        )
    };
    let state = |json: &str, name: &str| read_text(json, &shipped(name)).unwrap().comments[0].state;
    for (flag, expected) in [
        ("false", CommentState::Active),
        ("\"\"", CommentState::Active),
        ("\"1\"", CommentState::Hidden),
        ("1", CommentState::Hidden),
        ("\"True\"", CommentState::Hidden),
    ] {
        assert_eq!(state(&artalk(flag), "artalk.toml"), expected, "Artalk {flag}");
        assert_eq!(state(&twikoo(flag), "twikoo.toml"), expected, "Twikoo {flag}");
        assert_eq!(state(&remark42(flag), "remark42.toml"), expected, "remark42 {flag}");
    }
}

#[test]
fn one_bad_value_of_a_thread_costs_its_own_comment_only() {
    let map = map(
        "source = \"x\"\nlist = \"threads.*.comments\"\n[subject]\nid = \"{up.url}\"\nmetadata.title = \"{up.title}\"\n\
         [comment]\nsubject = \"{up.url}\"\nFIELDS",
    );
    let comment = |fields: &str| format!("{{\"id\": {fields}, \"by\": \"a\", \"at\": 1}}");
    let comments =
        ["1, \"text\": \"t\"", "2, \"text\": \"lone \\ud800\"", "3, \"text\": nothing", "4, \"text\": \"t\""];
    let comments = comments.map(comment).join(", ");
    let json =
        format!("{{\"threads\": [{{\"comments\": [{comments}, 5], \"url\": \"/a\", \"title\": \"A \\udc00\"}}]}}");
    let found = read_text(&json, &map).unwrap();
    assert_eq!(ids(&found), [("/a", "1", None), ("/a", "4", None)]);
    assert_eq!(found.subjects.len(), 1, "its title is left out when the rules for all records see it");
    let words: Vec<&str> = found.rejects.iter().map(|(_, message)| message.as_str()).collect();
    assert!(words[0].starts_with("record 2, line 1, byte ") && words[0].contains("half of a character"), "{words:?}");
    assert!(words[1].starts_with("record 3, ") && words[1].contains("it is not JSON"), "{words:?}");
    assert!(words[2].starts_with("record 5, ") && words[2].ends_with("it is no object"), "{words:?}");
}

#[test]
fn a_thread_of_any_length_is_read_and_only_its_comments_are_limited() {
    let map = map("source = \"x\"\nlist = \"threads.*.comments\"\n[comment]\nsubject = \"{up.url}\"\nFIELDS");
    let comment = |n: usize| format!("{{\"id\": {n}, \"by\": \"a\", \"text\": \"{}\", \"at\": 1}}", "x".repeat(2000));
    let comments = (0..9000).map(comment).collect::<Vec<_>>().join(",\n");
    let json = format!("{{\"threads\": [{{\"comments\": [{comments}], \"url\": \"/a\"}}]}}");
    assert!(json.len() > crate::input::RECORD_BYTES_MAX);
    let found = read_text(&json, &map).unwrap();
    assert_eq!((found.comments.len(), found.rejects.len()), (9000, 0));
    let order: Vec<String> = found.comments.into_iter().map(|comment| comment.external_id).collect();
    assert_eq!(order, (0..9000).map(|n| n.to_string()).collect::<Vec<_>>());
}

#[test]
fn a_bad_reply_costs_neither_its_root_nor_its_siblings() {
    let map =
        map("source = \"x\"\nlist = \"comments\"\n[comment]\nsubject = \"{page}\"\nchildren = \"replies\"\nFIELDS");
    let reply = |id: u32, text: &str, more: &str| {
        format!("{{\"by\": \"a\", \"text\": \"{text}\", \"at\": 1{more}, \"id\": {id}}}")
    };
    let below = format!(", \"replies\": [{}]", reply(7, "t", ""));
    let replies =
        [reply(2, "lone \\ud800", &below), reply(4, "t", ""), "5".to_owned(), reply(6, "t", ", \"broken\"")].join(", ");
    let root = reply(1, "t", &format!(", \"replies\": [{replies}], \"page\": \"p\""));
    let broken = format!("{{\"page\": \"p\", \"text\": \"t\", \"at\": 1, oops, \"replies\": [{}]}}", reply(9, "t", ""));
    let found =
        read_text(&format!("{{\"comments\": [{root}, {}, {broken}]}}", reply(3, "t", ", \"page\": \"p\"")), &map)
            .unwrap();
    assert_eq!(ids(&found), [("p", "1", None), ("p", "7", Some("2")), ("p", "4", Some("1")), ("p", "3", None)]);
    let reasons: Vec<(&str, bool)> =
        found.rejects.iter().map(|(reason, message)| (reason.as_str(), message.starts_with("record "))).collect();
    let invalid = ("RECORD_INVALID", true);
    // The text of the reply 2; the number 5; the reply 6; the root without an id, and its reply.
    assert_eq!(reasons, [invalid, invalid, invalid, invalid, ("PARENT_REJECTED", true)]);
}

#[test]
fn a_thread_that_cannot_be_read_takes_its_comments_with_it() {
    let map = map("source = \"x\"\nlist = \"*.comments\"\n[comment]\nsubject = \"{up.url}\"\nFIELDS");
    let json = "[{\"url\": \"/a\", oops, \"comments\": [{\"id\": 1, \"by\": \"a\", \"text\": \"t\", \"at\": 1}]},\n\
        {\"url\": \"/b\", \"comments\": [{\"id\": 2, \"by\": \"a\", \"text\": \"t\", \"at\": 1}]}]";
    let found = read_text(json, &map).unwrap();
    assert_eq!(ids(&found), [("/b", "2", None)]);
    assert_eq!(found.rejects.len(), 2, "{:?}", found.rejects);
    assert!(found.rejects[1].1.contains("what contains it cannot be read"), "{:?}", found.rejects);
}

#[test]
fn a_comment_whose_author_cannot_be_read_is_rejected() {
    let map = shipped("comentario.toml");
    let json = |people: &str| {
        let comment = |id: &str, by: &str| {
            format!(
                "{{\"id\": \"{id}\", \"pageId\": \"1\", \"markdown\": \"t\", \"isApproved\": true, \"createdTime\": \"2023-02-01T00:00:00Z\", \"userCreated\": \"{by}\"}}"
            )
        };
        let comments = [comment("a", "32"), comment("b", "33"), comment("c", "")].join(", ");
        format!(
            "{{\"version\": 3, \"comments\": [{comments}], \"pages\": [{{\"id\": \"1\", \"path\": \"/a/\"}}], \"commenters\": [{people}, \
             {{\"id\": \"33\", \"name\": \"Bob\"}}]}}"
        )
    };
    for (person, words) in [
        (r#"{"id": "32", "name": "Ann \ud800"}"#, "half of a character"),
        (r#"{"id": "32", "name": Ann}"#, "its row of [tables.user] cannot be read (record "),
        (r#"{"name": Ann, "id": }"#, "its row of [tables.user] may be one that cannot be read (record "),
    ] {
        let found = read_text(&json(person), &map).unwrap();
        let retained: Vec<&str> = found.comments.iter().map(|comment| comment.external_id.as_str()).collect();
        assert_eq!(retained, ["b", "c"], "{person}: {:?}", found.rejects);
        assert!(found.rejects.len() == 1 && found.rejects[0].1.contains(words), "{person}: {:?}", found.rejects);
        assert_eq!(found.subjects.len(), 1);
    }
    let found = read_text(&json("7, null"), &map).unwrap();
    assert_eq!(found.comments.len(), 3, "{:?}", found.rejects);
}
