//! Connections reach their maximum age: their clients open new ones, and no call fails.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, ensure};
use futures::future::try_join_all;
use riposte_sdk::Client;
use riposte_sdk::v1::{CommentSort, GetCommentRequest};
use riposte_tests::{Say, Server, Watch};
use tokio::net::{TcpListener, TcpStream};

/// The number of connections after the first.
const GENERATIONS: usize = 3;
const CALLERS: usize = 8;

#[tokio::test(flavor = "multi_thread")]
async fn a_client_outlives_its_connections_without_a_failed_call_and_a_watch_stays_on_its_own() -> Result<()> {
    let server = Server::dev_with(None, &["--set", "server.connection_age=1s"]).await?;
    let opened = Arc::new(AtomicUsize::new(0));
    let relay = relay(server.target().trim_start_matches("http://").parse()?, Arc::clone(&opened)).await?;
    let say = Say::on(&Client::connect(format!("http://{relay}"))?, "article");
    say.comment("m", "the first").await?;
    let begin = say.page(CommentSort::Newest, 1).await?.subject.context("no subject")?.revision;
    let mut watch = Watch::open(&say, begin).await?;
    let callers = (0..CALLERS).map(|_| {
        let (say, opened) = (say.clone(), Arc::clone(&opened));
        tokio::spawn(async move {
            let mut calls = 0;
            while opened.load(Ordering::Relaxed) <= GENERATIONS {
                say.comment("m", "another").await?;
                say.page(CommentSort::Newest, 3).await?;
                calls += 2;
            }
            anyhow::Ok(calls)
        })
    });
    let calls = try_join_all(callers).await?.into_iter().sum::<Result<usize>>()?;
    // All writes made while the connections changed are reported on the connection on which the
    // watch began.
    let last = say.page(CommentSort::Newest, 1).await?.subject.context("no subject")?.revision;
    watch.until(begin, last).await?;
    let opened = opened.load(Ordering::Relaxed);
    println!("{calls} calls over {opened} connections");
    ensure!(calls > 0 && server.stop().await? == Some(0));
    Ok(())
}

/// More callers than a connection has streams, and than the client has tokens for retries.
const MANY_CALLERS: usize = 600;

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_wait_for_a_stream_of_an_old_connection_are_made_on_the_next() -> Result<()> {
    let server = Server::dev_with(None, &["--set", "server.connection_age=1s"]).await?;
    let opened = Arc::new(AtomicUsize::new(0));
    let relay = relay(server.target().trim_start_matches("http://").parse()?, Arc::clone(&opened)).await?;
    let say = Say::on(&Client::connect(format!("http://{relay}"))?, "article");
    let id = say.comment("m", "a comment").await?.id;
    let callers = (0..MANY_CALLERS).map(|_| {
        let (client, opened) = (say.client.clone(), Arc::clone(&opened));
        tokio::spawn(async move {
            while opened.load(Ordering::Relaxed) <= GENERATIONS {
                let request = GetCommentRequest { id, ..GetCommentRequest::default() };
                client.comments().get_comment(request).await?;
            }
            anyhow::Ok(())
        })
    });
    try_join_all(callers).await?.into_iter().collect::<Result<()>>()?;
    ensure!(server.stop().await? == Some(0));
    Ok(())
}

/// Starts a proxy to another address that counts the connections made to it.
async fn relay(to: SocketAddr, opened: Arc<AtomicUsize>) -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            opened.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(async move {
                let mut far = TcpStream::connect(to).await?;
                tokio::io::copy_bidirectional(&mut near, &mut far).await
            });
        }
    });
    Ok(address)
}
