use super::reads::set_state;
use super::{Fixture, error_of, restricted_to, run, text, unrestricted, video};
use riposte_core::page::{ListOrder, PageStart, ReplyPage, RootPage, SubtreeQuery};
use riposte_core::read::{ListComments, ListReplies, ListStart};
use riposte_core::subject::SubjectState;
use riposte_core::verbs::{DeleteSubject, UndeleteSubject};
use riposte_core::{CommentId, Error, SubjectKey};

fn roots(subject: &SubjectKey, at: ListStart) -> ListComments {
    ListComments { subject: subject.clone(), order: ListOrder::Oldest, at, limit: 2, previews: 1, min_revision: 0 }
}

fn replies(fixture: &Fixture, root: CommentId, at: ListStart) -> ListReplies {
    ListReplies { root: fixture.location(root), order: ListOrder::Oldest, at, limit: 2, min_revision: 0 }
}

fn root_ids(page: &RootPage) -> Vec<CommentId> {
    page.threads.items.iter().map(|thread| thread.root.comment.reference.id).collect()
}

fn reply_ids(page: &ReplyPage) -> Vec<CommentId> {
    page.replies.items.iter().map(|reply| reply.comment.reference.id).collect()
}

const BEGINNING: ListStart = ListStart::Start(PageStart::Beginning);

#[test]
fn a_page_of_roots_contains_the_requested_position() {
    let fixture = Fixture::new();
    let key = fixture.create_subject("1");
    let [a, b, c, d] = [(); 4].map(|()| fixture.create_root(&key));
    let list = |request: &ListComments| run(fixture.comments.list_comments(&unrestricted(), request));
    let newest = ListComments { order: ListOrder::Newest, ..roots(&key, BEGINNING) };
    for (request, expected, before, after) in [
        (roots(&key, BEGINNING), [a, b], false, true),
        (newest, [d, c], false, true),
        (roots(&key, ListStart::Start(PageStart::After(2))), [c, d], true, false),
        (roots(&key, ListStart::Comment(c)), [b, c], true, true),
    ] {
        let page = list(&request).expect("the subject exists");
        assert_eq!(
            (root_ids(&page), page.threads.more_before, page.threads.more_after),
            (expected.to_vec(), before, after)
        );
    }
    let elsewhere = fixture.create_root(&fixture.create_subject("2"));
    assert_eq!(error_of(list(&roots(&key, ListStart::Comment(elsewhere)))), Error::CommentNotFound);
    let foreign = run(fixture.comments.list_comments(&restricted_to(["wall"]), &roots(&key, BEGINNING)));
    assert_eq!(error_of(foreign), Error::CallerNotAllowed);
    fixture.create_reply(a);
    fixture.hide(a);
    let page = list(&roots(&key, BEGINNING)).expect("the subject exists");
    assert_eq!(page.threads.items.iter().map(|thread| text(&thread.root)).collect::<Vec<_>>(), [None, Some("a root")]);
}

#[test]
fn a_jump_to_a_reply_shows_it_in_the_preview_of_its_thread() {
    let fixture = Fixture::new();
    let key = fixture.create_subject("1");
    let [other, root, _] = [(); 3].map(|()| fixture.create_root(&key));
    let other_reply = fixture.create_reply(other);
    let below: Vec<CommentId> = (0..6).map(|_| fixture.create_reply(root)).collect();
    for (id, previews, expected, more) in [
        // A root is shown with the preview that was requested.
        (root, 0, &below[..0], true),
        (root, 2, &below[..2], true),
        (below[0], 0, &below[..3], true),
        (below[3], 1, &below[2..5], true),
        (below[5], 2, &below[3..], true),
        (below[5], 6, &below[..], false),
    ] {
        let request = ListComments { previews, ..roots(&key, ListStart::Comment(id)) };
        let page = run(fixture.comments.list_comments(&unrestricted(), &request)).expect("the subject exists");
        assert_eq!(root_ids(&page), [other, root]);
        let preview =
            |n: usize| page.threads.items[n].replies.iter().map(|v| v.comment.reference.id).collect::<Vec<_>>();
        assert_eq!((preview(1), page.threads.items[1].more_replies), (expected.to_vec(), more), "{id:?}");
        assert_eq!(
            preview(0),
            [other_reply][..usize::from(previews.min(1))],
            "previews of other threads do not change"
        );
    }
}

#[test]
fn lists_of_a_missing_subject_are_empty_if_its_first_comment_creates_it() {
    let fixture = Fixture::new();
    let deleted = fixture.location(fixture.create_root_on_wall("2")).subject;
    run(fixture.mutations.submit(&super::write_context(), &deleted, DeleteSubject { etag: String::new() }))
        .expect("it exists");
    let wall = SubjectKey::stored("wall".to_owned(), "1".to_owned());
    let list = |key: &SubjectKey, min_revision| {
        let request = ListComments { min_revision, ..roots(key, BEGINNING) };
        run(fixture.comments.list_comments(&unrestricted(), &request))
            .map(|page| (page.subject.version, root_ids(&page)))
    };
    assert_eq!(list(&wall, 0), Ok((0, vec![])));
    assert_eq!(list(&wall, 1), Err(Error::RevisionNotReached { current: 0 }));
    let errors = [Error::SubjectNotFound, Error::SubjectNotCreated("video".to_owned())];
    assert_eq!([&deleted, &video("9")].map(|key| list(key, 0)), errors.map(Err));
    // The version distinguishes a restored subject from a new one.
    run(fixture.mutations.submit(&super::write_context(), &deleted, UndeleteSubject)).expect("it is deleted");
    let created = fixture.location(fixture.create_root_on_wall("3")).subject;
    assert_eq!([&created, &deleted].map(|key| list(key, 0).map(|(version, _)| version)), [Ok(1), Ok(3)]);
}

#[test]
fn replies_are_listed_below_roots_only() {
    let fixture = Fixture::new();
    let key = fixture.create_subject("1");
    let [root, other] = [(); 2].map(|()| fixture.create_root(&key));
    let elsewhere = fixture.create_reply(other);
    let below: Vec<CommentId> = (0..4).map(|_| fixture.create_reply(root)).collect();
    let list = |request: &ListReplies| {
        run(fixture.comments.list_replies(&unrestricted(), request)).map(|page| reply_ids(&page))
    };
    assert_eq!(list(&replies(&fixture, root, BEGINNING)), Ok(below[..2].to_vec()));
    assert_eq!(list(&replies(&fixture, root, ListStart::Comment(below[2]))), Ok(below[1..3].to_vec()));
    for id in [root, elsewhere, other] {
        assert_eq!(list(&replies(&fixture, root, ListStart::Comment(id))), Err(Error::CommentNotFound), "{id:?}");
    }
    assert!(matches!(list(&replies(&fixture, below[0], BEGINNING)), Err(Error::Invalid(_))));
    fixture.create_reply(below[0]);
    fixture.hide(below[0]);
    fixture.hide(root);
    let page =
        run(fixture.comments.list_replies(&unrestricted(), &replies(&fixture, root, BEGINNING))).expect("it exists");
    assert_eq!((text(&page.root), page.replies.more_after), (None, true));
}

#[test]
fn lists_that_require_a_later_revision_than_the_cache_has_come_from_the_rows() {
    let fixture = Fixture::new();
    let key = fixture.create_subject("1");
    let root = fixture.create_root(&key);
    let (cached, cached_revision) = (fixture.over_cached_rows(), fixture.subject_row(&key).revision);
    let reply = fixture.create_reply(root);
    let now = fixture.subject_row(&key).revision;
    let list = |min_revision| {
        let request = ListComments { min_revision, ..roots(&key, BEGINNING) };
        let page = run(cached.list_comments(&unrestricted(), &request))?;
        Ok((page.subject.revision, page.threads.items[0].replies.len()))
    };
    let below = |min_revision| {
        let request = ListReplies { min_revision, ..replies(&fixture, root, BEGINNING) };
        run(cached.list_replies(&unrestricted(), &request)).map(|page| (page.subject.revision, reply_ids(&page)))
    };
    assert_eq!([0, cached_revision, now].map(list), [Ok((cached_revision, 0)), Ok((cached_revision, 0)), Ok((now, 1))]);
    assert_eq!([below(cached_revision), below(now)], [Ok((cached_revision, vec![])), Ok((now, vec![reply]))]);
    let behind = Error::RevisionNotReached { current: now };
    assert_eq!((list(now + 1), below(now + 1)), (Err(behind.clone()), Err(behind)));
}

#[test]
fn a_thread_has_no_hidden_content_and_is_not_readable_under_a_hidden_subject() {
    let fixture = Fixture::new();
    let key = SubjectKey::stored("forum".to_owned(), "1".to_owned());
    let root = fixture.create_root(&key);
    // A hidden comment above a visible one is listed as a tombstone.
    let hidden = fixture.create_reply(root);
    fixture.create_reply(hidden);
    fixture.hide(hidden);
    let at = fixture.location(root);
    let query = SubtreeQuery { top: at.path.clone(), max_depth: 9, after: None, limit: 2 };
    let thread = |min_revision| run(fixture.comments.thread(&at, &query, min_revision));
    let page = thread(0).expect("it exists");
    assert_eq!(page.comments.iter().map(text).collect::<Vec<_>>(), [Some("a root"), None]);
    assert!(page.more_after);
    let now = fixture.subject_row(&key).revision;
    assert!(thread(now).is_ok());
    assert_eq!(error_of(thread(now + 1)), Error::RevisionNotReached { current: now });
    set_state(&fixture, &key, SubjectState::Hidden);
    let list = run(fixture.comments.list_comments(&unrestricted(), &roots(&key, BEGINNING)));
    let below = run(fixture.comments.list_replies(&unrestricted(), &replies(&fixture, root, BEGINNING)));
    let conversation = run(fixture.comments.conversation(&unrestricted(), root, 0));
    let errors = [error_of(thread(0)), error_of(list), error_of(below), error_of(conversation)];
    assert_eq!(errors, [(); 4].map(|()| Error::SubjectHidden));
}
