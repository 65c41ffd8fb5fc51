//! The access matrix: every method, by every role, on types granted and not, over plaintext, TLS
//! and mTLS.

mod audit;
mod authority;
mod callers;
mod issuer;
mod jwt;
mod reviews;
mod secrecy;
mod subscribers;
mod table;
mod tls;

use anyhow::{Context, Result, ensure};
use callers::{Callers, dev};
use riposte_sdk::v1::ErrorReason;
use riposte_sdk::{Error, v1};
use riposte_tests::raw::{self, Raw};
use riposte_tests::{Say, Server, command, until};
use table::{About, METHODS, ROLES, Row};
use tonic::Code;

use super::metrics::ask;

/// The object type that every caller of this file is granted, and one that no caller is granted.
const GRANTED: &str = "article";
const OTHER: &str = "video";

/// Subjects of both types with a comment each, created while every caller was admitted.
struct Fixture {
    granted: i64,
    other: i64,
}

async fn fixture(server: &Server) -> Result<Fixture> {
    let mut ids = Vec::new();
    for object_type in [GRANTED, OTHER] {
        let mut say = Say::on(&server.client()?, object_type);
        say.key.object_id = "1".to_owned();
        ids.push(say.comment("m", "before").await?.id);
    }
    Ok(Fixture { granted: ids[0], other: ids[1] })
}

/// Returns the code of a call, and the reason of its error.
async fn outcome(raw: &Raw, row: &Row, object_type: &str, id: i64) -> Result<(Code, ErrorReason)> {
    match raw.call(row.method, row.message(object_type, id)?).await {
        Ok(()) => Ok((Code::Ok, ErrorReason::Unspecified)),
        Err(status) => {
            let error = Error::from(status);
            Ok((error.code(), error.reason()))
        }
    }
}

#[tokio::test]
async fn every_cell_of_the_matrix_is_as_the_table_says() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let everybody = Server::dev_on(folder.path()).await?;
    let fixture = fixture(&everybody).await?;
    everybody.stop().await?;
    let callers = Callers::with_each_role(GRANTED);
    let server = dev(Some(folder.path()), &callers, &[]).await?;
    let refused = (Code::PermissionDenied, ErrorReason::CallerNotAllowed);
    let mut cells = 0;
    for row in METHODS {
        let target = if raw::is_admin(row.method) { server.admin_target() } else { server.target() };
        for token in [None, Some("riposte_nobody")] {
            let result = outcome(&Raw::to(target, token)?, row, GRANTED, fixture.granted).await?;
            ensure!(
                result == (Code::Unauthenticated, ErrorReason::CallerUnknown),
                "{} by {token:?}: {result:?}",
                row.method
            );
            cells += 1;
        }
        for role in ROLES {
            let raw = Raw::to(target, Some(callers.token(role)))?;
            let on_other = outcome(&raw, row, OTHER, fixture.other).await?;
            let on_granted = outcome(&raw, row, GRANTED, fixture.granted).await?;
            let expected = match (role == row.role, row.about) {
                (false, _) | (true, About::Key | About::All) => refused,
                (true, About::Id) => (Code::NotFound, ErrorReason::CommentNotFound),
                (true, About::Decision) => (Code::NotFound, ErrorReason::DecisionNotFound),
                (true, About::Item | About::Nothing) => (Code::Ok, ErrorReason::Unspecified),
            };
            ensure!(on_other == expected, "{} by {role} on a type not granted: {on_other:?}", row.method);
            let let_in = on_granted != refused && on_granted.0 != Code::Unauthenticated;
            ensure!(
                let_in == (role == row.role && row.about != About::All),
                "{} by {role} on its type: {on_granted:?}",
                row.method
            );
            cells += 2;
        }
    }
    println!("{cells} cells of {} methods", METHODS.len());
    Ok(())
}

#[tokio::test]
async fn a_method_of_the_other_port_does_not_exist_for_any_role() -> Result<()> {
    let callers = Callers::with_each_role(GRANTED);
    let server = dev(None, &callers, &[]).await?;
    for row in METHODS {
        let other = if raw::is_admin(row.method) { server.target() } else { server.admin_target() };
        for role in ROLES {
            let result = outcome(&Raw::to(other, Some(callers.token(role)))?, row, GRANTED, 1).await?;
            ensure!(
                result == (Code::Unimplemented, ErrorReason::NotImplemented),
                "{} by {role}: {result:?}",
                row.method
            );
        }
        let result = outcome(&Raw::to(other, None)?, row, GRANTED, 1).await?;
        ensure!(result == (Code::Unauthenticated, ErrorReason::CallerUnknown), "{}: {result:?}", row.method);
    }
    Ok(())
}

#[test]
fn the_table_has_every_method_of_the_contract() -> Result<()> {
    let mut contract: Vec<String> = raw::methods()?.iter().map(raw::name).collect();
    let mut ours: Vec<String> = METHODS.iter().map(|row| row.method.to_owned()).collect();
    contract.sort();
    ours.sort();
    ours.dedup();
    ensure!(contract == ours, "{contract:?}\n{ours:?}");
    Ok(())
}

#[tokio::test]
async fn an_import_of_a_type_that_was_not_granted_ends_at_its_first_record() -> Result<()> {
    let callers = Callers::with_each_role(GRANTED);
    let server = dev(None, &callers, &[]).await?;
    let folder = tempfile::tempdir()?;
    let comments = r#"[{"id": "/a", "comments": [{"id": 1, "created": 1, "text": "x", "author": "a"}]}]"#;
    std::fs::write(folder.path().join("isso.json"), comments)?;
    for (object_type, code) in [(OTHER, 1), (GRANTED, 0)] {
        let mut import = command::riposte(["import", "isso.json", "--format", "isso", "--object-type", object_type])?;
        import.args(["--target", server.admin_target()]).current_dir(folder.path());
        import.env("RIPOSTE_TOKEN", callers.token("operator")).env("RIPOSTE_INSECURE_TOKEN", "true");
        let ran = command::finish(&mut import).await?.ended(code)?;
        let is_cured = ran.err.contains("grant it to this caller") && ran.err.contains("--object-type");
        ensure!(is_cured == (code == 1), "{}", ran.err);
        ensure!(std::fs::read_dir(folder.path())?.count() == 1, "a record was rejected");
    }
    Ok(())
}

#[tokio::test]
async fn an_item_of_a_type_that_was_not_granted_is_not_imported() -> Result<()> {
    let callers = Callers::with_each_role(GRANTED);
    let server = dev(None, &callers, &[]).await?;
    let mut admin = callers.client(&server, "operator")?.admin()?;
    let item = |object_type: &str| v1::ImportCommentsRequest {
        item: Some(v1::ImportItem {
            source: "old".into(),
            external_id: object_type.into(),
            kind: Some(v1::import_item::Kind::Subject(v1::ImportedSubject {
                key: Some(v1::SubjectKey { object_type: object_type.into(), object_id: "1".into() }),
                ..v1::ImportedSubject::default()
            })),
        }),
    };
    let items = tokio_stream::iter([item(GRANTED), item(OTHER)]);
    let mut responses = admin.import_comments(items).await?.into_inner();
    let mut outcomes = Vec::new();
    while let Some(response) = responses.message().await? {
        outcomes.push((response.outcome(), response.error.map(|error| error.reason)));
    }
    let denied = Some("CALLER_NOT_ALLOWED".to_owned());
    ensure!(outcomes == [(v1::ImportOutcome::Created, None), (v1::ImportOutcome::Rejected, denied)], "{outcomes:?}");
    Ok(())
}

#[tokio::test]
async fn page_tokens_belong_to_their_caller() -> Result<()> {
    let callers = Callers::with_each_role(GRANTED).and("reader2", &["reader"], &[GRANTED]);
    let server = dev(None, &callers, &[]).await?;
    let say = Say::on(&callers.client(&server, "writer")?, GRANTED);
    for n in 0..3 {
        say.comment("m", &n.to_string()).await?;
    }
    let list = |page_token: String| v1::ListCommentsRequest {
        subject: Some(say.key.clone()),
        page_size: 1,
        page_token,
        ..v1::ListCommentsRequest::default()
    };
    let first = callers.client(&server, "reader")?.comments().list_comments(list(String::new())).await?.into_inner();
    let others =
        callers.client(&server, "reader2")?.comments().list_comments(list(first.next_page_token.clone())).await;
    let error = Error::from(others.err().context("the token of another caller was taken")?);
    ensure!(error.reason() == ErrorReason::PageTokenMismatch, "{error}");
    callers.client(&server, "reader")?.comments().list_comments(list(first.next_page_token)).await?;
    Ok(())
}

#[tokio::test]
async fn health_needs_no_token_and_reflection_needs_one() -> Result<()> {
    let callers = Callers::with_each_role(GRANTED);
    let server = dev(None, &callers, &[]).await?;
    let target = server.target().to_owned();
    riposte_tests::command::run(["healthcheck", "--target", &target]).await?.ended(0)?.says(&["SERVING"])?;
    for (token, code) in [(None, Code::Unauthenticated), (Some(callers.token("reader")), Code::Ok)] {
        let result = Raw::to(&target, token)?.services().await;
        ensure!(result.as_ref().err().map_or(Code::Ok, tonic::Status::code) == code, "{result:?}");
    }
    Ok(())
}

#[tokio::test]
async fn callers_come_and_go_without_a_restart_and_a_broken_file_changes_nothing() -> Result<()> {
    let mut callers = Callers::with_each_role(GRANTED);
    let server = dev(None, &callers, &["--set", "auth.reload_interval=1s"]).await?;
    let get = v1::GetSubjectRequest {
        key: Some(v1::SubjectKey { object_type: GRANTED.into(), object_id: "1".into() }),
        ..v1::GetSubjectRequest::default()
    };
    let code = async |client: &riposte_sdk::Client| {
        client.subjects().get_subject(get.clone()).await.err().map_or(Code::Ok, |status| status.code())
    };
    let reader = callers.client(&server, "reader")?;
    ensure!(code(&reader).await == Code::Ok);
    callers.write_broken()?;
    let metrics = server.metrics_target();
    let refused = "riposte_reloads_total{outcome=\"refused\"} 1";
    until("the broken file is reported", || async { Ok(ask(metrics, "GET", "/metrics").await?.contains(refused)) })
        .await?;
    ensure!(code(&reader).await == Code::Ok, "a broken file revoked the tokens");
    callers.remove("reader");
    callers = callers.and("late", &["reader"], &[GRANTED]);
    callers.write()?;
    let late = callers.client(&server, "late")?;
    until("the new caller is known", || async { Ok(code(&late).await == Code::Ok) }).await?;
    ensure!(code(&reader).await == Code::Unauthenticated, "a removed caller is still admitted");
    Ok(())
}

#[tokio::test]
async fn files_of_callers_and_certificates_that_can_only_be_a_mistake_are_refused_by_name() -> Result<()> {
    let check = [
        "config",
        "check",
        "--set",
        "auth.allow_insecure=true",
        "--set",
        "store.kind=sqlite",
        "--set",
        "store.data_dir=data",
    ];
    let empty = ["--set", "server.tls.cert_file=", "--set", "server.tls.key_file="];
    let ran = riposte_tests::command::run([&check[..], &empty].concat()).await?.ended(2)?;
    ran.says(&["server.tls.cert_file: is empty", "server.tls.key_file: is empty"])?;
    for (roles, types, message) in [
        (&[][..], &[GRANTED][..], "caller \"odd\": roles is empty"),
        (&["reader", "reader"], &[GRANTED], "caller \"odd\": roles names one of them twice"),
        (&["reader"], &[], "caller \"odd\": object_types is empty"),
    ] {
        let callers = Callers::with_each_role(GRANTED).and("odd", roles, types);
        callers.write()?;
        let file = format!("auth.callers_file={}", callers.path().display());
        let ran = riposte_tests::command::run(["dev", "--listen", "127.0.0.1:0", "--set", &file]).await?;
        ran.ended(2)?.says(&[message])?;
    }
    Ok(())
}

#[tokio::test]
async fn a_type_that_a_server_does_not_serve_is_no_reason_to_refuse_its_callers() -> Result<()> {
    let callers = Callers::with_each_role(GRANTED).and("early", &["reader"], &[GRANTED, "tomorrow"]);
    let closed = ["--set", "open_object_types=false", "--set", "object_types.article.max_depth=3"];
    let server = dev(None, &callers, &closed).await?;
    let key = v1::SubjectKey { object_type: GRANTED.into(), object_id: "1".into() };
    let get = v1::GetSubjectRequest { key: Some(key), ..v1::GetSubjectRequest::default() };
    let result = callers.client(&server, "early")?.subjects().get_subject(get).await;
    ensure!(result.as_ref().err().is_none_or(|status| status.code() == Code::NotFound), "{result:?}");
    let file = format!("auth.callers_file={}", callers.path().display());
    let ran =
        riposte_tests::command::run([&["doctor", "--dev", "--set", &file][..], &closed].concat()).await?.ended(0)?;
    ran.says(&["WARN  callers: caller \"early\": object_types: \"tomorrow\" is not registered"])?;
    Ok(())
}

#[tokio::test]
async fn a_batch_that_is_refused_names_the_type_that_was_not_granted() -> Result<()> {
    let callers = Callers::with_each_role(GRANTED);
    let server = dev(None, &callers, &[]).await?;
    let key = |object_type: &str| v1::SubjectKey { object_type: object_type.into(), object_id: "1".into() };
    let batch = v1::BatchGetSubjectsRequest { keys: vec![key(GRANTED), key(OTHER)], ..Default::default() };
    let refused = callers.client(&server, "reader")?.subjects().batch_get_subjects(batch).await;
    let error = Error::from(refused.err().context("the call succeeded")?);
    ensure!(error.reason() == ErrorReason::CallerNotAllowed, "{error:?}");
    ensure!(error.metadata().get("object_type").is_some_and(|object_type| object_type == OTHER), "{error:?}");
    Ok(())
}

#[tokio::test]
async fn calls_that_a_caller_may_not_make_count_in_its_rate() -> Result<()> {
    let callers = Callers::with_each_role(GRANTED);
    let rate = ["--set", "limits.caller_calls_per_second=1", "--set", "limits.caller_burst=5"];
    let server = dev(None, &callers, &rate).await?;
    let say = Say::on(&callers.client(&server, "reader")?, GRANTED);
    let mut refused = Vec::new();
    while refused.last() != Some(&ErrorReason::RateLimited) && refused.len() < 100 {
        let status = say.comment("m", "a reader does not write").await.err().context("the call was admitted")?;
        refused.push(Error::from(status).reason());
    }
    let denied = refused.iter().filter(|reason| **reason == ErrorReason::CallerNotAllowed).count();
    ensure!(denied >= 5 && denied == refused.len() - 1, "{refused:?}");
    Ok(())
}
