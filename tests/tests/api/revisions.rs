//! `subject_revision` of reads: the state of the subject that an answer shows.

use anyhow::{Result, ensure};
use riposte_sdk::v1::{
    CommentSort, GetSubjectRequest, GetThreadRequest, LikeValue, ListCommentsRequest, ListConversationRequest,
    ListRepliesRequest, ListUnlistedCommentsRequest,
};
use riposte_tests::{Case, Fixture, Say, cases};

pub(crate) const CASES: &[Case] = cases![
    every_read_of_a_subjects_row_names_the_revision_that_it_shows,
    every_page_names_the_revision_that_it_shows,
    an_absent_subject_is_at_revision_0,
];

/// A root with a reply.
struct Thread {
    root: i64,
    reply: i64,
}

/// Returns the revisions that the reads of a subject's row answer.
async fn revisions(say: &Say, thread: &Thread, min_revision: i64, fresh: bool) -> Result<Vec<i64>> {
    let key = Some(say.key.clone());
    let subject = GetSubjectRequest { key, min_revision, fresh };
    let subject = say.client.subjects().get_subject(subject).await?.into_inner();
    ensure!(subject.subject.is_some_and(|row| row.revision == subject.subject_revision));
    let page = say.list(ListCommentsRequest { min_revision, fresh, ..Default::default() }).await?;
    ensure!(page.subject.is_some_and(|row| row.revision == page.subject_revision));
    let replies = ListRepliesRequest { root_id: thread.root, min_revision, fresh, ..Default::default() };
    let replies = say.client.replies().list_replies(replies).await?.into_inner();
    let subtree = GetThreadRequest { comment_id: thread.root, min_revision, fresh, ..Default::default() };
    let subtree = say.client.replies().get_thread(subtree).await?.into_inner();
    let conversation = ListConversationRequest { comment_id: thread.reply, min_revision, fresh };
    let conversation = say.client.replies().list_conversation(conversation).await?.into_inner();
    let (subject_key, member_id) = (Some(say.key.clone()), "m".to_owned());
    let unlisted = ListUnlistedCommentsRequest { subject: subject_key, member_id, min_revision, ..Default::default() };
    let unlisted = say.client.comments().list_unlisted_comments(unlisted).await?.into_inner();
    let lists = [page.subject_revision, replies.subject_revision, unlisted.subject_revision];
    Ok([&lists[..], &[subject.subject_revision, subtree.subject_revision, conversation.subject_revision]].concat())
}

async fn every_read_of_a_subjects_row_names_the_revision_that_it_shows(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let root = say.comment("m", "root").await?.id;
    let reply = say.reply(root, "m", "reply").await?;
    let thread = Thread { root, reply: reply.id };
    let first = current(&say).await?;
    for fresh in [false, true] {
        let found = revisions(&say, &thread, first, fresh).await?;
        ensure!(found.iter().all(|revision| *revision == first), "{found:?} of {first}");
    }
    say.like(root, "x", LikeValue::Like).await?;
    ensure!(current(&say).await? == first, "a like moves no subject");
    say.comment("m", "another").await?;
    let second = current(&say).await?;
    ensure!(second == first + 1, "{first} then {second}");
    let found = revisions(&say, &thread, second, false).await?;
    ensure!(found.iter().all(|revision| *revision == second), "{found:?} of {second}");
    Ok(())
}

/// Returns the revision that the rows have now.
async fn current(say: &Say) -> Result<i64> {
    let request = GetSubjectRequest { key: Some(say.key.clone()), fresh: true, ..Default::default() };
    Ok(say.client.subjects().get_subject(request).await?.into_inner().subject_revision)
}

async fn every_page_names_the_revision_that_it_shows(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    for n in 0..5 {
        say.comment("m", &n.to_string()).await?;
    }
    for sort in [CommentSort::Newest, CommentSort::Top] {
        let before = current(&say).await?;
        let request = ListCommentsRequest {
            sort: sort.into(),
            page_size: 2,
            min_revision: before,
            reply_preview_size: Some(0),
            ..Default::default()
        };
        let first = say.list(request.clone()).await?;
        ensure!(first.subject_revision == before, "{sort:?}: {} of {before}", first.subject_revision);
        say.comment("m", "during the walk").await?;
        let after = current(&say).await?;
        let next = ListCommentsRequest { page_token: first.next_page_token, min_revision: after, ..request };
        let next = say.list(next).await?;
        ensure!(next.subject_revision == after, "{sort:?}: {} of {after}", next.subject_revision);
        ensure!(next.subject.is_some_and(|row| row.revision == after), "{sort:?}");
    }
    Ok(())
}

async fn an_absent_subject_is_at_revision_0(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let page = say.list(ListCommentsRequest::default()).await?;
    ensure!(page.subject_revision == 0 && page.subject.is_some_and(|row| row.revision == 0));
    let unlisted =
        ListUnlistedCommentsRequest { subject: Some(say.key.clone()), member_id: "m".into(), ..Default::default() };
    let unlisted = say.client.comments().list_unlisted_comments(unlisted).await?.into_inner();
    ensure!(unlisted.subject_revision == 0, "{unlisted:?}");
    ensure!(current(&say).await? == 0);
    Ok(())
}
