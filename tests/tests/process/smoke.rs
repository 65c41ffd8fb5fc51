//! `riposte smoke`: it passes on a working service, and finds faults.

use anyhow::{Result, ensure};
use riposte_tests::Server;
use riposte_tests::command::{self, Ran};
use riposte_tests::mysql;
use riposte_tests::mysql::Databases;

use super::migrate::TABLES;

async fn smoke(target: &str, more: &[&str]) -> Result<Ran> {
    command::run([&["smoke", "--target", target, "--object-type", "article"], more].concat()).await
}

#[tokio::test]
async fn a_service_that_works_passes_again_and_again_and_no_comment_is_left() -> Result<()> {
    let server = Server::dev().await?;
    for _ in 0..2 {
        let few = ["--subjects", "8", "--parallel", "2"];
        smoke(server.target(), &few).await?.ended(0)?.says(&["8 subjects: written, read, liked and deleted"])?;
    }
    let subject = server.client()?.subject("article", "smoke-7").get().await?.subject.unwrap_or_default();
    ensure!(subject.comment_count == 0 && subject.revision > 4, "{subject:?}");
    Ok(())
}

#[tokio::test]
async fn a_smoke_test_without_access_fails_and_reports_the_reason() -> Result<()> {
    let server = Server::dev_with(None, &["--set", "open_object_types=false"]).await?;
    let unknown = smoke(server.target(), &["--subjects", "2"]).await?.ended(2)?;
    unknown.says(&["smoke-1: create the subject", "2 of 2 subjects failed"])?;
    let target = server.target().to_owned();
    server.stop().await?;
    smoke(&target, &["--wait", "100ms"]).await?.ended(5)?;
    smoke("nonsense://x", &[]).await?.ended(2)?;
    Ok(())
}

/// One of two data sources rejects writes of the serving account: only the subjects there fail, and
/// the faults are reported.
#[tokio::test]
async fn one_data_source_that_takes_no_writes_is_found() -> Result<()> {
    let Some(servers) = mysql::servers() else { return Ok(()) };
    let Databases { name, .. } = Databases::on(&servers, TABLES).await?;
    let reader = format!("r{}", &name[name.len() - 8..]);
    let grant = format!("CREATE USER {reader}@'%'; GRANT SELECT ON {name}.* TO {reader}@'%'");
    mysql::query(&servers[1], "", &grant).await?;
    let address = servers[1].rsplit_once('@').map_or("", |(_, address)| address);
    let sources = [servers[0].clone(), format!("mysql://{reader}@{address}")];
    let mut settings = riposte_tests::settings::on_databases(&sources, &name);
    settings.extend(TABLES.map(str::to_owned));
    let server = Server::serve_with(&settings).await?;
    let found = smoke(server.target(), &[]).await?;
    ensure!(found.code != 0 && found.err.contains("create the subject"), "{}{}", found.out, found.err);
    let failed = found.err.lines().filter(|line| line.starts_with("smoke-")).count();
    ensure!((1..24).contains(&failed), "{failed} of 24 subjects failed:\n{}", found.err);
    mysql::query(&servers[1], "", &format!("DROP USER {reader}@'%'")).await?;
    Ok(())
}
