//! The standings of members decide on writes before they reach the queue.

use super::{
    Fixture, WriteContext, content, context_with_request_id, member, moderator, new_root, ruling, run, unrestricted,
    video, write_context,
};
use riposte_core::like::LikeValue;
use riposte_core::standing::{Standing, StandingInForce};
use riposte_core::verbs::{
    CreateReply, DeleteActor, DeleteComment, EditComment, HideComment, PinComment, SetLikeRequest, UndeleteComment,
};
use riposte_core::{ClientInfo, CommentId, CommentState, Error, MemberId, Millis, Result, SubjectKey};

/// The member that has standings.
const ANN: &str = "ann";

/// Returns the context of a member.
fn as_member(name: &str) -> WriteContext {
    WriteContext { member: Some(member(name)), ..write_context() }
}

/// The results of each kind of write of a member, by name. The member wrote `own` and owns the
/// subject of `other`.
fn writes(fixture: &Fixture, by: &MemberId, own: CommentId, other: CommentId) -> Vec<(&'static str, Result<()>)> {
    let (mutations, at, context) = (&fixture.mutations, |id| fixture.location(id), as_member(by.as_str()));
    let reply = CreateReply { member: by.clone(), content: content("reply"), client: ClientInfo::default() };
    let edit = EditComment { member: by.clone(), content: content("edited"), etag: String::new() };
    let like = SetLikeRequest { member: by.clone(), value: LikeValue::Like };
    let delete = |actor| DeleteComment { actor, etag: String::new() };
    let pin = |pinned| PinComment { member: by.clone(), pinned };
    let undelete = || UndeleteComment { member: by.clone() };
    vec![
        ("create", run(mutations.submit(&context, &video("1"), new_root("text"))).map(drop)),
        ("reply", run(mutations.submit(&context, &at(other), reply)).map(drop)),
        ("edit", run(mutations.submit(&context, &at(own), edit)).map(drop)),
        ("like", run(mutations.submit(&context, &at(other), like)).map(drop)),
        ("pin", run(mutations.submit(&context, &at(other), pin(true))).map(drop)),
        ("unpin", run(mutations.submit(&context, &at(other), pin(false))).map(drop)),
        (
            "delete as owner",
            run(mutations.submit(&context, &at(other), delete(DeleteActor::Owner(by.clone())))).map(drop),
        ),
        ("undelete as owner", run(mutations.submit(&context, &at(other), undelete())).map(drop)),
        ("delete", run(mutations.submit(&context, &at(own), delete(DeleteActor::Author(by.clone())))).map(drop)),
        ("undelete", run(mutations.submit(&context, &at(own), undelete())).map(drop)),
    ]
}

/// Returns the names of the writes that the standing refuses.
fn refused(results: &[(&'static str, Result<()>)], until: Option<Millis>) -> Vec<&'static str> {
    let is_refused = |(_, result): &&(&str, Result<()>)| *result == Err(Error::MemberSuspended { until });
    results.iter().filter(is_refused).map(|(name, _)| *name).collect()
}

fn standing(standing: Standing) -> StandingInForce {
    StandingInForce { standing, until: None, report_weight: None }
}

/// Returns a fixture with a subject of the member "owner", a comment of it and one of ann.
fn fixture() -> (Fixture, SubjectKey, CommentId, CommentId) {
    let fixture = Fixture::new();
    let subject = fixture.create_subject("1");
    let (own, other) = (fixture.create_root(&subject), fixture.create_root(&subject));
    (fixture, subject, own, other)
}

#[test]
fn a_muted_member_writes_no_texts_and_a_banned_one_only_deletes_its_own() {
    let texts = ["create", "reply", "edit"];
    for (of_member, expected) in [
        (Standing::Normal, &[][..]),
        (Standing::Trusted, &[]),
        (Standing::PreModerated, &[]),
        (Standing::Muted, &texts),
        (Standing::Banned, &["create", "reply", "edit", "like", "undelete"]),
    ] {
        let (fixture, _, own, other) = fixture();
        fixture.standings.set(&member(ANN), standing(of_member));
        let results = writes(&fixture, &member(ANN), own, other);
        let by_rights = ["pin", "unpin", "delete as owner", "undelete as owner"];
        let refused: Vec<_> = refused(&results, None).into_iter().filter(|name| !by_rights.contains(name)).collect();
        assert_eq!(refused, expected, "{of_member:?}: {results:?}");
        let deleted = results.iter().find(|(name, _)| *name == "delete").expect("deleted");
        assert_eq!(deleted.1, Ok(()), "one's own comment may always be deleted");
    }
}

#[test]
fn a_banned_owner_of_a_subject_acts_on_nothing() {
    let (fixture, _, own, other) = fixture();
    let until = Some(Millis(10));
    fixture.standings.set(&member("owner"), StandingInForce { until, ..standing(Standing::Banned) });
    let results = writes(&fixture, &member("owner"), own, other);
    let expected =
        ["create", "reply", "edit", "like", "pin", "unpin", "delete as owner", "undelete as owner", "undelete"];
    assert_eq!(refused(&results, until), expected, "{results:?}");
    fixture.clock.set(10);
    assert_eq!(refused(&writes(&fixture, &member("owner"), own, other), until), Vec::<&str>::new(), "it has ended");
}

#[test]
fn moderators_act_whatever_standing_a_member_of_their_name_has() {
    let (fixture, subject, own, _) = fixture();
    fixture.standings.set(&member("mod"), standing(Standing::Banned));
    let context = as_member("mod");
    let at = || fixture.location(own);
    let pin = PinComment { member: member(""), pinned: true };
    run(fixture.mutations.submit(&context, &at(), pin)).expect("pinned");
    let hide = HideComment { hidden: true, ruling: ruling() };
    run(fixture.mutations.submit(&context, &at(), hide)).expect("hidden");
    let delete = DeleteComment { actor: moderator(), etag: String::new() };
    run(fixture.mutations.submit(&context, &at(), delete)).expect("deleted");
    assert_eq!(subject, video("1"));
}

#[test]
fn a_repeat_of_what_was_done_before_a_ban_gets_its_first_answer() {
    let (fixture, subject, own, _) = fixture();
    let by = |request| WriteContext { caller: unrestricted(), ..context_with_request_id(request) };
    let at = || fixture.location(own);
    let create = |text| run(fixture.mutations.submit(&by(1), &subject, new_root(text)));
    let edit = |text| {
        let edit = EditComment { member: member(ANN), content: content(text), etag: String::new() };
        run(fixture.mutations.submit(&by(2), &at(), edit))
    };
    let delete = DeleteComment { actor: DeleteActor::Author(member(ANN)), etag: String::new() };
    let undelete = || run(fixture.mutations.submit(&by(3), &at(), UndeleteComment { member: member(ANN) }));
    let like = || {
        let like = SetLikeRequest { member: member(ANN), value: LikeValue::Like };
        run(fixture.mutations.submit(&by(4), &at(), like))
    };
    let (created, edited) = (create("a text").expect("created"), edit("another").expect("edited"));
    run(fixture.mutations.submit(&by(5), &at(), delete)).expect("deleted");
    let (restored, _) = (undelete().expect("restored"), like().expect("liked"));
    fixture.standings.set(&member(ANN), standing(Standing::Banned));
    let again = create("a text").expect("the first answer");
    assert!(again.replayed && again.value.comment.reference.id == created.value.comment.reference.id);
    assert_eq!(edit("another").map(|again| (again.replayed, again.revision)), Ok((true, edited.revision)));
    assert_eq!(undelete().map(|again| (again.replayed, again.revision)), Ok((true, restored.revision)));
    let suspended = Error::MemberSuspended { until: None };
    assert_eq!(like().map(drop), Err(suspended.clone()), "a like keeps no key");
    assert_eq!(create("other").map(drop), Err(Error::RequestIdReused), "the key is known, of another text");
    assert_eq!(run(fixture.mutations.submit(&by(6), &subject, new_root("new"))).map(drop), Err(suspended));
}

#[test]
fn texts_of_a_pre_moderated_member_wait_and_those_of_a_trusted_one_do_not() {
    let fixture = Fixture::new();
    let [wall, gate] = ["wall", "gate"].map(|name| SubjectKey::stored(name.to_owned(), "1".to_owned()));
    let state = |of_member: Standing, at: &SubjectKey| {
        fixture.standings.set(&member(ANN), standing(of_member));
        let id = fixture.create_root(at);
        fixture.comment_row(id).lifecycle.state
    };
    for (of_member, on_wall, behind_gate) in [
        (Standing::Normal, CommentState::Active, CommentState::Pending),
        (Standing::Trusted, CommentState::Active, CommentState::Active),
        (Standing::PreModerated, CommentState::Pending, CommentState::Pending),
    ] {
        assert_eq!((state(of_member, &wall), state(of_member, &gate)), (on_wall, behind_gate), "{of_member:?}");
    }
}
