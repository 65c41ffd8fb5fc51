//! The admin service: hide and unhide, delete as moderator, list subjects; on its own port only.

use std::collections::HashSet;

use anyhow::{Result, ensure};
use riposte_sdk::v1::{
    AdminServiceDeleteCommentRequest, AdminServicePinCommentRequest, AdminServiceUnpinCommentRequest, ClientInfo,
    Comment, CommentSort, CommentState, CreateCommentRequest, DeletedBy, ErrorReason, GetClientInfoRequest,
    HideCommentRequest, ListSubjectsRequest, UnhideCommentRequest,
};
use riposte_sdk::{Client, Options};
use riposte_tests::say::content;
use riposte_tests::{Case, Fixture, Say, cases, refused};
use tonic::{Code, Status};
use tonic_types::StatusExt;

use super::review::moderated;

pub(crate) const CASES: &[Case] = cases![
    a_moderator_hides_and_shows_again_and_counts_follow,
    only_a_moderator_restores_what_a_moderator_deleted,
    the_public_port_does_not_serve_the_admin_service,
    list_subjects_shows_every_subject_of_a_type_once,
    an_act_on_another_version_than_the_one_that_was_read_is_refused,
    a_reason_that_was_not_given_is_not_added_by_a_repeat,
    a_moderator_pins_roots_of_any_subject,
    moderators_distinguish_networks_and_operators_read_addresses,
];

pub(crate) async fn hide(fixture: &Fixture, id: i64) -> Result<Comment, Status> {
    let mut admin = fixture.server.admin().map_err(|e| Status::unknown(e.to_string()))?;
    let request = HideCommentRequest { id, moderator_id: "mod".into(), ..HideCommentRequest::default() };
    Ok(admin.hide_comment(request).await?.into_inner().comment.unwrap_or_default())
}

pub(crate) async fn unhide(fixture: &Fixture, id: i64) -> Result<Comment, Status> {
    let mut admin = fixture.server.admin().map_err(|e| Status::unknown(e.to_string()))?;
    let request = UnhideCommentRequest { id, moderator_id: "mod".into(), ..UnhideCommentRequest::default() };
    Ok(admin.unhide_comment(request).await?.into_inner().comment.unwrap_or_default())
}

pub(crate) async fn delete(fixture: &Fixture, id: i64) -> Result<Comment, Status> {
    let mut admin = fixture.server.admin().map_err(|e| Status::unknown(e.to_string()))?;
    let moderator_id = "mod".into();
    let request = AdminServiceDeleteCommentRequest { id, moderator_id, ..AdminServiceDeleteCommentRequest::default() };
    Ok(admin.delete_comment(request).await?.into_inner().comment.unwrap_or_default())
}

async fn a_moderator_hides_and_shows_again_and_counts_follow(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let root = say.comment("m", "root").await?;
    let reply = say.reply(root.id, "x", "reply").await?;
    let hidden = hide(&fixture, root.id).await?;
    ensure!(hidden.state() == CommentState::Hidden && hidden.revision > root.revision, "{hidden:?}");
    ensure!(hidden.content.is_none() && hidden.member_id.is_empty(), "{hidden:?}");
    let listed = say.roots(CommentSort::Newest, 10).await?;
    ensure!(listed.len() == 1 && listed[0].state() == CommentState::Hidden, "{listed:?}");
    ensure!(listed[0].content.is_none() && listed[0].member_id.is_empty(), "{listed:?}");
    let subject = say.page(CommentSort::Newest, 1).await?.subject.unwrap_or_default();
    ensure!((subject.root_count, subject.comment_count) == (0, 1), "hiding a root takes one comment: {subject:?}");
    ensure!(refused(hide(&fixture, root.id).await)? == (Code::FailedPrecondition, ErrorReason::StateConflict));
    ensure!(refused(say.reply(root.id, "x", "late").await)?.1 == ErrorReason::ParentUnavailable);
    hide(&fixture, reply.id).await?;
    ensure!(say.roots(CommentSort::Newest, 10).await?.is_empty());
    unhide(&fixture, reply.id).await?;
    unhide(&fixture, root.id).await?;
    let listed = say.roots(CommentSort::Newest, 10).await?;
    ensure!(listed[0].content == root.content && listed[0].reply_count == 1, "{listed:?}");
    super::floors::verify(&fixture, &say).await
}

async fn only_a_moderator_restores_what_a_moderator_deleted(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let root = say.comment("m", "root").await?;
    let gone = delete(&fixture, root.id).await?;
    ensure!(gone.deleted_by() == DeletedBy::Moderator, "{gone:?}");
    let back = super::comments::undelete(&say, root.id, "m").await;
    ensure!(refused(back)? == (Code::PermissionDenied, ErrorReason::MemberNotAllowed));
    Ok(())
}

async fn the_public_port_does_not_serve_the_admin_service(fixture: Fixture) -> Result<()> {
    let mut admin =
        Client::open(Options { admin_target: fixture.server.target().to_owned(), ..Options::default() })?.admin()?;
    let outcome = admin.hide_comment(HideCommentRequest { id: 1, ..HideCommentRequest::default() }).await;
    let details = outcome.as_ref().err().and_then(StatusExt::get_details_error_info);
    let method = details.and_then(|details| details.metadata.get("method").cloned());
    ensure!(method.as_deref() == Some("riposte.v1.AdminService/HideComment"), "{outcome:?}");
    ensure!(refused(outcome)? == (Code::Unimplemented, ErrorReason::NotImplemented));
    Ok(())
}

async fn list_subjects_shows_every_subject_of_a_type_once(fixture: Fixture) -> Result<()> {
    let object_type = format!("t{}", &uuid::Uuid::new_v4().simple().to_string()[..20]);
    let mut expected = HashSet::new();
    for _ in 0..130 {
        let say = Say::on(&fixture.client, &object_type);
        say.comment("m", "x").await?;
        expected.insert(say.key.object_id);
    }
    let mut request = ListSubjectsRequest { object_type, page_size: 50, ..ListSubjectsRequest::default() };
    let mut found = Vec::new();
    loop {
        let page = fixture.server.admin()?.list_subjects(request.clone()).await?.into_inner();
        found.extend(page.subjects.into_iter().map(|s| s.key.unwrap_or_default().object_id));
        if page.next_page_token.is_empty() {
            break;
        }
        request.page_token = page.next_page_token;
    }
    ensure!(found.len() == 130 && found.into_iter().collect::<HashSet<_>>() == expected);
    Ok(())
}

async fn an_act_on_another_version_than_the_one_that_was_read_is_refused(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let id = say.comment("m", "first").await?.id;
    let read = moderated(&fixture, id).await?.etag;
    let request_id = uuid::Uuid::new_v4().to_string();
    let hide =
        HideCommentRequest { id, moderator_id: "mod".into(), reason: "late".into(), request_id, etag: read.clone() };
    let mut admin = fixture.server.admin()?;
    let hidden = admin.hide_comment(hide.clone()).await?.into_inner();
    ensure!(admin.hide_comment(hide.clone()).await?.into_inner() == hidden, "a repeat compares no etag");
    let other = HideCommentRequest { reason: "another".into(), ..hide };
    ensure!(refused(admin.hide_comment(other).await)?.1 == ErrorReason::RequestIdReused, "the note is the decision's");
    let decided = moderated(&fixture, id).await?;
    let last = decided.last_decision.clone().unwrap_or_default();
    let grounds = last.grounds.clone().unwrap_or_default();
    ensure!((grounds.code.as_str(), grounds.note.as_str()) == ("unspecified", "late"), "{last:?}");
    let unhide = UnhideCommentRequest { id, moderator_id: "mod".into(), etag: read.clone(), ..Default::default() };
    let changed = admin.unhide_comment(unhide.clone()).await.err();
    let metadata = changed.as_ref().and_then(StatusExt::get_details_error_info).map(|info| info.metadata);
    let metadata = metadata.unwrap_or_default();
    ensure!(metadata.get("etag") == Some(&decided.etag), "{metadata:?}");
    ensure!(metadata.get("decision_id") == Some(&last.id), "{metadata:?}");
    let moderator_id = "mod".to_owned();
    let doom = AdminServiceDeleteCommentRequest { id, moderator_id, etag: read, ..Default::default() };
    ensure!(refused(admin.delete_comment(doom.clone()).await)?.1 == ErrorReason::EtagMismatch);
    let reason = "shown again".to_owned();
    admin.unhide_comment(UnhideCommentRequest { etag: decided.etag, reason, ..unhide }).await?;
    let decided = moderated(&fixture, id).await?;
    let grounds = decided.last_decision.unwrap_or_default().grounds.unwrap_or_default();
    ensure!((grounds.code.as_str(), grounds.note.as_str()) == ("unspecified", "shown again"), "{grounds:?}");
    let etag = decided.etag;
    let doom = AdminServiceDeleteCommentRequest { etag, ..doom };
    let request_id = uuid::Uuid::new_v4().to_string();
    let doom = AdminServiceDeleteCommentRequest { request_id, reason: "late".into(), ..doom };
    let deleted = admin.delete_comment(doom.clone()).await?.into_inner();
    ensure!(admin.delete_comment(doom.clone()).await?.into_inner() == deleted, "a repeat");
    let other = AdminServiceDeleteCommentRequest { reason: "another".into(), ..doom.clone() };
    ensure!(refused(admin.delete_comment(other).await)?.1 == ErrorReason::RequestIdReused);
    let bare = AdminServiceDeleteCommentRequest { reason: String::new(), ..doom };
    ensure!(refused(admin.delete_comment(bare).await)?.1 == ErrorReason::RequestIdReused);
    ensure!(refused(delete(&fixture, id).await)? == (Code::NotFound, ErrorReason::CommentNotFound), "a second delete");
    Ok(())
}

/// A request without a reason is another one than that with a reason.
async fn a_reason_that_was_not_given_is_not_added_by_a_repeat(fixture: Fixture) -> Result<()> {
    let id = Say::on(&fixture.client, "article").comment("m", "first").await?.id;
    let mut admin = fixture.server.admin()?;
    let (moderator_id, request_id) = ("mod".to_owned(), || uuid::Uuid::new_v4().to_string());
    let hide =
        HideCommentRequest { id, moderator_id: moderator_id.clone(), request_id: request_id(), ..Default::default() };
    let hidden = admin.hide_comment(hide.clone()).await?.into_inner();
    let late = HideCommentRequest { reason: "late".into(), ..hide.clone() };
    ensure!(refused(admin.hide_comment(late).await)?.1 == ErrorReason::RequestIdReused);
    ensure!(admin.hide_comment(hide).await?.into_inner() == hidden, "a repeat");
    let show =
        UnhideCommentRequest { id, moderator_id: moderator_id.clone(), request_id: request_id(), ..Default::default() };
    let shown = admin.unhide_comment(show.clone()).await?.into_inner();
    let late = UnhideCommentRequest { reason: "late".into(), ..show.clone() };
    ensure!(refused(admin.unhide_comment(late).await)?.1 == ErrorReason::RequestIdReused);
    ensure!(admin.unhide_comment(show).await?.into_inner() == shown, "a repeat");
    let doom = AdminServiceDeleteCommentRequest { id, moderator_id, request_id: request_id(), ..Default::default() };
    let deleted = admin.delete_comment(doom.clone()).await?.into_inner();
    let late = AdminServiceDeleteCommentRequest { reason: "late".into(), ..doom.clone() };
    ensure!(refused(admin.delete_comment(late).await)?.1 == ErrorReason::RequestIdReused);
    ensure!(admin.delete_comment(doom).await?.into_inner() == deleted, "a repeat");
    Ok(())
}

async fn a_moderator_pins_roots_of_any_subject(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let root = say.comment("m", "root").await?;
    let reply = say.reply(root.id, "x", "reply").await?;
    let mut admin = fixture.server.admin()?;
    let pin = |id: i64| {
        let moderator_id = "mod".to_owned();
        AdminServicePinCommentRequest { id, moderator_id, ..Default::default() }
    };
    let unpin = |id: i64| {
        let moderator_id = "mod".to_owned();
        AdminServiceUnpinCommentRequest { id, moderator_id, ..Default::default() }
    };
    let request = AdminServicePinCommentRequest { request_id: uuid::Uuid::new_v4().to_string(), ..pin(root.id) };
    let pinned = admin.pin_comment(request.clone()).await?.into_inner();
    ensure!(pinned.comment.as_ref().is_some_and(|comment| comment.pinned), "{pinned:?}");
    ensure!(admin.pin_comment(request).await?.into_inner() == pinned, "a repeat");
    let again = admin.pin_comment(pin(root.id)).await?.into_inner();
    ensure!(again.subject_revision == pinned.subject_revision, "a pinned root is not pinned again: {again:?}");
    let public = say.page(CommentSort::Newest, 10).await?;
    ensure!(!format!("{public:?}").contains("mod\""), "the public port names the moderator: {public:?}");
    ensure!(refused(admin.pin_comment(pin(reply.id)).await)?.1 == ErrorReason::FieldInvalid, "a reply");
    hide(&fixture, root.id).await?;
    ensure!(refused(admin.pin_comment(pin(root.id)).await)?.1 == ErrorReason::StateConflict, "a hidden root");
    unhide(&fixture, root.id).await?;
    admin.pin_comment(pin(root.id)).await?;
    let back = admin.unpin_comment(unpin(root.id)).await?.into_inner();
    ensure!(back.comment.as_ref().is_some_and(|comment| !comment.pinned), "{back:?}");
    delete(&fixture, root.id).await?;
    ensure!(refused(admin.pin_comment(pin(root.id)).await)?.1 == ErrorReason::CommentNotFound, "a deleted root");
    super::floors::verify(&fixture, &say).await
}

async fn moderators_distinguish_networks_and_operators_read_addresses(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let written_at = async |ip: &str| -> Result<i64> {
        let client = ClientInfo { ip: ip.into(), platform: "ios".into(), device: "iPhone17,1".into() };
        let request = CreateCommentRequest {
            subject: Some(say.key.clone()),
            member_id: "m".into(),
            content: content("a text"),
            client: Some(client),
            request_id: uuid::Uuid::now_v7().to_string(),
        };
        let made = say.client.comments().create_comment(request).await?.into_inner().comment;
        Ok(made.unwrap_or_default().id)
    };
    let ids = [written_at("192.0.2.1").await?, written_at("192.0.2.200").await?, written_at("2001:db8::1").await?];
    let mut tokens = Vec::new();
    for id in ids {
        let seen = moderated(&fixture, id).await?;
        ensure!(seen.platform == "ios" && !seen.network_token.is_empty(), "{seen:?}");
        ensure!(!format!("{seen:?}").contains("192.0.2.") && !format!("{seen:?}").contains("iPhone"), "{seen:?}");
        tokens.push(seen.network_token);
    }
    // The weeks of texts end at the same moment for all: two of one network may lie in two weeks.
    ensure!(tokens[1] != tokens[2], "two networks have one token");
    let again = [written_at("192.0.2.1").await?, written_at("192.0.2.2").await?, written_at("192.0.2.3").await?];
    let mut of_network = vec![tokens[0].clone(), tokens[1].clone()];
    for id in again {
        of_network.push(moderated(&fixture, id).await?.network_token);
    }
    of_network.dedup();
    ensure!(of_network.len() <= 2, "one network has {of_network:?}");
    let bare = say.comment("m", "without a client").await?.id;
    let seen = moderated(&fixture, bare).await?;
    ensure!(seen.network_token.is_empty() && seen.platform.is_empty(), "{seen:?}");

    let client = async |id: i64, reason: &str| -> Result<ClientInfo, Status> {
        let mut admin = fixture.server.admin().map_err(|e| Status::unknown(e.to_string()))?;
        let request = GetClientInfoRequest { id, reason: reason.into() };
        Ok(admin.get_client_info(request).await?.into_inner().client.unwrap_or_default())
    };
    let read = client(ids[0], "a court order").await?;
    ensure!((read.ip.as_str(), read.platform.as_str(), read.device.as_str()) == ("192.0.2.1", "ios", "iPhone17,1"));
    delete(&fixture, ids[0]).await?;
    ensure!(client(ids[0], "a court order").await? == read, "also of a deleted comment");
    ensure!(client(bare, "a court order").await? == ClientInfo::default());
    ensure!(refused(client(ids[0], "").await)?.1 == ErrorReason::FieldInvalid, "a reason is required");
    ensure!(refused(client(ids[0], &"r".repeat(513)).await)?.1 == ErrorReason::FieldInvalid);
    ensure!(refused(client(1, "a court order").await)? == (Code::NotFound, ErrorReason::CommentNotFound));
    Ok(())
}
