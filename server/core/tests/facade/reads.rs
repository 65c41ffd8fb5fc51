use super::{Fixture, asked, content, everybody, member, only, refused, run, text, video};
use riposte_core::like::LikeValue;
use riposte_core::object_type::ObjectType;
use riposte_core::subject::SubjectState;
use riposte_core::verbs::{DeleteSubject, EditComment, SetLikeRequest, UpdateSubject};
use riposte_core::{CommentId, Error, SubjectKey};

fn edited(fixture: &Fixture, id: CommentId, text: &str) -> i64 {
    let edit = EditComment { member: member("ann"), content: content(text), etag: String::new() };
    run(fixture.mutations.submit(&asked(), &fixture.at(id), edit)).expect("ann wrote it").revision
}

fn liked(fixture: &Fixture, id: CommentId, by: &str, value: LikeValue) {
    let set = SetLikeRequest { member: member(by), value };
    run(fixture.mutations.submit(&asked(), &fixture.at(id), set)).expect("it is active");
}

#[test]
fn a_caller_is_refused_before_it_is_told_whether_a_type_exists() {
    let fixture = Fixture::new();
    let policy = |caller, name: &str| {
        let found = fixture.comments.policy(&caller, &ObjectType::stored(name.to_owned()));
        found.map(|policy| policy.auto_create)
    };
    assert_eq!([policy(everybody(), "video"), policy(everybody(), "wall")], [Ok(false), Ok(true)]);
    assert_eq!(policy(everybody(), "film"), Err(Error::ObjectTypeUnknown("film".to_owned())));
    assert_eq!(policy(only(["wall"]), "wall"), Ok(true));
    assert_eq!(
        ["video", "film"].map(|name| policy(only(["wall"]), name)),
        [(); 2].map(|()| Err(Error::CallerNotAllowed))
    );
}

#[test]
fn comments_are_read_in_the_order_of_their_ids_and_foreign_ones_are_missing() {
    let fixture = Fixture::new();
    let (here, there) = (fixture.root(&fixture.subject("1")), fixture.root_on_wall("1"));
    let read = |caller| {
        let found = run(fixture.comments.comments(&caller, &[there, here], None)).expect("a fixture has no faults");
        found.into_iter().map(|view| Some(view?.comment.reference.id)).collect::<Vec<_>>()
    };
    assert_eq!(read(everybody()), [Some(there), Some(here)]);
    assert_eq!(read(only(["video"])), [None, Some(here)]);
    assert_eq!(refused(run(fixture.comments.locate(&only(["video"]), there)).map(drop)), Error::CommentNotFound);
    assert_eq!(refused(run(fixture.comments.comment(&only(["video"]), there, None, 1))), Error::CommentNotFound);
    fixture.hide(here);
    let hidden = run(fixture.comments.comment(&everybody(), here, Some(&member("ann")), 0)).expect("it stands");
    assert_eq!((hidden.comment.reference.id, hidden.content), (here, None));
}

#[test]
fn reads_for_a_caller_that_has_seen_more_than_the_cache_come_from_the_rows() {
    let fixture = Fixture::new();
    let subject = fixture.subject("1");
    let id = fixture.root(&subject);
    let (copies, at_copies) = (fixture.behind(), fixture.row(&subject).revision);
    liked(&fixture, id, "bob", LikeValue::Like);
    let read = |min| run(copies.comment(&everybody(), id, None, min));
    for min in [0, at_copies] {
        assert_eq!(
            read(min).map(|view| view.comment.counts.like_count),
            Ok(0),
            "a like is no revision: the cache serves the read"
        );
    }
    let now = edited(&fixture, id, "edited");
    for (min, said) in [(0, "a root"), (at_copies, "a root"), (now, "edited")] {
        assert_eq!(text(&read(min).expect("it stands")), Some(said), "revision {min}");
        let found =
            run(copies.subjects(&everybody(), std::slice::from_ref(&subject), min)).expect("the revision is reached");
        assert_eq!(found[0].as_ref().map(|s| s.revision), Some(if min == now { now } else { at_copies }));
    }
    let behind = Error::RevisionNotReached { current: now };
    assert_eq!(refused(read(now + 1)), behind);
    assert_eq!(refused(run(copies.subjects(&everybody(), &[subject], now + 1))), behind);
    assert_eq!(refused(run(copies.conversation(&everybody(), id, now + 1))), behind);
    let (view, above, _) = run(copies.conversation(&everybody(), id, now)).expect("the revision is reached");
    assert_eq!((text(&view), above), (Some("edited"), vec![]));
}

#[test]
fn the_texts_of_a_comment_are_told_while_it_and_its_subject_are_shown() {
    let fixture = Fixture::new();
    let subject = fixture.subject("1");
    let id = fixture.root(&subject);
    edited(&fixture, id, "edited");
    let past = || run(fixture.comments.revisions(&everybody(), id));
    let (view, texts) = past().expect("it is active");
    assert_eq!(texts.iter().map(|past| past.content.text()).collect::<Vec<_>>(), ["a root", "edited"]);
    assert_eq!(text(&view), Some("edited"));
    assert_eq!(
        run(fixture.comments.likers(&everybody(), id, LikeValue::Like, None, 9)).map(|page| page.items),
        Ok(vec![])
    );
    with_state(&fixture, &subject, SubjectState::Hidden);
    assert_eq!(refused(past()), Error::SubjectHidden);
    with_state(&fixture, &subject, SubjectState::ReadOnly);
    assert!(past().is_ok());
    fixture.hide(id);
    assert_eq!(refused(past()), Error::CommentNotFound);
}

pub(super) fn with_state(fixture: &Fixture, subject: &SubjectKey, state: SubjectState) {
    let patch = UpdateSubject { state: Some(state), ..UpdateSubject::default() };
    run(fixture.mutations.submit(&asked(), subject, patch)).expect("the subject stands");
}

#[test]
fn subjects_are_read_in_the_order_of_their_keys_and_implied_where_the_first_comment_makes_them() {
    let fixture = Fixture::new();
    let (made, deleted, absent) = (fixture.subject("1"), fixture.subject("2"), video("3"));
    run(fixture.mutations.submit(&asked(), &deleted, DeleteSubject { etag: String::new() })).expect("it stands");
    let implied = SubjectKey::stored("wall".to_owned(), "1".to_owned());
    let keys = [implied.clone(), absent, deleted.clone(), made.clone()];
    let found = run(fixture.comments.subjects(&everybody(), &keys, 0)).expect("a fixture has no faults");
    let told: Vec<_> = found.iter().map(|s| s.as_ref().map(|s| (s.version, s.delete_time.is_some()))).collect();
    assert_eq!(told, [Some((0, false)), None, Some((2, true)), Some((1, false))]);
    assert_eq!(refused(run(fixture.comments.subjects(&only(["video"]), &keys, 0))), Error::CallerNotAllowed);
    let behind = Error::RevisionNotReached { current: 0 };
    assert_eq!(refused(run(fixture.comments.subjects(&everybody(), &keys[..1], 1))), behind);
    let watch = |key| run(fixture.comments.watchable(&everybody(), key)).map(|subject| subject.key);
    assert_eq!([&implied, &deleted].map(watch), [(); 2].map(|()| Err(Error::SubjectNotFound)));
    assert_eq!(watch(&made), Ok(made.clone()));
    let likes =
        |key| run(fixture.comments.member_likes(&everybody(), key, &member("bob"), None, 9)).map(|page| page.items);
    assert_eq!([likes(&implied), likes(&deleted)], [Ok(vec![]), Err(Error::SubjectNotFound)]);
    with_state(&fixture, &made, SubjectState::Hidden);
    assert_eq!(watch(&made), Err(Error::SubjectHidden));
}

#[test]
fn a_conversation_tells_what_it_leaves_out_below_its_root() {
    let fixture = Fixture::new();
    let root = fixture.root(&fixture.subject("1"));
    let mut replies = vec![root];
    for n in 1..=102 {
        replies.push(fixture.reply(replies[n - 1]));
    }
    for (n, above, truncated) in [(0, 0, false), (1, 1, false), (100, 100, false), (101, 101, false), (102, 101, true)]
    {
        let (view, chain, told) = run(fixture.comments.conversation(&everybody(), replies[n], 0)).expect("it stands");
        assert_eq!((view.comment.reference.id, chain.len(), told), (replies[n], above, truncated), "reply {n}");
        assert_eq!(chain.last().map(|view| view.comment.reference.id), (n > 0).then_some(root));
    }
    fixture.hide(replies[1]);
    let (_, chain, _) = run(fixture.comments.conversation(&everybody(), replies[2], 0)).expect("it stands");
    assert_eq!(chain.iter().map(text).collect::<Vec<_>>(), [None, Some("a root")]);
}

#[test]
fn likes_are_told_of_the_comments_of_one_subject() {
    let fixture = Fixture::new();
    let subject = fixture.subject("1");
    let [liked_one, disliked, other] = [(); 3].map(|()| fixture.root(&subject));
    let foreign = fixture.root(&fixture.subject("2"));
    liked(&fixture, liked_one, "bob", LikeValue::Like);
    liked(&fixture, disliked, "bob", LikeValue::Dislike);
    liked(&fixture, liked_one, "eve", LikeValue::Dislike);
    let states = |ids: &[CommentId]| run(fixture.comments.like_states(&everybody(), &subject, &member("bob"), ids));
    let told = [LikeValue::None, LikeValue::Like, LikeValue::Dislike];
    assert_eq!(states(&[other, liked_one, disliked]), Ok(told.to_vec()));
    let Error::Invalid(violations) = refused(states(&[other, foreign])) else { panic!("another partition") };
    assert_eq!(violations.iter().map(|v| v.field.as_str()).collect::<Vec<_>>(), ["comment_ids[1]"]);
    let unborn = fixture.new_id(subject.partition());
    assert_eq!(refused(states(&[unborn])), Error::CommentNotFound);
    let likers = |id, value| {
        let page = run(fixture.comments.likers(&everybody(), id, value, None, 9))?;
        Ok(page.items.into_iter().map(|liker| String::from(liker.member)).collect::<Vec<_>>())
    };
    assert_eq!(likers(liked_one, LikeValue::Like), Ok(vec!["bob".to_owned()]));
    assert_eq!(likers(liked_one, LikeValue::Dislike), Ok(vec!["eve".to_owned()]));
    let page = run(fixture.comments.member_likes(&everybody(), &subject, &member("bob"), None, 1)).expect("it is open");
    assert_eq!((page.items[0].comment, page.more_after), (liked_one, true));
    fixture.hide(liked_one);
    assert_eq!(likers(liked_one, LikeValue::Like), Err(Error::CommentUnavailable(riposte_core::CommentState::Hidden)));
}

#[test]
fn a_history_leaves_out_what_may_not_be_shown() {
    use riposte_core::read::ListMemberComments;
    let fixture = Fixture::new();
    let keys = ["1", "2", "3"].map(|id| fixture.subject(id));
    let roots = keys.each_ref().map(|key| [fixture.root(key), fixture.root(key)]);
    fixture.hide(roots[0][1]);
    with_state(&fixture, &keys[1], SubjectState::Hidden);
    with_state(&fixture, &keys[2], SubjectState::ReadOnly);
    let deleted = fixture.subject("4");
    fixture.root(&deleted);
    run(fixture.mutations.submit(&asked(), &deleted, DeleteSubject { etag: String::new() })).expect("it stands");
    let ask = |all, limit, after| {
        let object_type = ObjectType::stored("video".to_owned());
        let ask = ListMemberComments { object_type, member: member("ann"), all, after, limit };
        run(fixture.comments.member_comments(&everybody(), &ask)).expect("a fixture has no faults")
    };
    let [[first, hidden], _, [third, fourth]] = roots;
    for (all, shown) in [(false, vec![fourth, third, first]), (true, vec![fourth, third, hidden, first])] {
        let (page, next) = ask(all, 9, None);
        assert_eq!(page.items.iter().map(|(at, _)| at.comment).collect::<Vec<_>>(), shown);
        assert!(page.items.iter().all(|(at, view)| at.comment == view.comment.reference.id));
        assert_eq!((page.more_before, page.more_after, next), (false, false, None));
    }
    // The first entry is below a deleted subject: it is left out, but counts toward the limit.
    let (page, next) = ask(false, 2, None);
    assert_eq!(page.items.iter().map(|(at, _)| at.comment).collect::<Vec<_>>(), [fourth]);
    assert_eq!((page.more_after, next.map(|next| next.comment)), (true, Some(fourth)));
    let (page, _) = ask(false, 2, next);
    assert_eq!((page.items[0].0.comment, page.more_before), (third, true));
}

#[test]
fn operators_walk_over_what_they_may_use() {
    let fixture = Fixture::new();
    let (first, second, wall) = (fixture.subject("1"), fixture.subject("2"), fixture.root_on_wall("1"));
    let wall = fixture.at(wall).subject;
    let types = ["video", "wall", "film"].map(|name| ObjectType::stored(name.to_owned()));
    let list = |caller, object_type: Option<&ObjectType>, limit| {
        let (found, next) = run(fixture.comments.list_subjects(&caller, object_type, Default::default(), limit))?;
        Ok((found.into_iter().map(|subject| subject.key).collect::<Vec<_>>(), next.is_some()))
    };
    assert_eq!(list(everybody(), None, 9), Ok((vec![first.clone(), second.clone(), wall.clone()], false)));
    assert_eq!(list(everybody(), Some(&types[0]), 1), Ok((vec![first.clone()], true)));
    assert_eq!(list(only(["wall"]), Some(&types[1]), 9), Ok((vec![wall], false)));
    assert_eq!(list(only(["wall"]), None, 9), Err(Error::CallerNotAllowed));
    assert_eq!(list(only(["wall"]), Some(&types[0]), 9), Err(Error::CallerNotAllowed));
    assert_eq!(list(everybody(), Some(&types[2]), 9), Err(Error::ObjectTypeUnknown("film".to_owned())));
    let verify =
        |caller, key: &SubjectKey| run(fixture.comments.verify(&caller, key)).map(|verified| verified.comments);
    fixture.root(&first);
    assert_eq!([verify(everybody(), &first), verify(everybody(), &second)], [Ok(1), Ok(0)]);
    assert_eq!(verify(everybody(), &video("9")), Err(Error::SubjectNotFound));
    assert_eq!(verify(only(["wall"]), &first), Err(Error::CallerNotAllowed));
}

#[test]
fn what_is_derived_is_rebuilt_and_repaired_under_a_subject_that_stands() {
    let fixture = Fixture::new();
    let (key, absent) = (fixture.subject("1"), video("9"));
    let caller = everybody();
    let [first, second] = [(); 2].map(|()| fixture.root(&key));
    for id in [first, second] {
        liked(&fixture, id, "bob", LikeValue::Like);
    }
    let history = run(fixture.maintenance.rebuild_history(&caller, &key, None, 1));
    let boards = run(fixture.maintenance.rebuild_boards(&caller, &key, None, 7));
    let told = [history, boards].map(|rebuilt| rebuilt.map(|of| (of.comments, of.changed, of.next)));
    assert_eq!(told, [Ok((1, 1, Some(first))), Ok((2, 2, None))]);
    let repaired = run(fixture.maintenance.repair(&caller, &key)).map(|repaired| repaired.revision);
    assert_eq!(repaired, Ok(fixture.row(&key).revision));
    for (caller, key, why) in
        [(&caller, &absent, Error::SubjectNotFound), (&only(["wall"]), &key, Error::CallerNotAllowed)]
    {
        assert_eq!(refused(run(fixture.maintenance.rebuild_history(caller, key, None, 7))), why);
        assert_eq!(refused(run(fixture.maintenance.rebuild_boards(caller, key, None, 7))), why);
        assert_eq!(refused(run(fixture.maintenance.repair(caller, key))), why);
    }
}

#[test]
fn an_export_holds_all_comments_without_what_was_deleted() {
    let fixture = Fixture::new();
    let subject = fixture.subject("1");
    let [active, hidden, deleted] = [(); 3].map(|()| fixture.root(&subject));
    fixture.hide(hidden);
    fixture.delete(deleted);
    liked(&fixture, active, "bob", LikeValue::Like);
    liked(&fixture, active, "eve", LikeValue::Dislike);
    let export = |caller, after| {
        let found = run(fixture.comments.export_comments(&caller, &subject, after, 9))?;
        Ok(found
            .into_iter()
            .map(|item| (item.view.comment.reference.id, item.view.content.is_some()))
            .collect::<Vec<_>>())
    };
    assert_eq!(export(everybody(), None), Ok(vec![(active, true), (hidden, true), (deleted, false)]));
    assert_eq!(export(everybody(), Some(hidden)), Ok(vec![(deleted, false)]));
    assert_eq!(export(only(["wall"]), None), Err(Error::CallerNotAllowed));
    let likes = run(fixture.comments.export_likes(active, Some(&member("bob")), 9)).expect("a fixture has no faults");
    assert_eq!(likes.iter().map(|like| like.member.as_str()).collect::<Vec<_>>(), ["eve"]);
}
