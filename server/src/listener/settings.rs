//! The settings of the listeners and of the process that runs them.

use super::{ServerRoles, TlsSettings};
use riposte_grpc::admission::Timeouts;
use riposte_settings::{ByteSize, ErrorScope, TimeSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{net::SocketAddr, time::Duration};

/// Pattern of an address with a port.
const ADDRESS: &str = "^.+:[0-9]+$";

/// Listeners, message limits and the shutdown of the process.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ServerSettings {
    /// The roles of this process in the service.
    pub roles: ServerRoles,
    /// Address of the public services. Port 0 selects any free port.
    #[schemars(extend("pattern" = ADDRESS))]
    pub listen: SocketAddr,
    /// Address of the services of moderators and operators. It must not be reachable by the public.
    #[schemars(extend("pattern" = ADDRESS))]
    pub admin_listen: SocketAddr,
    /// Address of the metrics over HTTP, `/metrics`. They reveal load and must not be reachable by
    /// the public.
    #[schemars(extend("pattern" = ADDRESS))]
    pub metrics_listen: SocketAddr,
    /// Enables reflection, v1 and v1alpha.
    pub reflection: bool,
    /// The largest request message.
    pub max_request_size: ByteSize,
    /// The largest response message.
    pub max_response_size: ByteSize,
    /// The longest duration of a call without a shorter deadline of its caller.
    pub max_call_time: TimeSpan,
    /// The same limit for reads, if it is shorter.
    pub max_read_time: TimeSpan,
    /// The same limit for writes of members, and for verdicts.
    pub max_write_time: TimeSpan,
    /// The same limit for the other calls of moderators and operators, without streams.
    pub max_admin_time: TimeSpan,
    /// Age at which a client is asked to open a new connection; it varies by up to a tenth between
    /// processes.
    pub connection_age: TimeSpan,
    /// Time during which calls are still accepted after health has changed to `NOT_SERVING`, so
    /// that load balancers notice.
    pub drain_delay: TimeSpan,
    /// Time that running calls then have to finish before their connections are closed.
    pub drain_timeout: TimeSpan,
    /// Declares that this process needs no TLS, because a mesh encrypts the connections.
    pub plaintext: bool,
    /// The certificates of both listeners.
    pub tls: TlsSettings,
}

impl ServerSettings {
    /// Returns the longest durations of calls.
    pub fn timeouts(&self) -> Timeouts {
        let ServerSettings { max_call_time, max_read_time, max_write_time, max_admin_time, .. } = self;
        Timeouts {
            read: max_read_time.duration(),
            write: max_write_time.duration(),
            admin: max_admin_time.duration(),
            call: max_call_time.duration(),
        }
    }

    /// Adds an error for each value that is out of bounds or conflicts with another one.
    pub fn validate(&self, report: &mut ErrorScope<'_>) {
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
