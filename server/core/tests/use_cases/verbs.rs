use super::{
    Fixture, WriteContext, content, context_with_request_id, error_of, member, moderator, new_reply, new_root,
    restricted_to, ruling, run, text, unrestricted, video, write_context,
};
use riposte_core::like::LikeValue;
use riposte_core::subject::{Metadata, SubjectState};
use riposte_core::verbs::{
    CreateRoot, DeleteActor, DeleteComment, DeleteSubject, EditComment, HideComment, NewSubject, PinComment,
    SetLikeRequest, UndeleteComment, UndeleteSubject, UpdateSubject,
};
use riposte_core::{CommentState, Content, Error, SubjectKey};

fn metadata(entries: &[(&str, &str)]) -> Metadata {
    entries.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn the_verbs_of_a_comment_return_its_new_state() {
    let fixture = Fixture::new();
    let subject = fixture.create_subject("1");
    let id = fixture.create_root(&subject);
    let at = fixture.location(id);
    let edit = EditComment { member: member("ann"), content: content("edited"), etag: String::new() };
    let edited = run(fixture.mutations.submit(&write_context(), &at, edit)).expect("ann wrote it");
    assert_eq!((text(&edited.value.view), edited.revision), (Some("edited"), fixture.subject_row(&subject).revision));
    let pin = |pinned| {
        run(fixture.mutations.submit(&write_context(), &at, PinComment { member: member("owner"), pinned }))
            .map(|output| output.value.pinned)
    };
    assert_eq!([pin(true), pin(false)], [Ok(true), Ok(false)]);
    let hide = |hidden| {
        run(fixture.mutations.submit(&write_context(), &at, HideComment { hidden, ruling: ruling() }))
            .map(|output| output.value.comment.lifecycle.state)
    };
    assert_eq!([hide(true), hide(false)], [Ok(CommentState::Hidden), Ok(CommentState::Active)]);
    let reply =
        run(fixture.mutations.submit(&write_context(), &at, new_reply("a reply"))).expect("the parent is active").value;
    assert_eq!(
        (reply.comment.reference.root_id, reply.comment.reference.member, reply.comment.reference.floor),
        (Some(id), member("bob"), 1)
    );
    for (actor, by) in [(DeleteActor::Author(member("ann")), "ann"), (DeleteActor::Owner(member("owner")), "owner")] {
        let deleted =
            run(fixture.mutations.submit(&write_context(), &at, DeleteComment { actor, etag: String::new() }))
                .expect("it is not deleted");
        assert_eq!((deleted.value.comment.lifecycle.state, deleted.value.content), (CommentState::Deleted, None));
        let restored = run(fixture.mutations.submit(&write_context(), &at, UndeleteComment { member: member(by) }))
            .expect("the member that deleted it restores it");
        assert_eq!(text(&restored.value), Some("edited"));
    }
    let wrong = || "wrong".to_owned();
    let stale =
        run(fixture.mutations.submit(&write_context(), &at, DeleteComment { actor: moderator(), etag: wrong() }));
    assert!(matches!(stale, Err(Error::EtagMismatch { .. })), "{stale:?}");
}

#[test]
fn the_verbs_of_a_subject_return_its_new_state() {
    let fixture = Fixture::new();
    let key = fixture.create_subject("1");
    assert_eq!(fixture.subject_row(&key).owner, Some(member("owner")));
    let patch = UpdateSubject {
        owner: Some(None),
        state: Some(SubjectState::ReadOnly),
        metadata: Some(metadata(&[("a", "b")])),
        etag: fixture.subject_row(&key).etag(),
        ..UpdateSubject::default()
    };
    let updated = run(fixture.mutations.submit(&write_context(), &key, patch)).expect("the etag is right").value;
    let changed = (&updated.owner, updated.state, &updated.metadata);
    assert_eq!(changed, (&None, SubjectState::ReadOnly, &metadata(&[("a", "b")])));
    let delete = |etag: String| run(fixture.mutations.submit(&write_context(), &key, DeleteSubject { etag }));
    assert_eq!(error_of(delete("wrong".to_owned())), Error::EtagMismatch { current: updated.etag() });
    assert!(delete(String::new()).is_ok_and(|deleted| deleted.value.delete_time.is_some()));
    let undelete = || {
        run(fixture.mutations.submit(&write_context(), &key, UndeleteSubject)).map(|output| output.value.delete_time)
    };
    assert_eq!([undelete(), undelete()], [Ok(None), Err(Error::SubjectAlreadyExists)]);
    let new = || NewSubject { owner: None, metadata: Metadata::new() };
    assert_eq!(error_of(run(fixture.mutations.submit(&write_context(), &key, new()))), Error::SubjectAlreadyExists);
}

#[test]
fn the_first_comment_creates_its_subject_if_the_policy_of_the_type_allows_it() {
    let fixture = Fixture::new();
    let root = fixture.create_root_on_wall("1");
    assert_eq!(fixture.subject_row(&fixture.location(root).subject).counts.comment_count, 1);
    let missing = run(fixture.mutations.submit(&write_context(), &video("9"), new_root("nowhere")));
    assert_eq!(error_of(missing), Error::SubjectNotCreated("video".to_owned()));
}

#[test]
fn a_caller_without_grant_for_the_type_cannot_write() {
    let fixture = Fixture::new();
    let key = fixture.create_subject("1");
    let at = fixture.location(fixture.create_root(&key));
    let foreign = WriteContext { caller: restricted_to(["wall"]), ..write_context() };
    let before = fixture.subject_row(&key);
    let edit = EditComment { member: member("ann"), content: content("edited"), etag: String::new() };
    let new = NewSubject { owner: None, metadata: Metadata::new() };
    for error in [
        error_of(run(fixture.mutations.submit(&foreign, &key, new_root("x")))),
        error_of(run(fixture.mutations.submit(&foreign, &at, new_reply("x")))),
        error_of(run(fixture.mutations.submit(&foreign, &at, edit))),
        error_of(run(fixture.mutations.submit(&foreign, &video("2"), new))),
        error_of(run(fixture.mutations.submit(&foreign, &key, UpdateSubject::default()))),
        error_of(run(fixture.mutations.submit(&foreign, &key, DeleteSubject { etag: String::new() }))),
    ] {
        assert_eq!(error, Error::CallerNotAllowed);
    }
    assert_eq!(fixture.subject_row(&key), before);
}

#[test]
fn a_repeat_returns_the_first_result_and_another_body_is_rejected() {
    let fixture = Fixture::new();
    let key = fixture.create_subject("1");
    let mention = |members: &[&str], entries| {
        Content::stored("a text".to_owned(), members.iter().map(|name| member(name)).collect(), metadata(entries))
    };
    let plain = mention(&[], &[]);
    let create = |subject: &SubjectKey, content: &Content| {
        let new = CreateRoot { content: content.clone(), ..new_root("") };
        run(fixture.mutations.submit(&context_with_request_id(1), subject, new))
            .map(|output| output.value.comment.reference.id)
    };
    let first = create(&key, &plain);
    assert!(first.is_ok() && create(&key, &plain) == first);
    for other in [
        content("another text"),
        mention(&["eve"], &[]),
        mention(&[], &[("eve", "")]),
        mention(&["eve", "bob"], &[]),
        mention(&[], &[("eve", "bob")]),
        plain.clone().with_extra([("eve".to_owned(), b"bob".to_vec())].into()),
    ] {
        assert_eq!(create(&key, &other), Err(Error::RequestIdReused), "{other:?}");
    }
    let other = fixture.create_subject("2");
    assert!(create(&other, &plain).is_ok_and(|id| Ok(id) != first), "an idempotency key belongs to one subject");

    let patch = |owner: Option<&str>, entries: &[(&str, &str)], etag: &str| UpdateSubject {
        owner: Some(owner.map(member)),
        metadata: Some(metadata(entries)),
        etag: etag.to_owned(),
        ..UpdateSubject::default()
    };
    let update =
        |patch| run(fixture.mutations.submit(&context_with_request_id(2), &key, patch)).map(|output| output.revision);
    let first = update(patch(Some("eve"), &[("a", "b")], ""));
    assert!(first.is_ok() && update(patch(Some("eve"), &[("a", "b")], "")) == first);
    let state = UpdateSubject { state: Some(SubjectState::Active), ..patch(Some("eve"), &[("a", "b")], "") };
    for other in [
        patch(None, &[("a", "b")], ""),
        patch(Some("bob"), &[("a", "b")], ""),
        patch(Some("eve"), &[], ""),
        patch(Some("eve"), &[("a", "c")], ""),
        patch(Some("eve"), &[("a", "b")], "1.1"),
        UpdateSubject { owner: None, ..patch(None, &[("a", "b")], "") },
        state,
    ] {
        assert_eq!(update(other.clone()), Err(Error::RequestIdReused), "{other:?}");
    }

    let (at, elsewhere) = (fixture.location(fixture.create_root(&key)), fixture.location(fixture.create_root(&key)));
    let delete = |at, actor, etag: &str| {
        run(fixture.mutations.submit(&context_with_request_id(3), at, DeleteComment { actor, etag: etag.to_owned() }))
            .map(|output| output.revision)
    };
    let first = delete(&at, moderator(), "");
    assert!(first.is_ok() && delete(&at, moderator(), "") == first);
    for other in [
        delete(&elsewhere, moderator(), ""),
        delete(&at, DeleteActor::Author(member("ann")), ""),
        delete(&at, DeleteActor::Owner(member("owner")), ""),
        delete(&at, moderator(), "1.1"),
    ] {
        assert_eq!(other, Err(Error::RequestIdReused));
    }
}

#[test]
fn a_like_is_set_and_returned_with_its_counts() {
    let fixture = Fixture::new();
    let at = fixture.location(fixture.create_root(&fixture.create_subject("1")));
    let set = |request, value| {
        let set = SetLikeRequest { member: member("bob"), value };
        run(fixture.mutations.submit(&context_with_request_id(request), &at, set)).map(|output| output.value)
    };
    for (request, value, likes, dislikes, changed) in [
        (1, LikeValue::Like, 1, 0, true),
        (2, LikeValue::Like, 1, 0, false),
        (3, LikeValue::Dislike, 0, 1, true),
        (4, LikeValue::None, 0, 0, true),
    ] {
        let like = set(request, value).expect("it is active");
        assert_eq!((like.value, like.like_count, like.dislike_count, like.changed), (value, likes, dislikes, changed));
    }
    fixture.hide(at.id);
    assert_eq!(error_of(set(5, LikeValue::Like)), Error::CommentUnavailable(CommentState::Hidden));
    let view = run(fixture.comments.comment(&unrestricted(), at.id, None, 0)).expect("it exists");
    assert_eq!((view.comment.counts.like_count, view.comment.counts.dislike_count), (0, 0));
}
