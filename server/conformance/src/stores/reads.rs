//! Reads by key and by id, previews, threads, conversations, and the isolation between subjects.

use riposte_core::content::ClientInfo;
use riposte_core::origin::ImportOrigin;
use riposte_core::page::{SubjectCursor, SubtreeQuery};
use riposte_core::subject::Metadata;
use riposte_core::verbs::{DeleteSubject, Import, ImportTimes};
use riposte_core::{
    CommentId, CommentState, Content, LikeValue, Millis, ObjectType, ObjectTypeScope, Path, SubjectKey,
};

use super::backend::Backend;
use super::fixture::{Fixture, OBJECT_TYPE, by_moderator, comment, first, member, text};

pub(super) async fn absent_things_are_none_or_empty(backend: Backend) {
    let fixture = Fixture::new(&backend, "absent_things_are_none_or_empty");
    let (key, reader) = (fixture.key(), &fixture.process.reader);
    let id = fixture.id(&key).await;
    assert_eq!(reader.subjects(std::slice::from_ref(&key)).await, Ok(vec![None]));
    assert_eq!(reader.locate(&[id]).await, Ok(vec![None]));
    assert_eq!(reader.comments(&[id]).await, Ok(vec![None]));
    assert_eq!(reader.roots(&key, first(5), 3).await, Ok(None));
    assert_eq!(reader.replies(&key, id, first(5)).await, Ok(None));
    let part = SubtreeQuery { top: Path::root(id), max_depth: 9, after: None, limit: 5 };
    assert_eq!(reader.thread(&key, &part).await, Ok(None));
    assert_eq!(reader.conversation(&key, id, 5).await, Ok(None));
    assert_eq!(reader.revisions(id).await, Ok(Vec::new()));
    assert_eq!(reader.like_states(&key, &member("m"), &[id]).await, Ok(vec![None]));
    assert_eq!(reader.likers(id, LikeValue::Like, None, 5).await.map(|page| page.items), Ok(Vec::new()));
    assert_eq!(reader.created_by(&key, &[fixture.request().key]).await, Ok(vec![None]));
    assert_eq!(reader.export_comments(&key, None, 5).await, Ok(Vec::new()));
    assert_eq!(reader.export_likes(&[id], None, 5).await, Ok(Vec::new()));
    assert_eq!(reader.verify(&key).await.map(|report| report.comments), Ok(0));
    assert_eq!((reader.subjects(&[]).await, reader.comments(&[]).await), (Ok(Vec::new()), Ok(Vec::new())));
}

pub(super) async fn batch_reads_keep_the_order_of_the_request(backend: Backend) {
    let fixture = Fixture::new(&backend, "batch_reads_keep_the_order_of_the_request");
    let mut keys = Vec::new();
    let mut ids = Vec::new();
    for n in 0..12 {
        let key = fixture.key_named(n);
        ids.push(fixture.root(&key).await.comment.reference.id);
        keys.push(key);
    }
    let (absent, nowhere) = (fixture.key_named("absent"), fixture.id(&keys[0]).await);
    keys.insert(5, absent);
    ids.insert(7, nowhere);
    keys.reverse();
    ids.push(ids[2]);
    let reader = &fixture.process.reader;
    let subjects = reader.subjects(&keys).await.expect("read");
    let found: Vec<_> = subjects.iter().map(|s| s.as_ref().map(|s| &s.key)).collect();
    assert_eq!(found, keys.iter().enumerate().map(|(n, key)| (n != 7).then_some(key)).collect::<Vec<_>>());
    let expected: Vec<_> = ids.iter().map(|id| (*id != nowhere).then_some(*id)).collect();
    let comments = reader.comments(&ids).await.expect("read");
    assert_eq!(comments.iter().map(|c| c.as_ref().map(|c| c.comment.reference.id)).collect::<Vec<_>>(), expected);
    let located = reader.locate(&ids).await.expect("read");
    assert_eq!(located.iter().map(|l| l.as_ref().map(|l| l.id)).collect::<Vec<_>>(), expected);
    let each = reader.locate_each(&ids, &ObjectTypeScope::All).await.into_iter().collect::<Result<Vec<_>, _>>();
    assert_eq!(each, Ok(located), "each by itself");
}

pub(super) async fn nothing_below_a_deleted_subject_is_shown(backend: Backend) {
    let fixture = Fixture::new(&backend, "nothing_below_a_deleted_subject_is_shown");
    let key = fixture.key();
    let root = fixture.root(&key).await.comment.reference.id;
    fixture.run(&key, DeleteSubject { etag: String::new() }).await;
    let reader = &fixture.process.reader;
    assert!(fixture.subject(&key).await.delete_time.is_some(), "the subject itself is returned");
    assert_eq!(reader.comments(&[root]).await, Ok(vec![None]));
    assert_eq!(reader.roots(&key, first(5), 3).await, Ok(None));
    assert_eq!(reader.replies(&key, root, first(5)).await, Ok(None));
    let part = SubtreeQuery { top: Path::root(root), max_depth: 9, after: None, limit: 5 };
    assert_eq!(reader.thread(&key, &part).await, Ok(None));
}

/// Creates a root with two branches under a depth limit of 4. Returns the ids by name.
async fn branched_thread(fixture: &Fixture, key: &SubjectKey) -> [CommentId; 6] {
    let root = fixture.root(key).await.comment.reference.id;
    let a = fixture.reply(key, root, 4).await.comment.reference.id;
    let b = fixture.reply(key, root, 4).await.comment.reference.id;
    let aa = fixture.reply(key, a, 4).await.comment.reference.id;
    let aaa = fixture.reply(key, aa, 4).await.comment.reference.id;
    let capped = fixture.reply(key, aaa, 4).await.comment.reference.id;
    [root, a, b, aa, aaa, capped]
}

pub(super) async fn a_thread_is_returned_in_the_order_of_its_paths(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_thread_is_returned_in_the_order_of_its_paths");
    let key = fixture.key();
    let [root, a, b, aa, aaa, capped] = branched_thread(&fixture, &key).await;
    let top = async |id: CommentId| fixture.view(id).await.comment.reference.path;
    let read = async |id, max_depth, limit| {
        let (mut ids, mut after) = (Vec::new(), None);
        loop {
            let part = SubtreeQuery { top: top(id).await, max_depth, after: after.take(), limit };
            let page = fixture.process.reader.thread(&key, &part).await.expect("read").expect("present");
            ids.extend(page.comments.iter().map(|c| c.comment.reference.id));
            if !page.more_after {
                return ids;
            }
            assert_eq!(page.comments.len(), limit, "a page before the last is full");
            after = page.comments.last().map(|c| c.comment.reference.path.clone());
        }
    };
    for limit in [1, 2, 5, 6, 100] {
        assert_eq!(read(root, 32, limit).await, [root, a, aa, aaa, capped, b]);
        assert_eq!(read(root, 1, limit).await, [root, a, b]);
        assert_eq!(read(root, 0, limit).await, [root]);
        assert_eq!(read(a, 32, limit).await, [a, aa, aaa, capped]);
        assert_eq!(read(aa, 2, limit).await, [aa]);
        assert_eq!(read(aaa, 32, limit).await, [aaa]);
    }
}

pub(super) async fn a_conversation_follows_the_parents_and_ends_at_the_root(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_conversation_follows_the_parents_and_ends_at_the_root");
    let key = fixture.key();
    let [root, a, b, aa, aaa, capped] = branched_thread(&fixture, &key).await;
    let revision = fixture.subject(&key).await.revision;
    let ancestors = async |id, limit| {
        let found = fixture.process.reader.conversation(&key, id, limit).await.expect("read").expect("exists");
        assert_eq!(found.subject.revision, revision);
        let mut ids: Vec<_> = found.comments.iter().map(|view| view.comment.reference.id).collect();
        assert_eq!(ids.remove(0), id);
        ids
    };
    assert_eq!(ancestors(capped, 100).await, [aaa, aa, a, root], "by parent, although its path is beside that of aaa");
    assert_eq!(ancestors(capped, 2).await, [aaa, aa, root], "the nearest two, and the root");
    assert_eq!(ancestors(capped, 3).await, [aaa, aa, a, root]);
    assert_eq!(ancestors(capped, 4).await, [aaa, aa, a, root]);
    assert_eq!(ancestors(b, 1).await, [root]);
    assert_eq!(ancestors(root, 100).await, []);
}

pub(super) async fn previews_without_likes_are_the_oldest_listed_replies(backend: Backend) {
    let fixture = Fixture::new(&backend, "previews_without_likes_are_the_oldest_listed_replies");
    let key = fixture.key();
    let root = fixture.root(&key).await.comment.reference.id;
    let lone = fixture.root(&key).await.comment.reference.id;
    let mut replies = Vec::new();
    for _ in 0..4 {
        replies.push(fixture.reply(&key, root, 2).await.comment.reference.id);
    }
    let actor = by_moderator();
    let verb = riposte_core::verbs::Delete { target: fixture.target(replies[1]).await, actor, etag: String::new() };
    fixture.run(&key, verb).await;
    for (previews, count, more) in [(0, 0, true), (1, 1, true), (2, 2, true), (3, 3, false), (10, 3, false)] {
        let page = fixture.process.reader.roots(&key, first(10), previews).await.expect("read").expect("present");
        let [of_root, of_lone] = &page.threads.items[..] else { panic!("two roots") };
        let ids: Vec<_> = of_root.replies.iter().map(|view| view.comment.reference.id).collect();
        assert_eq!(ids, [replies[0], replies[2], replies[3]][..count], "{previews} previews");
        assert_eq!(of_root.more_replies, more, "{previews} previews");
        assert_eq!((of_lone.root.comment.reference.id, of_lone.replies.len(), of_lone.more_replies), (lone, 0, false));
    }
}

pub(super) async fn every_character_of_a_text_is_returned(backend: Backend) {
    let fixture = Fixture::new(&backend, "every_character_of_a_text_is_returned");
    let key = fixture.key();
    let texts = [
        "plain",
        " leading and trailing \t\n ",
        "👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 \u{1F3E0}",
        "مرحبا بالعالم \u{202E}rtl\u{202C} שלום",
        "楼中楼 ㄅㄆㄇ 한국어 \u{0} is not among them".split('\u{0}').next().unwrap_or_default(),
        "'; DROP TABLE comment_index; -- \\ \" ` % _ ? :1 $1 _@ comment_subject_@ \\0",
        "\u{1}\u{7f}\u{feff}\u{fffd}\u{10ffff}",
        &"🏠".repeat(5_000),
    ];
    for written in texts {
        let mut create = fixture.root_verb(&key, "author").await;
        let mentions = vec![member("x"), member("x "), member("🏠")];
        let metadata = Metadata::from([
            ("ключ _@".to_owned(), written.chars().take(9).collect()),
            ("b".to_owned(), String::new()),
        ]);
        let extra = metadata.iter().map(|(name, value)| (name.clone(), value.clone().into_bytes())).collect();
        create.content = Content::stored(written.to_owned(), mentions, metadata).with_extra(extra);
        let address = Some(std::net::IpAddr::from([0x2001, 0xdb8, 0, 0, 0, 0, 0, 1]));
        create.client = ClientInfo { ip: address, platform: "ios".to_owned(), device: "iPhone17,1 _@".to_owned() };
        let (content, client) = (create.content.clone(), create.client.clone());
        let id = comment(&fixture.run(&key, create).await).comment.reference.id;
        assert_eq!(fixture.view(id).await.content.as_ref(), Some(&content));
        let exported = fixture.process.reader.export_comments(&key, None, 100).await.expect("read");
        let exported = exported.last().expect("at least one");
        assert_eq!((&exported.view.content, &exported.client), (&Some(content), &client));
        let bare = fixture.root(&key).await.comment.reference.id;
        let clients = fixture.process.reader.clients(&[bare, id, fixture.id(&key).await]).await;
        assert_eq!(clients, Ok(vec![None, Some(client), None]));
    }
}

pub(super) async fn ids_that_callers_own_are_compared_byte_by_byte(backend: Backend) {
    let fixture = Fixture::new(&backend, "ids_that_callers_own_are_compared_byte_by_byte");
    let names = ["x", "x ", "X", " x", "é", "e\u{301}", "ß", "ss", "%", "_", "x_@", "ﬁ", "fi", "\u{200b}x"];
    for (n, name) in names.iter().enumerate() {
        let key = fixture.key_named(name);
        for _ in 0..=n {
            let create = fixture.root_verb(&key, name).await;
            fixture.run(&key, create).await;
        }
    }
    for (n, name) in names.iter().enumerate() {
        let key = fixture.key_named(name);
        let subject = fixture.subject(&key).await;
        assert_eq!((subject.counts.root_count as usize, &subject.key), (n + 1, &key), "{name:?}");
        let root = fixture.roots(&key, first(1)).await.threads.items.remove(0).root;
        assert_eq!(root.comment.reference.member, member(name));
    }
}

pub(super) async fn object_types_with_the_same_ids_do_not_mix(backend: Backend) {
    let fixture = Fixture::new(&backend, "object_types_with_the_same_ids_do_not_mix");
    let keys = ["article", "video", "video_"].map(|object_type| fixture.key_of(object_type, "1"));
    for (n, key) in keys.iter().enumerate() {
        for _ in 0..=n {
            fixture.root(key).await;
        }
    }
    for (n, key) in keys.iter().enumerate() {
        assert_eq!(fixture.floors(key).await, (1..=n as i32 + 1).collect::<Vec<_>>());
        assert_eq!(fixture.check_counts(key).await, n + 1);
    }
}

pub(super) async fn a_comment_of_another_subject_is_absent(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_comment_of_another_subject_is_absent");
    let key = fixture.key();
    let other = fixture.neighbour(&key);
    let (own, foreign) = (fixture.root(&key).await.comment, fixture.root(&other).await.comment);
    fixture.reply(&other, foreign.reference.id, 2).await;
    let reader = &fixture.process.reader;
    assert_eq!(
        reader.like_states(&key, &member("m"), &[own.reference.id, foreign.reference.id]).await,
        Ok(vec![Some(LikeValue::None), None])
    );
    assert_eq!(reader.replies(&key, foreign.reference.id, first(5)).await, Ok(None));
    let conversation = reader.conversation(&key, foreign.reference.id, 5).await.expect("read").expect("exists");
    assert_eq!(conversation.comments, []);
    let part = SubtreeQuery { top: foreign.reference.path, max_depth: 9, after: None, limit: 5 };
    let thread = reader.thread(&key, &part).await.expect("read");
    assert!(thread.is_none_or(|page| page.comments.is_empty()));
    assert_eq!(fixture.floors(&key).await, [1]);
}

pub(super) async fn subjects_of_one_type_or_of_all_are_listed_once_over_all_tables(backend: Backend) {
    let fixture = Fixture::new(&backend, "subjects_of_one_type_or_of_all_are_listed_once_over_all_tables");
    let object_type = ObjectType::stored("listed".to_owned());
    let mut keys = Vec::new();
    for n in 0..130 {
        let key = fixture.key_of(object_type.as_str(), n);
        fixture.open(&key).await;
        keys.push(key);
    }
    let other = fixture.key_of(OBJECT_TYPE, "of another type");
    fixture.open(&other).await;
    fixture.run(&keys[4], DeleteSubject { etag: String::new() }).await;
    keys.sort();
    for limit in [1, 7, 100, 200] {
        let found = listed(&fixture, Some(&object_type), limit).await;
        assert_eq!(found, keys, "by {limit}");
    }
    for limit in [7, 200] {
        // Other cases may create subjects and write at the same time.
        let mut found = listed(&fixture, None, limit).await;
        let all = found.len();
        found.dedup();
        assert_eq!(found.len(), all, "each of them once, by {limit}");
        assert!(keys.iter().chain([&other]).all(|key| found.binary_search(key).is_ok()), "all of them, by {limit}");
    }
}

/// Returns the keys of all subjects of a type, sorted.
async fn listed(fixture: &Fixture, object_type: Option<&ObjectType>, limit: usize) -> Vec<SubjectKey> {
    let (mut found, mut cursor) = (Vec::new(), SubjectCursor::default());
    loop {
        let (part, next) = fixture.process.reader.list_subjects(object_type, cursor, limit).await.expect("read");
        assert!(part.len() <= limit, "{} subjects for a limit of {limit}", part.len());
        found.extend(part.into_iter().map(|subject| subject.key));
        let Some(next) = next else { break };
        assert_ne!(next, cursor, "the cursor advances");
        cursor = next;
    }
    found.sort();
    found
}

pub(super) async fn an_export_contains_every_comment_and_parents_first(backend: Backend) {
    let fixture = Fixture::new(&backend, "an_export_contains_every_comment_and_parents_first");
    let key = fixture.key();
    let mut ids: Vec<CommentId> = branched_thread(&fixture, &key).await.into();
    // Under a depth limit of one a reply is stored as a root. It still follows its parent.
    for n in 0..6 {
        ids.push(fixture.reply(&key, ids[n], 1).await.comment.reference.id);
    }
    let verb = Import {
        id: fixture.id(&key).await,
        parent: None,
        member: member("gone"),
        content: text("an old text"),
        client: ClientInfo::default(),
        origin: ImportOrigin { source: "old".to_owned(), external_id: "1 ".to_owned() },
        state: CommentState::Hidden,
        deleted_by: None,
        times: ImportTimes { create: Millis(1_000), edit: None, delete: None },
        max_depth: 2,
        auto_create: None,
    };
    ids.push(verb.id);
    fixture.run(&key, verb.clone()).await;
    for limit in [1, 5, 13, 100] {
        let (mut found, mut last, mut is_last) = (Vec::new(), None, false);
        loop {
            let part = fixture.process.reader.export_comments(&key, last, limit).await.expect("read");
            let Some(end) = part.last() else { break };
            assert!(!is_last, "a part after one that is shorter than {limit}");
            is_last = part.len() < limit;
            last = Some(end.view.comment.reference.id);
            found.extend(part);
        }
        for (n, exported) in found.iter().enumerate() {
            let parent = exported.view.comment.reference.parent_id;
            let before = found[..n].iter().any(|earlier| Some(earlier.view.comment.reference.id) == parent);
            assert!(parent.is_none() || before, "a reply before its parent, by {limit}");
        }
        let mut exported_ids: Vec<_> = found.iter().map(|exported| exported.view.comment.reference.id).collect();
        exported_ids.sort_unstable();
        let mut all = ids.clone();
        all.sort_unstable();
        assert_eq!(exported_ids, all, "by {limit}");
        let hidden = found.iter().find(|exported| exported.view.comment.reference.id == verb.id).expect("exported");
        assert_eq!((hidden.origin.as_ref(), hidden.view.content.as_ref()), (Some(&verb.origin), Some(&verb.content)));
    }
}
