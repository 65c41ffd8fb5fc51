//! HTTP/2 control frames: an honest client never meets their limit, and a flood ends its own
//! connection only.

use anyhow::{Context, Result, ensure};
use futures::StreamExt;
use riposte_sdk::v1::CommentSort;
use riposte_tests::{Say, Server, Watch};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::metrics::ask;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
const PING: [u8; 17] = [0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8];
const WINDOW_UPDATE: [u8; 13] = [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1];
const PRIORITY: [u8; 14] = [0, 0, 5, 2, 0, 0, 0, 0, 1, 0, 0, 0, 3, 1];

/// Returns the number of connections that were closed for their control frames.
async fn closed(server: &Server) -> Result<u64> {
    let text = ask(server.metrics_target(), "GET", "/metrics").await?;
    let line =
        text.lines().find_map(|line| line.strip_prefix("riposte_connections_refused_total{limit=\"control_frames\"} "));
    Ok(line.map(str::parse).transpose()?.unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_at_full_speed_never_meets_the_limit() -> Result<()> {
    let server = Server::dev().await?;
    let say = Say::on(&server.client()?, "article");
    say.comment("m", &"long ".repeat(900)).await?;
    let _watch = Watch::open(&say, 0).await?;
    // Small requests with large responses, each of which the client responses with WINDOW_UPDATEs.
    let reads = futures::stream::iter(0..4_000).map(|_| say.page(CommentSort::Newest, 10)).buffer_unordered(64);
    reads.for_each(async |page| ensure_read(page.is_ok())).await;
    let writes = futures::stream::iter(0..200).map(|n| say.comment("m", if n % 2 == 0 { "a" } else { "b" }));
    writes.buffer_unordered(32).for_each(async |written| ensure_read(written.is_ok())).await;
    ensure!(closed(&server).await? == 0, "an honest client met the limit");
    Ok(())
}

fn ensure_read(is_ok: bool) {
    assert!(is_ok, "a call failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_control_frames_ends_its_own_connection_and_is_counted() -> Result<()> {
    let server = Server::dev().await?;
    let say = Say::on(&server.client()?, "article");
    say.comment("m", "before").await?;
    for (n, frame) in [&PING[..], &SETTINGS, &WINDOW_UPDATE, &PRIORITY].into_iter().enumerate() {
        let mut stream = TcpStream::connect(server.target().trim_start_matches("http://")).await?;
        stream.write_all(&[PREFACE, &SETTINGS].concat()).await?;
        let (mut responses, mut flood) = stream.split();
        let read = async {
            let mut bytes = [0; 4_096];
            while responses.read(&mut bytes).await.is_ok_and(|read| read > 0) {}
        };
        let frames = frame.repeat(100);
        let write = async {
            for _ in 0..10_000 {
                if flood.write_all(&frames).await.is_err() {
                    return;
                }
            }
        };
        // A million frames would take the server seconds; it stops reading after a few thousand.
        tokio::time::timeout(std::time::Duration::from_secs(60), futures::future::join(read, write))
            .await
            .context("the connection goes on")?;
        ensure!(closed(&server).await? == n as u64 + 1, "flood {n} was not counted");
        ensure!(say.comment("m", "after").await.is_ok(), "another connection suffers");
    }
    Ok(())
}
