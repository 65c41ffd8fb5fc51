//! Listeners, limits, and the log.

use super::{
    auth::TlsSettings,
    errors::ErrorScope,
    roles::ServerRoles,
    units::{ByteSize, TimeSpan},
};
use crate::admission::Timeouts;
use serde::{Deserialize, Serialize};
use std::{net::SocketAddr, time::Duration};
use tracing_subscriber::filter::Targets;

/// Listeners, limits of messages, and how the process stops.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ServerSettings {
    /// What this process does of all that the service has to do.
    pub roles: ServerRoles,
    /// Address of the public services. Port 0 takes any free port.
    pub listen: SocketAddr,
    /// Address of `AdminService`: it acts for moderators and must not be reachable for the public.
    pub admin_listen: SocketAddr,
    /// Address of the metrics over HTTP, `/metrics`: they tell about load and must not be reachable for the public.
    pub metrics_listen: SocketAddr,
    /// Whether reflection answers, v1 and v1alpha.
    pub reflection: bool,
    /// The largest request message.
    pub max_request_size: ByteSize,
    /// The largest response message.
    pub max_response_size: ByteSize,
    /// How long a call may take when the caller names no shorter deadline.
    pub max_call_time: TimeSpan,
    /// The same for reads, where that is shorter.
    pub max_read_time: TimeSpan,
    /// The same for writes of members.
    pub max_write_time: TimeSpan,
    /// The same for calls of `AdminService` that are no streams.
    pub max_admin_time: TimeSpan,
    /// How old a connection becomes, give or take a tenth by process, before its client is asked to make a new one.
    pub connection_age: TimeSpan,
    /// How long calls are still taken after health has turned to `NOT_SERVING`, so that balancers notice.
    pub drain_delay: TimeSpan,
    /// How long running calls may take to finish after that, before their connections are cut.
    pub drain_timeout: TimeSpan,
    /// Says that connections need no TLS of ours: a mesh encrypts them.
    pub plaintext: bool,
    /// The certificates of both listeners.
    pub tls: TlsSettings,
}

/// What is logged, and in which form.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LogSettings {
    /// The form of a line.
    pub format: LogFormat,
    /// Which lines, as in `info,riposte=debug`.
    pub filter: String,
}

/// The form of a log line.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// `pretty` if standard error is a terminal, else `json`.
    Auto,
    /// For people.
    Pretty,
    /// One JSON object per line.
    Json,
}

impl ServerSettings {
    /// The longest times of calls.
    pub fn times(&self) -> Timeouts {
        let ServerSettings { max_call_time, max_read_time, max_write_time, max_admin_time, .. } = self;
        Timeouts {
            read: max_read_time.duration(),
            write: max_write_time.duration(),
            admin: max_admin_time.duration(),
            call: max_call_time.duration(),
        }
    }

    pub(super) fn validate(&self, report: &mut ErrorScope<'_>) {
        self.roles.validate(report);
        let same_port = |a: SocketAddr, b: SocketAddr| a.port() == b.port() && a.port() != 0;
        let admin = !same_port(self.admin_listen, self.listen);
        report.require(admin, "admin_listen", "must not use the port of server.listen");
        let metrics = ![self.listen, self.admin_listen].iter().any(|other| same_port(self.metrics_listen, *other));
        report.require(metrics, "metrics_listen", "must not use the port of server.listen or server.admin_listen");
        let sizes = |low: u64| low..=64 << 20;
        let request = sizes(64 << 10).contains(&self.max_request_size.bytes());
        report.require(request, "max_request_size", "must be 64KiB to 64MiB");
        // A page ends at 1 MiB, or with one item.
        let response = sizes(2 << 20).contains(&self.max_response_size.bytes());
        report.require(response, "max_response_size", "must be 2MiB to 64MiB");
        let minute = Duration::from_secs(60);
        for (name, time) in [
            ("max_call_time", self.max_call_time),
            ("max_read_time", self.max_read_time),
            ("max_write_time", self.max_write_time),
            ("max_admin_time", self.max_admin_time),
        ] {
            let time = (Duration::from_millis(100)..=minute).contains(&time.duration());
            report.require(time, name, "must be 100ms to 1min");
        }
        let age = self.connection_age.duration();
        report.require((minute / 60..=1440 * minute).contains(&age), "connection_age", "must be 1s to 1d");
        report.require(self.drain_delay.duration() <= minute, "drain_delay", "must be at most 1min");
        report.require(self.drain_timeout.duration() <= 10 * minute, "drain_timeout", "must be at most 10min");
    }
}

impl LogSettings {
    pub(super) fn validate(&self, report: &mut ErrorScope<'_>) {
        report.require(
            self.filter.parse::<Targets>().is_ok(),
            "filter",
            "is no filter: write levels by target, as in \"info,riposte=debug\"",
        );
    }
}
