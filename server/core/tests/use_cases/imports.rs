use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::{Fixture, content, member, restricted_to, run, unrestricted, video, write_context};
use async_trait::async_trait;
use futures::FutureExt;
use futures::channel::oneshot;
use futures::executor::block_on;
use futures::future::Shared;
use riposte_conformance::model::Model;
use riposte_core::like::LikeValue;
use riposte_core::origin::ImportOrigin;
use riposte_core::request::{Fingerprint, IdempotencyKey, RequestIdentity};
use riposte_core::subject::{Metadata, SubjectState};
use riposte_core::submit::{ImportItem, ImportKind, ImportOutcome};
use riposte_core::verbs::{Batch, DeleteSubject, Import, ImportTimes, ImportedComment, ImportedLike, ImportedSubject};
use riposte_core::{
    Caller, ClientInfo, Command, CommandLog, CommandOutput, CommentState, Error, Millis, Result, SubjectKey,
};

fn item(subject: &SubjectKey, external_id: &str, kind: ImportKind) -> ImportItem {
    let origin = ImportOrigin { source: "forum".to_owned(), external_id: external_id.to_owned() };
    ImportItem { subject: subject.clone(), origin, kind }
}

fn subject(key: &SubjectKey, create_time: Option<Millis>) -> ImportItem {
    let (owner, state, metadata) = (Some(member("owner")), SubjectState::ReadOnly, Metadata::new());
    item(key, "s", ImportKind::Subject(ImportedSubject { owner, state, metadata, create_time }))
}

fn comment(key: &SubjectKey, external_id: &str, parent: Option<&str>) -> ImportItem {
    let imported = ImportedComment {
        parent: parent.map(str::to_owned),
        member: member("ann"),
        content: content(external_id),
        client: ClientInfo::default(),
        state: CommentState::Active,
        deleted_by: None,
        times: ImportTimes { create: Millis(5), edit: None, delete: None },
    };
    item(key, external_id, ImportKind::Comment(Box::new(imported)))
}

fn like(key: &SubjectKey, external_id: &str, comment: &str) -> ImportItem {
    let (comment, member, value) = (comment.to_owned(), member("bob"), LikeValue::Like);
    item(key, external_id, ImportKind::Like(ImportedLike { comment, member, value, time: Millis(6) }))
}

fn import(fixture: &Fixture, caller: &Caller, items: &[ImportItem]) -> Vec<Result<ImportOutcome>> {
    run(fixture.mutations.import(caller, items)).expect("the oracle does not fail")
}

/// Returns for each item whether this call created it, and its floor.
fn created_and_floor(outcomes: &[Result<ImportOutcome>]) -> Vec<Result<(bool, i32)>> {
    outcomes.iter().map(|outcome| outcome.clone().map(|outcome| (outcome.created, outcome.floor))).collect()
}

#[test]
fn items_are_imported_once_however_often_they_are_sent() {
    let fixture = Fixture::new();
    let keys = [video("1"), video("2")];
    let items_of = |key: &SubjectKey| {
        [
            subject(key, Some(Millis(4))),
            comment(key, &format!("{}/a", key.object_id()), None),
            comment(key, &format!("{}/b", key.object_id()), None),
            comment(key, &format!("{}/c", key.object_id()), Some(&format!("{}/b", key.object_id()))),
            like(key, &format!("{}/l", key.object_id()), &format!("{}/a", key.object_id())),
        ]
    };
    let items: Vec<ImportItem> = keys.iter().flat_map(items_of).collect();
    for created in [true, false] {
        let outcomes = import(&fixture, &unrestricted(), &items);
        let one = [(created, 0), (created, 1), (created, 2), (created, 1), (created, 0)].map(Ok);
        assert_eq!(created_and_floor(&outcomes), [one.clone(), one].concat());
        for (key, outcomes) in keys.iter().zip(outcomes.chunks(5)) {
            let row = fixture.subject_row(key);
            assert_eq!((row.state, row.create_time, row.counts.comment_count), (SubjectState::ReadOnly, Millis(4), 3));
            let ids: Vec<_> = outcomes.iter().filter_map(|outcome| outcome.as_ref().ok()?.comment).collect();
            let [a, b, c] = [ids[0], ids[1], ids[2]].map(|id| fixture.comment_row(id));
            assert_eq!((a.counts.like_count, b.counts.like_count, c.reference.parent_id), (1, 0, Some(b.reference.id)));
            assert!(outcomes.iter().all(|outcome| outcome.as_ref().is_ok_and(|outcome| outcome.revision == 1)));
        }
    }
    let more = [comment(&keys[0], "1/d", Some("1/a")), comment(&keys[0], "1/e", Some("1/b"))];
    assert_eq!(
        created_and_floor(&import(&fixture, &unrestricted(), &more)),
        [Ok((true, 1)), Ok((true, 2))],
        "floors below each parent"
    );
}

#[test]
fn a_rejected_item_does_not_affect_the_others() {
    let fixture = Fixture::new();
    let (key, other) = (fixture.create_subject("1"), SubjectKey::stored("film".to_owned(), "1".to_owned()));
    let wall = SubjectKey::stored("wall".to_owned(), "1".to_owned());
    let items = [
        comment(&key, "a", None),
        comment(&key, "b", Some("missing")),
        comment(&key, "c", Some("a")),
        like(&key, "l", "missing"),
        comment(&other, "d", None),
        comment(&wall, "e", None),
        subject(&key, None),
    ];
    let (none, unknown) = (Err(Error::CommentNotFound), Err(Error::ObjectTypeUnknown("film".to_owned())));
    let present = Ok((false, 0));
    let all = [Ok((true, 1)), none.clone(), Ok((true, 1)), none, unknown, Ok((true, 1)), present];
    assert_eq!(created_and_floor(&import(&fixture, &unrestricted(), &items)), all);
    assert_eq!(fixture.subject_row(&key).state, SubjectState::Active, "an import does not change an existing subject");
    let absent = [comment(&video("9"), "x", None), comment(&video("9"), "y", Some("x"))];
    let not_created = Err(Error::SubjectNotCreated("video".to_owned()));
    assert_eq!(created_and_floor(&import(&fixture, &unrestricted(), &absent))[0], not_created);
    let foreign = import(&fixture, &restricted_to(["wall"]), &items[..1]);
    assert_eq!(created_and_floor(&foreign), [Err(Error::CallerNotAllowed)]);
    run(fixture.mutations.submit(&write_context(), &key, DeleteSubject { etag: String::new() })).expect("it exists");
    assert_eq!(
        created_and_floor(&import(&fixture, &unrestricted(), &[comment(&key, "z", None)])),
        [Err(Error::SubjectNotFound)]
    );
}

#[test]
fn an_import_is_repeated_if_another_process_imports_its_parent_meanwhile() {
    let fixture = Fixture::new();
    let key = fixture.create_subject("1");
    let id = fixture.new_id(key.partition());
    let verb = Import {
        id,
        parent: None,
        member: member("ann"),
        content: content("a"),
        client: ClientInfo::default(),
        origin: ImportOrigin { source: "forum".to_owned(), external_id: "a".to_owned() },
        state: CommentState::Active,
        deleted_by: None,
        times: ImportTimes { create: Millis(5), edit: None, delete: None },
        max_depth: 2,
        auto_create: None,
    };
    let request = RequestIdentity {
        key: IdempotencyKey::imported("comment", "forum", "a"),
        fingerprint: Fingerprint::of(&[b"import"]),
    };
    let concurrent = Command { subject: key.clone(), verb: verb.into(), request, now: Millis(5), notify_thread: false };
    fixture.model.interleave([concurrent]);
    let outcomes = import(&fixture, &unrestricted(), &[comment(&key, "a", None), comment(&key, "b", Some("a"))]);
    assert_eq!(created_and_floor(&outcomes), [Ok((false, 1)), Ok((true, 1))]);
    assert_eq!(outcomes[0].as_ref().map(|outcome| outcome.comment), Ok(Some(id)));
}

/// A log that executes nothing before as many batches wait as it expects.
#[derive(Debug)]
struct GateLog {
    log: Arc<Model>,
    expected: usize,
    waiting: AtomicUsize,
    open: Mutex<Option<oneshot::Sender<()>>>,
    opened: Shared<oneshot::Receiver<()>>,
}

#[async_trait]
impl CommandLog for GateLog {
    async fn submit(&self, batch: Batch) -> Result<Vec<Result<CommandOutput>>> {
        if self.waiting.fetch_add(1, Ordering::SeqCst) + 1 == self.expected {
            let open = self.open.lock().expect("not poisoned").take();
            open.expect("opened once").send(()).expect("the receiver is this log");
        }
        self.opened.clone().await.expect("the sender is used before it is dropped");
        self.log.submit(batch).await
    }
}

#[test]
fn items_of_many_subjects_are_submitted_together_however_they_are_mixed() {
    let fixture = Fixture::new();
    let keys: Vec<SubjectKey> = (0..40).map(|n| SubjectKey::stored("wall".to_owned(), n.to_string())).collect();
    let id = |key: &SubjectKey, name: &str| format!("{}/{name}", key.object_id());
    let of_all = |item: &dyn Fn(&SubjectKey) -> ImportItem| keys.iter().map(item).collect::<Vec<_>>();
    let items = [
        // A like of a comment that follows it.
        of_all(&|key| like(key, &id(key, "l"), &id(key, "a"))),
        of_all(&|key| comment(key, &id(key, "a"), None)),
        of_all(&|key| comment(key, &id(key, "b"), None)),
        of_all(&|key| comment(key, &id(key, "c"), Some(&id(key, "a")))),
    ]
    .concat();
    let (open, opened) = oneshot::channel();
    let log = GateLog {
        log: Arc::clone(&fixture.model),
        expected: keys.len(),
        waiting: AtomicUsize::new(0),
        open: Mutex::new(Some(open)),
        opened: opened.shared(),
    };
    let outcomes = block_on(fixture.mutations_over(Arc::new(log)).import(&unrestricted(), &items));
    let expected = [(true, 0), (true, 1), (true, 2), (true, 1)].map(|outcome| vec![Ok(outcome); keys.len()]).concat();
    assert_eq!(created_and_floor(&outcomes.expect("the oracle does not fail")), expected);
    for key in &keys {
        assert_eq!(fixture.subject_row(key).counts.comment_count, 3);
    }
}
