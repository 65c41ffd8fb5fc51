use super::reads::with_state;
use super::{Fixture, everybody, only, refused, run, text, video};
use riposte_core::page::{ListOrder, PageStart, ReplyPage, RootPage, SubtreeQuery};
use riposte_core::read::{ListComments, ListReplies, ListStart};
use riposte_core::subject::SubjectState;
use riposte_core::verbs::DeleteSubject;
use riposte_core::{CommentId, Error, SubjectKey};

fn roots(subject: &SubjectKey, at: ListStart) -> ListComments {
    ListComments { subject: subject.clone(), order: ListOrder::Oldest, at, limit: 2, previews: 1, min_revision: 0 }
}

fn replies(fixture: &Fixture, root: CommentId, at: ListStart) -> ListReplies {
    ListReplies { root: fixture.at(root), order: ListOrder::Oldest, at, limit: 2, min_revision: 0 }
}

fn ids(page: &RootPage) -> Vec<CommentId> {
    page.threads.items.iter().map(|thread| thread.root.comment.reference.id).collect()
}

fn answers(page: &ReplyPage) -> Vec<CommentId> {
    page.replies.items.iter().map(|reply| reply.comment.reference.id).collect()
}

const BEGINNING: ListStart = ListStart::Start(PageStart::Beginning);

#[test]
fn a_page_of_roots_holds_the_place_that_was_asked_for() {
    let fixture = Fixture::new();
    let key = fixture.subject("1");
    let [a, b, c, d] = [(); 4].map(|()| fixture.root(&key));
    let list = |ask: &ListComments| run(fixture.comments.list_comments(&everybody(), ask));
    let newest = ListComments { order: ListOrder::Newest, ..roots(&key, BEGINNING) };
    for (ask, shown, before, after) in [
        (roots(&key, BEGINNING), [a, b], false, true),
        (newest, [d, c], false, true),
        (roots(&key, ListStart::Start(PageStart::After(2))), [c, d], true, false),
        (roots(&key, ListStart::Comment(c)), [b, c], true, true),
    ] {
        let page = list(&ask).expect("the subject stands");
        assert_eq!((ids(&page), page.threads.more_before, page.threads.more_after), (shown.to_vec(), before, after));
    }
    let elsewhere = fixture.root(&fixture.subject("2"));
    assert_eq!(refused(list(&roots(&key, ListStart::Comment(elsewhere)))), Error::CommentNotFound);
    let foreign = run(fixture.comments.list_comments(&only(["wall"]), &roots(&key, BEGINNING)));
    assert_eq!(refused(foreign), Error::CallerNotAllowed);
    fixture.reply(a);
    fixture.hide(a);
    let page = list(&roots(&key, BEGINNING)).expect("the subject stands");
    assert_eq!(page.threads.items.iter().map(|thread| text(&thread.root)).collect::<Vec<_>>(), [None, Some("a root")]);
}

#[test]
fn a_jump_to_a_reply_shows_it_in_the_preview_of_its_thread() {
    let fixture = Fixture::new();
    let key = fixture.subject("1");
    let [other, root, _] = [(); 3].map(|()| fixture.root(&key));
    let beside = fixture.reply(other);
    let below: Vec<CommentId> = (0..6).map(|_| fixture.reply(root)).collect();
    for (id, previews, shown, more) in [
        // A root is shown with the preview that was requested.
        (root, 0, &below[..0], true),
        (root, 2, &below[..2], true),
        (below[0], 0, &below[..3], true),
        (below[3], 1, &below[2..5], true),
        (below[5], 2, &below[3..], true),
        (below[5], 6, &below[..], false),
    ] {
        let ask = ListComments { previews, ..roots(&key, ListStart::Comment(id)) };
        let page = run(fixture.comments.list_comments(&everybody(), &ask)).expect("the subject stands");
        assert_eq!(ids(&page), [other, root]);
        let preview =
            |n: usize| page.threads.items[n].replies.iter().map(|v| v.comment.reference.id).collect::<Vec<_>>();
        assert_eq!((preview(1), page.threads.items[1].more_replies), (shown.to_vec(), more), "{id:?}");
        assert_eq!(preview(0), [beside][..usize::from(previews.min(1))], "other threads keep theirs");
    }
}

#[test]
fn lists_of_a_subject_that_does_not_exist_are_empty_where_its_first_comment_makes_it() {
    let fixture = Fixture::new();
    let deleted = fixture.at(fixture.root_on_wall("2")).subject;
    run(fixture.mutations.submit(&super::asked(), &deleted, DeleteSubject { etag: String::new() })).expect("it stands");
    let wall = SubjectKey::stored("wall".to_owned(), "1".to_owned());
    let list = |key: &SubjectKey, min_revision| {
        let ask = ListComments { min_revision, ..roots(key, BEGINNING) };
        run(fixture.comments.list_comments(&everybody(), &ask)).map(|page| (page.subject.version, ids(&page)))
    };
    assert_eq!(list(&wall, 0), Ok((0, vec![])));
    assert_eq!(list(&wall, 1), Err(Error::RevisionNotReached { current: 0 }));
    assert_eq!([&deleted, &video("9")].map(|key| list(key, 0)), [(); 2].map(|()| Err(Error::SubjectNotFound)));
}

#[test]
fn replies_are_listed_of_a_root() {
    let fixture = Fixture::new();
    let key = fixture.subject("1");
    let [root, other] = [(); 2].map(|()| fixture.root(&key));
    let elsewhere = fixture.reply(other);
    let below: Vec<CommentId> = (0..4).map(|_| fixture.reply(root)).collect();
    let list = |ask: &ListReplies| run(fixture.comments.list_replies(&everybody(), ask)).map(|page| answers(&page));
    assert_eq!(list(&replies(&fixture, root, BEGINNING)), Ok(below[..2].to_vec()));
    assert_eq!(list(&replies(&fixture, root, ListStart::Comment(below[2]))), Ok(below[1..3].to_vec()));
    for id in [root, elsewhere, other] {
        assert_eq!(list(&replies(&fixture, root, ListStart::Comment(id))), Err(Error::CommentNotFound), "{id:?}");
    }
    assert!(matches!(list(&replies(&fixture, below[0], BEGINNING)), Err(Error::Invalid(_))));
    fixture.reply(below[0]);
    fixture.hide(below[0]);
    fixture.hide(root);
    let page =
        run(fixture.comments.list_replies(&everybody(), &replies(&fixture, root, BEGINNING))).expect("it stands");
    assert_eq!((text(&page.root), page.replies.more_after), (None, true));
}

#[test]
fn lists_for_a_caller_that_has_seen_more_than_the_cache_come_from_the_rows() {
    let fixture = Fixture::new();
    let key = fixture.subject("1");
    let root = fixture.root(&key);
    let (copies, at_copies) = (fixture.behind(), fixture.row(&key).revision);
    let reply = fixture.reply(root);
    let now = fixture.row(&key).revision;
    let list = |min_revision| {
        let ask = ListComments { min_revision, ..roots(&key, BEGINNING) };
        let page = run(copies.list_comments(&everybody(), &ask))?;
        Ok((page.subject.revision, page.threads.items[0].replies.len()))
    };
    let below = |min_revision| {
        let ask = ListReplies { min_revision, ..replies(&fixture, root, BEGINNING) };
        run(copies.list_replies(&everybody(), &ask)).map(|page| (page.subject.revision, answers(&page)))
    };
    assert_eq!([0, at_copies, now].map(list), [Ok((at_copies, 0)), Ok((at_copies, 0)), Ok((now, 1))]);
    assert_eq!([below(at_copies), below(now)], [Ok((at_copies, vec![])), Ok((now, vec![reply]))]);
    let behind = Error::RevisionNotReached { current: now };
    assert_eq!((list(now + 1), below(now + 1)), (Err(behind.clone()), Err(behind)));
}

#[test]
fn a_thread_is_shown_without_what_is_hidden_in_it_and_not_under_a_hidden_subject() {
    let fixture = Fixture::new();
    let key = SubjectKey::stored("forum".to_owned(), "1".to_owned());
    let root = fixture.root(&key);
    // A hidden comment above a visible one is listed as a tombstone.
    let hidden = fixture.reply(root);
    fixture.reply(hidden);
    fixture.hide(hidden);
    let at = fixture.at(root);
    let part = SubtreeQuery { top: at.path.clone(), max_depth: 9, after: None, limit: 2 };
    let thread = |min_revision| run(fixture.comments.thread(&at, &part, min_revision));
    let page = thread(0).expect("it stands");
    assert_eq!(page.comments.iter().map(text).collect::<Vec<_>>(), [Some("a root"), None]);
    assert!(page.more_after);
    let now = fixture.row(&key).revision;
    assert!(thread(now).is_ok());
    assert_eq!(refused(thread(now + 1)), Error::RevisionNotReached { current: now });
    with_state(&fixture, &key, SubjectState::Hidden);
    let list = run(fixture.comments.list_comments(&everybody(), &roots(&key, BEGINNING)));
    let below = run(fixture.comments.list_replies(&everybody(), &replies(&fixture, root, BEGINNING)));
    let conversation = run(fixture.comments.conversation(&everybody(), root, 0));
    let refusals = [refused(thread(0)), refused(list), refused(below), refused(conversation)];
    assert_eq!(refusals, [(); 4].map(|()| Error::SubjectHidden));
}
