//! Import: threads keep their times, and repeated imports have no further effect.

use riposte_core::comment::CommentView;
use riposte_core::origin::ImportOrigin;
use riposte_core::request::{Fingerprint, IdempotencyKey, RequestId, RequestIdentity};
use riposte_core::verbs::{BatchVerb, Import, ImportLike, ImportParent, ImportTimes, SetLike, UpdateSubject};
use riposte_core::{ClientInfo, Command, CommentState, DeletedBy, Error, LikeValue, Millis, SubjectKey, SubjectState};

use super::backend::Backend;
use super::fixture::{Fixture, comment, member, text};

/// Makes import commands as the service does: their idempotency keys come from the external ids,
/// and all have the same fingerprint.
struct Importer<'s> {
    fixture: &'s Fixture,
    key: SubjectKey,
    source: &'static str,
}

impl Importer<'_> {
    /// Returns the import of a comment.
    async fn item(&self, external_id: &str, parent: Option<ImportParent>) -> Import {
        let time = external_id.parse::<i64>().unwrap_or(0) * 1_000;
        Import {
            id: self.fixture.id(&self.key).await,
            parent,
            member: member("old author"),
            content: text(&format!("the text of {external_id}")),
            client: ClientInfo::default(),
            origin: ImportOrigin { source: self.source.to_owned(), external_id: external_id.to_owned() },
            state: CommentState::Active,
            deleted_by: None,
            times: ImportTimes { create: Millis(time), edit: None, delete: None },
            max_depth: 3,
            auto_create: Some(self.fixture.process.ids.subject(self.key.partition()).await.expect("an id")),
        }
    }

    fn command<V: BatchVerb>(&self, external_id: &str, verb: V) -> Command<V::Type> {
        let key = IdempotencyKey::imported("comment", &format!("{:?}{}", self.key, self.source), external_id);
        let request = RequestIdentity { key, fingerprint: Fingerprint::of(&[b"import"]) };
        Command { request, ..self.fixture.command(&self.key, verb) }
    }

    /// Imports a comment.
    async fn import(&self, item: Import) -> CommentView {
        let command = self.command(&item.origin.external_id.clone(), item);
        comment(&self.fixture.send(&command).await.expect("imported"))
    }
}

/// Returns the parent of a reply to a comment of its own batch.
fn in_batch(item: &Import) -> ImportParent {
    ImportParent::InBatch(item.id)
}

pub(super) async fn an_imported_comment_keeps_its_times_state_and_origin(backend: Backend) {
    let fixture = Fixture::new(&backend, "an_imported_comment_keeps_its_times_state_and_origin");
    let importer = Importer { fixture: &fixture, key: fixture.key(), source: "disqus" };
    let mut item = importer.item("5", None).await;
    item.state = CommentState::Deleted;
    item.deleted_by = Some(DeletedBy::Author);
    item.times = ImportTimes { create: Millis(5_000), edit: Some(Millis(6_000)), delete: Some(Millis(7_000)) };
    item.client = ClientInfo { ip: None, platform: "web".to_owned(), device: String::new() };
    let view = importer.import(item.clone()).await;
    assert_eq!((view.content, view.comment.lifecycle.state), (None, CommentState::Deleted));
    let exported = fixture.process.reader.export_comments(&importer.key, None, 9).await.expect("read").remove(0);
    let row = exported.view.comment;
    assert_eq!(
        (row.reference.create_time, row.lifecycle.edit_time, row.lifecycle.delete_time),
        (Millis(5_000), Some(Millis(6_000)), Some(Millis(7_000)))
    );
    assert_eq!(
        (row.lifecycle.deleted_by, row.lifecycle.listed, row.reference.floor),
        (Some(DeletedBy::Author), false, 1)
    );
    assert_eq!((exported.origin, exported.client), (Some(item.origin), item.client));
    assert_eq!(fixture.subject(&importer.key).await.counts.comment_count, 0);
    fixture.check_counts(&importer.key).await;
}

pub(super) async fn a_second_import_changes_nothing(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_second_import_changes_nothing");
    let importer = Importer { fixture: &fixture, key: fixture.key(), source: "isso" };
    let mut first = Vec::new();
    for n in ["1", "2", "3"] {
        first.push(importer.import(importer.item(n, None).await).await);
    }
    let before = fixture.subject(&importer.key).await;
    for (n, imported) in ["1", "2", "3"].into_iter().zip(&first) {
        let mut again = importer.item(n, None).await;
        again.content = text("another text");
        let command = importer.command(n, again);
        let output = fixture.send(&command).await.expect("repeated");
        assert!(output.replayed);
        assert_eq!(comment(&output), *imported);
    }
    assert_eq!(fixture.subject(&importer.key).await, before);
    let other = Importer { source: "commento", ..importer };
    let item = other.item("1", None).await;
    assert_eq!(other.import(item).await.comment.reference.floor, 4, "another source has ids of its own");
    assert_eq!(fixture.check_counts(&other.key).await, 4);
}

pub(super) async fn parents_and_replies_may_be_in_one_batch(backend: Backend) {
    let fixture = Fixture::new(&backend, "parents_and_replies_may_be_in_one_batch");
    let importer = Importer { fixture: &fixture, key: fixture.key(), source: "wordpress" };
    let root = importer.item("1", None).await;
    let a = importer.item("2", Some(in_batch(&root))).await;
    let aa = importer.item("3", Some(in_batch(&a))).await;
    let capped = importer.item("4", Some(in_batch(&aa))).await;
    let b = importer.item("5", Some(in_batch(&root))).await;
    let items = [&root, &a, &aa, &capped, &b];
    let batch: Vec<_> = items.map(|item| importer.command(&item.origin.external_id, item.clone())).to_vec();
    let results = fixture.commit(&batch).await;
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    let located = fixture.process.reader.locate(&items.map(|item| item.id)).await.expect("located");
    let ancestors: Vec<_> = located.into_iter().flatten().map(|at| (at.ancestor_ids, at.parent_id)).collect();
    let expected = [
        (vec![root.id], None),
        (vec![root.id, a.id], Some(root.id)),
        (vec![root.id, a.id, aa.id], Some(a.id)),
        (vec![root.id, a.id, capped.id], Some(aa.id)),
        (vec![root.id, b.id], Some(root.id)),
    ];
    assert_eq!(ancestors, expected);
    // A second run finds the parents in the store, and its replies name their stored locations.
    let late = importer.item("6", Some(ImportParent::Stored(fixture.target(capped.id).await))).await;
    let batch = [importer.command("4", capped.clone()), importer.command("6", late)];
    let results = fixture.commit(&batch).await;
    assert!(results[0].as_ref().is_ok_and(|output| output.replayed) && results[1].is_ok(), "{results:?}");
    assert_eq!(fixture.view(capped.id).await.comment.counts.reply_count, 1);
    assert_eq!(fixture.check_counts(&importer.key).await, 6);
}

pub(super) async fn a_reply_without_its_parent_is_refused_and_can_be_sent_again(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_reply_without_its_parent_is_refused_and_can_be_sent_again");
    let importer = Importer { fixture: &fixture, key: fixture.key(), source: "csv" };
    let parent = importer.item("1", None).await;
    let orphan = importer.item("2", Some(in_batch(&parent))).await;
    let other = importer.item("3", None).await;
    let batch = [importer.command("2", orphan.clone()), importer.command("3", other)];
    let results = fixture.commit(&batch).await;
    assert_eq!(results[0], Err(Error::CommentNotFound));
    assert!(results[1].is_ok(), "the item whose parent is not missing creates the subject");
    importer.import(parent.clone()).await;
    assert_eq!(importer.import(orphan).await.comment.reference.root_id, Some(parent.id));
    assert_eq!(fixture.check_counts(&importer.key).await, 3);
}

pub(super) async fn an_imported_tombstone_is_listed_above_visible_replies_only(backend: Backend) {
    let fixture = Fixture::new(&backend, "an_imported_tombstone_is_listed_above_visible_replies_only");
    let importer = Importer { fixture: &fixture, key: fixture.key(), source: "s" };
    let mut tombstone = importer.item("1", None).await;
    (tombstone.state, tombstone.deleted_by, tombstone.times.delete) =
        (CommentState::Deleted, Some(DeletedBy::Author), Some(Millis(9)));
    importer.import(tombstone.clone()).await;
    assert_eq!(fixture.floors(&importer.key).await, [] as [i32; 0]);
    let mut hidden = importer.item("2", Some(ImportParent::Stored(fixture.target(tombstone.id).await))).await;
    hidden.state = CommentState::Hidden;
    importer.import(hidden.clone()).await;
    assert_eq!(fixture.floors(&importer.key).await, [] as [i32; 0]);
    let visible = importer.item("3", Some(ImportParent::Stored(fixture.target(hidden.id).await))).await;
    importer.import(visible).await;
    assert_eq!(fixture.floors(&importer.key).await, [1]);
    assert!(fixture.view(hidden.id).await.comment.lifecycle.listed);
    fixture.check_counts(&importer.key).await;
}

pub(super) async fn a_closed_subject_accepts_imports(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_closed_subject_accepts_imports");
    let importer = Importer { fixture: &fixture, key: fixture.key(), source: "s" };
    fixture.open(&importer.key).await;
    let state = Some(SubjectState::ReadOnly);
    fixture.run(&importer.key, UpdateSubject { state, ..UpdateSubject::default() }).await;
    importer.import(importer.item("1", None).await).await;
    assert_eq!(fixture.floors(&importer.key).await, [1]);
}

pub(super) async fn an_imported_like_never_overrides_a_members_own(backend: Backend) {
    let fixture = Fixture::new(&backend, "an_imported_like_never_overrides_a_members_own");
    let importer = Importer { fixture: &fixture, key: fixture.key(), source: "s" };
    let root = importer.import(importer.item("1", None).await).await.comment.reference.id;
    let like = |external_id: &str, name: &str, value| {
        let operation = RequestId::from_bytes(IdempotencyKey::imported("comment", "likes", external_id).0);
        let like = SetLike { comment_id: root, member: member(name), value, operation };
        importer.command(external_id, ImportLike { like, time: Millis(77) })
    };
    let own = SetLike {
        comment_id: root,
        member: member("own"),
        value: LikeValue::None,
        operation: RequestId::from_bytes([1; 16]),
    };
    fixture.run(&importer.key, own).await;
    let batch =
        [like("l1", "own", LikeValue::Like), like("l2", "a", LikeValue::Like), like("l3", "b", LikeValue::Dislike)];
    for repeated in [false, true] {
        let results = fixture.commit(&batch).await;
        let replayed: Vec<_> = results.iter().flatten().map(|output| output.replayed).collect();
        assert_eq!(replayed, [true, repeated, repeated], "an existing like is not imported again");
        let row = fixture.view(root).await.comment;
        assert_eq!((row.counts.like_count, row.counts.dislike_count), (1, 1));
    }
    let likers = fixture.process.reader.likers(root, LikeValue::Like, None, 9).await.expect("read").items;
    assert_eq!(likers.iter().map(|l| (l.member.as_str(), l.time)).collect::<Vec<_>>(), [("a", Millis(77))]);
    fixture.check_counts(&importer.key).await;
}
