//! The response to clients that do not speak HTTP/2, such as a browser or `curl` without options:
//! one sentence, in their own protocol. Without it they would show the first bytes of HTTP/2.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The sentence for a client that does not speak TLS, at a port that does.
pub(super) const TLS_ONLY: &str =
    "This is a gRPC port with TLS: call it with a gRPC client over TLS, for example `grpcurl HOST:PORT list`.";

/// The first bytes of HTTP/2. A request of HTTP/1.1 begins with another word in capitals.
const HTTP2: &[u8; 4] = b"PRI ";
/// The pauses between checks of a client that has sent fewer bytes, and the number of checks.
const CHECKS: (Duration, u32) = (Duration::from_millis(20), 100);
/// The bytes of a request that are read before the connection is closed. Closing it while bytes
/// arrive may discard the response.
const REQUEST_BYTES_MAX: usize = 256 << 10;
/// The longest wait for these bytes.
const LINGER: Duration = Duration::from_secs(2);

/// Returns true if the client may speak HTTP/2 or TLS, once it has sent its first bytes. A client
/// of HTTP/1.1 gets a response with `sentence`.
///
/// # Errors
/// Those of the connection.
pub(super) async fn speaks_http2(stream: &mut TcpStream, sentence: &str) -> io::Result<bool> {
    let (pause, checks) = CHECKS;
    for _ in 0..checks {
        let mut first = [0; HTTP2.len()];
        let length = stream.peek(&mut first).await?;
        let first = first.get(..length).unwrap_or_default();
        match first {
            [] => return Ok(false),
            _ if first == HTTP2 => return Ok(true),
            // What it is shows with the next byte. A peek does not wait for it.
            _ if HTTP2.starts_with(first) => tokio::time::sleep(pause).await,
            _ if first.iter().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b' ' | b'-')) => {
                return respond(stream, sentence).await.map(|()| false);
            }
            // TLS, or what HTTP/2 refuses by itself.
            _ => return Ok(true),
        }
    }
    Ok(true)
}

async fn respond(stream: &mut TcpStream, sentence: &str) -> io::Result<()> {
    let body = format!("{sentence}\n");
    let head =
        "HTTP/1.1 505 HTTP Version Not Supported\r\nconnection: close\r\ncontent-type: text/plain; charset=utf-8";
    stream.write_all(format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).as_bytes()).await?;
    stream.shutdown().await?;
    let request = async {
        let (mut buffer, mut length) = ([0; 4 << 10], 0);
        while length <= REQUEST_BYTES_MAX {
            match stream.read(&mut buffer).await {
                Ok(read) if read > 0 => length += read,
                // The client has closed the connection.
                Ok(_) | Err(_) => break,
            }
        }
    };
    let _ = tokio::time::timeout(LINGER, request).await;
    Ok(())
}
