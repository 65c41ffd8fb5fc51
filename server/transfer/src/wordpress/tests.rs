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
    read(input, &settings, &std::env::temp_dir(), &mut ReadNotes::default(), &mut |entry| {
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
    // Without a state, or with one in other words, nothing says that the public can read it.
    for status in ["", "<status/>", "<status>Publish</status>"] {
        assert_eq!(state(status), SubjectState::Hidden, "{status}");
    }
    for (password, expected) in [
        (" ", SubjectState::Hidden),
        ("<![CDATA[  ]]>", SubjectState::Hidden),
        ("\n      ", SubjectState::Active),
        ("<![CDATA[]]>", SubjectState::Active),
    ] {
        let item = format!("<status>publish</status><post_password>{password}</post_password>");
        assert_eq!(state(&item), expected, "{password:?}");
    }
    let attached = |parent: &str| {
        let attachment = export("<status>inherit</status><post_parent>9</post_parent>", &[COMMENT]);
        let post = format!("<item><post_id>9</post_id><status>{parent}</status></item></channel>");
        subjects(&entries(&attachment.replace("</channel>", &post), ReadSettings::of("w")))[0].state
    };
    assert_eq!((attached("publish"), attached("private")), (SubjectState::Active, SubjectState::Hidden));
    assert_eq!(state("<status>inherit</status><post_parent>9</post_parent>"), SubjectState::Hidden);
    for (kind, expected) in
        [("attachment", SubjectState::Active), ("revision", SubjectState::Hidden), ("", SubjectState::Hidden)]
    {
        let free = format!("<status>inherit</status><post_type>{kind}</post_type><post_parent>0</post_parent>");
        assert_eq!(state(&free), expected, "{kind}");
    }
    // A file of a file has the state of the post, and one of itself is hidden.
    let of_file = |status: &str| {
        let attachment = export("<status>inherit</status><post_parent>8</post_parent>", &[COMMENT]);
        let others = format!(
            "<item><post_id>8</post_id><status>inherit</status><post_parent>9</post_parent></item>\
             <item><post_id>9</post_id><status>{status}</status></item></channel>"
        );
        subjects(&entries(&attachment.replace("</channel>", &others), ReadSettings::of("w")))[0].state
    };
    assert_eq!((of_file("publish"), of_file("draft")), (SubjectState::Active, SubjectState::Hidden));
    assert_eq!(state("<status>inherit</status><post_parent>7</post_parent>"), SubjectState::Hidden);
}

#[test]
fn a_title_that_cannot_be_read_costs_no_comments() {
    let comment = "<comment_date_gmt>2014-04-29 15:21:35</comment_date_gmt><comment_content>x</comment_content>";
    let item = "<status>publish</status><title>a <b></title>";
    let entries = entries(&export(item, &[comment]), ReadSettings::of("w"));
    assert!(entries.len() == 2 && entries.iter().all(|entry| entry.problem.is_none()), "{entries:?}");
    assert!(subjects(&entries)[0].metadata.is_empty());
}

#[test]
fn a_text_with_open_markup_is_kept_as_it_is_written() {
    let comment = "<comment_date_gmt>2014-04-29 15:21:35</comment_date_gmt><comment_content>unclosed <b></comment_content>\
            <commentmeta><meta_key>k</meta_key><meta_value>v</meta_value></commentmeta>";
    let found = comments(&entries(&export("", &[comment]), ReadSettings::of("w")));
    let (comment, rejected) = &found[0];
    assert_eq!(rejected.as_deref(), Some("RECORD_INVALID"));
    assert_eq!(comment.original["comment_content"], "unclosed <b>");
    assert_eq!(comment.original.get("commentmeta"), None);
    assert_eq!(comment.original["commentmeta/meta_value"], "v");
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
    let found =
        comments(&entries(&export("<post_date_gmt>2011-03-30 09:00:00</post_date_gmt>", &fields), settings.clone()));
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
