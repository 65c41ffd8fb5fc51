//! TLS terminated by the server, and callers that are identified by their certificates.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use futures::future::try_join_all;
use riposte_sdk::v1::GetSubjectRequest;
use riposte_sdk::v1::SubjectKey;
use riposte_sdk::v1::subject_service_client::SubjectServiceClient;
use riposte_sdk::{Client, Options};
use riposte_tests::{Server, command, until};
use tokio::net::TcpStream;
use tonic::Code;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};

use super::authority::{Authority, Identity};
use super::callers::{Callers, dev};
use super::{GRANTED, ask};

const WEB: &str = "spiffe://example.org/ns/shop/sa/web";

/// Returns a connection to the server, with or without a client certificate.
pub(super) async fn connect(server: &Server, authority: &Authority, identity: Option<&Identity>) -> Result<Channel> {
    let mut tls =
        ClientTlsConfig::new().ca_certificate(Certificate::from_pem(&authority.certificate)).domain_name("localhost");
    if let Some(Identity { certificate, key }) = identity {
        tls = tls.identity(tonic::transport::Identity::from_pem(certificate, key));
    }
    let target = server.target().replace("http://", "https://");
    Ok(Endpoint::from_shared(target)?.tls_config(tls)?.connect().await?)
}

/// Reads a subject and returns the code.
pub(super) async fn code(channel: Channel, token: Option<&str>) -> Result<Code> {
    let key = SubjectKey { object_type: GRANTED.into(), object_id: "1".into() };
    let mut request = tonic::Request::new(GetSubjectRequest { key: Some(key), ..GetSubjectRequest::default() });
    if let Some(token) = token {
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse()?);
    }
    Ok(SubjectServiceClient::new(channel).get_subject(request).await.err().map_or(Code::Ok, |status| status.code()))
}

#[tokio::test]
async fn callers_are_known_by_token_or_by_certificate_over_tls() -> Result<()> {
    let (authority, stranger) = (Authority::new()?, Authority::new()?);
    authority.serve(&authority.issue(&["localhost"])?)?;
    let callers = Callers::with_each_role(GRANTED).and_identity("web", WEB, &["reader"], &[GRANTED]);
    let settings = authority.settings();
    let server = dev(None, &callers, &settings.iter().map(String::as_str).collect::<Vec<_>>()).await?;

    let anonymous = connect(&server, &authority, None).await?;
    ensure!(code(anonymous.clone(), None).await? == Code::Unauthenticated);
    ensure!(code(anonymous.clone(), Some(callers.token("reader"))).await? == Code::Ok);
    ensure!(code(anonymous, Some(callers.token("writer"))).await? == Code::PermissionDenied);

    let web = connect(&server, &authority, Some(&authority.issue(&[WEB])?)).await?;
    ensure!(code(web.clone(), None).await? == Code::Ok, "by its certificate");
    ensure!(code(web.clone(), Some("riposte_wrong")).await? == Code::Unauthenticated, "a wrong token counts");
    ensure!(code(web, Some(callers.token("writer"))).await? == Code::PermissionDenied, "the token's roles count");
    for names in
        [&["spiffe://example.org/ns/shop/sa/other"][..], &["web.example.org"], &[WEB, "spiffe://example.org/two"]]
    {
        let other = connect(&server, &authority, Some(&authority.issue(names)?)).await?;
        ensure!(code(other, None).await? == Code::Unauthenticated, "{names:?}");
    }
    let forged = connect(&server, &authority, Some(&stranger.issue(&[WEB])?)).await;
    // In TLS 1.3 a client learns that its certificate was refused only from its first missing
    // response.
    let refused = match forged {
        Ok(channel) => code(channel, None).await? != Code::Ok,
        Err(_) => true,
    };
    ensure!(refused, "a certificate of an untrusted authority was accepted");
    ensure!(
        connect(&server, &stranger, None).await.is_err(),
        "a client without the authority accepted the server's certificate"
    );

    let address = server.target().replace("http://", "https://");
    command::run(["healthcheck", "--target", &address]).await?.ended(0)?.says(&["SERVING"])?;
    command::run(["healthcheck", "--target", server.target()]).await?.ended(5)?;
    Ok(())
}

#[tokio::test]
async fn the_client_uses_tls_with_a_token_or_a_certificate_of_its_own() -> Result<()> {
    let authority = Authority::new()?;
    authority.serve(&authority.issue(&["localhost"])?)?;
    let callers = Callers::with_each_role(GRANTED).and_identity("web", WEB, &["reader"], &[GRANTED]);
    let settings = authority.settings();
    let server = dev(None, &callers, &settings.iter().map(String::as_str).collect::<Vec<_>>()).await?;
    let secure = Options {
        target: server.target().replace("http://127.0.0.1", "https://localhost"),
        tls_ca: Some(authority.certificate.clone()),
        ..Options::default()
    };
    let web = authority.issue(&[WEB])?;
    let by_token = Options { token: Some(callers.token("reader").to_owned()), ..secure.clone() };
    let by_certificate = Options { tls_cert: Some(web.certificate), tls_key: Some(web.key), ..secure.clone() };
    for (options, expected) in [(by_token, Code::Ok), (by_certificate, Code::Ok), (secure, Code::Unauthenticated)] {
        let key = SubjectKey { object_type: GRANTED.into(), object_id: "1".into() };
        let request = GetSubjectRequest { key: Some(key), ..GetSubjectRequest::default() };
        let result = Client::open(options)?.subjects().get_subject(request).await;
        let code = result.as_ref().err().map_or(Code::Ok, tonic::Status::code);
        ensure!(code == expected, "{result:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_certificate_is_exchanged_without_a_restart() -> Result<()> {
    let (old, new) = (Authority::new()?, Authority::new()?);
    old.serve(&old.issue(&["localhost"])?)?;
    let callers = Callers::with_each_role(GRANTED);
    let settings = old.settings();
    let settings: Vec<&str> = settings.iter().map(String::as_str).chain(["--set", "auth.reload_interval=1s"]).collect();
    let server = dev(None, &callers, &settings).await?;
    let before = connect(&server, &old, None).await?;
    ensure!(code(before.clone(), Some(callers.token("reader"))).await? == Code::Ok);
    old.serve(&new.issue(&["localhost"])?)?;
    until("the new certificate is shown", || async { Ok(connect(&server, &new, None).await.is_ok()) }).await?;
    ensure!(connect(&server, &old, None).await.is_err(), "the old one is shown still");
    ensure!(code(before, Some(callers.token("reader"))).await? == Code::Ok, "an open connection was cut");
    Ok(())
}

#[tokio::test]
async fn connections_that_send_nothing_do_not_delay_handshakes() -> Result<()> {
    let authority = Authority::new()?;
    authority.serve(&authority.issue(&["localhost"])?)?;
    let callers = Callers::with_each_role(GRANTED);
    let settings = authority.settings();
    let server = dev(None, &callers, &settings.iter().map(String::as_str).collect::<Vec<_>>()).await?;
    let address = server.target().trim_start_matches("http://");
    let idle = try_join_all((0..400).map(|_| TcpStream::connect(address))).await?;
    // Each of the idle connections may stay without data for three seconds.
    let connected = tokio::time::timeout(Duration::from_secs(10), connect(&server, &authority, None)).await;
    let channel = connected.context("the idle connections delayed it")??;
    ensure!(code(channel, Some(callers.token("reader"))).await? == Code::Ok);
    drop(idle);
    Ok(())
}

#[tokio::test]
async fn commands_take_token_and_authority_from_the_environment() -> Result<()> {
    let authority = Authority::new()?;
    authority.serve(&authority.issue(&["localhost"])?)?;
    let callers = Callers::with_each_role(GRANTED);
    let settings = authority.settings();
    let server = dev(None, &callers, &settings.iter().map(String::as_str).collect::<Vec<_>>()).await?;
    let admin = server.admin_target().replace("http://127.0.0.1", "https://localhost");
    for (role, code) in [("operator", 0), ("reader", 4)] {
        let mut verify = command::riposte(["verify", "--object-type", GRANTED, "--target", &admin])?;
        verify.env("RIPOSTE_TOKEN", callers.token(role)).env("RIPOSTE_TLS_CA", authority.path("ca.pem"));
        command::finish(&mut verify).await?.ended(code)?;
    }
    Ok(())
}

#[tokio::test]
async fn a_certificate_that_has_expired_is_not_taken() -> Result<()> {
    let authority = Authority::new()?;
    authority.serve(&authority.issue(&["localhost"])?)?;
    let callers = Callers::with_each_role(GRANTED);
    let settings = authority.settings();
    let settings: Vec<&str> = settings.iter().map(String::as_str).chain(["--set", "auth.reload_interval=1s"]).collect();
    let server = dev(None, &callers, &settings).await?;
    authority.serve(&authority.issue_expired(&["localhost"])?)?;
    until("it is refused", || async {
        let metrics = ask(server.metrics_target(), "GET", "/metrics").await?;
        Ok(metrics.contains("riposte_files_refused 1") && metrics.contains("riposte_certificate_expiry_time_seconds "))
    })
    .await?;
    connect(&server, &authority, None).await.context("the one before is shown still")?;
    authority.serve(&authority.issue(&["localhost"])?)?;
    until("the next one is used", || async {
        Ok(ask(server.metrics_target(), "GET", "/metrics").await?.contains("riposte_files_refused 0"))
    })
    .await?;
    authority.serve(&authority.issue_expired(&["localhost"])?)?;
    let started = [&["dev", "--listen", "127.0.0.1:0"][..], &settings].concat();
    command::run(started).await?.ended(2)?.says(&["cert.pem", "expired"])?;
    Ok(())
}
