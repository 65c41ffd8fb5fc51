//! The HTTP endpoint of the metrics.

use anyhow::{Context, Result, ensure};
use riposte_tests::{Say, Server, Watch};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Returns the whole response to one request.
pub(super) async fn ask(target: &str, method: &str, path: &str) -> Result<String> {
    ask_as(target, method, path, "*/*").await
}

/// Returns the whole response to one request with this `Accept` header.
pub(super) async fn ask_as(target: &str, method: &str, path: &str, accept: &str) -> Result<String> {
    let address = target.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).await?;
    let request =
        format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nAccept: {accept}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut response = String::new();
    stream.read_to_string(&mut response).await?;
    Ok(response)
}

#[tokio::test]
async fn watches_and_lag_are_reported_on_a_port_of_their_own() -> Result<()> {
    let server = Server::dev().await?;
    let target = server.metrics_target();
    let say = Say::on(&server.client()?, "article");
    say.comment("m", "x").await?;
    let _watch = Watch::open(&say, 0).await?;
    let reported = async {
        loop {
            let text = ask(target, "GET", "/metrics").await?;
            ensure!(text.starts_with("HTTP/1.1 200 OK") && text.contains("text/plain; version=0.0.4"), "{text}");
            if text.contains("\nriposte_watch_streams 1") && text.contains("riposte_consumer_lag{") {
                return Ok(text);
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    let text = tokio::time::timeout(std::time::Duration::from_secs(30), reported).await.context("never reported")??;
    ensure!(text.contains("riposte_relay_lag_seconds{source=\"1\"}"), "{text}");
    ensure!(ask(target, "GET", "/").await?.starts_with("HTTP/1.1 404"));
    ensure!(ask(target, "POST", "/metrics").await?.starts_with("HTTP/1.1 405"));
    Ok(())
}
