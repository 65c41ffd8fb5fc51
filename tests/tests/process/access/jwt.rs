//! Callers that present JWTs.

use anyhow::{Context, Result, ensure};
use riposte_sdk::{Client, Error, v1};
use riposte_tests::binary::binary;
use riposte_tests::command::{self, riposte};
use riposte_tests::{Say, Server, Watch, until};
use tonic::{Code, Status};

use super::authority::Authority;
use super::callers::{Callers, client, dev};
use super::issuer::{Issuer, Key};
use super::tls::{code as code_over, connect};
use super::{GRANTED, OTHER, ask};

/// The JWT subject of the caller in the file of callers.
const SUBJECT: &str = "system:serviceaccount:shop:web";

fn callers() -> Callers {
    Callers::with_each_role(GRANTED).and_subject("web", SUBJECT, &["reader"], &[GRANTED])
}

async fn serving(issuer: &Issuer, callers: &Callers) -> Result<Server> {
    let settings = issuer.settings();
    dev(None, callers, &settings.iter().map(String::as_str).collect::<Vec<_>>()).await
}

/// Reads a subject of this type and returns the result.
async fn read(client: &Client, object_type: &str) -> Result<(), Status> {
    let key = v1::SubjectKey { object_type: object_type.into(), object_id: "1".into() };
    let request = v1::GetSubjectRequest { key: Some(key), ..v1::GetSubjectRequest::default() };
    client.subjects().get_subject(request).await.map(drop)
}

async fn code(server: &Server, token: &str) -> Result<Code> {
    Ok(read(&client(server, token)?, GRANTED).await.err().map_or(Code::Ok, |status| status.code()))
}

async fn has_line(server: &Server, line: &str) -> Result<bool> {
    Ok(ask(server.metrics_target(), "GET", "/metrics").await?.lines().any(|found| found == line))
}

#[tokio::test]
async fn a_caller_by_jwt_has_the_roles_of_the_callers_file() -> Result<()> {
    let (issuer, key, forger) = (Issuer::new()?, Key::new("a")?, Key::new("a")?);
    issuer.publish(&[&key])?;
    let callers = callers();
    let server = serving(&issuer, &callers).await?;
    let web = client(&server, &key.token(SUBJECT, 600))?;
    read(&web, GRANTED).await?;
    let denied = read(&web, OTHER).await.err().context("a type that was not granted")?;
    ensure!(denied.code() == Code::PermissionDenied, "{denied}");
    let say = Say::on(&web, GRANTED);
    let denied = say.comment("m", "x").await.err().context("a role that was not granted")?;
    ensure!(denied.code() == Code::PermissionDenied, "{denied}");
    ensure!(code(&server, callers.token("reader")).await? == Code::Ok, "tokens of the file are accepted too");

    let mut responses = Vec::new();
    for (reason, token) in [
        ("jwt_subject", key.token("system:serviceaccount:shop:other", 600)),
        ("jwt_audience", key.token_for("others", SUBJECT)),
        ("jwt_expired", key.token(SUBJECT, -1)),
        ("jwt_signature", forger.token(SUBJECT, 600)),
        ("jwt_key", Key::new("b")?.token(SUBJECT, 600)),
        ("jwt_malformed", "a.b.c".to_owned()),
        ("token", "riposte_nobody".to_owned()),
    ] {
        let status = read(&client(&server, &token)?, GRANTED).await.err().context(reason)?;
        let line = format!("riposte_authentication_failures_total{{reason=\"{reason}\"}} 1");
        ensure!(has_line(&server, &line).await?, "{line} is missing");
        let message = status.message().to_owned();
        responses.push((status.code(), Error::from(status).reason(), message));
    }
    let first = responses[0].clone();
    ensure!((first.0, first.1) == (Code::Unauthenticated, v1::ErrorReason::CallerUnknown), "{first:?}");
    // All refusals are identical.
    ensure!(responses.iter().all(|response| *response == first), "{responses:?}");
    Ok(())
}

#[tokio::test]
async fn keys_are_exchanged_while_the_server_serves() -> Result<()> {
    let (issuer, old, new) = (Issuer::new()?, Key::new("2026-10")?, Key::new("2026-11")?);
    issuer.publish(&[&old])?;
    let server = serving(&issuer, &callers()).await?;
    let (before, after) = (old.token(SUBJECT, 600), new.token(SUBJECT, 600));
    ensure!(code(&server, &before).await? == Code::Ok);
    ensure!(code(&server, &after).await? == Code::Unauthenticated, "a key that is not published");

    issuer.publish(&[&old, &new])?;
    until("the new key is known", || async { Ok(code(&server, &after).await? == Code::Ok) }).await?;
    ensure!(code(&server, &before).await? == Code::Ok, "the old one is published still");

    issuer.publish_broken()?;
    let refused = "riposte_reloads_total{outcome=\"refused\"} 1";
    until("the broken file is reported", || has_line(&server, refused)).await?;
    ensure!(code(&server, &before).await? == Code::Ok && code(&server, &after).await? == Code::Ok);

    issuer.publish(&[&new])?;
    let gone = || async { Ok(code(&server, &before).await? == Code::Unauthenticated) };
    until("the old key is taken back, and what was signed with it", gone).await?;
    ensure!(code(&server, &after).await? == Code::Ok);
    Ok(())
}

#[tokio::test]
async fn a_caller_removed_from_the_file_is_rejected_though_the_token_is_valid() -> Result<()> {
    let (issuer, key) = (Issuer::new()?, Key::new("a")?);
    issuer.publish(&[&key])?;
    let mut callers = callers();
    let server = serving(&issuer, &callers).await?;
    let token = key.token(SUBJECT, 600);
    ensure!(code(&server, &token).await? == Code::Ok);
    callers.remove("web");
    callers.write()?;
    until("it is refused", || async { Ok(code(&server, &token).await? == Code::Unauthenticated) }).await?;
    ensure!(code(&server, callers.token("reader")).await? == Code::Ok);
    Ok(())
}

#[tokio::test]
async fn a_token_that_expires_ends_no_stream_and_begins_none() -> Result<()> {
    let (issuer, key) = (Issuer::new()?, Key::new("a")?);
    issuer.publish(&[&key])?;
    let callers = callers();
    let server = serving(&issuer, &callers).await?;
    let writer = Say::on(&callers.client(&server, "writer")?, GRANTED);
    writer.comment("m", "before").await?;
    let short = client(&server, &key.token(SUBJECT, 5))?;
    let mut reader = Say::on(&short, GRANTED);
    reader.key.clone_from(&writer.key);
    let mut watch = Watch::open(&reader, 0).await?;
    let over = || async { Ok(read(&short, GRANTED).await.is_err_and(|status| status.code() == Code::Unauthenticated)) };
    until("the token is over", over).await?;
    let again = Watch::open(&reader, 0).await.err().context("a watch was begun with it")?;
    ensure!(again.code() == Code::Unauthenticated, "{again}");
    writer.comment("m", "after").await?;
    watch.until(watch.opened(), watch.opened() + 1).await?;
    Ok(())
}

#[tokio::test]
async fn over_tls_a_token_is_accepted_together_with_a_certificate() -> Result<()> {
    const OTHERS: &str = "spiffe://example.org/ns/shop/sa/other";
    let (issuer, key, authority) = (Issuer::new()?, Key::new("a")?, Authority::new()?);
    issuer.publish(&[&key])?;
    authority.serve(&authority.issue(&["localhost"])?)?;
    let settings = [issuer.settings(), authority.settings()].concat();
    let callers = callers().and_identity("other", OTHERS, &["writer"], &[GRANTED]);
    let server = dev(None, &callers, &settings.iter().map(String::as_str).collect::<Vec<_>>()).await?;
    let token = key.token(SUBJECT, 600);
    let anonymous = connect(&server, &authority, None).await?;
    ensure!(code_over(anonymous, Some(&token)).await? == Code::Ok);
    let other = connect(&server, &authority, Some(&authority.issue(&[OTHERS])?)).await?;
    ensure!(code_over(other.clone(), None).await? == Code::PermissionDenied, "a writer does not read");
    ensure!(code_over(other.clone(), Some(&token)).await? == Code::Ok, "the token's roles count");
    ensure!(code_over(other, Some(&key.token(SUBJECT, -1))).await? == Code::Unauthenticated, "and its time");
    Ok(())
}

#[tokio::test]
async fn the_start_names_every_wrong_setting_of_the_keys() -> Result<()> {
    let issuer = Issuer::new()?;
    let callers = callers();
    callers.write()?;
    let file = format!("auth.callers_file={}", callers.path().display());
    let start = |sets: Vec<String>| async move {
        let listen = ["dev", "--listen", "127.0.0.1:0"].map(str::to_owned).to_vec();
        command::run([listen, sets].concat()).await
    };
    let with_callers = [vec!["--set".to_owned(), file], issuer.settings()].concat();
    start(with_callers.clone()).await?.ended(2)?.says(&["jwks.json"])?;
    issuer.publish_broken()?;
    start(with_callers).await?.ended(2)?.says(&["jwks.json", "is no key set"])?;
    start(issuer.settings()).await?.ended(2)?.says(&["auth.callers_file", "is required with jwt.jwks_file"])?;
    let bare = ["--set", "auth.jwt.jwks_file=x", "--set", "auth.jwt.leeway=3min", "--set", "auth.jwt.caller_claim=iss"];
    let output = start(bare.map(str::to_owned).to_vec()).await?.ended(2)?;
    output.says(&["auth.jwt.issuer", "auth.jwt.audiences", "auth.jwt.leeway", "auth.jwt.caller_claim"])?;
    Ok(())
}

#[tokio::test]
async fn neither_the_log_nor_an_error_holds_a_token() -> Result<()> {
    let (issuer, key) = (Issuer::new()?, Key::new("a")?);
    issuer.publish(&[&key])?;
    let callers = callers();
    callers.write()?;
    let file = format!("auth.callers_file={}", callers.path().display());
    let settings =
        [issuer.settings(), vec!["--set".to_owned(), file, "--set".to_owned(), "log.filter=debug".to_owned()]];
    for (token, code, reason) in
        [(key.token(SUBJECT, -1), 4, "jwt_expired"), ("riposte_unknown".to_owned(), 4, "token")]
    {
        let mut serve = riposte(["dev", "--listen", "127.0.0.1:0", "--seed", "none"])?;
        let script =
            format!("{} export --object-type {GRANTED} --target http://$RIPOSTE_ADMIN_TARGET", binary()?.display());
        serve.args(settings.concat()).args(["--exec", "--", "sh", "-c", &script]);
        serve.env("RIPOSTE_TOKEN", &token).env("RIPOSTE_INSECURE_TOKEN", "1");
        let ran = command::finish(&mut serve).await?.ended(code)?;
        let ran = ran.says(&["authentication failed", reason])?;
        let signature = token.rsplit('.').next().unwrap_or_default();
        ensure!(!ran.out.contains(signature) && !ran.err.contains(signature), "{}{}", ran.out, ran.err);
    }
    Ok(())
}
