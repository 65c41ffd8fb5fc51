//! Bad input: the canonical code, a reason, every violation at once, no partial write, no driver
//! text.

use anyhow::{Result, ensure};
use riposte_sdk::Error;
use riposte_sdk::v1::{
    BatchGetCommentsRequest, BatchGetSubjectsRequest, ClientInfo, Content, CreateCommentRequest, CreateReplyRequest,
    ErrorReason, GetCommentRequest, ListCommentsRequest, SubjectKey,
};
use riposte_tests::say::content;
use riposte_tests::{Case, Fixture, Say, cases, refused};
use tonic::Code;

pub(crate) const CASES: &[Case] = cases![
    all_violations_of_a_create_are_reported_at_once,
    all_violations_of_a_reply_are_reported_at_once,
    every_size_has_a_limit,
    keys_of_subjects_and_members_obey_their_rules,
    hostile_words_never_reach_the_database_as_code,
    a_message_over_the_limit_is_refused_in_our_words,
    ids_that_were_never_generated_are_not_found,
    every_string_may_have_its_maximum_length,
];

async fn violations(say: &Say, request: CreateCommentRequest) -> Result<(ErrorReason, Vec<String>)> {
    let Err(status) = say.client.comments().create_comment(request).await else {
        anyhow::bail!("the comment was accepted")
    };
    let error = Error::from(status);
    ensure!(error.code() == Code::InvalidArgument, "{error:?}");
    let mut fields: Vec<_> = error.violations().iter().map(|v| v.field.clone()).collect();
    fields.sort();
    Ok((error.reason(), fields))
}

fn good(say: &Say) -> CreateCommentRequest {
    CreateCommentRequest {
        subject: Some(say.key.clone()),
        member_id: "m".into(),
        content: content("text"),
        ..CreateCommentRequest::default()
    }
}

async fn all_violations_of_a_create_are_reported_at_once(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let request = CreateCommentRequest {
        subject: Some(SubjectKey { object_type: "Video".into(), object_id: String::new() }),
        member_id: "m\n".into(),
        content: Some(Content {
            text: "  ".into(),
            mentioned_member_ids: vec!["ok".into(), String::new()],
            metadata: [("k".to_owned(), "v".repeat(2_000))].into(),
        }),
        client: Some(ClientInfo { ip: "here".into(), ..ClientInfo::default() }),
        request_id: "not a uuid".into(),
    };
    let (reason, fields) = violations(&say, request).await?;
    ensure!(reason == ErrorReason::FieldInvalid);
    let expected = [
        "client.ip",
        "content.mentioned_member_ids[1]",
        "content.metadata",
        "content.text",
        "member_id",
        "request_id",
        "subject.object_id",
        "subject.object_type",
    ];
    ensure!(fields == expected, "{fields:?}");
    let (_, fields) = violations(&say, CreateCommentRequest::default()).await?;
    ensure!(["content", "member_id", "subject"].iter().all(|f| fields.iter().any(|g| g.starts_with(f))), "{fields:?}");
    Ok(())
}

async fn all_violations_of_a_reply_are_reported_at_once(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let root = say.comment("m", "root").await?;
    let request = CreateReplyRequest {
        parent_id: root.id,
        member_id: String::new(),
        content: content(&"x".repeat(5_001)),
        request_id: "?".into(),
        ..CreateReplyRequest::default()
    };
    let Err(status) = say.client.replies().create_reply(request).await else { anyhow::bail!("accepted") };
    let error = Error::from(status);
    ensure!(error.violations().len() == 3, "{error:?}");
    ensure!(super::comments::get(&say, root.id).await?.reply_count == 0);
    Ok(())
}

async fn every_size_has_a_limit(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let long = CreateCommentRequest { content: content(&"楼".repeat(5_001)), ..good(&say) };
    ensure!(violations(&say, long).await?.0 == ErrorReason::ContentTooLong);
    let just = CreateCommentRequest { content: content(&"楼".repeat(5_000)), ..good(&say) };
    say.client.comments().create_comment(just).await?;
    let crowd = Content {
        text: "x".into(),
        mentioned_member_ids: (0..51).map(|n| n.to_string()).collect(),
        metadata: (0..17).map(|n| (n.to_string(), String::new())).collect(),
    };
    let (_, fields) = violations(&say, CreateCommentRequest { content: Some(crowd), ..good(&say) }).await?;
    ensure!(fields == ["content.mentioned_member_ids", "content.metadata"], "{fields:?}");
    let field = (Code::InvalidArgument, ErrorReason::FieldInvalid);
    let ids = BatchGetCommentsRequest { ids: vec![1; 201], ..BatchGetCommentsRequest::default() };
    ensure!(refused(say.client.comments().batch_get_comments(ids).await)? == field);
    let keys = BatchGetSubjectsRequest { keys: vec![say.key.clone(); 201], ..BatchGetSubjectsRequest::default() };
    ensure!(refused(say.client.subjects().batch_get_subjects(keys).await)? == field);
    for (page_size, preview, ok) in [(-1, None, false), (0, None, true), (1_000, None, true), (1, Some(11), false)] {
        let request = ListCommentsRequest {
            subject: Some(say.key.clone()),
            page_size,
            reply_preview_size: preview,
            ..ListCommentsRequest::default()
        };
        let response = say.client.comments().list_comments(request).await;
        ensure!(response.is_ok() == ok, "page_size {page_size}, preview {preview:?}: {response:?}");
    }
    Ok(())
}

async fn keys_of_subjects_and_members_obey_their_rules(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    for (object_type, object_id, member, ok) in [
        ("a", "x".repeat(64), "m".repeat(64), true),
        ("a", "x".repeat(65), "m".into(), false),
        ("a", "x".into(), "m".repeat(65), false),
        ("a", "\u{1}".into(), "m".into(), false),
        ("a", "id".into(), String::new(), false),
        ("", "id".into(), "m".into(), false),
        ("1a", "id".into(), "m".into(), false),
        ("a-b", "id".into(), "m".into(), false),
        ("a23456789012345678901234567890123", "id".into(), "m".into(), false),
        ("a2345678901234567890123456789012", "id".into(), "m".into(), true),
    ] {
        let request = CreateCommentRequest {
            subject: Some(SubjectKey { object_type: object_type.to_owned(), object_id: object_id.clone() }),
            member_id: member,
            ..good(&say)
        };
        let outcome = say.client.comments().create_comment(request).await;
        ensure!(outcome.is_ok() == ok, "{object_type:?} {object_id:?}: {outcome:?}");
    }
    Ok(())
}

async fn hostile_words_never_reach_the_database_as_code(fixture: Fixture) -> Result<()> {
    for hostile in ["'; DROP TABLE comment_subject; --", "\" OR 1=1 -- ", "`_@`", "comment_index_@", "%s%n\\", "a\\'b"]
    {
        let key = SubjectKey { object_type: "article".into(), object_id: hostile.to_owned() };
        let say = Say { client: fixture.client.clone(), key };
        let made = say.comment(hostile, hostile).await?;
        let read = super::comments::get(&say, made.id).await?;
        ensure!(read.member_id == hostile && read.content.unwrap_or_default().text == hostile, "{hostile}");
    }
    Ok(())
}

async fn a_message_over_the_limit_is_refused_in_our_words(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let huge = CreateCommentRequest { content: content(&"x".repeat(5 << 20)), ..good(&say) };
    let outcome = say.client.comments().create_comment(huge).await;
    ensure!(refused(outcome)? == (Code::InvalidArgument, ErrorReason::MessageTooLarge));
    Ok(())
}

async fn ids_that_were_never_generated_are_not_found(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    for (id, expected) in [
        (i64::MAX, (Code::NotFound, ErrorReason::CommentNotFound)),
        (1, (Code::NotFound, ErrorReason::CommentNotFound)),
        (0, (Code::InvalidArgument, ErrorReason::FieldInvalid)),
        (-1, (Code::InvalidArgument, ErrorReason::FieldInvalid)),
        (i64::MIN, (Code::InvalidArgument, ErrorReason::FieldInvalid)),
    ] {
        let request = GetCommentRequest { id, ..GetCommentRequest::default() };
        ensure!(refused(say.client.comments().get_comment(request).await)? == expected, "{id}");
    }
    Ok(())
}

async fn every_string_may_have_its_maximum_length(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let id = uuid::Uuid::new_v4().simple().to_string();
    let key = SubjectKey { object_type: "a2345678901234567890123456789012".into(), object_id: format!("{id}{id}") };
    let import = |external_id: String, parent: String| riposte_sdk::v1::ImportItem {
        source: "s".repeat(64),
        external_id,
        kind: Some(riposte_sdk::v1::import_item::Kind::Comment(riposte_sdk::v1::ImportedComment {
            subject: Some(key.clone()),
            parent_external_id: parent,
            member_id: "m".repeat(64),
            content: Some(Content {
                text: "🏠".repeat(5_000),
                mentioned_member_ids: vec!["n".repeat(64); 50],
                metadata: [("k".repeat(64), "v".repeat(960))].into(),
            }),
            client: Some(ClientInfo { ip: "2001:db8::1".into(), platform: "p".repeat(32), device: "d".repeat(128) }),
            ..Default::default()
        })),
    };
    let items = [import("x".repeat(128), String::new()), import("y".repeat(128), "x".repeat(128))];
    let requests = items.map(|item| riposte_sdk::v1::ImportCommentsRequest { item: Some(item) });
    let mut responses = fixture.server.admin()?.import_comments(futures::stream::iter(requests)).await?.into_inner();
    let mut ids = Vec::new();
    while let Some(response) = responses.message().await? {
        ensure!(response.error.is_none(), "{response:?}");
        ids.push(response.comment_id);
    }
    // Two hundred such comments exceed the size limit of a response.
    let many = BatchGetCommentsRequest { ids: ids.repeat(100), ..BatchGetCommentsRequest::default() };
    let outcome = say.client.comments().batch_get_comments(many).await;
    ensure!(refused(outcome)? == (Code::InvalidArgument, ErrorReason::MessageTooLarge));
    Ok(())
}
