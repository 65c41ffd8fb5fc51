use super::{Fixture, content, error_of, member, restricted_to, run, text, unrestricted, video, write_context};
use riposte_core::like::LikeValue;
use riposte_core::object_type::ObjectType;
use riposte_core::ports::ExportedLike;
use riposte_core::subject::SubjectState;
use riposte_core::verbs::{DeleteSubject, EditComment, SetLikeRequest, UpdateSubject};
use riposte_core::{CommentId, Error, SubjectKey};

fn edit(fixture: &Fixture, id: CommentId, text: &str) -> i64 {
    let edit = EditComment { member: member("ann"), content: content(text), etag: String::new() };
    run(fixture.mutations.submit(&write_context(), &fixture.location(id), edit)).expect("ann wrote it").revision
}

fn set_like(fixture: &Fixture, id: CommentId, by: &str, value: LikeValue) {
    let set = SetLikeRequest { member: member(by), value };
    run(fixture.mutations.submit(&write_context(), &fixture.location(id), set)).expect("it is active");
}

#[test]
fn a_caller_without_grant_cannot_find_out_whether_a_type_exists() {
    let fixture = Fixture::new();
    let policy = |caller, name: &str| {
        let found = fixture.comments.policy(&caller, &ObjectType::stored(name.to_owned()));
        found.map(|policy| policy.auto_create)
    };
    assert_eq!([policy(unrestricted(), "video"), policy(unrestricted(), "wall")], [Ok(false), Ok(true)]);
    assert_eq!(policy(unrestricted(), "film"), Err(Error::ObjectTypeUnknown("film".to_owned())));
    assert_eq!(policy(restricted_to(["wall"]), "wall"), Ok(true));
    assert_eq!(
        ["video", "film"].map(|name| policy(restricted_to(["wall"]), name)),
        [(); 2].map(|()| Err(Error::CallerNotAllowed))
    );
}

#[test]
fn comments_are_read_in_the_order_of_their_ids_and_ungranted_ones_are_missing() {
    let fixture = Fixture::new();
    let (here, there) = (fixture.create_root(&fixture.create_subject("1")), fixture.create_root_on_wall("1"));
    let read = |caller| {
        let found = run(fixture.comments.comments(&caller, &[there, here], None)).expect("the oracle does not fail");
        found.into_iter().map(|view| Some(view?.comment.reference.id)).collect::<Vec<_>>()
    };
    assert_eq!(read(unrestricted()), [Some(there), Some(here)]);
    assert_eq!(read(restricted_to(["video"])), [None, Some(here)]);
    assert_eq!(
        error_of(run(fixture.comments.locate(&restricted_to(["video"]), there)).map(drop)),
        Error::CommentNotFound
    );
    assert_eq!(
        error_of(run(fixture.comments.comment(&restricted_to(["video"]), there, None, 1))),
        Error::CommentNotFound
    );
    fixture.hide(here);
    let hidden = run(fixture.comments.comment(&unrestricted(), here, Some(&member("ann")), 0)).expect("it exists");
    assert_eq!((hidden.comment.reference.id, hidden.content), (here, None));
}

#[test]
fn reads_that_require_a_later_revision_than_the_cache_has_come_from_the_rows() {
    let fixture = Fixture::new();
    let subject = fixture.create_subject("1");
    let id = fixture.create_root(&subject);
    let (cached, cached_revision) = (fixture.over_cached_rows(), fixture.subject_row(&subject).revision);
    set_like(&fixture, id, "bob", LikeValue::Like);
    let read = |min| run(cached.comment(&unrestricted(), id, None, min));
    for min in [0, cached_revision] {
        assert_eq!(
            read(min).map(|view| view.comment.counts.like_count),
            Ok(0),
            "a like is no revision: the cache serves the read"
        );
    }
    let now = edit(&fixture, id, "edited");
    for (min, expected) in [(0, "a root"), (cached_revision, "a root"), (now, "edited")] {
        assert_eq!(text(&read(min).expect("it exists")), Some(expected), "revision {min}");
        let found = run(cached.subjects(&unrestricted(), std::slice::from_ref(&subject), min))
            .expect("the revision is reached");
        assert_eq!(found[0].as_ref().map(|s| s.revision), Some(if min == now { now } else { cached_revision }));
    }
    let behind = Error::RevisionNotReached { current: now };
    assert_eq!(error_of(read(now + 1)), behind);
    assert_eq!(error_of(run(cached.subjects(&unrestricted(), &[subject], now + 1))), behind);
    assert_eq!(error_of(run(cached.conversation(&unrestricted(), id, now + 1))), behind);
    for (min, revision, expected) in [(0, cached_revision, "a root"), (now, now, "edited")] {
        let (found, _) = run(cached.conversation(&unrestricted(), id, min)).expect("the revision is reached");
        assert_eq!(found.subject.revision, revision);
        assert_eq!(found.comments.iter().map(text).collect::<Vec<_>>(), [Some(expected)]);
    }
}

#[test]
fn the_revisions_of_a_comment_are_readable_while_it_and_its_subject_are_visible() {
    let fixture = Fixture::new();
    let subject = fixture.create_subject("1");
    let id = fixture.create_root(&subject);
    edit(&fixture, id, "edited");
    let revisions = || run(fixture.comments.revisions(&unrestricted(), id));
    let (view, texts) = revisions().expect("it is active");
    assert_eq!(texts.iter().map(|revision| revision.content.text()).collect::<Vec<_>>(), ["a root", "edited"]);
    assert_eq!(text(&view), Some("edited"));
    assert_eq!(
        run(fixture.comments.likers(&unrestricted(), id, LikeValue::Like, None, 9)).map(|page| page.items),
        Ok(vec![])
    );
    set_state(&fixture, &subject, SubjectState::Hidden);
    assert_eq!(error_of(revisions()), Error::SubjectHidden);
    set_state(&fixture, &subject, SubjectState::ReadOnly);
    assert!(revisions().is_ok());
    fixture.hide(id);
    assert_eq!(error_of(revisions()), Error::CommentNotFound);
}

pub(super) fn set_state(fixture: &Fixture, subject: &SubjectKey, state: SubjectState) {
    let patch = UpdateSubject { state: Some(state), ..UpdateSubject::default() };
    run(fixture.mutations.submit(&write_context(), subject, patch)).expect("the subject exists");
}

#[test]
fn subjects_are_read_in_the_order_of_their_keys_and_implied_if_a_comment_may_create_them() {
    let fixture = Fixture::new();
    let (created, deleted, absent) = (fixture.create_subject("1"), fixture.create_subject("2"), video("3"));
    let missing = absent.clone();
    run(fixture.mutations.submit(&write_context(), &deleted, DeleteSubject { etag: String::new() }))
        .expect("it exists");
    let implied = SubjectKey::stored("wall".to_owned(), "1".to_owned());
    let keys = [implied.clone(), absent, deleted.clone(), created.clone()];
    let found = run(fixture.comments.subjects(&unrestricted(), &keys, 0)).expect("the oracle does not fail");
    let versions: Vec<_> = found.iter().map(|s| s.as_ref().map(|s| (s.version, s.delete_time.is_some()))).collect();
    assert_eq!(versions, [Some((0, false)), None, Some((2, true)), Some((1, false))]);
    assert_eq!(error_of(run(fixture.comments.subjects(&restricted_to(["video"]), &keys, 0))), Error::CallerNotAllowed);
    let behind = Error::RevisionNotReached { current: 0 };
    assert_eq!(error_of(run(fixture.comments.subjects(&unrestricted(), &keys[..1], 1))), behind);
    let watch = |key| run(fixture.comments.watchable(&unrestricted(), key)).map(|subject| subject.revision);
    assert_eq!([&implied, &created].map(watch), [Ok(0), Ok(1)]);
    assert_eq!([&missing, &deleted].map(watch), [Err(missing.not_created()), Err(Error::SubjectNotFound)]);
    let likes =
        |key| run(fixture.comments.member_likes(&unrestricted(), key, &member("bob"), None, 9)).map(|page| page.items);
    assert_eq!([likes(&implied), likes(&deleted)], [Ok(vec![]), Err(Error::SubjectNotFound)]);
    set_state(&fixture, &created, SubjectState::Hidden);
    assert_eq!(watch(&created), Err(Error::SubjectHidden));
}

#[test]
fn a_conversation_reports_if_it_omits_ancestors() {
    let fixture = Fixture::new();
    let root = fixture.create_root(&fixture.create_subject("1"));
    let mut replies = vec![root];
    for n in 1..=102 {
        replies.push(fixture.create_reply(replies[n - 1]));
    }
    for (n, above, truncated) in [(0, 0, false), (1, 1, false), (100, 100, false), (101, 101, false), (102, 101, true)]
    {
        let (found, is_truncated) =
            run(fixture.comments.conversation(&unrestricted(), replies[n], 0)).expect("it exists");
        let ids: Vec<_> = found.comments.iter().map(|view| view.comment.reference.id).collect();
        assert_eq!((ids[0], ids.len(), is_truncated), (replies[n], 1 + above, truncated), "reply {n}");
        assert_eq!(ids.last(), Some(&root));
    }
    fixture.hide(replies[1]);
    let (found, _) = run(fixture.comments.conversation(&unrestricted(), replies[2], 0)).expect("it exists");
    assert_eq!(found.comments.iter().map(text).collect::<Vec<_>>(), [Some("a reply"), None, Some("a root")]);
}

#[test]
fn like_states_are_read_for_the_comments_of_one_subject() {
    let fixture = Fixture::new();
    let subject = fixture.create_subject("1");
    let [liked, disliked, other] = [(); 3].map(|()| fixture.create_root(&subject));
    let foreign = fixture.create_root(&fixture.create_subject("2"));
    set_like(&fixture, liked, "bob", LikeValue::Like);
    set_like(&fixture, disliked, "bob", LikeValue::Dislike);
    set_like(&fixture, liked, "eve", LikeValue::Dislike);
    let states = |ids: &[CommentId]| run(fixture.comments.like_states(&unrestricted(), &subject, &member("bob"), ids));
    let expected = [LikeValue::None, LikeValue::Like, LikeValue::Dislike];
    assert_eq!(states(&[other, liked, disliked]), Ok(expected.to_vec()));
    let Error::Invalid(violations) = error_of(states(&[other, foreign])) else { panic!("another partition") };
    assert_eq!(violations.iter().map(|v| v.field.as_str()).collect::<Vec<_>>(), ["comment_ids[1]"]);
    let unused_id = fixture.new_id(subject.partition());
    assert_eq!(error_of(states(&[unused_id])), Error::CommentNotFound);
    assert_eq!(states(&[]), Ok(Vec::new()));
    let absent = video("absent");
    for ids in [vec![fixture.new_id(absent.partition())], Vec::new()] {
        let of_absent = run(fixture.comments.like_states(&unrestricted(), &absent, &member("bob"), &ids));
        assert_eq!(error_of(of_absent), absent.not_created(), "{ids:?}");
    }
    let likers = |id, value| {
        let page = run(fixture.comments.likers(&unrestricted(), id, value, None, 9))?;
        Ok(page.items.into_iter().map(|liker| String::from(liker.member)).collect::<Vec<_>>())
    };
    assert_eq!(likers(liked, LikeValue::Like), Ok(vec!["bob".to_owned()]));
    assert_eq!(likers(liked, LikeValue::Dislike), Ok(vec!["eve".to_owned()]));
    let page =
        run(fixture.comments.member_likes(&unrestricted(), &subject, &member("bob"), None, 1)).expect("it is open");
    assert_eq!((page.items[0].comment, page.more_after), (liked, true));
    fixture.hide(liked);
    assert_eq!(likers(liked, LikeValue::Like), Err(Error::CommentUnavailable(riposte_core::CommentState::Hidden)));
}

#[test]
fn a_member_history_omits_comments_that_are_not_visible() {
    use riposte_core::read::ListMemberComments;
    let fixture = Fixture::new();
    let keys = ["1", "2", "3"].map(|id| fixture.create_subject(id));
    let roots = keys.each_ref().map(|key| [fixture.create_root(key), fixture.create_root(key)]);
    fixture.hide(roots[0][1]);
    set_state(&fixture, &keys[1], SubjectState::Hidden);
    set_state(&fixture, &keys[2], SubjectState::ReadOnly);
    let deleted = fixture.create_subject("4");
    fixture.create_root(&deleted);
    run(fixture.mutations.submit(&write_context(), &deleted, DeleteSubject { etag: String::new() }))
        .expect("it exists");
    let list = |all, limit, after| {
        let object_type = ObjectType::stored("video".to_owned());
        let request = ListMemberComments { object_type, member: member("ann"), all, after, limit };
        run(fixture.comments.member_comments(&unrestricted(), &request)).expect("the oracle does not fail")
    };
    let [[first, hidden], _, [third, fourth]] = roots;
    for (all, shown) in [(false, vec![fourth, third, first]), (true, vec![fourth, third, hidden, first])] {
        let (page, next) = list(all, 9, None);
        assert_eq!(page.items.iter().map(|(at, _)| at.comment).collect::<Vec<_>>(), shown);
        assert!(page.items.iter().all(|(at, view)| at.comment == view.comment.reference.id));
        assert_eq!((page.more_before, page.more_after, next), (false, false, None));
    }
    // The first entry is below a deleted subject: it is omitted, but counts toward the limit.
    let (page, next) = list(false, 2, None);
    assert_eq!(page.items.iter().map(|(at, _)| at.comment).collect::<Vec<_>>(), [fourth]);
    assert_eq!((page.more_after, next.map(|next| next.comment)), (true, Some(fourth)));
    let (page, _) = list(false, 2, next);
    assert_eq!((page.items[0].0.comment, page.more_before), (third, true));
}

#[test]
fn operators_list_the_subjects_of_granted_types() {
    let fixture = Fixture::new();
    let (first, second, wall) =
        (fixture.create_subject("1"), fixture.create_subject("2"), fixture.create_root_on_wall("1"));
    let wall = fixture.location(wall).subject;
    let types = ["video", "wall", "film"].map(|name| ObjectType::stored(name.to_owned()));
    let list = |caller, object_type: Option<&ObjectType>, limit| {
        let (found, next) = run(fixture.comments.list_subjects(&caller, object_type, Default::default(), limit))?;
        Ok((found.into_iter().map(|subject| subject.key).collect::<Vec<_>>(), next.is_some()))
    };
    assert_eq!(list(unrestricted(), None, 9), Ok((vec![first.clone(), second.clone(), wall.clone()], false)));
    assert_eq!(list(unrestricted(), Some(&types[0]), 1), Ok((vec![first.clone()], true)));
    assert_eq!(list(restricted_to(["wall"]), Some(&types[1]), 9), Ok((vec![wall], false)));
    assert_eq!(list(restricted_to(["wall"]), None, 9), Err(Error::CallerNotAllowed));
    assert_eq!(list(restricted_to(["wall"]), Some(&types[0]), 9), Err(Error::CallerNotAllowed));
    assert_eq!(list(unrestricted(), Some(&types[2]), 9), Err(Error::ObjectTypeUnknown("film".to_owned())));
    let verify =
        |caller, key: &SubjectKey| run(fixture.comments.verify(&caller, key)).map(|verified| verified.comments);
    fixture.create_root(&first);
    assert_eq!([verify(unrestricted(), &first), verify(unrestricted(), &second)], [Ok(1), Ok(0)]);
    assert_eq!(verify(unrestricted(), &video("9")), Err(Error::SubjectNotFound));
    assert_eq!(verify(restricted_to(["wall"]), &first), Err(Error::CallerNotAllowed));
}

#[test]
fn derived_data_is_rebuilt_and_repaired_under_existing_subjects() {
    let fixture = Fixture::new();
    let (key, absent) = (fixture.create_subject("1"), video("9"));
    let caller = unrestricted();
    let [first, second] = [(); 2].map(|()| fixture.create_root(&key));
    for id in [first, second] {
        set_like(&fixture, id, "bob", LikeValue::Like);
    }
    let history = run(fixture.maintenance.rebuild_history(&caller, &key, None, 1));
    let rank_index = run(fixture.maintenance.rebuild_ranks(&caller, &key, None, 7));
    let progress = [history, rank_index].map(|rebuilt| rebuilt.map(|of| (of.comments, of.changed, of.next)));
    assert_eq!(progress, [Ok((1, 1, Some(first))), Ok((2, 2, None))]);
    let repaired = run(fixture.maintenance.repair(&caller, &key)).map(|repaired| repaired.revision);
    assert_eq!(repaired, Ok(fixture.subject_row(&key).revision));
    for (caller, key, error) in
        [(&caller, &absent, Error::SubjectNotFound), (&restricted_to(["wall"]), &key, Error::CallerNotAllowed)]
    {
        assert_eq!(error_of(run(fixture.maintenance.rebuild_history(caller, key, None, 7))), error);
        assert_eq!(error_of(run(fixture.maintenance.rebuild_ranks(caller, key, None, 7))), error);
        assert_eq!(error_of(run(fixture.maintenance.repair(caller, key))), error);
    }
}

#[test]
fn an_export_has_all_comments_and_no_content_of_deleted_ones() {
    let fixture = Fixture::new();
    let subject = fixture.create_subject("1");
    let [active, hidden, deleted] = [(); 3].map(|()| fixture.create_root(&subject));
    fixture.hide(hidden);
    fixture.delete(deleted);
    set_like(&fixture, active, "bob", LikeValue::Like);
    set_like(&fixture, active, "eve", LikeValue::Dislike);
    let export = |caller, after| {
        let found = run(fixture.comments.export_comments(&caller, &subject, after, 9))?;
        Ok(found
            .into_iter()
            .map(|item| (item.view.comment.reference.id, item.view.content.is_some()))
            .collect::<Vec<_>>())
    };
    assert_eq!(export(unrestricted(), None), Ok(vec![(active, true), (hidden, true), (deleted, false)]));
    assert_eq!(export(unrestricted(), Some(hidden)), Ok(vec![(deleted, false)]));
    assert_eq!(export(restricted_to(["wall"]), None), Err(Error::CallerNotAllowed));
    let likes =
        |after| run(fixture.comments.export_likes(&[active, hidden], after, 9)).expect("the oracle does not fail");
    let all = likes(None);
    let members = |likes: &[ExportedLike]| likes.iter().map(|like| like.liker.member.clone()).collect::<Vec<_>>();
    assert_eq!(members(&all), [member("bob"), member("eve")]);
    assert_eq!(members(&likes(all.first())), [member("eve")]);
}
