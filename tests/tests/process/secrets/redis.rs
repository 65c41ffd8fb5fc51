//! Accounts of Redis that change while a server runs.

use anyhow::{Result, ensure};
use riposte_tests::redis::{self, Cluster, Connection, Program};
use riposte_tests::{Say, Server, until as until_true};

use super::super::cache::{copying, until};
use super::{Files, SOON, metric, refused};

/// The user of the server under test; tests use the default user, which needs no password.
const USER: &str = "riposte";

/// Starts a server whose cache is the Redis of the file.
async fn served(files: &Files) -> Result<Server> {
    let file = format!("cache.url_file={}", files.path("cache").display());
    copying(&[&["--set", "cache.kind=redis", "--set", &file][..], &SOON].concat()).await
}

/// Replaces the password of the user on every node.
fn set_password(nodes: &[redis::Server], password: &str) -> Result<()> {
    for node in nodes {
        node.ask(&["ACL", "SETUSER", USER, "on", "resetpass", &format!(">{password}"), "~*", "&*", "+@all"])?;
    }
    Ok(())
}

/// Closes the user's connections, which otherwise outlive a change of the password.
fn cut(nodes: &[redis::Server]) -> Result<()> {
    nodes.iter().try_for_each(|node| node.ask(&["CLIENT", "KILL", "USER", USER]).map(drop))
}

/// Creates a comment and reads until the cache serves it.
async fn copied(say: &Say, roots: usize) -> Result<()> {
    say.comment("m", "something new").await?;
    until(say, false, roots).await
}

/// Runs both orders: the password changes before its file does, and after it.
async fn follows(nodes: &[redis::Server], url: &str) -> Result<()> {
    let files = Files::new()?;
    let write = |password: &str| files.write("cache", &url.replace("://", &format!("://{USER}:{password}@")));
    set_password(nodes, "first")?;
    write("first")?;
    let server = served(&files).await?;
    let say = Say::on(&server.client()?, "video");
    copied(&say, 1).await?;

    set_password(nodes, "se/cond")?;
    cut(nodes)?;
    until(&say, true, 1).await?;
    write("se%2Fcond")?;
    copied(&say, 2).await?;

    // Credentials that Redis rejects are not used, and the earlier connections continue to work.
    refused(&server, || write("third")).await?;
    copied(&say, 3).await?;
    set_password(nodes, "third")?;
    until_true("the file is taken", || async { Ok(metric(&server, "riposte_files_refused").await? == 0) }).await?;
    cut(nodes)?;
    copied(&say, 4).await?;

    refused(&server, || files.write("cache", "redis://riposte:third@127.0.0.1:1")).await?;
    cut(nodes)?;
    copied(&say, 5).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_of_redis_is_changed_without_a_restart() -> Result<()> {
    let Some(program) = Program::find() else { return Ok(()) };
    let server = redis::Server::start(&program)?;
    follows(std::slice::from_ref(&server), &server.url()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_of_a_cluster_is_changed_without_a_restart() -> Result<()> {
    let Some(program) = Program::find() else { return Ok(()) };
    let cluster = Cluster::start(&program)?;
    follows(cluster.nodes(), &cluster.url()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn redis_gets_its_first_password_without_a_restart() -> Result<()> {
    let Some(program) = Program::find() else { return Ok(()) };
    let (store, files) = (redis::Server::start(&program)?, Files::new()?);
    // The connection was authenticated before, so it stays so.
    let mut keeper = Connection::open(store.port())?;
    keeper.ask(&["PING"])?;
    files.write("cache", &store.url())?;
    let server = served(&files).await?;
    let say = Say::on(&server.client()?, "video");
    copied(&say, 1).await?;

    keeper.ask(&["CONFIG", "SET", "requirepass", "first"])?;
    keeper.ask(&["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"])?;
    until(&say, true, 1).await?;
    files.write("cache", &store.url().replace("://", "://:first@"))?;
    copied(&say, 2).await?;
    ensure!(keeper.ask(&["PING"])?.text()? == "PONG");
    Ok(())
}
