//! The limit on HTTP/2 control frames of a connection.
//!
//! A control frame (PING, SETTINGS, WINDOW_UPDATE, PRIORITY and the like) costs the server work and
//! belongs to no call, so no admission limit counts it, and hyper has no limit either. The frame
//! heads are read from the decrypted stream before hyper reads it. A client may send a number of
//! control frames per second, and in addition some for each frame that carries a call: honest
//! clients answer data with WINDOW_UPDATE, and measure the round trip with PING.

use std::time::{Duration, Instant};

/// The control frames that a connection may send at once, without any call.
const BURST: i64 = 2_000;
/// The control frames per second that it may send in the long run, without any call.
const RATE: i64 = 500;
/// The control frames that each frame of a call adds, in either direction. Clients send at most a
/// WINDOW_UPDATE for the stream, one for the connection and a PING for a frame of data.
const PER_CALL_FRAME: i64 = 8;
/// The most control frames that the frames of calls can add up to.
const BALANCE_MAX: i64 = 50_000;

/// The length of the preface that precedes the frames of a client, in bytes.
const PREFACE: usize = 24;
const HEAD: usize = 9;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const END_STREAM: u8 = 1;

/// Counts the frames of one connection.
#[derive(Debug)]
pub(super) struct ControlFrameLimit {
    received: FrameHeads,
    sent: FrameHeads,
    /// The number of control frames that the client may still send.
    balance: i64,
    /// The time up to which `RATE` is in the balance; set at the first frames.
    refilled: Option<Instant>,
}

/// The client sent more control frames than it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ControlFrameFlood;

/// The heads of the frames in a stream of bytes.
#[derive(Debug)]
struct FrameHeads {
    /// The number of bytes before the next head.
    skip: usize,
    head: [u8; HEAD],
    /// The number of bytes of the head that were read.
    filled: usize,
}

impl ControlFrameLimit {
    /// Creates the limit of a new connection.
    pub(super) fn new() -> Self {
        Self { received: FrameHeads::after(PREFACE), sent: FrameHeads::after(0), balance: BURST, refilled: None }
    }

    /// Counts the frames in bytes from the client.
    ///
    /// # Errors
    /// If there are more control frames than the client may send.
    pub(super) fn received(&mut self, bytes: &[u8], now: impl FnOnce() -> Instant) -> Result<(), ControlFrameFlood> {
        let Self { received, balance, .. } = self;
        received.scan(bytes, |head| *balance += if carries_call(head) { PER_CALL_FRAME } else { -1 });
        self.balance = self.balance.min(BALANCE_MAX);
        if self.balance < 0 || self.refilled.is_none() {
            self.refill(now());
        }
        if self.balance < 0 { Err(ControlFrameFlood) } else { Ok(()) }
    }

    /// Counts the frames in bytes to the client. Answers to control frames add nothing.
    pub(super) fn sent(&mut self, bytes: &[u8]) {
        let Self { sent, balance, .. } = self;
        sent.scan(bytes, |head| *balance += if carries_call(head) { PER_CALL_FRAME } else { 0 });
        self.balance = self.balance.min(BALANCE_MAX);
    }

    /// Adds what the time since the last call allows.
    fn refill(&mut self, now: Instant) {
        let elapsed = self.refilled.map_or(Duration::ZERO, |refilled| now.saturating_duration_since(refilled));
        let millis = i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX);
        self.balance = self.balance.saturating_add((millis.saturating_mul(RATE) / 1_000).min(BURST));
        self.refilled = Some(now);
    }
}

/// Returns whether a frame is part of a call. Data without a byte is not: a client could send it
/// without end.
fn carries_call(head: &[u8; HEAD]) -> bool {
    let [a, b, c, kind, flags, ..] = *head;
    match kind {
        HEADERS => true,
        DATA => (a, b, c) != (0, 0, 0) || flags & END_STREAM != 0,
        _ => false,
    }
}

impl FrameHeads {
    fn after(skip: usize) -> Self {
        Self { skip, head: [0; HEAD], filled: 0 }
    }

    /// Calls `each` with every head that ends in `bytes`, which continue the stream.
    fn scan(&mut self, mut bytes: &[u8], mut each: impl FnMut(&[u8; HEAD])) {
        while !bytes.is_empty() {
            let skipped = self.skip.min(bytes.len());
            (self.skip, bytes) = (self.skip - skipped, &bytes[skipped..]);
            let taken = (HEAD - self.filled).min(bytes.len());
            self.head[self.filled..self.filled + taken].copy_from_slice(&bytes[..taken]);
            (self.filled, bytes) = (self.filled + taken, &bytes[taken..]);
            if self.filled == HEAD {
                let [a, b, c, ..] = self.head;
                (self.skip, self.filled) = (usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c), 0);
                each(&self.head);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PING: u8 = 6;
    const WINDOW_UPDATE: u8 = 8;

    fn frame(kind: u8, flags: u8, length: usize) -> Vec<u8> {
        let [.., a, b, c] = (length as u32).to_be_bytes();
        [&[a, b, c, kind, flags, 0, 0, 0, 1][..], &vec![0xff; length]].concat()
    }

    fn connection(now: Instant) -> ControlFrameLimit {
        let mut limit = ControlFrameLimit::new();
        limit.received(&[0; PREFACE], || now).expect("a preface is no frame");
        limit
    }

    /// Sends frames until they are refused, and returns the number of those that were not.
    fn accepted(limit: &mut ControlFrameLimit, frame: &[u8], now: Instant) -> i64 {
        (0..100_000).take_while(|_| limit.received(frame, || now).is_ok()).count() as i64
    }

    #[test]
    fn control_frames_without_calls_are_limited_at_once_and_per_second() {
        for frame in [frame(PING, 0, 8), frame(4, 0, 0), frame(WINDOW_UPDATE, 0, 4), frame(2, 0, 5), frame(DATA, 0, 0)]
        {
            let now = Instant::now();
            let mut limit = connection(now);
            assert_eq!(accepted(&mut limit, &frame, now), BURST);
            let later = now + Duration::from_secs(3_600);
            assert_eq!(accepted(&mut connection(now), &frame, later), 2 * BURST, "an hour adds one burst");
        }
        let begin = Instant::now();
        let mut limit = connection(begin);
        let ping = frame(PING, 0, 8);
        limit.received(&ping, || begin).expect("the first");
        for n in 1..60_000 {
            let now = begin + Duration::from_millis(2 * n);
            limit.received(&ping, || now).expect("as many as the rate allows, for two minutes");
        }
    }

    #[test]
    fn each_frame_of_a_call_allows_some_control_frames_in_either_direction() {
        let now = Instant::now();
        let mut limit = connection(now);
        assert_eq!(accepted(&mut limit, &frame(PING, 0, 8), now), BURST);
        let mut limit = connection(now);
        for n in 0..100_000 {
            limit.received(&frame(HEADERS, 4, 30), || now).expect("a call");
            limit.received(&frame(DATA, END_STREAM, 20), || now).expect("its request");
            limit.sent(&[frame(HEADERS, 4, 30), frame(DATA, 0, 20), frame(HEADERS, 5, 9)].concat());
            for _ in 0..20 {
                limit.received(&frame(WINDOW_UPDATE, 0, 4), || now).unwrap_or_else(|_| panic!("call {n}"));
            }
        }
    }

    #[test]
    fn what_the_server_answers_to_a_flood_allows_no_more_of_it() {
        let now = Instant::now();
        let mut limit = connection(now);
        let sent = (0..100_000).take_while(|_| {
            limit.sent(&frame(PING, 1, 8));
            limit.received(&frame(PING, 0, 8), || now).is_ok()
        });
        assert_eq!(sent.count() as i64, BURST);
    }

    #[test]
    fn heads_are_found_however_the_stream_is_cut() {
        let frames = [frame(4, 0, 18), frame(HEADERS, 5, 300), frame(DATA, 0, 70_000), frame(PING, 0, 8)].concat();
        for size in [1, 2, 8, 9, 10, 1_000, frames.len()] {
            let (mut heads, mut kinds) = (FrameHeads::after(0), Vec::new());
            for part in frames.chunks(size) {
                heads.scan(part, |head| kinds.push(head[3]));
            }
            assert_eq!(kinds, [4, HEADERS, DATA, PING], "in parts of {size} bytes");
        }
    }
}
