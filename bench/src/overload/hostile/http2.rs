//! HTTP/2 connections written by hand, because no library allows its caller to misbehave.

use anyhow::Result;
use bytes::{BufMut, BytesMut};
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::Mutex;

/// The first bytes of a client.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

// Frame types.
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
// Flags, whose meaning depends on the frame type.
const ACK: u8 = 1;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
/// The error code of a call that its client cancels.
const CANCEL: u32 = 8;

/// The write half of a connection.
pub(super) type Speaker = Arc<Mutex<OwnedWriteHalf>>;

/// Connects and sends the preface and its settings.
pub(super) async fn open(address: &str) -> Result<(OwnedReadHalf, Speaker)> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (reader, mut writer) = stream.into_split();
    let mut hello = BytesMut::from(PREFACE);
    frame(&mut hello, SETTINGS, 0, 0, &[]);
    writer.write_all(&hello).await?;
    Ok((reader, Arc::new(Mutex::new(writer))))
}

/// Acknowledges settings and responds to pings, until the other side closes the connection.
pub(super) async fn tend(mut reader: OwnedReadHalf, speaker: Speaker) {
    let mut payload = Vec::new();
    loop {
        let mut head = [0; 9];
        if reader.read_exact(&mut head).await.is_err() {
            return;
        }
        let [a, b, c, kind, flags, ..] = head;
        payload.resize(u32::from_be_bytes([0, a, b, c]) as usize, 0);
        if reader.read_exact(&mut payload).await.is_err() || kind == GOAWAY {
            return;
        }
        if flags & ACK == 0 && [SETTINGS, PING].contains(&kind) {
            let mut reply = BytesMut::new();
            frame(&mut reply, kind, ACK, 0, if kind == PING { &payload } else { &[] });
            if speaker.lock().await.write_all(&reply).await.is_err() {
                return;
            }
        }
    }
}

/// Writes one frame.
fn frame(into: &mut BytesMut, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
    into.put_uint(payload.len() as u64, 3);
    into.put_u8(kind);
    into.put_u8(flags);
    into.put_u32(stream);
    into.put_slice(payload);
}

/// A complete gRPC call that is reset at once.
#[derive(Debug)]
pub(super) struct GivenUp {
    headers: BytesMut,
    message: BytesMut,
}

impl GivenUp {
    /// Returns a call of a method, such as `/riposte.v1.CommentService/ListComments`. Texts have
    /// fewer than 127 bytes.
    pub(super) fn of(method: &str, authority: &str, message: &[u8]) -> Self {
        let mut headers = BytesMut::new();
        // Entries of HPACK's static table: POST, and http. The following fields have literal
        // values: path, authority, content-type.
        headers.put_slice(&[0x83, 0x86]);
        for (name, value) in [(&[0x04][..], method), (&[0x01], authority), (&[0x0f, 0x10], "application/grpc")] {
            headers.put_slice(name);
            text(&mut headers, value);
        }
        headers.put_u8(0);
        text(&mut headers, "te");
        text(&mut headers, "trailers");
        let mut framed = BytesMut::new();
        framed.put_u8(0);
        framed.put_u32(message.len() as u32);
        framed.put_slice(message);
        Self { headers, message: framed }
    }

    /// Writes the call as this stream.
    pub(super) fn put(&self, into: &mut BytesMut, stream: u32) {
        frame(into, HEADERS, END_HEADERS, stream, &self.headers);
        frame(into, DATA, END_STREAM, stream, &self.message);
        frame(into, RST_STREAM, 0, stream, &CANCEL.to_be_bytes());
    }
}

fn text(into: &mut BytesMut, text: &str) {
    into.put_u8(text.len() as u8);
    into.put_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_is_given_up_has_three_frames() {
        let mut bytes = BytesMut::new();
        GivenUp::of("/a/b", "host", &[7]).put(&mut bytes, 3);
        let mut frames = Vec::new();
        while !bytes.is_empty() {
            let head = bytes.split_to(9);
            let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
            frames.push((head[3], head[4], head[8], bytes.split_to(length).to_vec()));
        }
        assert_eq!(frames[0].3[..12], *b"\x83\x86\x04\x04/a/b\x01\x04ho");
        assert_eq!(frames[1], (DATA, END_STREAM, 3, vec![0, 0, 0, 0, 1, 7]));
        assert_eq!(frames[2], (RST_STREAM, 0, 3, vec![0, 0, 0, 8]));
        assert_eq!((frames.len(), frames[0].0, frames[0].1), (3, HEADERS, END_HEADERS));
    }
}
