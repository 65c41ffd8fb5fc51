//! `riposte healthcheck`: a probe that needs neither a shell nor another binary.

mod unverified;

use super::{
    ConfigSources,
    exit::{Failure, UNAVAILABLE, USAGE, words_of_call},
    output,
};
use anyhow::Context;
use riposte_settings::TimeSpan;
use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    process::ExitCode,
};
use tonic::transport::Endpoint;
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient};
use tower::service_fn;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Query this server instead of the one at server.listen; https:// uses TLS and accepts any
    /// certificate
    #[arg(long, value_name = "HOST:PORT")]
    target: Option<String>,
    /// The longest wait for the response
    #[arg(long, value_name = "DURATION", default_value = "2s")]
    timeout: TimeSpan,
    /// Accept any response, SERVING or not: for a liveness probe, which must not stop a server
    /// whose database is unavailable
    #[arg(long)]
    live: bool,
}

impl Args {
    pub(super) async fn run(self, sources: &ConfigSources) -> anyhow::Result<ExitCode> {
        let target = match self.target {
            Some(target) => target,
            None => {
                let server = sources.load_server()?;
                let scheme = if server.tls.cert_file.is_some() { "https://" } else { "" };
                format!("{scheme}{}", reachable(server.listen))
            }
        };
        let timeout = self.timeout.duration();
        let response = tokio::time::timeout(timeout, query_health(&target)).await;
        let status =
            response.map_err(|_| Failure::new(UNAVAILABLE, format!("{target} gave no response in {timeout:?}")))??;
        if status != ServingStatus::Serving && !self.live {
            return Err(Failure::new(UNAVAILABLE, format!("{target} is {}", status.as_str_name())).into());
        }
        output::line(&format!("{target} is {}", status.as_str_name()))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the health of the whole server at `target`.
async fn query_health(target: &str) -> anyhow::Result<ServingStatus> {
    // The other subcommands take URLs, so a health check accepts one too.
    let unreachable = || format!("cannot reach {target}");
    let unusable = |_| {
        Failure::new(USAGE, format!("the target {target:?} is not an address: write host:port or https://host:port"))
    };
    let channel = if let Some(address) = target.strip_prefix("https://") {
        // For the transport this is plaintext, because the connector below has already set up TLS.
        let endpoint = Endpoint::from_shared(format!("http://{address}")).map_err(unusable)?;
        endpoint.connect_with_connector(service_fn(unverified::connect)).await.with_context(unreachable)?
    } else {
        let address = target.strip_prefix("http://").unwrap_or(target);
        Endpoint::from_shared(format!("http://{address}"))
            .map_err(unusable)?
            .connect()
            .await
            .with_context(unreachable)?
    };
    let response = HealthClient::new(channel).check(HealthCheckRequest::default()).await;
    let healthy = response.map_err(|status| {
        Failure::new(UNAVAILABLE, format!("{target} does not answer: {}", words_of_call(&status.into())))
    })?;
    Ok(healthy.into_inner().status())
}

/// Returns an address at which a server that listens on `address` can be reached from its own
/// machine.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        ip if !ip.is_unspecified() => ip,
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    SocketAddr::new(ip, address.port())
}

#[cfg(test)]
mod tests {
    use super::reachable;

    #[test]
    fn a_server_that_listens_on_all_addresses_is_checked_on_the_loopback_address() {
        for (listen, reached) in
            [("0.0.0.0:7171", "127.0.0.1:7171"), ("[::]:7171", "[::1]:7171"), ("192.0.2.7:80", "192.0.2.7:80")]
        {
            assert_eq!(reachable(listen.parse().unwrap()).to_string(), reached);
        }
    }
}
