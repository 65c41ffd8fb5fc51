//! The settings of admission control: concurrent calls, rates, connections.

use super::{RateLimit, SendBuffer};
use riposte_settings::{ByteSize, ErrorScope, TimeSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Limits beyond which calls are rejected without effect and connections are closed.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LimitSettings {
    /// Concurrent reads.
    pub reads: usize,
    /// Concurrent writes.
    pub writes: usize,
    /// Open streams.
    pub streams: usize,
    /// Open streams of one caller.
    pub streams_per_caller: usize,
    /// Reads, and writes, that may wait for capacity.
    pub queue: usize,
    /// The longest time that a read waits for capacity.
    pub read_wait: TimeSpan,
    /// The longest time that a write waits for capacity.
    pub write_wait: TimeSpan,
    /// The longest time between the headers of a request and its end.
    pub body_time: TimeSpan,
    /// Calls of one caller per second; 0 for no limit.
    pub caller_calls_per_second: u32,
    /// Calls that one caller may make at once.
    pub caller_burst: u32,
    /// Callers, and members, whose rates are tracked.
    pub principals: u64,
    /// Connections of each listener.
    pub connections: usize,
    /// Connections of one certificate identity to each listener.
    pub connections_per_identity: usize,
    /// The send buffer: response bytes that clients have not read yet.
    pub send_buffer_size: ByteSize,
    /// The longest time that a connection with too many such bytes may read nothing.
    pub send_buffer_timeout: TimeSpan,
}

impl LimitSettings {
    /// Returns the rate of one caller; `None` for no limit.
    pub fn caller(&self) -> Option<RateLimit> {
        RateLimit::new(self.caller_calls_per_second, Duration::from_secs(1), self.caller_burst)
    }

    /// Returns the limits of the send buffer.
    pub fn send_buffer(&self) -> SendBuffer {
        SendBuffer::new(
            usize::try_from(self.send_buffer_size.bytes()).unwrap_or(usize::MAX),
            self.send_buffer_timeout.duration(),
        )
    }

    /// Adds an error for each value that is out of bounds or conflicts with another one.
    pub fn validate(&self, report: &mut ErrorScope<'_>) {
        let pools = [("reads", self.reads), ("writes", self.writes), ("streams", self.streams)];
        for (name, capacity) in pools {
            report.require((2..=1 << 20).contains(&capacity), name, "must be 2 to 1048576");
        }
        report.require(self.queue <= 65_536, "queue", "must be at most 65536");
        let second = Duration::from_secs(1);
        for (name, wait) in [("read_wait", self.read_wait), ("write_wait", self.write_wait)] {
            report.require(wait.duration() <= second, name, "must be at most 1s");
        }
        let is_valid = (second / 10..=60 * second).contains(&self.body_time.duration());
        report.require(is_valid, "body_time", "must be 100ms to 1min");
        report.require((1..=1_000_000).contains(&self.caller_burst), "caller_burst", "must be 1 to 1000000");
        report.require(self.caller_calls_per_second <= 1_000_000, "caller_calls_per_second", "must be at most 1000000");
        report.require((1_000..=10_000_000).contains(&self.principals), "principals", "must be 1000 to 10000000");
        report.require((1..=1 << 20).contains(&self.connections), "connections", "must be 1 to 1048576");
        let is_valid = (1..=self.connections).contains(&self.connections_per_identity);
        report.require(is_valid, "connections_per_identity", "must be 1 to limits.connections");
        // More than limits.streams is allowed, so that lowering limits.streams needs no second
        // change.
        let is_valid = (1..=1 << 20).contains(&self.streams_per_caller);
        report.require(is_valid, "streams_per_caller", "must be 1 to 1048576");
        let is_valid = (16 << 20..=64 << 30).contains(&self.send_buffer_size.bytes());
        report.require(is_valid, "send_buffer_size", "must be 16MiB to 64GiB");
        let is_valid = (second..=600 * second).contains(&self.send_buffer_timeout.duration());
        report.require(is_valid, "send_buffer_timeout", "must be 1s to 10min");
    }
}
