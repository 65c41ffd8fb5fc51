//! Import and export: a result per item, idempotent by external id; threads and times are
//! preserved.

use std::collections::HashMap;

use anyhow::{Context, Result, ensure};
use futures::stream;
use riposte_sdk::v1::{
    CommentSort, CommentState, DeleteSubjectRequest, ErrorReason, ExportSubjectRequest, ImportCommentsRequest,
    ImportCommentsResponse, ImportItem, ImportOutcome, ImportedComment, ImportedLike, ImportedSubject, LikeValue,
    ListUnlistedCommentsRequest, ModerationAction, SubjectKey, export_subject_response::Item, import_item::Kind,
};
use riposte_tests::say::content;
use riposte_tests::{Case, Fixture, Say, cases};

use super::review::{judge, moderated, of_member, queue, someone};

pub(crate) const CASES: &[Case] = cases![
    an_import_keeps_threads_and_times_and_a_second_one_changes_nothing,
    items_that_break_a_rule_are_rejected_alone,
    two_concurrent_imports_of_the_same_items_create_them_once,
    an_export_contains_everything_with_parents_first,
    an_export_that_comes_back_creates_only_what_is_missing,
    comments_that_wait_and_refused_ones_come_back_from_an_export,
    a_comment_that_waits_in_its_source_is_hidden_where_none_waits,
    an_old_comment_that_comes_in_refused_is_listed_for_its_author,
];

async fn import(fixture: &Fixture, items: Vec<ImportItem>) -> Result<Vec<ImportCommentsResponse>> {
    let requests = items.into_iter().map(|item| ImportCommentsRequest { item: Some(item) });
    let mut responses = fixture.server.admin()?.import_comments(stream::iter(requests)).await?.into_inner();
    let mut all = Vec::new();
    while let Some(response) = responses.message().await? {
        all.push(response);
    }
    Ok(all)
}

fn item(id: &str, kind: Kind) -> ImportItem {
    ImportItem { source: "old".into(), external_id: id.to_owned(), kind: Some(kind) }
}

fn comment(key: &SubjectKey, id: &str, parent: &str, at: i64) -> ImportItem {
    item(
        id,
        Kind::Comment(ImportedComment {
            subject: Some(key.clone()),
            parent_external_id: parent.to_owned(),
            member_id: format!("member of {id}"),
            content: content(&format!("text of {id}")),
            create_time: Some(prost_types::Timestamp { seconds: at, nanos: 500_000_000 }),
            ..ImportedComment::default()
        }),
    )
}

fn like(key: &SubjectKey, id: &str, on: &str, member: &str, value: LikeValue) -> ImportItem {
    item(
        id,
        Kind::Like(ImportedLike {
            subject: Some(key.clone()),
            comment_external_id: on.to_owned(),
            member_id: member.to_owned(),
            value: value.into(),
            time: Some(prost_types::Timestamp { seconds: 1_450_000_000, nanos: 0 }),
            synthetic: true,
        }),
    )
}

fn thread(key: &SubjectKey) -> Vec<ImportItem> {
    let subject = ImportedSubject {
        key: Some(key.clone()),
        owner_id: "owner".into(),
        create_time: Some(prost_types::Timestamp { seconds: 1_400_000_000, nanos: 0 }),
        ..ImportedSubject::default()
    };
    vec![
        item("s", Kind::Subject(subject)),
        comment(key, "a", "", 1_440_000_000),
        comment(key, "b", "", 1_440_000_100),
        comment(key, "a1", "a", 1_440_000_200),
        comment(key, "a2", "a1", 1_440_000_300),
        like(key, "l1", "a", "x", LikeValue::Like),
        like(key, "l2", "a", "y", LikeValue::Dislike),
        like(key, "l3", "a1", "x", LikeValue::Like),
    ]
}

async fn an_import_keeps_threads_and_times_and_a_second_one_changes_nothing(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let first = import(&fixture, thread(&say.key)).await?;
    ensure!(first.iter().all(|a| a.outcome() == ImportOutcome::Created), "{first:?}");
    ensure!(first.iter().enumerate().all(|(n, a)| a.index == n as i64), "{first:?}");
    let roots = say.roots(CommentSort::Oldest, 10).await?;
    ensure!(roots.len() == 2 && roots[0].member_id == "member of a", "{roots:?}");
    ensure!(roots[0].create_time.map(|t| (t.seconds, t.nanos)) == Some((1_440_000_000, 500_000_000)));
    ensure!((roots[0].like_count, roots[0].dislike_count, roots[0].reply_count) == (1, 1, 2), "{roots:?}");
    let replies = say.replies(roots[0].id, CommentSort::Oldest, 10).await?;
    ensure!(replies[1].parent_id == replies[0].id, "{replies:?}");
    let before = (say.page(CommentSort::Oldest, 10).await?, replies);
    let second = import(&fixture, thread(&say.key)).await?;
    ensure!(second.iter().all(|a| a.outcome() == ImportOutcome::Unchanged), "{second:?}");
    let same =
        |a: &ImportCommentsResponse, b: &ImportCommentsResponse| (a.comment_id, a.floor) == (b.comment_id, b.floor);
    ensure!(first[1..5].iter().zip(&second[1..5]).all(|(a, b)| same(a, b)), "{second:?}");
    let after = (say.page(CommentSort::Oldest, 10).await?, say.replies(roots[0].id, CommentSort::Oldest, 10).await?);
    ensure!(before == after, "a second import changed something");
    super::floors::verify(&fixture, &say).await
}

async fn items_that_break_a_rule_are_rejected_alone(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let mut blank = comment(&say.key, "blank", "", 1_440_000_000);
    if let Some(Kind::Comment(c)) = &mut blank.kind {
        c.content = content(" ");
    }
    let items = vec![
        comment(&say.key, "good", "", 1_440_000_000),
        blank,
        comment(&say.key, "orphan", "missing", 1_440_000_000),
        ImportItem { source: String::new(), ..comment(&say.key, "x", "", 1) },
        ImportItem { kind: None, ..comment(&say.key, "y", "", 1) },
        like(&say.key, "l", "missing", "x", LikeValue::Like),
        comment(&say.key, "child", "good", 1_440_000_001),
        like(&say.key, "no value", "good", "x", LikeValue::Unspecified),
    ];
    let responses = import(&fixture, items).await?;
    use ImportOutcome::{Created, Rejected};
    let outcomes: Vec<_> = responses.iter().map(|a| a.outcome()).collect();
    let rejected = [Rejected; 5];
    ensure!(outcomes == [&[Created], &rejected[..], &[Created, Rejected]].concat(), "{responses:?}");
    // The path of a field begins at the item, for every kind of item.
    let fields: Vec<_> = responses.iter().filter_map(|a| a.error.as_ref()).flat_map(|e| &e.violations).collect();
    let fields: Vec<_> = fields.iter().map(|violation| violation.field.as_str()).collect();
    ensure!(fields == ["comment.content.text", "source", "kind", "like.value"], "{fields:?}");
    let reason = |n: usize| responses[n].error.clone().unwrap_or_default().reason;
    let field = ErrorReason::FieldInvalid.as_str_name().trim_start_matches("ERROR_REASON_");
    ensure!(reason(1) == field && reason(3) == field && reason(4) == field, "{responses:?}");
    ensure!(reason(2) == "COMMENT_NOT_FOUND" && reason(5) == "COMMENT_NOT_FOUND", "{responses:?}");
    let key = DeleteSubjectRequest { key: Some(say.key.clone()), ..DeleteSubjectRequest::default() };
    fixture.client.subjects().delete_subject(key).await?;
    let responses = import(&fixture, vec![comment(&say.key, "late", "", 1)]).await?;
    let error = responses[0].error.clone().context("it was imported")?;
    ensure!(error.reason == "SUBJECT_NOT_FOUND" && error.metadata["object_id"] == say.key.object_id, "{error:?}");
    Ok(())
}

async fn two_concurrent_imports_of_the_same_items_create_them_once(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let items: Vec<_> = (0..60)
        .map(|n| {
            let parent = if n % 3 == 0 { String::new() } else { format!("i{}", n - 1) };
            comment(&say.key, &format!("i{n}"), &parent, 1_440_000_000 + n)
        })
        .collect();
    let (one, two) = futures::future::join(import(&fixture, items.clone()), import(&fixture, items)).await;
    let (one, two) = (one?, two?);
    for (a, b) in one.iter().zip(&two) {
        ensure!(a.outcome() != ImportOutcome::Rejected && b.outcome() != ImportOutcome::Rejected, "{a:?} {b:?}");
        ensure!((a.comment_id, a.floor) == (b.comment_id, b.floor), "{a:?} {b:?}");
    }
    let subject = say.page(CommentSort::Newest, 1).await?.subject.unwrap_or_default();
    ensure!(subject.comment_count == 60, "{subject:?}");
    super::floors::verify(&fixture, &say).await
}

async fn an_export_contains_everything_with_parents_first(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    import(&fixture, thread(&say.key)).await?;
    let roots = say.roots(CommentSort::Oldest, 10).await?;
    super::comments::delete(&say, roots[1].id, "member of b").await?;
    let request = ExportSubjectRequest { key: Some(say.key.clone()) };
    let mut stream = fixture.server.admin()?.export_subject(request).await?.into_inner();
    let (mut seen, mut likes, mut deleted) = (HashMap::new(), 0, 0);
    let mut position = 0;
    while let Some(response) = stream.message().await? {
        match response.item.context("an empty item")? {
            Item::Subject(subject) => {
                ensure!(position == 0 && subject.subject.unwrap_or_default().owner_id == "owner");
            }
            Item::Comment(exported) => {
                let comment = exported.comment.clone().unwrap_or_default();
                ensure!(comment.parent_id == 0 || seen.contains_key(&comment.parent_id), "a child before its parent");
                ensure!(exported.source == "old" && !exported.external_id.is_empty(), "{exported:?}");
                deleted += i32::from(comment.state() == CommentState::Deleted);
                seen.insert(comment.id, exported.external_id);
            }
            Item::Like(like) => {
                ensure!(seen.contains_key(&like.comment_id), "{like:?}");
                likes += 1;
            }
        }
        position += 1;
    }
    let mut names: Vec<_> = seen.into_values().collect();
    names.sort();
    ensure!(names == ["a", "a1", "a2", "b"] && likes == 3 && deleted == 1, "{names:?}, {likes} likes");
    Ok(())
}

async fn an_export_that_comes_back_creates_only_what_is_missing(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let root = say.comment("m", "root").await?;
    let reply = say.reply(root.id, "m", "reply").await?;
    say.like(root.id, "x", LikeValue::Like).await?;
    let before = say.page(CommentSort::Oldest, 10).await?;
    // An export names comments that were written here by their ids.
    let exported = |id: &str, parent: &str| ImportItem {
        source: "riposte".into(),
        ..comment(&say.key, id, parent, 1_440_000_000)
    };
    let (root_id, reply_id) = (root.id.to_string(), reply.id.to_string());
    let liked = ImportItem { source: "riposte".into(), ..like(&say.key, "l", &root_id, "x", LikeValue::Like) };
    let back = import(&fixture, vec![exported(&root_id, ""), exported(&reply_id, &root_id), liked]).await?;
    ensure!(back.iter().all(|a| a.outcome() == ImportOutcome::Unchanged), "{back:?}");
    let found: Vec<_> = back[..2].iter().map(|a| (a.comment_id, a.floor)).collect();
    ensure!(found == [(root.id, root.floor), (reply.id, reply.floor)], "{back:?}");
    let revision = before.subject.as_ref().map(|subject| subject.revision);
    ensure!(Some(back[0].subject_revision) == revision, "{back:?}");
    ensure!(say.page(CommentSort::Oldest, 10).await? == before, "the export changed something");

    // A comment that the server does not have, below one that it has; ids in another form are
    // names.
    let missing = (root.id + (1 << 40)).to_string();
    let items = vec![exported(&missing, &root_id), exported(&format!("0{root_id}"), "")];
    let filled = import(&fixture, items.clone()).await?;
    ensure!(filled.iter().all(|a| a.outcome() == ImportOutcome::Created), "{filled:?}");
    let replies = say.replies(root.id, CommentSort::Oldest, 10).await?;
    ensure!(replies.len() == 2 && replies[1].id == filled[0].comment_id, "{replies:?}");
    let again = import(&fixture, items).await?;
    ensure!(again.iter().all(|a| a.outcome() == ImportOutcome::Unchanged), "{again:?}");

    // A comment of another subject is not found by its id.
    let other = Say::on(&fixture.client, "article");
    let items = vec![ImportItem { source: "riposte".into(), ..comment(&other.key, &root_id, "", 1_440_000_000) }];
    let created = import(&fixture, items).await?;
    ensure!(created[0].outcome() == ImportOutcome::Created && created[0].comment_id != root.id, "{created:?}");
    super::floors::verify(&fixture, &say).await
}

/// Returns an imported comment in this state.
fn in_state(key: &SubjectKey, id: &str, parent: &str, member: &str, state: CommentState) -> ImportItem {
    let mut item = comment(key, id, parent, 1_440_000_000);
    if let Some(Kind::Comment(comment)) = &mut item.kind {
        comment.member_id = member.to_owned();
        comment.state = state.into();
    }
    item
}

/// Returns the comments of an export: external id, state, text and author of each.
async fn exported(fixture: &Fixture, key: &SubjectKey) -> Result<Vec<(String, CommentState, String, String)>> {
    let request = ExportSubjectRequest { key: Some(key.clone()) };
    let mut stream = fixture.server.admin()?.export_subject(request).await?.into_inner();
    let mut found = Vec::new();
    while let Some(response) = stream.message().await? {
        if let Some(Item::Comment(exported)) = response.item {
            let comment = exported.comment.unwrap_or_default();
            let (state, text) = (comment.state(), comment.content.unwrap_or_default().text);
            found.push((exported.external_id, state, text, comment.member_id));
        }
    }
    found.sort();
    Ok(found)
}

async fn comments_that_wait_and_refused_ones_come_back_from_an_export(fixture: Fixture) -> Result<()> {
    let (say, ann) = (Say::on(&fixture.client, "article"), someone());
    let states = [
        ("active", "", CommentState::Active),
        ("pending", "", CommentState::Pending),
        ("rejected", "", CommentState::Rejected),
        ("hidden", "", CommentState::Hidden),
        ("deleted", "", CommentState::Deleted),
        ("waiting reply", "active", CommentState::Pending),
    ];
    let items = |key: &SubjectKey| -> Vec<ImportItem> {
        states.iter().map(|(id, parent, state)| in_state(key, id, parent, &ann, *state)).collect()
    };
    let made = import(&fixture, items(&say.key)).await?;
    ensure!(made.iter().all(|a| a.outcome() == ImportOutcome::Created), "{made:?}");
    let listed = say.roots(CommentSort::Oldest, 10).await?;
    ensure!(listed.len() == 1 && listed[0].id == made[0].comment_id && listed[0].reply_count == 0, "{listed:?}");
    // What waits is in the queue of the type, whatever its mode is.
    let waiting = queue(&fixture, of_member("article", &ann)).await?;
    let waiting: Vec<i64> = super::review::ids(&waiting);
    ensure!(waiting == [made[1].comment_id, made[5].comment_id], "{waiting:?}");
    let before = exported(&fixture, &say.key).await?;
    let found: Vec<_> = before.iter().map(|(id, state, ..)| (id.as_str(), *state)).collect();
    let mut expected: Vec<_> = states.iter().map(|(id, _, state)| (*id, *state)).collect();
    expected.sort();
    ensure!(found == expected, "{before:?}");

    // The export into another subject, as into another server.
    let other = Say::on(&fixture.client, "article");
    let back: Vec<ImportItem> = before
        .iter()
        .map(|(id, state, ..)| {
            let parent = if id == "waiting reply" { "active" } else { "" };
            in_state(&other.key, id, parent, &ann, *state)
        })
        .collect();
    import(&fixture, back).await?;
    ensure!(exported(&fixture, &other.key).await? == before, "the states came back changed");

    judge(&fixture, ModerationAction::Approve, made[1].comment_id).await?;
    judge(&fixture, ModerationAction::Approve, made[2].comment_id).await?;
    let listed = say.roots(CommentSort::Oldest, 10).await?;
    ensure!(listed.iter().map(|root| root.id).eq(made[..3].iter().map(|a| a.comment_id)), "{listed:?}");
    ensure!(moderated(&fixture, made[1].comment_id).await?.causes.is_empty());
    super::floors::verify(&fixture, &say).await
}

async fn a_comment_that_waits_in_its_source_is_hidden_where_none_waits(fixture: Fixture) -> Result<()> {
    for (object_type, expected) in [("article", CommentState::Hidden), ("held", CommentState::Pending)] {
        let say = Say::on(&fixture.client, object_type);
        let mut item = in_state(&say.key, "w", "", "m", CommentState::Pending);
        if let Some(Kind::Comment(comment)) = &mut item.kind {
            comment.hidden_without_review = true;
        }
        let made = import(&fixture, vec![item]).await?;
        let found = moderated(&fixture, made[0].comment_id).await?.comment.unwrap_or_default();
        ensure!(found.state() == expected, "{object_type}: {found:?}");
    }
    Ok(())
}

/// The seven days after a rejection begin with the import, whatever the time of the comment.
async fn an_old_comment_that_comes_in_refused_is_listed_for_its_author(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "held");
    let mut refused = comment(&say.key, "refused", "", 1_440_000_000);
    let Some(Kind::Comment(imported)) = &mut refused.kind else { anyhow::bail!("no comment") };
    imported.state = CommentState::Rejected.into();
    let id = import(&fixture, vec![refused]).await?[0].comment_id;
    let member_id = "member of refused".to_owned();
    let request = ListUnlistedCommentsRequest { subject: Some(say.key.clone()), member_id, ..Default::default() };
    let listed = say.client.comments().list_unlisted_comments(request).await?.into_inner().comments;
    let ids: Vec<i64> = listed.iter().filter_map(|unlisted| Some(unlisted.comment.as_ref()?.id)).collect();
    ensure!(ids == [id], "{listed:?}");
    Ok(())
}
