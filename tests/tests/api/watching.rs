//! WatchSubject: dense revisions in order, resumed without a loss, with any number of other
//! watchers.

use std::time::Duration;

use anyhow::{Result, bail, ensure};
use futures::future::try_join_all;
use riposte_sdk::v1::watch_subject_response::Event;
use riposte_sdk::v1::{
    CommentChangeKind, DeleteSubjectRequest, ErrorReason, LikeValue, Subject, SubjectState, UndeleteSubjectRequest,
    UpdateSubjectRequest, WatchSubjectRequest,
};
use riposte_tests::{Case, Fixture, Say, Watch, cases, refused};
use tonic::Code;

use super::comments::delete;

pub(crate) const CASES: &[Case] = cases![
    a_watch_returns_the_changes_of_each_revision,
    revisions_are_dense_and_in_order_while_many_write,
    a_watch_resumes_behind_any_revision_it_has_seen,
    a_watch_that_broke_before_its_first_change_resumes_where_it_was_opened,
    a_hundred_watches_of_one_subject_return_the_same_changes,
    a_watch_ahead_of_the_subject_begins_at_its_revision,
    a_watch_after_the_callers_own_write_begins_there,
    a_subject_that_its_first_comment_creates_is_watched_before_it,
    a_watch_is_refused_where_a_list_would_be,
    a_watch_returns_deletions_and_hidings_and_continues,
    a_watch_ends_at_its_callers_own_deadline,
];

async fn revision(say: &Say) -> Result<i64> {
    Ok(say.page(Default::default(), 1).await?.subject.unwrap_or_default().revision)
}

async fn a_watch_returns_the_changes_of_each_revision(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let first = say.comment("m", "before").await?;
    let mut watch = Watch::open(&say, 0).await?;
    let root = say.comment("m", "root").await?;
    let reply = say.reply(root.id, "x", "reply").await?;
    say.like(root.id, "x", LikeValue::Like).await?;
    delete(&say, first.id, "m").await?;
    let mut expected = revision(&say).await? - 2;
    for (comment, root_id, kind) in [
        (root.id, 0, CommentChangeKind::Created),
        (reply.id, root.id, CommentChangeKind::Created),
        (first.id, 0, CommentChangeKind::StateChanged),
    ] {
        let change = watch.change().await?;
        let reported = change.comments.iter().find(|change| change.comment_id == comment);
        ensure!(change.revision == expected && !change.subject_changed, "{change:?}");
        ensure!(reported.is_some_and(|reported| reported.kind() == kind && reported.root_id == root_id), "{change:?}");
        expected += 1;
    }
    Ok(())
}

async fn revisions_are_dense_and_in_order_while_many_write(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    say.comment("m", "first").await?;
    let begin = revision(&say).await?;
    let mut watch = Watch::open(&say, begin).await?;
    let writes = (0..100).map(|n| {
        let say = say.clone();
        tokio::spawn(async move { say.comment(&format!("m{n}"), "hi").await })
    });
    let mut written = Vec::new();
    for write in writes.collect::<Vec<_>>() {
        written.push(write.await??.id);
    }
    let last = revision(&say).await?;
    let changes = watch.until(begin, last).await?;
    let mut reported: Vec<i64> = changes.iter().flat_map(|change| &change.comments).map(|c| c.comment_id).collect();
    reported.sort_unstable();
    written.sort_unstable();
    ensure!(reported == written, "{} comments reported, {} written", reported.len(), written.len());
    Ok(())
}

async fn a_watch_resumes_behind_any_revision_it_has_seen(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    for n in 0..12 {
        say.comment("m", &n.to_string()).await?;
    }
    let last = revision(&say).await?;
    // From the outbox while no other client watches, then from the ring, then from before the start
    // of the ring.
    let mut watches = Vec::new();
    for after in [last - 3, last - 2, 1, last] {
        let mut watch = Watch::open(&say, after).await?;
        watch.until(after, last).await?;
        watches.push(watch);
    }
    say.comment("m", "one more").await?;
    let now = revision(&say).await?;
    for watch in &mut watches {
        watch.until(last, now).await?;
    }
    Ok(())
}

async fn a_watch_that_broke_before_its_first_change_resumes_where_it_was_opened(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    say.comment("m", "before").await?;
    let begin = revision(&say).await?;
    let broken = Watch::open(&say, 0).await?;
    ensure!(broken.opened() == begin, "{} instead of {begin}", broken.opened());
    drop(broken);
    say.comment("m", "without a watch").await?;
    let mut resumed = Watch::open(&say, begin).await?;
    ensure!(resumed.opened() == begin && resumed.change().await?.revision == begin + 1);
    Ok(())
}

async fn a_hundred_watches_of_one_subject_return_the_same_changes(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    say.comment("m", "first").await?;
    let begin = revision(&say).await?;
    let watches = try_join_all((0..100).map(|_| Watch::open(&say, begin))).await?;
    for n in 0..10 {
        say.comment("m", &n.to_string()).await?;
    }
    let last = revision(&say).await?;
    let reported = try_join_all(watches.into_iter().map(async |mut watch| watch.until(begin, last).await)).await?;
    ensure!(reported.iter().all(|changes| *changes == reported[0]), "the watches returned different changes");
    Ok(())
}

async fn a_watch_ahead_of_the_subject_begins_at_its_revision(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    say.comment("m", "first").await?;
    let now = revision(&say).await?;
    let mut watch = Watch::open(&say, now + 5).await?;
    ensure!(watch.opened() == now, "{} instead of {now}", watch.opened());
    let Event::Gap(gap) = watch.event().await? else { bail!("no gap") };
    ensure!((gap.first_revision, gap.last_revision) == (now + 6, now), "{gap:?}");
    say.comment("m", "second").await?;
    ensure!(watch.change().await?.revision == now + 1);
    Ok(())
}

/// As a client that has just written: the process that it asks may not have read the event yet.
async fn a_watch_after_the_callers_own_write_begins_there(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let mut watch = Watch::open(&say, 0).await?;
    for n in 0..20 {
        say.comment("m", &n.to_string()).await?;
        let now = revision(&say).await?;
        let resumed = Watch::open(&say, now).await?;
        ensure!(resumed.opened() == now, "{} instead of {now}", resumed.opened());
    }
    let last = revision(&say).await?;
    watch.until(0, last).await?;
    Ok(())
}

async fn a_subject_that_its_first_comment_creates_is_watched_before_it(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let mut watch = Watch::open(&say, 0).await?;
    ensure!(watch.opened() == 0);
    let mut ahead = Watch::open(&say, 7).await?;
    let Event::Gap(gap) = ahead.event().await? else { bail!("no gap") };
    ensure!((ahead.opened(), gap.first_revision, gap.last_revision) == (0, 8, 0), "{gap:?}");
    let root = say.comment("m", "first").await?;
    say.reply(root.id, "x", "second").await?;
    let last = revision(&say).await?;
    for watch in [&mut watch, &mut ahead] {
        let changes = watch.until(0, last).await?;
        ensure!(changes[0].comments.iter().any(|change| change.comment_id == root.id), "{changes:?}");
    }
    Ok(())
}

async fn a_watch_is_refused_where_a_list_would_be(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    say.comment("m", "x").await?;
    ensure!(refused(Watch::open(&say, -1).await)? == (Code::InvalidArgument, ErrorReason::FieldInvalid));
    set_state(&say, SubjectState::Hidden).await?;
    ensure!(refused(Watch::open(&say, 0).await)? == (Code::FailedPrecondition, ErrorReason::SubjectHidden));
    Ok(())
}

async fn a_watch_returns_deletions_and_hidings_and_continues(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    say.comment("m", "x").await?;
    let mut watch = Watch::open(&say, 0).await?;
    set_state(&say, SubjectState::Hidden).await?;
    ensure!(watch.change().await?.subject_changed);
    ensure!(refused(Watch::open(&say, 0).await)?.1 == ErrorReason::SubjectHidden, "also for a watched subject");
    set_state(&say, SubjectState::Active).await?;
    ensure!(watch.change().await?.subject_changed);
    let key = Some(say.key.clone());
    let delete = DeleteSubjectRequest { key: key.clone(), ..DeleteSubjectRequest::default() };
    say.client.subjects().delete_subject(delete).await?;
    ensure!(watch.change().await?.subject_changed);
    ensure!(refused(Watch::open(&say, 0).await)?.1 == ErrorReason::SubjectNotFound, "also for a watched subject");
    let back = UndeleteSubjectRequest { key, ..UndeleteSubjectRequest::default() };
    say.client.subjects().undelete_subject(back).await?;
    ensure!(watch.change().await?.subject_changed);
    say.comment("m", "y").await?;
    ensure!(watch.change().await?.comments.len() == 1);
    Watch::open(&say, 0).await?;
    Ok(())
}

async fn a_watch_ends_at_its_callers_own_deadline(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    say.comment("m", "x").await?;
    let message = WatchSubjectRequest { subject: Some(say.key.clone()), after_revision: 0 };
    let mut request = tonic::Request::new(message);
    request.set_timeout(Duration::from_secs(2));
    let end = Watch::of(say.client.subjects().watch_subject(request).await?.into_inner()).await?.end().await?;
    ensure!(end.code() == Code::DeadlineExceeded, "{end:?}");
    Ok(())
}

async fn set_state(say: &Say, state: SubjectState) -> Result<()> {
    let subject = Subject { key: Some(say.key.clone()), state: state.into(), ..Subject::default() };
    let request = UpdateSubjectRequest { subject: Some(subject), ..UpdateSubjectRequest::default() };
    say.client.subjects().update_subject(request).await?;
    Ok(())
}
