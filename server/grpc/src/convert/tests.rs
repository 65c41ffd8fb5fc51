use prost::Message;
use riposte_core::page::{ListOrder, Page, PageStart, RootPage, Thread};
use riposte_core::ports::PageRenderer;
use riposte_core::read::ListStart;
use riposte_core::{
    Comment, CommentCounts, CommentId, CommentRef, CommentState, CommentView, Content, DeletedBy, Lifecycle, MemberId,
    Millis, Path, Subject, SubjectId, SubjectKey,
};
use riposte_sdk::v1;

use super::{
    Anchor, ListPageRenderer, PageArgs, RenderedBody, RenderedResponse, comment, cut, fit, subject, thread, time,
};
use crate::page_token::{FloorStep, TokenCursor};

fn view(state: CommentState) -> CommentView {
    let id = CommentId::new(7).expect("positive");
    let comment = Comment {
        reference: CommentRef {
            id,
            subject_id: SubjectId::new(1).expect("positive"),
            root_id: None,
            parent_id: None,
            path: Path::root(id),
            floor: 3,
            member: MemberId::stored("m7".to_owned()),
            born_revision: 1,
            create_time: Millis(1_500),
        },
        counts: CommentCounts { like_count: 2, dislike_count: 1, reply_count: 4, live_below: 4 },
        lifecycle: Lifecycle {
            state,
            prior_state: CommentState::Active,
            deleted_by: (state == CommentState::Deleted).then_some(DeletedBy::Author),
            listed: true,
            revision: 9,
            version: 2,
            update_time: Millis(2_500),
            edit_time: None,
            delete_time: (state == CommentState::Deleted).then_some(Millis(2_500)),
        },
        next_floor: 1,
    };
    let content = Content::stored("hi".to_owned(), Vec::new(), Default::default());
    let subject = SubjectKey::stored("video".to_owned(), "1".to_owned());
    CommentView { comment, subject, content: Some(content), pinned: false }
}

#[test]
fn times_before_and_after_1970_keep_their_milliseconds() {
    for (millis, seconds, nanos) in [(0, 0, 0), (1_234, 1, 234_000_000), (-1, -1, 999_000_000)] {
        assert_eq!(time(Millis(millis)), prost_types::Timestamp { seconds, nanos });
    }
}

#[test]
fn a_tombstone_names_neither_text_nor_author() {
    let shown = comment(view(CommentState::Active));
    assert_eq!((shown.member_id.as_str(), shown.depth, shown.floor), ("m7", 0, 3));
    assert_eq!(shown.content.map(|content| content.text).as_deref(), Some("hi"));
    // This holds for any part of the content that is still stored.
    let deleted = comment(view(CommentState::Deleted));
    assert_eq!((deleted.content.as_ref(), deleted.member_id.as_str()), (None, ""));
    assert_eq!((deleted.state(), deleted.deleted_by()), (v1::CommentState::Deleted, v1::DeletedBy::Author));
    assert_eq!(deleted.delete_time, Some(time(Millis(2_500))));
    assert_eq!(deleted.reply_count, 4, "comments below it still count");
}

#[test]
fn a_reader_that_may_not_see_a_comment_receives_only_that_it_is_hidden() {
    let author = MemberId::stored("m7".to_owned());
    for (state, to_others, to_author) in [
        (CommentState::Active, v1::CommentState::Active, v1::CommentState::Active),
        (CommentState::Pending, v1::CommentState::Hidden, v1::CommentState::Pending),
        (CommentState::Rejected, v1::CommentState::Hidden, v1::CommentState::Rejected),
        (CommentState::Hidden, v1::CommentState::Hidden, v1::CommentState::Hidden),
        (CommentState::Shadowed, v1::CommentState::Hidden, v1::CommentState::Hidden),
        (CommentState::Deleted, v1::CommentState::Deleted, v1::CommentState::Deleted),
    ] {
        assert_eq!(comment(view(state).seen_by(None)).state(), to_others, "{state} to others");
        assert_eq!(comment(view(state).seen_by(Some(&author))).state(), to_author, "{state} to its author");
    }
}

#[test]
fn a_subject_that_does_not_exist_yet_has_neither_times_nor_etag() {
    let key = SubjectKey::stored("video".to_owned(), "1".to_owned());
    let existing = Subject::new(SubjectId::new(5).expect("positive"), key, Millis(1_000));
    let implied = Subject { version: 0, ..existing.clone() };
    assert!(subject(&existing).create_time.is_some() && !subject(&existing).etag.is_empty());
    let shown = subject(&implied);
    assert_eq!((shown.create_time, shown.update_time, shown.etag.as_str()), (None, None, ""));
    assert_eq!((shown.state(), shown.revision), (v1::SubjectState::Active, 0));
}

/// Returns comments with these floors, each of about 1,000 bytes.
fn page(floors: impl IntoIterator<Item = i32>) -> Page<v1::Comment> {
    let content = v1::Content { text: "x".repeat(1_000), ..Default::default() };
    let item =
        |floor| v1::Comment { id: i64::from(floor), floor, content: Some(content.clone()), ..Default::default() };
    Page { items: floors.into_iter().map(item).collect(), more_before: false, more_after: false }
}

fn floors(page: &Page<v1::Comment>) -> Vec<i32> {
    page.items.iter().map(|item| item.floor).collect()
}

#[test]
fn a_page_that_is_too_large_keeps_the_items_at_its_anchor() {
    let budget = 3_300;
    for (anchor, shown, before, after) in [
        (Anchor::First, vec![1, 2, 3], false, true),
        (Anchor::Last, vec![7, 8, 9], true, false),
        (Anchor::At(4), vec![4, 5, 6], true, true),
        (Anchor::At(0), vec![1, 2, 3], false, true),
        (Anchor::At(99), vec![7, 8, 9], true, false),
    ] {
        let cut = fit(page(1..=9), anchor, budget);
        assert_eq!((floors(&cut), cut.more_before, cut.more_after), (shown, before, after), "{anchor:?}");
        assert!(cut.items.iter().map(Message::encoded_len).sum::<usize>() <= budget);
    }
    assert_eq!(floors(&fit(page(1..=9), Anchor::First, 0)), [1], "one item at least");
    assert_eq!(floors(&fit(page(1..=9), Anchor::First, usize::MAX)).len(), 9);
    assert_eq!(floors(&fit(page([]), Anchor::Last, 0)), [0; 0]);
}

#[test]
fn a_cut_page_continues_with_the_item_after_the_last_one_sent() {
    let args = |at, order| PageArgs::Floor(order, at);
    let floor = |step| Some(TokenCursor::Floor(step));
    let (shown, cursors) = cut(page(1..=9), &args(ListStart::Start(PageStart::Beginning), ListOrder::Oldest), 2_200);
    assert_eq!(
        (floors(&shown), cursors.next, cursors.previous),
        (vec![1, 2], floor(FloorStep::after(2, ListOrder::Oldest)), None)
    );
    let (shown, cursors) =
        cut(page((1..=9).rev()), &args(ListStart::Start(PageStart::Before(0)), ListOrder::Newest), 2_200);
    assert_eq!((floors(&shown), cursors.next), (vec![2, 1], None));
    assert_eq!(cursors.previous, floor(FloorStep::before(2, ListOrder::Newest)));
    let five = CommentId::new(5).expect("positive");
    for at in [ListStart::Start(PageStart::Around(5)), ListStart::Comment(five)] {
        let (shown, cursors) = cut(page((1..=9).rev()), &args(at, ListOrder::Newest), 3_300);
        assert_eq!(floors(&shown), [6, 5, 4]);
        assert_eq!(cursors.next, floor(FloorStep::after(4, ListOrder::Newest)));
        assert_eq!(cursors.previous, floor(FloorStep::before(6, ListOrder::Newest)));
    }
}

#[test]
fn a_page_whose_items_were_removed_still_has_an_adjacent_page() {
    for (order, previous, next) in [(ListOrder::Oldest, 8, 6), (ListOrder::Newest, 6, 8)] {
        let empty = Page { items: Vec::<v1::Comment>::new(), more_before: true, more_after: false };
        let (_, cursors) = cut(empty, &PageArgs::Floor(order, ListStart::Start(PageStart::After(7))), 0);
        assert_eq!(
            (cursors.next, cursors.previous),
            (None, Some(TokenCursor::Floor(FloorStep::before(previous, order))))
        );
        let empty = Page { items: Vec::<v1::Comment>::new(), more_before: false, more_after: true };
        let (_, cursors) = cut(empty, &PageArgs::Floor(order, ListStart::Start(PageStart::Before(7))), 0);
        assert_eq!((cursors.next, cursors.previous), (Some(TokenCursor::Floor(FloorStep::after(next, order))), None));
    }
}

#[test]
fn a_rendered_page_with_its_tokens_equals_the_page_byte_for_byte() {
    let threads = vec![
        Thread { root: view(CommentState::Active), replies: vec![view(CommentState::Active)], more_replies: true },
        Thread { root: view(CommentState::Deleted), replies: Vec::new(), more_replies: false },
        Thread { root: view(CommentState::Shadowed), replies: vec![view(CommentState::Hidden)], more_replies: true },
    ];
    let subject_row = Subject::new(
        SubjectId::new(1).expect("positive"),
        SubjectKey::stored("video".to_owned(), "1".to_owned()),
        Millis(1_500),
    );
    let page = RootPage {
        subject: subject_row.clone(),
        pinned: threads[..1].to_vec(),
        threads: Page { items: threads, more_before: false, more_after: true },
    };
    let token = |root: CommentId| Ok::<_, riposte_core::Error>(format!("replies of {}", root.get()));
    let degraded = vec![v1::Degradation { part: 1, reason: 1 }];
    let shown = page.clone().redacted();
    let all = |threads: Vec<Thread>| threads.into_iter().map(|item| thread(item, token).expect("a token")).collect();
    let expected = v1::ListCommentsResponse {
        threads: all(shown.threads.items),
        pinned: all(shown.pinned),
        next_page_token: "next".to_owned(),
        previous_page_token: String::new(),
        subject: Some(subject(&subject_row)),
        degraded: degraded.clone(),
        subject_revision: 42,
    };
    let (page, pinned) = RenderedBody::read(ListPageRenderer::new().render(page).into()).expect("a rendered page");
    assert!(page.more_after && !page.more_before);
    let all = |threads: Vec<super::RenderedThread>| {
        threads.into_iter().map(|item| item.complete(token).expect("a token")).collect()
    };
    let rendered_page = RenderedResponse {
        threads: all(page.items),
        pinned: all(pinned),
        next_page_token: "next".to_owned(),
        previous_page_token: String::new(),
        subject: Some(subject(&subject_row)),
        degraded,
        subject_revision: 42,
    };
    assert_eq!(rendered_page.encode_to_vec(), expected.encode_to_vec());
}
