use super::{
    Fixture, WriteContext, asked, asked_as, content, everybody, member, new_reply, new_root, only, refused, run, text,
    video,
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
fn a_comment_goes_through_its_verbs() {
    let fixture = Fixture::new();
    let subject = fixture.subject("1");
    let id = fixture.root(&subject);
    let at = fixture.at(id);
    let edit = EditComment { member: member("ann"), content: content("edited"), etag: String::new() };
    let edited = run(fixture.mutations.submit(&asked(), &at, edit)).expect("ann wrote it");
    assert_eq!((text(&edited.value), edited.revision), (Some("edited"), fixture.row(&subject).revision));
    let pin = |pinned| {
        run(fixture.mutations.submit(&asked(), &at, PinComment { member: member("owner"), pinned }))
            .map(|done| done.value.pinned)
    };
    assert_eq!([pin(true), pin(false)], [Ok(true), Ok(false)]);
    let hide = |hidden| {
        run(fixture.mutations.submit(&asked(), &at, HideComment { hidden }))
            .map(|done| done.value.comment.lifecycle.state)
    };
    assert_eq!([hide(true), hide(false)], [Ok(CommentState::Hidden), Ok(CommentState::Active)]);
    let reply =
        run(fixture.mutations.submit(&asked(), &at, new_reply("an answer"))).expect("the parent is active").value;
    assert_eq!(
        (reply.comment.reference.root_id, reply.comment.reference.member, reply.comment.reference.floor),
        (Some(id), member("bob"), 1)
    );
    for (actor, by) in [(DeleteActor::Author(member("ann")), "ann"), (DeleteActor::Owner(member("owner")), "owner")] {
        let deleted = run(fixture.mutations.submit(&asked(), &at, DeleteComment { actor, etag: String::new() }))
            .expect("it is not deleted");
        assert_eq!((deleted.value.comment.lifecycle.state, deleted.value.content), (CommentState::Deleted, None));
        let back = run(fixture.mutations.submit(&asked(), &at, UndeleteComment { member: member(by) }))
            .expect("the member that deleted it restores it");
        assert_eq!(text(&back.value), Some("edited"));
    }
    let wrong = || "wrong".to_owned();
    let stale =
        run(fixture.mutations.submit(&asked(), &at, DeleteComment { actor: DeleteActor::Moderator, etag: wrong() }));
    assert!(matches!(stale, Err(Error::EtagMismatch { .. })), "{stale:?}");
}

#[test]
fn a_subject_goes_through_its_verbs() {
    let fixture = Fixture::new();
    let key = fixture.subject("1");
    assert_eq!(fixture.row(&key).owner, Some(member("owner")));
    let patch = UpdateSubject {
        owner: Some(None),
        state: Some(SubjectState::ReadOnly),
        metadata: Some(metadata(&[("a", "b")])),
        etag: fixture.row(&key).etag(),
    };
    let updated = run(fixture.mutations.submit(&asked(), &key, patch)).expect("the etag is right").value;
    let told = (&updated.owner, updated.state, &updated.metadata);
    assert_eq!(told, (&None, SubjectState::ReadOnly, &metadata(&[("a", "b")])));
    let delete = |etag: String| run(fixture.mutations.submit(&asked(), &key, DeleteSubject { etag }));
    assert_eq!(refused(delete("wrong".to_owned())), Error::EtagMismatch { current: updated.etag() });
    assert!(delete(String::new()).is_ok_and(|gone| gone.value.delete_time.is_some()));
    let back = || run(fixture.mutations.submit(&asked(), &key, UndeleteSubject)).map(|back| back.value.delete_time);
    assert_eq!([back(), back()], [Ok(None), Err(Error::SubjectAlreadyExists)]);
    let new = || NewSubject { owner: None, metadata: Metadata::new() };
    assert_eq!(refused(run(fixture.mutations.submit(&asked(), &key, new()))), Error::SubjectAlreadyExists);
}

#[test]
fn the_first_comment_makes_its_subject_where_the_type_says_so() {
    let fixture = Fixture::new();
    let root = fixture.root_on_wall("1");
    assert_eq!(fixture.row(&fixture.at(root).subject).counts.comment_count, 1);
    let none = run(fixture.mutations.submit(&asked(), &video("9"), new_root("nowhere")));
    assert_eq!(refused(none), Error::SubjectNotFound);
}

#[test]
fn nothing_is_written_for_a_caller_that_may_not_use_the_type() {
    let fixture = Fixture::new();
    let key = fixture.subject("1");
    let at = fixture.at(fixture.root(&key));
    let foreign = WriteContext { caller: only(["wall"]), ..asked() };
    let before = fixture.row(&key);
    let edit = EditComment { member: member("ann"), content: content("edited"), etag: String::new() };
    let new = NewSubject { owner: None, metadata: Metadata::new() };
    for why in [
        refused(run(fixture.mutations.submit(&foreign, &key, new_root("x")))),
        refused(run(fixture.mutations.submit(&foreign, &at, new_reply("x")))),
        refused(run(fixture.mutations.submit(&foreign, &at, edit))),
        refused(run(fixture.mutations.submit(&foreign, &video("2"), new))),
        refused(run(fixture.mutations.submit(&foreign, &key, UpdateSubject::default()))),
        refused(run(fixture.mutations.submit(&foreign, &key, DeleteSubject { etag: String::new() }))),
    ] {
        assert_eq!(why, Error::CallerNotAllowed);
    }
    assert_eq!(fixture.row(&key), before);
}

#[test]
fn a_repeat_finds_the_first_answer_and_another_body_is_refused() {
    let fixture = Fixture::new();
    let key = fixture.subject("1");
    let mention = |members: &[&str], entries| {
        Content::stored("a text".to_owned(), members.iter().map(|name| member(name)).collect(), metadata(entries))
    };
    let plain = mention(&[], &[]);
    let create = |subject: &SubjectKey, content: &Content| {
        let new = CreateRoot { content: content.clone(), ..new_root("") };
        run(fixture.mutations.submit(&asked_as(1), subject, new)).map(|done| done.value.comment.reference.id)
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
    let other = fixture.subject("2");
    assert!(create(&other, &plain).is_ok_and(|id| Ok(id) != first), "keys are those of a subject");

    let patch = |owner: Option<&str>, entries: &[(&str, &str)], etag: &str| UpdateSubject {
        owner: Some(owner.map(member)),
        state: None,
        metadata: Some(metadata(entries)),
        etag: etag.to_owned(),
    };
    let update = |patch| run(fixture.mutations.submit(&asked_as(2), &key, patch)).map(|done| done.revision);
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

    let (at, elsewhere) = (fixture.at(fixture.root(&key)), fixture.at(fixture.root(&key)));
    let delete = |at, actor, etag: &str| {
        run(fixture.mutations.submit(&asked_as(3), at, DeleteComment { actor, etag: etag.to_owned() }))
            .map(|done| done.revision)
    };
    let first = delete(&at, DeleteActor::Moderator, "");
    assert!(first.is_ok() && delete(&at, DeleteActor::Moderator, "") == first);
    for other in [
        delete(&elsewhere, DeleteActor::Moderator, ""),
        delete(&at, DeleteActor::Author(member("ann")), ""),
        delete(&at, DeleteActor::Owner(member("owner")), ""),
        delete(&at, DeleteActor::Moderator, "1.1"),
    ] {
        assert_eq!(other, Err(Error::RequestIdReused));
    }
}

#[test]
fn a_like_is_set_and_told_with_its_counts() {
    let fixture = Fixture::new();
    let at = fixture.at(fixture.root(&fixture.subject("1")));
    let set = |request, value| {
        let set = SetLikeRequest { member: member("bob"), value };
        run(fixture.mutations.submit(&asked_as(request), &at, set)).map(|done| done.value)
    };
    for (request, value, likes, dislikes, changed) in [
        (1, LikeValue::Like, 1, 0, true),
        (2, LikeValue::Like, 1, 0, false),
        (3, LikeValue::Dislike, 0, 1, true),
        (4, LikeValue::None, 0, 0, true),
    ] {
        let told = set(request, value).expect("it is active");
        assert_eq!((told.value, told.like_count, told.dislike_count, told.changed), (value, likes, dislikes, changed));
    }
    fixture.hide(at.id);
    assert_eq!(refused(set(5, LikeValue::Like)), Error::CommentUnavailable(CommentState::Hidden));
    let unasked = run(fixture.comments.comment(&everybody(), at.id, None, 0)).expect("it stands");
    assert_eq!((unasked.comment.counts.like_count, unasked.comment.counts.dislike_count), (0, 0));
}
