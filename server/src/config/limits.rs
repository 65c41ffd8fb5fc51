//! What a process takes on: calls under way, rates, connections.

use super::errors::ErrorScope;
use super::units::{ByteSize, TimeSpan};
use crate::admission::{RateLimit, SendBuffer};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The bounds beyond which calls are refused without effect, and connections closed.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LimitSettings {
    /// Reads under way.
    pub reads: usize,
    /// Writes under way.
    pub writes: usize,
    /// Streams that are open.
    pub streams: usize,
    /// Streams of one caller that are open.
    pub streams_per_caller: usize,
    /// Reads, and writes, that may wait for room.
    pub queue: usize,
    /// How long a read waits for room.
    pub read_wait: TimeSpan,
    /// How long a write waits for room.
    pub write_wait: TimeSpan,
    /// How long a request may take to arrive once its headers are there.
    pub body_time: TimeSpan,
    /// Calls of one caller per second; 0 for no bound.
    pub caller_calls_per_second: u32,
    /// Calls that one caller may make at once.
    pub caller_burst: u32,
    /// Callers, and members, whose rates are remembered.
    pub principals: u64,
    /// Connections of each listener.
    pub connections: usize,
    /// Connections of one certificate's identity to each listener.
    pub connections_per_identity: usize,
    /// Answers that clients have not read yet.
    pub unread_size: ByteSize,
    /// How long a connection that has too many of them may read nothing.
    pub unread_time: TimeSpan,
}

impl LimitSettings {
    /// The rate of one caller; `None` for no bound.
    pub fn caller(&self) -> Option<RateLimit> {
        RateLimit::new(self.caller_calls_per_second, Duration::from_secs(1), self.caller_burst)
    }

    /// The answers that may wait to be read.
    pub(crate) fn unread(&self) -> SendBuffer {
        SendBuffer::new(usize::try_from(self.unread_size.bytes()).unwrap_or(usize::MAX), self.unread_time.duration())
    }

    pub(super) fn validate(&self, report: &mut ErrorScope<'_>) {
        let rooms = [("reads", self.reads), ("writes", self.writes), ("streams", self.streams)];
        for (name, room) in rooms {
            report.require((2..=1 << 20).contains(&room), name, "must be 2 to 1048576");
        }
        report.require(self.queue <= 65_536, "queue", "must be at most 65536");
        let second = Duration::from_secs(1);
        for (name, wait) in [("read_wait", self.read_wait), ("write_wait", self.write_wait)] {
            report.require(wait.duration() <= second, name, "must be at most 1s");
        }
        let body = (second / 10..=60 * second).contains(&self.body_time.duration());
        report.require(body, "body_time", "must be 100ms to 1min");
        report.require((1..=1_000_000).contains(&self.caller_burst), "caller_burst", "must be 1 to 1000000");
        report.require(self.caller_calls_per_second <= 1_000_000, "caller_calls_per_second", "must be at most 1000000");
        report.require((1_000..=10_000_000).contains(&self.principals), "principals", "must be 1000 to 10000000");
        report.require((1..=1 << 20).contains(&self.connections), "connections", "must be 1 to 1048576");
        let identity = (1..=self.connections).contains(&self.connections_per_identity);
        report.require(identity, "connections_per_identity", "must be 1 to limits.connections");
        // More than there are is no mistake: whoever lowers limits.streams need not know of it.
        let streams = (1..=1 << 20).contains(&self.streams_per_caller);
        report.require(streams, "streams_per_caller", "must be 1 to 1048576");
        let unread = (16 << 20..=64 << 30).contains(&self.unread_size.bytes());
        report.require(unread, "unread_size", "must be 16MiB to 64GiB");
        let time = (second..=600 * second).contains(&self.unread_time.duration());
        report.require(time, "unread_time", "must be 1s to 10min");
    }
}
