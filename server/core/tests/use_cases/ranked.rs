use std::time::Duration;

use super::reads::set_state;
use super::{Fixture, content, error_of, member, restricted_to, run, text, unrestricted, video, write_context};
use riposte_core::object_type::ModerationMode;
use riposte_core::page::{ReplyPage, RootPage};
use riposte_core::policy_judgement::PolicyJudgement;
use riposte_core::rank::{RankSort, Ranking, WALK_LIFETIME};
use riposte_core::read::{ListRanked, ListRankedReplies, RankedPage, RankedStart};
use riposte_core::request::{Fingerprint, IdempotencyKey, RequestIdentity};
use riposte_core::subject::SubjectState;
use riposte_core::verbs::{CommandKind, Create, DeleteSubject, Reply};
use riposte_core::{ClientInfo, Command, CommentId, Error, Millis, Result, SubjectKey};

const EPOCH: i64 = 7;

/// Sets the ranking snapshot and the bound of walks that begin from now on.
fn set_ranking(fixture: &Fixture, floors: &[i32], bound: i32) {
    let ranking = Ranking::new(EPOCH, Millis(0), floors.into());
    fixture.rankings.set(ranking, bound);
}

/// Queues `times` comments of another process. The oracle commits one before each read by floors.
fn commit_during_next_read(fixture: &Fixture, subject: &SubjectKey, root: Option<CommentId>, times: u8) {
    let command = |_| {
        let id = fixture.new_id(subject.partition());
        let (member, content, client) = (member("eve"), content("meanwhile"), ClientInfo::default());
        let moderation = ModerationMode::Post;
        let verb: CommandKind = match root {
            None => Create {
                id,
                member,
                content,
                client,
                auto_create: None,
                moderation,
                judged: PolicyJudgement::default(),
            }
            .into(),
            Some(root) => Reply {
                id,
                parent: fixture.location(root),
                member,
                content,
                client,
                max_depth: 2,
                moderation,
                judged: PolicyJudgement::default(),
            }
            .into(),
        };
        let request = RequestIdentity {
            key: IdempotencyKey(u128::from(id.get().unsigned_abs()).to_be_bytes()),
            fingerprint: Fingerprint::of(&[]),
        };
        Command { subject: subject.clone(), verb, request, now: Millis(0), notify_thread: false }
    };
    fixture.model.interleave((0..times).map(command));
}

fn roots(fixture: &Fixture, subject: &SubjectKey, at: RankedStart, limit: usize) -> Result<RankedPage<RootPage>> {
    let subject = subject.clone();
    let request = ListRanked { subject, sort: RankSort::Top, at, limit, previews: 1, min_revision: 0 };
    run(fixture.comments.list_ranked(&unrestricted(), &request))
}

fn replies(fixture: &Fixture, root: CommentId, at: RankedStart, limit: usize) -> Result<RankedPage<ReplyPage>> {
    let request = ListRankedReplies { root: fixture.location(root), at, limit, min_revision: 0 };
    run(fixture.comments.list_ranked_replies(&unrestricted(), &request))
}

/// Returns the floors of a page, the flags for more comments before and after it, and the bound of
/// its walk.
fn root_page_summary(ranked_page: &RankedPage<RootPage>) -> (Vec<i32>, bool, bool, i32) {
    let page = &ranked_page.page.threads;
    let floors = page.items.iter().map(|thread| thread.root.comment.reference.floor).collect();
    (floors, page.more_before, page.more_after, ranked_page.continuation.next(None).walk.bound)
}

fn reply_page_summary(ranked_page: &RankedPage<ReplyPage>) -> (Vec<i32>, bool, bool, i32) {
    let page = &ranked_page.page.replies;
    let floors = page.items.iter().map(|reply| reply.comment.reference.floor).collect();
    (floors, page.more_before, page.more_after, ranked_page.continuation.next(None).walk.bound)
}

#[test]
fn a_walk_follows_its_ranking_and_then_the_floors() {
    let fixture = Fixture::new();
    let subject = fixture.create_subject("1");
    let ids = [(); 5].map(|()| fixture.create_root(&subject));
    set_ranking(&fixture, &[2, 5], 6);
    let page = |at| roots(&fixture, &subject, at, 2).expect("the subject exists");
    let first = page(RankedStart::Beginning);
    assert_eq!(root_page_summary(&first), (vec![2, 5], false, true, 6));
    let second = page(RankedStart::Cursor(first.continuation.next(Some(5))));
    assert_eq!(root_page_summary(&second), (vec![4, 3], true, true, 6));
    assert_eq!(
        root_page_summary(&page(RankedStart::Cursor(second.continuation.next(Some(3))))),
        (vec![1], true, false, 6)
    );
    assert_eq!(
        root_page_summary(&page(RankedStart::Cursor(second.continuation.previous(Some(4))))),
        (vec![2, 5], false, true, 6)
    );
    assert_eq!(root_page_summary(&page(RankedStart::Floor(3))), (vec![4, 3], true, true, 6));
    assert_eq!(root_page_summary(&page(RankedStart::Comment(ids[0]))), (vec![3, 1], true, false, 6));
    // A hidden root is omitted, and a tombstone has no content.
    fixture.hide(ids[4]);
    fixture.create_reply(ids[1]);
    fixture.hide(ids[1]);
    let first = page(RankedStart::Beginning);
    assert_eq!((root_page_summary(&first).0, text(&first.page.threads.items[0].root)), (vec![2], None));
}

#[test]
fn a_walk_over_replies_works_like_one_over_roots() {
    let fixture = Fixture::new();
    let subject = fixture.create_subject("1");
    let [other, root] = [(); 2].map(|()| fixture.create_root(&subject));
    let elsewhere = fixture.create_reply(other);
    let below = [(); 4].map(|()| fixture.create_reply(root));
    set_ranking(&fixture, &[3], 5);
    let page = |at| replies(&fixture, root, at, 2);
    let first = page(RankedStart::Beginning).expect("the root exists");
    assert_eq!(reply_page_summary(&first), (vec![3, 4], false, true, 5));
    let second = page(RankedStart::Cursor(first.continuation.next(Some(4)))).expect("the root exists");
    assert_eq!(reply_page_summary(&second), (vec![2, 1], true, false, 5));
    let around = page(RankedStart::Comment(below[0])).expect("the root exists");
    assert_eq!(reply_page_summary(&around), (vec![2, 1], true, false, 5));
    for id in [root, elsewhere] {
        assert_eq!(error_of(page(RankedStart::Comment(id))), Error::CommentNotFound);
    }
    assert!(matches!(error_of(replies(&fixture, below[0], RankedStart::Beginning, 2)), Error::Invalid(_)));
    fixture.hide(root);
    let hidden = page(RankedStart::Beginning).expect("a tombstone is listed above its replies");
    assert_eq!((text(&hidden.page.root), text(&hidden.page.replies.items[0])), (None, Some("a reply")));
}

#[test]
fn a_first_page_beyond_the_ranking_contains_comments_created_while_it_is_read() {
    let fixture = Fixture::new();
    let subject = fixture.create_subject("1");
    let [root, ..] = [(); 3].map(|()| fixture.create_root(&subject));
    for _ in 0..3 {
        fixture.create_reply(root);
    }
    set_ranking(&fixture, &[2], 4);
    let summary = |root: Option<CommentId>, limit| {
        root.map_or_else(
            || {
                root_page_summary(
                    &roots(&fixture, &subject, RankedStart::Beginning, limit).expect("the subject exists"),
                )
            },
            |root| {
                reply_page_summary(&replies(&fixture, root, RankedStart::Beginning, limit).expect("the root exists"))
            },
        )
    };
    for root in [None, Some(root)] {
        assert_eq!(summary(root, 9), (vec![2, 3, 1], false, false, 4), "no new comment");
        // The new comment follows the ranking, on a later page of this walk.
        commit_during_next_read(&fixture, &subject, root, 1);
        assert_eq!(summary(root, 1), (vec![2], false, true, 5));
        commit_during_next_read(&fixture, &subject, root, 1);
        assert_eq!(summary(root, 9), (vec![2, 5, 4, 3, 1], false, false, 6), "the page is read once more");
        // Each attempt finds a new comment: the page ends with the ranking.
        commit_during_next_read(&fixture, &subject, root, 4);
        assert_eq!(summary(root, 9), (vec![2], false, true, 10));
    }
}

#[test]
fn a_later_page_contains_no_comment_created_since_its_walk_began() {
    let fixture = Fixture::new();
    let subject = fixture.create_subject("1");
    for _ in 0..3 {
        fixture.create_root(&subject);
    }
    set_ranking(&fixture, &[2], 4);
    let first = roots(&fixture, &subject, RankedStart::Beginning, 1).expect("the subject exists");
    commit_during_next_read(&fixture, &subject, None, 1);
    let next = roots(&fixture, &subject, RankedStart::Cursor(first.continuation.next(Some(2))), 9)
        .expect("the subject exists");
    assert_eq!(root_page_summary(&next), (vec![3, 1], true, false, 4));
}

#[test]
fn a_walk_ends_when_its_tokens_expire_or_its_ranking_is_removed() {
    let fixture = Fixture::new();
    let subject = fixture.create_subject("1");
    for _ in 0..3 {
        fixture.create_root(&subject);
    }
    set_ranking(&fixture, &[2, 1], 4);
    let start = 1_000_000;
    let set_clock = |now| fixture.clock.set(now);
    set_clock(start);
    let cursor =
        roots(&fixture, &subject, RankedStart::Beginning, 1).expect("the subject exists").continuation.next(Some(2));
    let page = |cursor| {
        roots(&fixture, &subject, RankedStart::Cursor(cursor), 1).map(|ranked_page| root_page_summary(&ranked_page).0)
    };
    let end = Millis(start).plus(WALK_LIFETIME);
    set_clock(end.0 - 1);
    assert_eq!(page(cursor), Ok(vec![1]));
    let mut removed = cursor;
    removed.walk.epoch += 1;
    assert_eq!(page(removed), Err(Error::PageTokenExpired));
    for later in [Duration::ZERO, Duration::from_millis(1)] {
        set_clock(end.plus(later).0);
        assert_eq!(page(cursor), Err(Error::PageTokenExpired), "{later:?} too late");
    }
}

#[test]
fn a_jump_to_a_reply_in_a_ranked_list_shows_it_in_its_preview() {
    let fixture = Fixture::new();
    let subject = fixture.create_subject("1");
    let root = fixture.create_root(&subject);
    let below = [(); 5].map(|()| fixture.create_reply(root));
    set_ranking(&fixture, &[1], 2);
    for (id, shown) in [(root, &below[..1]), (below[0], &below[..3]), (below[4], &below[2..])] {
        let ranked_page = roots(&fixture, &subject, RankedStart::Comment(id), 2).expect("the subject exists");
        let preview = ranked_page.page.threads.items[0].replies.iter().map(|reply| reply.comment.reference.id);
        assert_eq!(preview.collect::<Vec<_>>(), shown, "{id:?}");
    }
}

#[test]
fn ranked_lists_are_rejected_or_empty_as_other_lists_are() {
    let fixture = Fixture::new();
    let wall = SubjectKey::stored("wall".to_owned(), "1".to_owned());
    let empty = roots(&fixture, &wall, RankedStart::Beginning, 2).expect("its first comment creates it");
    assert_eq!(root_page_summary(&empty), (vec![], false, false, 1));
    let absent = error_of(roots(&fixture, &video("9"), RankedStart::Beginning, 2));
    assert_eq!(absent, Error::SubjectNotCreated("video".to_owned()));
    let subject = fixture.create_subject("1");
    let root = fixture.create_root(&subject);
    assert_eq!(error_of(replies(&fixture, root, RankedStart::Beginning, 2)), Error::CommentNotFound, "no ranking");
    set_ranking(&fixture, &[1], 2);
    let (sort, at) = (RankSort::Top, RankedStart::Beginning);
    let request = |min_revision| ListRanked { subject: subject.clone(), sort, at, limit: 2, previews: 1, min_revision };
    let foreign = run(fixture.comments.list_ranked(&restricted_to(["wall"]), &request(0)));
    assert_eq!(error_of(foreign), Error::CallerNotAllowed);
    let now = fixture.subject_row(&subject).revision;
    assert!(run(fixture.comments.list_ranked(&unrestricted(), &request(now))).is_ok());
    let behind = run(fixture.comments.list_ranked(&unrestricted(), &request(now + 1)));
    assert_eq!(error_of(behind), Error::RevisionNotReached { current: now });
    set_state(&fixture, &subject, SubjectState::Hidden);
    assert_eq!(error_of(roots(&fixture, &subject, at, 2)), Error::SubjectHidden);
    assert_eq!(error_of(replies(&fixture, root, at, 2)), Error::SubjectHidden);
    run(fixture.mutations.submit(&write_context(), &subject, DeleteSubject { etag: String::new() }))
        .expect("it exists");
    assert_eq!(error_of(roots(&fixture, &subject, at, 2)), Error::SubjectNotFound);
}
