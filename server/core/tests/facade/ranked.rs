use std::time::Duration;

use super::reads::with_state;
use super::{Fixture, asked, content, everybody, member, only, refused, run, text, video};
use riposte_core::page::{ReplyPage, RootPage};
use riposte_core::rank::{RankSort, Ranking, TOKENS_LIVE};
use riposte_core::read::{ListRanked, ListRankedReplies, RankedAt, RankedPage};
use riposte_core::request::{Fingerprint, IdempotencyKey, RequestIdentity};
use riposte_core::subject::SubjectState;
use riposte_core::verbs::{CommandKind, Create, DeleteSubject, Reply};
use riposte_core::{ClientInfo, Command, CommentId, Error, Millis, Result, SubjectKey};

const EPOCH: i64 = 7;

/// Sets the ranking snapshot and the bound of walks that begin from now on.
fn rank(fixture: &Fixture, floors: &[i32], bound: i32) {
    let ranking = Ranking::new(EPOCH, Millis(0), floors.into());
    fixture.rankings.set(ranking, bound);
}

fn meanwhile(fixture: &Fixture, subject: &SubjectKey, root: Option<CommentId>, times: u8) {
    let command = |_| {
        let id = fixture.new_id(subject.partition());
        let (member, content, client) = (member("eve"), content("meanwhile"), ClientInfo::default());
        let verb: CommandKind = match root {
            None => Create { id, member, content, client, auto_create: None }.into(),
            Some(root) => Reply { id, parent: fixture.at(root), member, content, client, max_depth: 2 }.into(),
        };
        let request = RequestIdentity {
            key: IdempotencyKey(u128::from(id.get().unsigned_abs()).to_be_bytes()),
            fingerprint: Fingerprint::of(&[]),
        };
        Command { subject: subject.clone(), verb, request, now: Millis(0) }
    };
    fixture.model.interleave((0..times).map(command));
}

fn roots(fixture: &Fixture, subject: &SubjectKey, at: RankedAt, limit: usize) -> Result<RankedPage<RootPage>> {
    let subject = subject.clone();
    let ask = ListRanked { subject, sort: RankSort::Top, at, limit, previews: 1, min_revision: 0 };
    run(fixture.comments.list_ranked(&everybody(), &ask))
}

fn replies(fixture: &Fixture, root: CommentId, at: RankedAt, limit: usize) -> Result<RankedPage<ReplyPage>> {
    let ask = ListRankedReplies { root: fixture.at(root), at, limit, min_revision: 0 };
    run(fixture.comments.list_ranked_replies(&everybody(), &ask))
}

/// Returns the floors of a page, the flags for more comments before and after it, and the bound of
/// its walk.
fn of_roots(along: &RankedPage<RootPage>) -> (Vec<i32>, bool, bool, i32) {
    let page = &along.page.threads;
    let floors = page.items.iter().map(|thread| thread.root.comment.reference.floor).collect();
    (floors, page.more_before, page.more_after, along.trail.next(None).walk.bound)
}

fn of_replies(along: &RankedPage<ReplyPage>) -> (Vec<i32>, bool, bool, i32) {
    let page = &along.page.replies;
    let floors = page.items.iter().map(|reply| reply.comment.reference.floor).collect();
    (floors, page.more_before, page.more_after, along.trail.next(None).walk.bound)
}

#[test]
fn a_walk_goes_along_its_ranking_and_then_by_floor() {
    let fixture = Fixture::new();
    let subject = fixture.subject("1");
    let ids = [(); 5].map(|()| fixture.root(&subject));
    rank(&fixture, &[2, 5], 6);
    let page = |at| roots(&fixture, &subject, at, 2).expect("the subject stands");
    let first = page(RankedAt::Beginning);
    assert_eq!(of_roots(&first), (vec![2, 5], false, true, 6));
    let second = page(RankedAt::Cursor(first.trail.next(Some(5))));
    assert_eq!(of_roots(&second), (vec![4, 3], true, true, 6));
    assert_eq!(of_roots(&page(RankedAt::Cursor(second.trail.next(Some(3))))), (vec![1], true, false, 6));
    assert_eq!(of_roots(&page(RankedAt::Cursor(second.trail.previous(Some(4))))), (vec![2, 5], false, true, 6));
    assert_eq!(of_roots(&page(RankedAt::Floor(3))), (vec![4, 3], true, true, 6));
    assert_eq!(of_roots(&page(RankedAt::Comment(ids[0]))), (vec![3, 1], true, false, 6));
    // A hidden root is left out, and a tombstone has no content.
    fixture.hide(ids[4]);
    fixture.reply(ids[1]);
    fixture.hide(ids[1]);
    let first = page(RankedAt::Beginning);
    assert_eq!((of_roots(&first).0, text(&first.page.threads.items[0].root)), (vec![2], None));
}

#[test]
fn replies_are_walked_like_roots() {
    let fixture = Fixture::new();
    let subject = fixture.subject("1");
    let [other, root] = [(); 2].map(|()| fixture.root(&subject));
    let elsewhere = fixture.reply(other);
    let below = [(); 4].map(|()| fixture.reply(root));
    rank(&fixture, &[3], 5);
    let page = |at| replies(&fixture, root, at, 2);
    let first = page(RankedAt::Beginning).expect("the root stands");
    assert_eq!(of_replies(&first), (vec![3, 4], false, true, 5));
    let rest = page(RankedAt::Cursor(first.trail.next(Some(4)))).expect("the root stands");
    assert_eq!(of_replies(&rest), (vec![2, 1], true, false, 5));
    let around = page(RankedAt::Comment(below[0])).expect("the root stands");
    assert_eq!(of_replies(&around), (vec![2, 1], true, false, 5));
    for id in [root, elsewhere] {
        assert_eq!(refused(page(RankedAt::Comment(id))), Error::CommentNotFound);
    }
    assert!(matches!(refused(replies(&fixture, below[0], RankedAt::Beginning, 2)), Error::Invalid(_)));
    fixture.hide(root);
    let hidden = page(RankedAt::Beginning).expect("a tombstone stands above its replies");
    assert_eq!((text(&hidden.page.root), text(&hidden.page.replies.items[0])), (None, Some("a reply")));
}

#[test]
fn a_first_page_beyond_the_ranking_holds_what_came_while_it_was_read() {
    let fixture = Fixture::new();
    let subject = fixture.subject("1");
    let [root, ..] = [(); 3].map(|()| fixture.root(&subject));
    for _ in 0..3 {
        fixture.reply(root);
    }
    rank(&fixture, &[2], 4);
    let of = |root: Option<CommentId>, limit| {
        root.map_or_else(
            || of_roots(&roots(&fixture, &subject, RankedAt::Beginning, limit).expect("the subject stands")),
            |root| of_replies(&replies(&fixture, root, RankedAt::Beginning, limit).expect("the root stands")),
        )
    };
    for root in [None, Some(root)] {
        assert_eq!(of(root, 9), (vec![2, 3, 1], false, false, 4), "nothing came");
        // The new comment comes after the ranking, on a later page of this walk.
        meanwhile(&fixture, &subject, root, 1);
        assert_eq!(of(root, 1), (vec![2], false, true, 5));
        meanwhile(&fixture, &subject, root, 1);
        assert_eq!(of(root, 9), (vec![2, 5, 4, 3, 1], false, false, 6), "it is read once more");
        // A comment arrives at each attempt: the page ends with the ranking.
        meanwhile(&fixture, &subject, root, 4);
        assert_eq!(of(root, 9), (vec![2], false, true, 10));
    }
}

#[test]
fn a_page_that_goes_on_holds_nothing_that_came_since_its_walk_began() {
    let fixture = Fixture::new();
    let subject = fixture.subject("1");
    for _ in 0..3 {
        fixture.root(&subject);
    }
    rank(&fixture, &[2], 4);
    let first = roots(&fixture, &subject, RankedAt::Beginning, 1).expect("the subject stands");
    meanwhile(&fixture, &subject, None, 1);
    let next = roots(&fixture, &subject, RankedAt::Cursor(first.trail.next(Some(2))), 9).expect("the subject stands");
    assert_eq!(of_roots(&next), (vec![3, 1], true, false, 4));
}

#[test]
fn a_walk_ends_when_its_tokens_do_or_its_ranking_is_forgotten() {
    let fixture = Fixture::new();
    let subject = fixture.subject("1");
    for _ in 0..3 {
        fixture.root(&subject);
    }
    rank(&fixture, &[2, 1], 4);
    let begun = 1_000_000;
    let at = |now| fixture.clock.set(now);
    at(begun);
    let cursor = roots(&fixture, &subject, RankedAt::Beginning, 1).expect("the subject stands").trail.next(Some(2));
    let page = |cursor| roots(&fixture, &subject, RankedAt::Cursor(cursor), 1).map(|along| of_roots(&along).0);
    let end = Millis(begun).plus(TOKENS_LIVE);
    at(end.0 - 1);
    assert_eq!(page(cursor), Ok(vec![1]));
    let mut forgotten = cursor;
    forgotten.walk.epoch += 1;
    assert_eq!(page(forgotten), Err(Error::PageTokenExpired));
    for later in [Duration::ZERO, Duration::from_millis(1)] {
        at(end.plus(later).0);
        assert_eq!(page(cursor), Err(Error::PageTokenExpired), "{later:?} too late");
    }
}

#[test]
fn a_jump_to_a_reply_in_a_ranked_list_shows_it_in_its_preview() {
    let fixture = Fixture::new();
    let subject = fixture.subject("1");
    let root = fixture.root(&subject);
    let below = [(); 5].map(|()| fixture.reply(root));
    rank(&fixture, &[1], 2);
    for (id, shown) in [(root, &below[..1]), (below[0], &below[..3]), (below[4], &below[2..])] {
        let along = roots(&fixture, &subject, RankedAt::Comment(id), 2).expect("the subject stands");
        let preview = along.page.threads.items[0].replies.iter().map(|reply| reply.comment.reference.id);
        assert_eq!(preview.collect::<Vec<_>>(), shown, "{id:?}");
    }
}

#[test]
fn ranked_lists_are_refused_or_empty_where_others_are() {
    let fixture = Fixture::new();
    let wall = SubjectKey::stored("wall".to_owned(), "1".to_owned());
    let nowhere = roots(&fixture, &wall, RankedAt::Beginning, 2).expect("its first comment makes it");
    assert_eq!(of_roots(&nowhere), (vec![], false, false, 1));
    assert_eq!(refused(roots(&fixture, &video("9"), RankedAt::Beginning, 2)), Error::SubjectNotFound);
    let subject = fixture.subject("1");
    let root = fixture.root(&subject);
    assert_eq!(refused(replies(&fixture, root, RankedAt::Beginning, 2)), Error::CommentNotFound, "no ranking");
    rank(&fixture, &[1], 2);
    let (sort, at) = (RankSort::Top, RankedAt::Beginning);
    let ask = |min_revision| ListRanked { subject: subject.clone(), sort, at, limit: 2, previews: 1, min_revision };
    let foreign = run(fixture.comments.list_ranked(&only(["wall"]), &ask(0)));
    assert_eq!(refused(foreign), Error::CallerNotAllowed);
    let now = fixture.row(&subject).revision;
    assert!(run(fixture.comments.list_ranked(&everybody(), &ask(now))).is_ok());
    let behind = run(fixture.comments.list_ranked(&everybody(), &ask(now + 1)));
    assert_eq!(refused(behind), Error::RevisionNotReached { current: now });
    with_state(&fixture, &subject, SubjectState::Hidden);
    assert_eq!(refused(roots(&fixture, &subject, at, 2)), Error::SubjectHidden);
    assert_eq!(refused(replies(&fixture, root, at, 2)), Error::SubjectHidden);
    run(fixture.mutations.submit(&asked(), &subject, DeleteSubject { etag: String::new() })).expect("it stands");
    assert_eq!(refused(roots(&fixture, &subject, at, 2)), Error::SubjectNotFound);
}
