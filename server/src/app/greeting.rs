//! The response to clients that do not speak HTTP/2, such as a browser or `curl` without options:
//! one sentence, in their own protocol. Without it they would show the first bytes of HTTP/2.

use std::io;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// The first four bytes of the requests of HTTP/1.1.
const METHODS: [&[u8]; 8] = [b"GET ", b"HEAD", b"POST", b"PUT ", b"DELE", b"OPTI", b"PATC", b"CONN"];
/// The bytes of a request that are read before the response, so that closing the connection does
/// not discard the response.
const REQUEST: usize = 16 << 10;

/// Returns true if the client may speak HTTP/2, once it has sent its first bytes. A client of
/// HTTP/1.1 gets a response.
///
/// # Errors
/// Those of the connection.
pub(super) async fn speaks_http2(stream: &mut TcpStream) -> io::Result<bool> {
    let mut first = [0; 4];
    match stream.peek(&mut first).await? {
        0 => Ok(false),
        _ if METHODS.contains(&first.as_slice()) => respond(stream).await.map(|()| false),
        // The preface, its first bytes, or what HTTP/2 refuses by itself.
        _ => Ok(true),
    }
}

async fn respond(stream: &mut TcpStream) -> io::Result<()> {
    let mut request = vec![0; REQUEST];
    let _ = stream.try_read(&mut request);
    let body = format!("{}\n", riposte_grpc::middleware::GRPC_ONLY);
    let head =
        "HTTP/1.1 505 HTTP Version Not Supported\r\nconnection: close\r\ncontent-type: text/plain; charset=utf-8";
    stream.write_all(format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).as_bytes()).await?;
    stream.shutdown().await
}
