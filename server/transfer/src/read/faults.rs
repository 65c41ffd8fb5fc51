//! Faults in files, through every step from the file to what is sent and what is rejected: what is
//! wrong costs its own record alone, with its original, and publishes nothing.

use super::*;
use crate::batch::SubjectBatch;
use crate::jsonl as lines;
use crate::record::{Comment, Record, Reject, Subject, SubjectState};
use crate::rejects::Rejects;

/// The outcome of a read, in the order of its batches.
#[derive(Debug, Default)]
struct Outcome {
    subjects: Vec<Subject>,
    comments: Vec<Comment>,
    rejects: Vec<Reject>,
}

impl Outcome {
    /// Returns the ids of the comments that are imported.
    fn ids(&self) -> Vec<&str> {
        self.comments.iter().map(|comment| comment.external_id.as_str()).collect()
    }

    fn reasons(&self) -> Vec<&str> {
        let mut reasons: Vec<&str> = self.rejects.iter().map(|reject| reject.problem.reason.as_str()).collect();
        reasons.sort_unstable();
        reasons
    }

    fn original(&self, name: &str) -> Option<&str> {
        let named = |reject: &'_ Reject| reject.record.original().contains_key(name);
        let reject = self.rejects.iter().find(|reject| named(reject))?;
        reject.record.original().get(name).map(String::as_str)
    }

    /// Imports the rejects file of this outcome, after `edit` has corrected it.
    fn again(&self, edit: impl Fn(String) -> String) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.jsonl");
        let mut rejects = Rejects::new(Some(path.clone()), "s");
        self.rejects.iter().for_each(|reject| rejects.add(reject.clone()).unwrap());
        rejects.finish(true).unwrap();
        let text = edit(std::fs::read_to_string(path).unwrap());
        read(&[("r.jsonl", text.as_bytes())], ImportFormat::Jsonl, None).unwrap()
    }
}

fn read(files: &[(&str, &[u8])], format: ImportFormat, map: Option<&str>) -> Result<Outcome> {
    read_with(files, format, map, Orphans::Root)
}

fn read_with(files: &[(&str, &[u8])], format: ImportFormat, map: Option<&str>, orphans: Orphans) -> Result<Outcome> {
    let folder = tempfile::tempdir()?;
    let mut paths = Vec::new();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes)?;
        paths.push(path);
    }
    let map_path = folder.path().join("map.toml");
    if let Some(map) = map {
        std::fs::write(&map_path, map)?;
    }
    let map = map.map(|_| map_path);
    let now = 4_000_000_000_000;
    let request = ReadRequest { map, ..ReadRequest::new(paths, format, folder.path().to_owned(), now) };
    let mut outcome = Outcome::default();
    let mut add = |batch: SubjectBatch| {
        outcome.subjects.extend(batch.requires_subject.then_some(batch.subject));
        outcome.comments.extend(batch.comments.into_iter().map(|ordered| ordered.comment));
        outcome.rejects.extend(batch.rejects);
        Ok(())
    };
    let mut notes = ReadNotes::default();
    request.prepare()?.read(orphans, &ImportTotals::default(), &mut notes, &mut add)?;
    Ok(outcome)
}

fn shipped(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/import");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

const MAP: &str = "source = 's'\nobject_type = 'page'\n[comment]\nsubject = '{s}'\nid = '{id}'\nparent = '{p}'\n\
    member = '{m}'\ntext = '{t}'\ncreate_time = '{c}'\nup = '{l}'\n";
const TIME: &str = "2020-01-01T00:00:00Z";

fn json(text: &str) -> Outcome {
    read(&[("x.json", text.as_bytes())], ImportFormat::Json, Some(MAP)).unwrap()
}

fn jsonl_comment(subject: &str, id: &str) -> String {
    format!(
        "{{\"comment\":{{\"subject\":{{\"object_type\":\"page\",\"object_id\":\"{subject}\"}},\"external_id\":\"{id}\",\
         \"member_id\":\"m\",\"text\":\"private\",\"create_time\":\"{TIME}\"}}}}\n"
    )
}

#[test]
fn a_rejected_record_of_a_subject_publishes_nothing_in_any_format() {
    let key = |id: &str| format!("{{\"subject\":{{\"key\":{{\"object_type\":\"page\",\"object_id\":\"{id}\"}}");
    let lines = [
        format!("{},\"state\":\"HIDDEN\",\"create_time\":\"not a time\"}}}}\n", key("a")),
        format!("{},\"state\":\"HIDDENN\"}}}}\n", key("b")),
        format!("{},\"state\":\"HIDDEN\",\"nosuchfield\":[}}}}\n", key("c")),
    ];
    let comments = ["a", "b", "c"].map(|id| jsonl_comment(id, id));
    let text = [lines.concat(), comments.concat()].concat();
    let jsonl = read(&[("x.jsonl", text.as_bytes())], ImportFormat::Jsonl, None).unwrap();
    let tables = "source = 's'\nobject_type = 'page'\n[tables.t]\nfile = 't.csv'\n[subject]\ntable = 't'\nid = '{id}'\n\
        owner = '{o}'\ncreate_time = '{c}'\nstate = { value = '{st}', map = { ok = 'ACTIVE', hid = 'HIDDEN' } }\n\
        [comment]\nsubject = '{s}'\nid = '{id}'\nmember = 'm'\ntext = '{t}'\ncreate_time = '{c}'\n";
    let rows = format!("id,o,c,st\nA,o,bad,hid\nB,o,{TIME},secret\nC,o,{TIME}\nD,{},{TIME},hid\n", "o".repeat(300));
    let main = format!("id,s,t,c\n0,A,x,{TIME}\n1,B,x,{TIME}\n2,C,x,{TIME}\n3,D,x,{TIME}\n");
    let files = [("t.csv", rows.as_bytes()), ("main.csv", main.as_bytes())];
    let csv = read(&files, ImportFormat::Csv, Some(tables)).unwrap();
    let comentario = format!(
        "{{\"version\":3,\"pages\":[{{\"id\":\"p\",\"path\":\"/a/\",\"isReadonly\":true,\"createdTime\":\"garbage\"}}],\
         \"comments\":[{{\"id\":\"c\",\"pageId\":\"p\",\"markdown\":\"x\",\"isApproved\":true,\"createdTime\":\"{TIME}\",\
         \"userCreated\":\"u\"}}],\"commenters\":[]}}"
    );
    let file = [("x.json", comentario.as_bytes())];
    let comentario = read(&file, ImportFormat::Json, Some(&shipped("comentario.toml"))).unwrap();
    let wordpress = |creator: &[u8], time: &str| {
        let head = b"<rss xmlns:wp='http://wordpress.org/export/1.2/'><channel><item><post_id>7</post_id><creator>";
        let tail = format!(
            "</creator><post_date_gmt>{time}</post_date_gmt><comment><comment_id>1</comment_id><comment_content>x\
             </comment_content><comment_date_gmt>{TIME}</comment_date_gmt></comment></item></channel></rss>"
        );
        let file = [&head[..], creator, tail.as_bytes()].concat();
        read(&[("x.xml", &file)], ImportFormat::WordPress, None).unwrap()
    };
    let disqus = |flag: &[u8], time: &str| {
        let tail = format!(
            "</isDeleted><createdAt>{time}</createdAt></thread><post id='2'><message>x</message><createdAt>{TIME}</createdAt>\
             <thread id='1'/></post></disqus>"
        );
        let file = [&b"<disqus><thread id='1'><id>a</id><isDeleted>"[..], flag, tail.as_bytes()].concat();
        read(&[("x.xml", &file)], ImportFormat::Disqus, None).unwrap()
    };
    let outcomes = [
        (jsonl, 6),
        (csv, 8),
        (comentario, 2),
        (wordpress(b"T", "garbage"), 2),
        (wordpress(b"caf\xe9", TIME), 2),
        (wordpress(b"a <b> b", TIME), 2),
        (disqus(b"T", "garbage"), 2),
        (disqus(b"caf\xe9", TIME), 2),
    ];
    for (outcome, rejects) in outcomes {
        assert!(outcome.subjects.is_empty() && outcome.comments.is_empty(), "{outcome:?}");
        assert_eq!(outcome.rejects.len(), rejects, "{:?}", outcome.reasons());
        let with_subject = outcome.reasons().iter().filter(|reason| **reason == "SUBJECT_REJECTED").count();
        assert_eq!(with_subject, rejects / 2);
        let unchanged = outcome.again(|text| text);
        assert!(unchanged.subjects.is_empty() && unchanged.rejects.len() == rejects, "{:?}", unchanged.reasons());
    }
    assert_eq!(disqus(b"caf\xe9", TIME).original("isDeleted"), Some("caf\\xe9"));
    let fine = wordpress("café".as_bytes(), "0000-00-00 00:00:00");
    assert_eq!((fine.subjects.len(), fine.rejects.len()), (1, 0));
}

#[test]
fn a_title_that_cannot_be_read_costs_the_title_in_any_format() {
    let isso = r#"[{"id":"/a","title":"I \ud800","comments":[{"id":1,"text":"x","created":1}]}]"#;
    let item = format!(
        "<post_id>7</post_id><status>publish</status><title>caf\u{0}</title><comment><comment_id>1</comment_id>\
        <comment_content>x</comment_content><comment_date_gmt>{TIME}</comment_date_gmt></comment>"
    );
    let thread = format!(
        "<thread id='1'><id>a</id><title>caf\u{0}</title></thread><post id='2'><message>x</message>\
        <createdAt>{TIME}</createdAt><thread id='1'/></post>"
    );
    let bad = |text: String| {
        text.into_bytes().into_iter().map(|byte| if byte == 0 { 0xe9 } else { byte }).collect::<Vec<u8>>()
    };
    let wordpress =
        bad(format!("<rss xmlns:wp='http://wordpress.org/export/1.2/'><channel><item>{item}</item></channel></rss>"));
    let disqus = bad(format!("<disqus>{thread}</disqus>"));
    let map = "source = 's'\nobject_type = 'page'\nlist = 'l'\n[subject]\nid = '{s}'\nmetadata.title = '{title}'\n[comment]\n\
        subject = '{s}'\nid = '{id}'\nmember = 'm'\ntext = '{t}'\ncreate_time = '{c}'\n";
    let json =
        format!("{{\"l\": [{{\"s\": \"p\", \"id\": 1, \"t\": \"x\", \"c\": \"{TIME}\", \"title\": \"J \\udfff\"}}]}}");
    let outcomes = [
        read(&[("x.json", isso.as_bytes())], ImportFormat::Isso, None),
        read(&[("x.xml", &wordpress)], ImportFormat::WordPress, None),
        read(&[("x.xml", &disqus)], ImportFormat::Disqus, None),
        read(&[("x.json", json.as_bytes())], ImportFormat::Json, Some(map)),
    ];
    for outcome in outcomes.map(Result::unwrap) {
        assert_eq!((outcome.subjects.len(), outcome.comments.len(), outcome.rejects.len()), (1, 1, 0), "{outcome:?}");
        assert!(!outcome.subjects[0].metadata.contains_key("title"), "{outcome:?}");
    }
}

#[test]
fn noncharacters_are_texts_in_any_format_however_they_are_written() {
    // U+FDD0 to U+FDD2 stand for bytes that are not UTF-8 while a file is read.
    let text = "\u{fdd0}e9 \u{fdd1}d800 \u{fdd2}0";
    let escaped = "\\ufdd0e9 \\uFDD1d800 \\ufdd20";
    let references = "&#xFDD0;e9 &#64977;d800 &#xfdd2;0";
    let json_map = "source = 's'\nobject_type = 'page'\nlist = 'l'\n[comment]\nsubject = '{s}'\nid = '{id}'\n\
        member = 'm'\ntext = '{t}'\ncreate_time = '{c}'\n";
    let csv_map = json_map.replace("list = 'l'\n", "");
    let isso =
        |text: &str| format!(r#"[{{"id":"/a","title":"t","comments":[{{"id":1,"text":"{text}","created":1}}]}}]"#);
    let json = |text: &str| format!(r#"{{"l": [{{"s": "p", "id": 1, "t": "{text}", "c": "{TIME}"}}]}}"#);
    let jsonl = |text: &str| {
        format!(
            r#"{{"comment":{{"subject":{{"object_type":"page","object_id":"a"}},"external_id":"1","member_id":"m",\
            "text":"{text}","create_time":"{TIME}"}}}}"#
        )
        .replace("\\\n            ", "")
    };
    let wordpress = |text: &str| {
        format!(
            "<rss xmlns:wp='http://wordpress.org/export/1.2/'><channel><item><post_id>7</post_id><status>publish</status>\
            <title>t</title><comment><comment_id>1</comment_id><comment_content>{text}</comment_content>\
            <comment_date_gmt>{TIME}</comment_date_gmt></comment></item></channel></rss>"
        )
    };
    let disqus = |text: &str| {
        format!(
            "<disqus><thread id='1'><id>a</id><title>t</title></thread><post id='2'><message>{text}</message>\
            <createdAt>{TIME}</createdAt><thread id='1'/></post></disqus>"
        )
    };
    let files = [
        (isso(text), ImportFormat::Isso, None),
        (isso(escaped), ImportFormat::Isso, None),
        (json(text), ImportFormat::Json, Some(json_map)),
        (json(escaped), ImportFormat::Json, Some(json_map)),
        (jsonl(text), ImportFormat::Jsonl, None),
        (jsonl(escaped), ImportFormat::Jsonl, None),
        (wordpress(text), ImportFormat::WordPress, None),
        (wordpress(references), ImportFormat::WordPress, None),
        (disqus(text), ImportFormat::Disqus, None),
        (disqus(&format!("<![CDATA[<p>{references}</p>]]>")), ImportFormat::Disqus, None),
        (format!("s,id,t,c\np,1,{text},{TIME}\n"), ImportFormat::Csv, Some(csv_map.as_str())),
    ];
    for (file, format, map) in files {
        let outcome = read(&[("x.file", file.as_bytes())], format, map).unwrap();
        let texts: Vec<&str> = outcome.comments.iter().map(|comment| comment.text.as_str()).collect();
        assert_eq!((texts, outcome.rejects.len()), (vec![text], 0), "{format:?}: {file}");
    }
}

#[test]
fn a_reply_to_a_comment_of_another_subject_is_rejected_before_it_is_sent() {
    let post = |id: &str, thread: &str, parent: &str| {
        let parent = if parent.is_empty() { String::new() } else { format!("<parent id='{parent}'/>") };
        format!(
            "<post id='{id}'><message>x</message><createdAt>{TIME}</createdAt><thread id='{thread}'/>{parent}</post>"
        )
    };
    let posts =
        [post("3", "1", ""), post("4", "2", "3"), post("5", "2", "4"), post("6", "2", "99"), post("7", "2", "")]
            .concat();
    let xml = format!(
        "<disqus><thread id='1'><link>https://e/a</link></thread><thread id='2'><link>https://e/a?x</link></thread>{posts}</disqus>"
    );
    let files = [("x.xml", xml.as_bytes())];
    let outcome = read_with(&files, ImportFormat::Disqus, None, Orphans::Reject).unwrap();
    // The parent of 6 may be on the server.
    assert_eq!((outcome.ids(), outcome.reasons()), (vec!["3", "6", "7"], vec!["PARENT_MISSING", "PARENT_REJECTED"]));
    let words = &outcome.rejects[0].problem.message;
    assert!(
        words.contains("another subject") && words.contains("--strip-query") && words.starts_with("record 2, "),
        "{words}"
    );
    let count = |orphans| read_with(&files, ImportFormat::Disqus, None, orphans).unwrap().ids().len();
    assert_eq!((count(Orphans::Root), count(Orphans::Tombstone)), (5, 7));
}

#[test]
fn a_row_that_cannot_be_taken_apart_is_kept_as_it_stands() {
    let map = |more: &str| {
        format!(
            "source = 's'\nobject_type = 'page'\n{more}[comment]\nsubject = '{{s}}'\nid = '{{id}}'\nmember = '{{m}}'\n\
        text = '{{t}}'\ncreate_time = '{{c}}'\n"
        )
    };
    let mysql = map("dialect = 'mysql'\ndelimiter = ','\nquote = '\"'\nheader = ['id', 's', 'm', 't', 'c', 'mail']\n");
    let row = "\"2\",\"7\",\"bob\",\"unclosed, \"2020-01-01\",\"a@example.org\"";
    let rows = format!(
        "\"1\",\"7\",\"bob\",\"fine\",\"{TIME}\",\"b@example.org\"\n{row}\n\"3\",\"7\",\"bob\",\"fine\",\"{TIME}\",\"\"\n"
    );
    let mysql = read(&[("x.csv", rows.as_bytes())], ImportFormat::Csv, Some(&mysql)).unwrap();
    let csv = format!("id,s,m,t,c,mail\n{rows}");
    let csv = read(&[("x.csv", csv.as_bytes())], ImportFormat::Csv, Some(&map(""))).unwrap();
    for outcome in [mysql, csv] {
        assert_eq!((outcome.ids(), outcome.reasons()), (vec!["1", "3"], vec!["RECORD_INVALID"]));
        assert_eq!(outcome.original("record"), Some("\"2\",\"7\",\"bob\",\"unclosed, \"2020-01-01\",\"…\""));
    }
}

#[test]
fn the_corrected_rejects_file_brings_in_a_subject_with_its_comments() {
    let subject = "{\"subject\":{\"key\":{\"object_type\":\"page\",\"object_id\":\"a\"},\"state\":\"HIDDEN\",\
        \"create_time\":\"not a time\"}}\n";
    let text = [subject.to_owned(), jsonl_comment("a", "1")].concat();
    let outcome = read(&[("x.jsonl", text.as_bytes())], ImportFormat::Jsonl, None).unwrap();
    let corrected = outcome.again(|text| {
        text.replace("\"state\":\"HIDDEN\"", "\"state\":\"HIDDEN\",\"create_time\":\"2020-01-01T00:00:00Z\"")
    });
    assert_eq!((corrected.ids(), corrected.subjects[0].state), (vec!["1"], SubjectState::Hidden));
    assert!(corrected.rejects.is_empty());
}

#[test]
fn unwanted_types_and_second_texts_do_not_come_in_by_the_rejects_file() {
    let comment = |id: &str, kind: &str, text: &str| {
        format!(
            "<comment><comment_id>{id}</comment_id><comment_type>{kind}</comment_type><comment_content>{text}\
             </comment_content><comment_date_gmt>{TIME}</comment_date_gmt></comment>"
        )
    };
    let file = format!(
        "<rss xmlns:wp='http://wordpress.org/export/1.2/'><channel><item><post_id>7</post_id>{}{}{}{}</item></channel></rss>",
        comment("1", "", "first"),
        comment("1", "", "second text"),
        comment("2", "order_note", "a note"),
        comment("", "", "without id")
    );
    let outcome = read(&[("x.xml", file.as_bytes())], ImportFormat::WordPress, None).unwrap();
    let reasons = ["DUPLICATE_ID", "ID_EMPTY", "NOT_A_COMMENT"];
    assert_eq!((outcome.ids(), outcome.reasons()), (vec!["1"], reasons.to_vec()));
    let again = outcome.again(|text| text);
    assert_eq!((again.ids().len(), again.reasons()), (0, reasons.to_vec()));
    assert_eq!(again.original("comment_type"), Some("order_note"));
    assert_eq!(again.again(|text| text).reasons(), reasons, "and once more");
    let corrected = again.again(|text| text.replace("\"external_id\":\"1\"", "\"external_id\":\"3\""));
    assert_eq!(corrected.ids(), ["3"]);
    let meant = again.again(|text| {
        let line = |line: &str| line.split(",\"rejected\"").next().map(|line| format!("{line}}}\n"));
        text.lines().skip(1).filter(|line| line.contains("a note")).filter_map(line).collect()
    });
    assert_eq!(meant.ids(), ["2"]);
}

#[test]
fn what_a_record_does_not_hold_is_in_its_original() {
    let row = |rest: &str| format!("id,s,p,m,t,c,l\n1,a,,m,x,{TIME},1{rest}\n");
    let csv = |text: &[u8]| read(&[("x.csv", text)], ImportFormat::Csv, Some(MAP)).unwrap();
    let many = csv(row(",more words,a@example.org").as_bytes());
    assert_eq!(
        (many.reasons(), many.original("cell 8"), many.original("cell 9")),
        (vec!["RECORD_INVALID"], Some("more words"), None)
    );
    let twice = csv(format!("id,s,p,m,t,c,l,x,x\n,a,,m,x,{TIME},1,one,two\n").as_bytes());
    assert_eq!((twice.original("x"), twice.original("x~9")), (Some("one"), Some("two")));
    let foreign = csv(&[&b"id,s,p,m,t,c,l\n1,a,,m,caf\xe9 \\,"[..], TIME.as_bytes(), b",1\n"].concat());
    assert_eq!((foreign.reasons(), foreign.original("text")), (vec!["RECORD_INVALID"], Some("caf\\xe9 \\\\")));
    let comment =
        |id: &str, text: &str| format!("{{\"id\":{id},\"s\":\"a\",\"m\":\"m\",\"t\":{text},\"c\":\"{TIME}\"}}");
    let stray = json(&format!("[{},[\"a stray list\",3],{}]", comment("1", "\"x\""), comment("2", "\"x\"")));
    assert_eq!((stray.ids(), stray.original("record")), (vec!["1", "2"], Some("[\"a stray list\",3]")));
    let object = json(&format!("[{}]", comment("1", "{\"en\":\"the words\",\"eMail\":\"x\"}")));
    assert_eq!((object.reasons(), object.original("t")), (vec!["RECORD_INVALID"], Some("{\"en\":\"the words\"}")));
    let bytes = [b"[{\"id\":1,\"s\":\"a\",\"m\":\"m\",\"t\":\"caf\xe9\",\"c\":\"".as_slice(), TIME.as_bytes(), b"\"}]"]
        .concat();
    let foreign = read(&[("x.json", &bytes)], ImportFormat::Json, Some(MAP)).unwrap();
    assert_eq!((foreign.reasons(), foreign.original("text")), (vec!["RECORD_INVALID"], Some("caf\\xe9")));
    let Record::Comment(comment) = &foreign.rejects[0].record else { panic!("it is a comment") };
    assert_eq!((comment.external_id.as_str(), comment.text.as_str()), ("1", "caf\u{fffd}"));
}

#[test]
fn one_bad_value_costs_its_record_alone() {
    let comment =
        |id: u32, text: &str| format!("{{\"id\":{id},\"s\":\"a\",\"m\":\"m\",\"t\":\"{text}\",\"c\":\"{TIME}\"}}\n");
    let long = "x".repeat(17 << 20);
    for bad in ["[\"a stray list\", 3]\n", "7\n", "{\"id\":\n", &comment(9, &long)] {
        let outcome = json(&[&comment(1, "x"), bad, &comment(2, "x")].concat());
        assert_eq!((outcome.ids(), outcome.reasons()), (vec!["1", "2"], vec!["RECORD_INVALID"]));
        assert!(
            outcome.rejects[0].problem.message.starts_with("record 2, line 2, "),
            "{:?}",
            outcome.rejects[0].problem
        );
    }
    let rows = |text: &str| format!("1\ta\t\tm\tx\t{TIME}\t1\n2\ta\t\tm\t{text}\t{TIME}\t1\n3\ta\t\tm\tx\t{TIME}\t1\n");
    let map = format!("dialect = 'mysql'\nheader = ['id', 's', 'p', 'm', 't', 'c', 'l']\n{MAP}");
    let outcome = read(&[("x.tsv", rows(&long).as_bytes())], ImportFormat::Csv, Some(&map)).unwrap();
    assert_eq!((outcome.ids(), outcome.reasons()), (vec!["1", "3"], vec!["RECORD_INVALID"]));
    assert!(outcome.rejects[0].problem.message.contains("16 MiB"));
    let post = |id: u32, text: &str| {
        format!(
            "<comment><comment_id>{id}</comment_id><comment_content>{text}</comment_content>\
             <comment_date_gmt>{TIME}</comment_date_gmt></comment>"
        )
    };
    for bad in ["so <b> it is", "a <b>bold</b> word", "I <3 you", "<p>all</p>", &long] {
        let file = format!(
            "<rss xmlns:wp='http://wordpress.org/export/1.2/'><channel><item><post_id>7</post_id>{}{}{}</item></channel></rss>",
            post(1, "x"),
            post(2, bad),
            post(3, "x")
        );
        let outcome = read(&[("x.xml", file.as_bytes())], ImportFormat::WordPress, None).unwrap();
        assert_eq!((outcome.ids(), outcome.reasons()), (vec!["1", "3"], vec!["RECORD_INVALID"]));
    }
    let nested = "<rss xmlns:wp='http://wordpress.org/export/1.2/'><channel><item><post_id>7</post_id>\n<item></item></channel></rss>";
    let error = format!("{:#}", read(&[("x.xml", nested.as_bytes())], ImportFormat::WordPress, None).unwrap_err());
    assert!(error.contains("x.xml: line 2, byte ") && error.contains("<item>") && !error.contains("I/O"), "{error}");
}

#[test]
fn numbers_stay_as_they_are_written() {
    let comment = |id: &str, likes: &str| {
        format!("{{\"id\":{id},\"s\":1.50,\"m\":\"m\",\"t\":\"x\",\"c\":\"{TIME}\",\"l\":{likes}}}")
    };
    let ids = ["123456789012345678901", "123456789012345678902", "18446744073709551616", "-9223372036854775809"];
    let text: Vec<String> =
        ids.iter().zip(["1.0", "1e3", "\"2.0\"", "0"]).map(|(id, likes)| comment(id, likes)).collect();
    let outcome = json(&format!("[{}]", text.join(",")));
    assert_eq!(outcome.ids(), ids);
    assert_eq!(outcome.subjects[0].key.object_id, "1.50");
    let likes: Vec<u32> = outcome.comments.iter().map(|comment| comment.votes.up).collect();
    assert_eq!(likes, [1, 1000, 2, 0]);
    let half = json(&format!("[{}]", comment("1", "1.5")));
    assert_eq!(half.reasons(), ["COUNT_INVALID"]);
}

#[test]
fn pages_that_are_closed_stay_closed() {
    let remark = format!(
        "{{\"version\":1,\"users\":[],\"posts\":[{{\"url\":\"https://e/a\",\"read_only\":true}}]}}\n{}{}",
        format_args!(
            "{{\"id\":\"1\",\"text\":\"x\",\"user\":{{\"id\":\"u\"}},\"locator\":{{\"url\":\"https://e/a\"}},\"time\":\"{TIME}\"}}\n"
        ),
        format_args!(
            "{{\"id\":\"2\",\"text\":\"x\",\"user\":{{\"id\":\"u\"}},\"locator\":{{\"url\":\"https://e/b\"}},\"time\":\"{TIME}\"}}\n"
        ),
    );
    let outcome = read(&[("x.jsonl", remark.as_bytes())], ImportFormat::Json, Some(&shipped("remark42.toml"))).unwrap();
    let states = |outcome: &Outcome| outcome.subjects.iter().map(|subject| subject.state).collect::<Vec<_>>();
    assert_eq!(states(&outcome), [SubjectState::ReadOnly, SubjectState::Active]);
    for (flag, state) in [("\"true\"", SubjectState::ReadOnly), ("\"false\"", SubjectState::Active)] {
        let artalk = format!(
            "[{{\"id\":\"1\",\"rid\":\"0\",\"content\":\"x\",\"page_key\":\"/a/\",\"page_admin_only\":{flag},\
             \"created_at\":\"2022-01-01 00:00:00 +0800\",\"nick\":\"A\"}}]"
        );
        let outcome =
            read(&[("x.json", artalk.as_bytes())], ImportFormat::Json, Some(&shipped("artalk.toml"))).unwrap();
        assert_eq!(states(&outcome), [state], "{flag}");
    }
}

#[test]
fn a_map_of_another_system_is_named() {
    let waline = "{\"type\":\"waline\",\"version\":1,\"tables\":[\"Comment\"],\"data\":{\"Comment\":[]}}";
    let read = read(&[("x.json", waline.as_bytes())], ImportFormat::Json, Some(&shipped("artalk.toml")));
    let error = format!("{:#}", read.unwrap_err());
    assert!(error.contains("a Waline export") && error.contains("docs/import/waline.toml"), "{error}");
}

#[test]
fn words_after_the_end_of_a_document_are_refused() {
    let xml = "<disqus><thread id='1'><id>a</id></thread></disqus>\ngarbage";
    let isso = "[{\"id\":\"/a\",\"comments\":[]}] garbage";
    for (text, format) in [(xml, ImportFormat::Disqus), (isso, ImportFormat::Isso)] {
        let error = format!("{:#}", read(&[("x", text.as_bytes())], format, None).unwrap_err());
        assert!(error.contains("outside of"), "{error}");
    }
    let header = lines::SCHEMA;
    let text = format!("{{\"schema\":\"{header}\"}}\n{}garbage\n", jsonl_comment("a", "1"));
    let outcome = read(&[("x.jsonl", text.as_bytes())], ImportFormat::Jsonl, None).unwrap();
    assert_eq!((outcome.ids(), outcome.reasons()), (vec!["1"], vec!["RECORD_INVALID"]));
}
