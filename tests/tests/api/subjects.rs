//! Subjects: create, change, delete, undelete, read in batches.

use anyhow::{Result, ensure};
use prost_types::FieldMask;
use riposte_sdk::v1::{
    BatchGetSubjectsRequest, CommentSort, CreateSubjectRequest, DeleteSubjectRequest, ErrorReason, GetSubjectRequest,
    Subject, SubjectState, UndeleteSubjectRequest, UpdateSubjectRequest,
};
use riposte_tests::{Case, Fixture, Say, cases, refused};
use tonic::Code;

pub(crate) const CASES: &[Case] = cases![
    a_subject_is_created_once_and_keeps_its_owner_and_metadata,
    an_absent_subject_of_an_auto_create_type_reads_as_empty,
    lists_during_a_first_comment_are_never_refused,
    an_update_changes_only_what_the_mask_names_and_moves_the_etag,
    a_read_only_subject_takes_reads_and_no_writes,
    a_hidden_subject_takes_neither_lists_nor_writes,
    a_deleted_subject_keeps_everything_and_comes_back,
    a_batch_keeps_the_order_of_the_request_and_names_the_missing_keys,
];

/// Creates the subject of `say` with an owner.
pub(crate) async fn create(say: &Say, owner: &str) -> Result<Subject> {
    let request = CreateSubjectRequest {
        key: Some(say.key.clone()),
        owner_id: owner.to_owned(),
        metadata: [("title".to_owned(), "Título 楼".to_owned())].into(),
        ..CreateSubjectRequest::default()
    };
    Ok(say.client.subjects().create_subject(request).await?.into_inner().subject.unwrap_or_default())
}

async fn get(say: &Say) -> Result<Subject, tonic::Status> {
    let request = GetSubjectRequest { key: Some(say.key.clone()), ..GetSubjectRequest::default() };
    Ok(say.client.subjects().get_subject(request).await?.into_inner().subject.unwrap_or_default())
}

/// Sets the state of the subject of `say`.
pub(crate) async fn set_state(say: &Say, state: SubjectState) -> Result<Subject> {
    let subject = Subject { key: Some(say.key.clone()), state: state.into(), ..Subject::default() };
    update(say, subject, &["state"]).await.map_err(Into::into)
}

async fn update(say: &Say, subject: Subject, paths: &[&str]) -> Result<Subject, tonic::Status> {
    let update_mask = Some(FieldMask { paths: paths.iter().map(|&p| p.to_owned()).collect() });
    let request = UpdateSubjectRequest { subject: Some(subject), update_mask, ..UpdateSubjectRequest::default() };
    Ok(say.client.subjects().update_subject(request).await?.into_inner().subject.unwrap_or_default())
}

async fn a_subject_is_created_once_and_keeps_its_owner_and_metadata(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let made = create(&say, "owner").await?;
    ensure!(made.owner_id == "owner" && made.metadata["title"] == "Título 楼" && made.revision == 1, "{made:?}");
    ensure!(made.state() == SubjectState::Active && made.create_time.is_some(), "{made:?}");
    ensure!(get(&say).await? == made);
    let request = CreateSubjectRequest { key: Some(say.key.clone()), ..CreateSubjectRequest::default() };
    let again = say.client.subjects().create_subject(request).await;
    ensure!(refused(again)? == (Code::AlreadyExists, ErrorReason::SubjectAlreadyExists));
    Ok(())
}

async fn an_absent_subject_of_an_auto_create_type_reads_as_empty(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let subject = get(&say).await?;
    ensure!((subject.root_count, subject.comment_count, subject.revision) == (0, 0, 0), "{subject:?}");
    let page = say.page(CommentSort::Newest, 10).await?;
    ensure!(page.threads.is_empty() && page.next_page_token.is_empty(), "{page:?}");
    say.comment("m", "first").await?;
    ensure!(get(&say).await?.comment_count == 1);
    Ok(())
}

async fn lists_during_a_first_comment_are_never_refused(fixture: Fixture) -> Result<()> {
    for _ in 0..20 {
        let say = Say::on(&fixture.client, "article");
        let lists = async {
            let mut seen = 0;
            while seen == 0 {
                seen = say.page(CommentSort::Newest, 10).await?.threads.len();
            }
            ensure!(seen == 1);
            Ok(())
        };
        let (made, one, another) = tokio::join!(say.comment("m", "first"), lists, say.page(CommentSort::Oldest, 10));
        let (made, another) = (made?, another?);
        one?;
        ensure!(made.floor == 1 && another.threads.len() <= 1, "{another:?}");
    }
    Ok(())
}

async fn an_update_changes_only_what_the_mask_names_and_moves_the_etag(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let made = create(&say, "owner").await?;
    let wish = Subject {
        key: Some(say.key.clone()),
        owner_id: "heir".into(),
        state: SubjectState::Hidden.into(),
        etag: made.etag.clone(),
        ..Subject::default()
    };
    let changed = update(&say, wish.clone(), &["owner_id"]).await?;
    ensure!(changed.owner_id == "heir" && changed.state() == SubjectState::Active, "{changed:?}");
    ensure!(changed.metadata == made.metadata && changed.etag != made.etag && changed.revision > made.revision);
    let stale = update(&say, wish, &["state"]).await;
    ensure!(refused(stale)? == (Code::Aborted, ErrorReason::EtagMismatch));
    let nonsense = update(&say, Subject { key: Some(say.key.clone()), ..Subject::default() }, &["root_count"]).await;
    ensure!(refused(nonsense)? == (Code::InvalidArgument, ErrorReason::FieldInvalid));
    Ok(())
}

async fn a_read_only_subject_takes_reads_and_no_writes(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let root = say.comment("m", "before").await?;
    set_state(&say, SubjectState::ReadOnly).await?;
    let expected = (Code::FailedPrecondition, ErrorReason::SubjectReadOnly);
    ensure!(refused(say.comment("m", "after").await)? == expected);
    ensure!(refused(say.reply(root.id, "m", "after").await)? == expected);
    ensure!(refused(say.like(root.id, "m", riposte_sdk::v1::LikeValue::Like).await)? == expected);
    ensure!(say.roots(CommentSort::Newest, 10).await?.len() == 1);
    set_state(&say, SubjectState::Active).await?;
    say.comment("m", "after").await?;
    Ok(())
}

async fn a_hidden_subject_takes_neither_lists_nor_writes(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let root = say.comment("m", "before").await?;
    set_state(&say, SubjectState::Hidden).await?;
    let expected = (Code::FailedPrecondition, ErrorReason::SubjectHidden);
    ensure!(refused(say.comment("m", "after").await)? == expected);
    ensure!(refused(say.reply(root.id, "m", "after").await)? == expected);
    ensure!(refused(say.page(CommentSort::Newest, 10).await)? == expected);
    let likers = riposte_sdk::v1::ListLikersRequest { comment_id: root.id, ..Default::default() };
    ensure!(refused(say.client.likes().list_likers(likers).await)? == expected);
    let history = riposte_sdk::v1::ListCommentRevisionsRequest { id: root.id, ..Default::default() };
    ensure!(refused(say.client.comments().list_comment_revisions(history).await)? == expected);
    ensure!(get(&say).await?.state() == SubjectState::Hidden);
    Ok(())
}

async fn a_deleted_subject_keeps_everything_and_comes_back(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let root = say.comment("m", "kept").await?;
    let delete = DeleteSubjectRequest { key: Some(say.key.clone()), ..DeleteSubjectRequest::default() };
    say.client.subjects().delete_subject(delete.clone()).await?;
    let gone = (Code::NotFound, ErrorReason::SubjectNotFound);
    ensure!(get(&say).await?.delete_time.is_some());
    ensure!(refused(say.page(CommentSort::Newest, 10).await)? == gone);
    ensure!(refused(say.comment("m", "no").await)? == gone);
    ensure!(refused(say.client.subjects().delete_subject(delete).await)? == gone);
    ensure!(refused(say.reply(root.id, "m", "no").await)? == (Code::NotFound, ErrorReason::CommentNotFound));
    let by_id = super::comments::get(&say, root.id).await;
    ensure!(refused(by_id)? == (Code::NotFound, ErrorReason::CommentNotFound));
    ensure!(
        refused(
            say.client
                .subjects()
                .create_subject(CreateSubjectRequest { key: Some(say.key.clone()), ..CreateSubjectRequest::default() })
                .await
        )? == (Code::AlreadyExists, ErrorReason::SubjectAlreadyExists)
    );
    let back = UndeleteSubjectRequest { key: Some(say.key.clone()), ..UndeleteSubjectRequest::default() };
    say.client.subjects().undelete_subject(back.clone()).await?;
    let again = say.client.subjects().undelete_subject(back).await;
    ensure!(refused(again)? == (Code::AlreadyExists, ErrorReason::SubjectAlreadyExists));
    ensure!(say.roots(CommentSort::Newest, 10).await?[0].id == root.id);
    Ok(())
}

async fn a_batch_keeps_the_order_of_the_request_and_names_the_missing_keys(fixture: Fixture) -> Result<()> {
    let says: Vec<_> = (0..20).map(|_| Say::on(&fixture.client, "article")).collect();
    for (n, say) in says.iter().enumerate() {
        for _ in 0..n % 3 + 1 {
            say.comment("m", "x").await?;
        }
    }
    let keys: Vec<_> = says.iter().rev().map(|s| s.key.clone()).collect();
    let request = BatchGetSubjectsRequest { keys: keys.clone(), ..BatchGetSubjectsRequest::default() };
    let found = fixture.client.subjects().batch_get_subjects(request).await?.into_inner().subjects;
    ensure!(found.iter().map(|s| s.key.clone().unwrap_or_default()).collect::<Vec<_>>() == keys);
    let counts: Vec<_> = (0..20).rev().map(|n| n % 3 + 1).collect();
    ensure!(found.iter().map(|s| s.comment_count).collect::<Vec<_>>() == counts, "{found:?}");
    Ok(())
}
