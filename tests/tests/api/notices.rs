//! Notices in events: the members that a text may notify, and the inbox that follows from them.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{
    CommentEvent, Content, CreateCommentRequest, CreateReplyRequest, CreateSubjectRequest, EventKind, ModerationAction,
    NoticeReason, UpdateCommentRequest,
};
use riposte_tests::feed::{EventPages, kinds, public};
use riposte_tests::{Case, Fixture, Say, cases};
use tonic::Status;

use super::comments::{delete, undelete};
use super::edits::judge_edit;
use super::review::{judge, someone};

use NoticeReason::{Mention, Owner, Reply, Thread};

pub(crate) const CASES: &[Case] = cases![
    a_new_comment_notifies_each_member_once_and_never_its_author,
    the_author_of_a_root_is_notified_of_its_thread_where_the_type_says_so,
    a_comment_that_waits_notifies_at_its_approval_and_once,
    mentions_of_an_edit_notify_when_they_come_in_sight,
    an_inbox_hides_and_shows_the_notices_of_a_comment,
];

/// The object type that notifies of whole threads.
const FOLLOWED: &str = "followed";

fn mentioning(members: &[&str]) -> Option<Content> {
    let mentioned_member_ids = members.iter().map(|&member| member.to_owned()).collect();
    Some(Content { text: someone(), mentioned_member_ids, ..Content::default() })
}

async fn owned(fixture: &Fixture, object_type: &str) -> Result<Say> {
    let say = Say::on(&fixture.client, object_type);
    let owner_id = "owner".to_owned();
    let request = CreateSubjectRequest { key: Some(say.key.clone()), owner_id, ..CreateSubjectRequest::default() };
    fixture.client.subjects().create_subject(request).await?;
    Ok(say)
}

async fn root(say: &Say, member: &str, mentions: &[&str]) -> Result<i64> {
    let request = CreateCommentRequest {
        subject: Some(say.key.clone()),
        member_id: member.to_owned(),
        content: mentioning(mentions),
        request_id: someone(),
        ..CreateCommentRequest::default()
    };
    let made = say.client.comments().create_comment(request).await?.into_inner();
    Ok(made.comment.context("no comment")?.id)
}

async fn reply(say: &Say, parent_id: i64, member: &str, mentions: &[&str]) -> Result<i64> {
    let request = CreateReplyRequest {
        parent_id,
        member_id: member.to_owned(),
        content: mentioning(mentions),
        request_id: someone(),
        ..CreateReplyRequest::default()
    };
    let made = say.client.replies().create_reply(request).await?.into_inner();
    Ok(made.reply.context("no reply")?.id)
}

async fn edit(say: &Say, id: i64, member: &str, mentions: &[&str]) -> Result<(), Status> {
    let (member_id, content) = (member.to_owned(), mentioning(mentions));
    let request = UpdateCommentRequest { id, member_id, content, ..UpdateCommentRequest::default() };
    say.client.comments().update_comment(request).await.map(drop)
}

/// The kind of an event, its comment, and the members of its notices.
type Notified<'a> = (EventKind, i64, Vec<(&'a str, NoticeReason)>);

/// Returns what the events of comments notify of. The id of each notice is checked.
fn notified(events: &[CommentEvent]) -> Result<Vec<Notified<'_>>> {
    let mut notified = Vec::new();
    for event in events.iter().filter(|event| event.comment_id != 0) {
        for notice in &event.notices {
            ensure!(notice.id == format!("{}.{}", event.comment_id, notice.member_id), "{event:?}");
        }
        let notices = event.notices.iter().map(|notice| (notice.member_id.as_str(), notice.reason())).collect();
        notified.push((event.kind(), event.comment_id, notices));
    }
    Ok(notified)
}

/// Reads the feed until it has `count` events of comments of a subject.
async fn of_comments(pages: &mut EventPages, say: &Say, count: usize) -> Result<Vec<CommentEvent>> {
    let is_complete = |events: &[CommentEvent]| kinds(events).iter().filter(|(_, id)| *id != 0).count() >= count;
    pages.until(&say.key, 0, is_complete).await
}

async fn a_new_comment_notifies_each_member_once_and_never_its_author(fixture: Fixture) -> Result<()> {
    let mut pages = EventPages::begin(&fixture.client, public("article")).await?;
    let say = owned(&fixture, "article").await?;
    let of_owner = root(&say, "owner", &["owner"]).await?;
    let first = root(&say, "ann", &["ben", "ann", "carl", "ben"]).await?;
    let second = reply(&say, first, "ben", &["ann", "owner", "dora"]).await?;
    let own = reply(&say, second, "ben", &[]).await?;
    let third = reply(&say, second, "carl", &["ann"]).await?;
    let events = of_comments(&mut pages, &say, 5).await?;
    let published = EventKind::CommentPublished;
    let expected = [
        (published, of_owner, vec![]),
        (published, first, vec![("ben", Mention), ("carl", Mention), ("owner", Owner)]),
        (published, second, vec![("ann", Reply), ("owner", Mention), ("dora", Mention)]),
        (published, own, vec![("owner", Owner)]),
        (published, third, vec![("ben", Reply), ("ann", Mention), ("owner", Owner)]),
    ];
    ensure!(notified(&events)? == expected, "{:?}", notified(&events)?);
    Ok(())
}

async fn the_author_of_a_root_is_notified_of_its_thread_where_the_type_says_so(fixture: Fixture) -> Result<()> {
    for object_type in ["article", FOLLOWED] {
        let mut pages = EventPages::begin(&fixture.client, public(object_type)).await?;
        let say = Say::on(&fixture.client, object_type);
        let first = root(&say, "ann", &[]).await?;
        let second = reply(&say, first, "ben", &[]).await?;
        let third = reply(&say, second, "carl", &[]).await?;
        let own = reply(&say, second, "ann", &[]).await?;
        let events = of_comments(&mut pages, &say, 4).await?;
        let thread = (object_type == FOLLOWED).then_some(("ann", Thread));
        let expected = [
            (first, vec![]),
            (second, vec![("ann", Reply)]),
            (third, [("ben", Reply)].into_iter().chain(thread).collect()),
            (own, vec![("ben", Reply)]),
        ];
        let expected = expected.map(|(id, notices)| (EventKind::CommentPublished, id, notices));
        ensure!(notified(&events)? == expected, "{object_type}: {:?}", notified(&events)?);
    }
    Ok(())
}

async fn a_comment_that_waits_notifies_at_its_approval_and_once(fixture: Fixture) -> Result<()> {
    let mut pages = EventPages::begin(&fixture.client, public("held")).await?;
    let say = owned(&fixture, "held").await?;
    let first = root(&say, "ann", &["unseen"]).await?;
    edit(&say, first, "ann", &["ben"]).await?;
    let refused = root(&say, "ann", &["unseen"]).await?;
    judge(&fixture, ModerationAction::Reject, refused).await?;
    judge(&fixture, ModerationAction::Approve, first).await?;
    let response = reply(&say, first, "ben", &[]).await?;
    for action in [ModerationAction::Reject, ModerationAction::Approve] {
        judge(&fixture, action, response).await?;
    }
    for action in
        [ModerationAction::Hide, ModerationAction::Unhide, ModerationAction::Reject, ModerationAction::Approve]
    {
        judge(&fixture, action, response).await?;
    }
    let events = of_comments(&mut pages, &say, 6).await?;
    let (withdrawn, restored) = (EventKind::CommentWithdrawn, EventKind::CommentRestored);
    let expected = [
        (EventKind::CommentPublished, first, vec![("ben", Mention), ("owner", Owner)]),
        (EventKind::CommentPublished, response, vec![("ann", Reply), ("owner", Owner)]),
        (withdrawn, response, vec![]),
        (restored, response, vec![]),
        (withdrawn, response, vec![]),
        (restored, response, vec![]),
    ];
    ensure!(notified(&events)? == expected, "{:?}", notified(&events)?);
    Ok(())
}

async fn mentions_of_an_edit_notify_when_they_come_in_sight(fixture: Fixture) -> Result<()> {
    // An edit in sight names only the members that no earlier public text mentioned.
    let mut pages = EventPages::begin(&fixture.client, public("article")).await?;
    let say = owned(&fixture, "article").await?;
    let first = root(&say, "ann", &["ben"]).await?;
    for mentions in [&["ben", "carl", "ann", "owner"][..], &[], &["carl", "ben"]] {
        edit(&say, first, "ann", mentions).await?;
    }
    let edited = |notices| (EventKind::CommentEdited, first, notices);
    let published = (EventKind::CommentPublished, first, vec![("ben", Mention), ("owner", Owner)]);
    let expected = [published, edited(vec![("carl", Mention)]), edited(vec![]), edited(vec![])];
    let events = of_comments(&mut pages, &say, 4).await?;
    ensure!(notified(&events)? == expected, "{:?}", notified(&events)?);
    // An edit that waits notifies at its approval, and one that is refused never.
    let mut pages = EventPages::begin(&fixture.client, public("held")).await?;
    let say = Say::on(&fixture.client, "held");
    let first = root(&say, "ann", &["ben"]).await?;
    judge(&fixture, ModerationAction::Approve, first).await?;
    for (action, mentions) in
        [(ModerationAction::Reject, &["unseen"][..]), (ModerationAction::Approve, &["ben", "carl"])]
    {
        edit(&say, first, "ann", mentions).await?;
        judge_edit(&fixture, action, first).await?;
    }
    // A text that changed out of sight notifies when the comment comes back.
    judge(&fixture, ModerationAction::Withhold, first).await?;
    edit(&say, first, "ann", &["carl", "dora"]).await?;
    judge(&fixture, ModerationAction::Approve, first).await?;
    let events = of_comments(&mut pages, &say, 4).await?;
    let expected = [
        (EventKind::CommentPublished, first, vec![("ben", Mention)]),
        (EventKind::CommentEdited, first, vec![("carl", Mention)]),
        (EventKind::CommentWithdrawn, first, vec![]),
    ];
    ensure!(notified(&events)?[..3] == expected, "{:?}", notified(&events)?);
    let back: BTreeSet<_> = notified(&events)?[3..].iter().flat_map(|(_, _, notices)| notices.clone()).collect();
    ensure!(back == BTreeSet::from([("dora", Mention)]), "{:?}", notified(&events)?);
    Ok(())
}

/// Returns the notices that an inbox shows after these events, as docs/events.md builds one.
fn inbox(events: &[CommentEvent]) -> BTreeSet<String> {
    let mut notices: BTreeMap<i64, BTreeSet<String>> = BTreeMap::new();
    let mut hidden = BTreeSet::new();
    for event in events {
        if matches!(event.kind(), EventKind::CommentWithdrawn | EventKind::CommentDeleted) {
            hidden.insert(event.comment_id);
        } else {
            hidden.remove(&event.comment_id);
        }
        let ids = event.notices.iter().map(|notice| notice.id.clone());
        notices.entry(event.comment_id).or_default().extend(ids);
    }
    notices.into_iter().filter(|(id, _)| !hidden.contains(id)).flat_map(|(_, ids)| ids).collect()
}

async fn an_inbox_hides_and_shows_the_notices_of_a_comment(fixture: Fixture) -> Result<()> {
    let mut pages = EventPages::begin(&fixture.client, public("article")).await?;
    let say = Say::on(&fixture.client, "article");
    let first = root(&say, "ann", &["ben"]).await?;
    let second = reply(&say, first, "carl", &["dora"]).await?;
    let (of_first, of_second) = (format!("{first}.ben"), [format!("{second}.ann"), format!("{second}.dora")]);
    let all: BTreeSet<String> = of_second.iter().chain([&of_first]).cloned().collect();
    let mut events = of_comments(&mut pages, &say, 2).await?;
    ensure!(inbox(&events) == all, "{events:?}");
    judge(&fixture, ModerationAction::Hide, second).await?;
    events.extend(of_comments(&mut pages, &say, 1).await?);
    ensure!(inbox(&events) == BTreeSet::from([of_first]), "{events:?}");
    judge(&fixture, ModerationAction::Unhide, second).await?;
    delete(&say, first, "ann").await?;
    events.extend(of_comments(&mut pages, &say, 2).await?);
    ensure!(inbox(&events) == BTreeSet::from(of_second), "{events:?}");
    undelete(&say, first, "ann").await?;
    events.extend(of_comments(&mut pages, &say, 1).await?);
    ensure!(inbox(&events) == all, "{events:?}");
    Ok(())
}
