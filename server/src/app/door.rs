//! Who comes in, and how: callers and certificates, read again while the process runs.

use std::path::PathBuf;
use std::time::SystemTime;

use tokio::task::JoinHandle;

use super::tls::Tls;
use crate::auth::{Callers, Guard};
use crate::config::Config;
use crate::telemetry::Metrics;

/// The callers that are known, and what secures their connections.
#[derive(Debug, Clone)]
pub(super) struct Door {
    pub(super) guard: Guard,
    pub(super) tls: Option<Tls>,
}

/// What tells that a file was changed: when it was written, and how long it is. A secret that is mounted is a link that
/// leads elsewhere after its change, so the file is asked and not the link.
type Stamp = Option<(SystemTime, u64)>;

impl Door {
    /// As the configuration says: without a file of callers everybody is admitted.
    pub(super) fn open(config: &Config) -> anyhow::Result<Self> {
        let read = config.auth.callers_file.as_deref().map_or_else(|| Ok(Callers::everybody()), Callers::read);
        let callers = read.map_err(anyhow::Error::msg)?;
        Ok(Self { guard: Guard::new(callers), tls: Tls::open(&config.server.tls)? })
    }

    /// Looks at the files again and again. One that cannot be used is told, and what was read before it stays.
    pub(super) fn watch(self, config: &Config, metrics: Metrics) -> JoinHandle<()> {
        let (auth, files) = (config.auth.clone(), config.server.tls.clone());
        let named = [&auth.callers_file, &files.cert_file, &files.key_file, &files.client_ca_file];
        let paths: Vec<PathBuf> = named.into_iter().flatten().cloned().collect();
        let mut seen = stamps(&paths);
        tokio::spawn(async move {
            let mut ticks = tokio::time::interval(auth.reload_interval.duration());
            loop {
                ticks.tick().await;
                let found = stamps(&paths);
                if found == seen {
                    continue;
                }
                seen = found;
                let callers = auth.callers_file.as_deref().map(Callers::read).transpose().map_err(anyhow::Error::msg);
                let tls = self.tls.as_ref().map_or(Ok(()), |tls| tls.reload(&files));
                let read = callers.and_then(|callers| tls.map(|()| callers));
                metrics.reloaded(read.is_ok());
                match read {
                    Ok(callers) => {
                        callers.into_iter().for_each(|callers| self.guard.exchange(callers));
                        tracing::info!("callers and certificates were read again");
                    }
                    Err(error) => tracing::error!(
                        error = format!("{error:#}"),
                        "callers or certificates cannot be used; the old ones stay"
                    ),
                }
            }
        })
    }
}

fn stamps(paths: &[PathBuf]) -> Vec<Stamp> {
    let stamp = |path: &PathBuf| {
        let file = std::fs::metadata(path).ok()?;
        Some((file.modified().ok()?, file.len()))
    };
    paths.iter().map(stamp).collect()
}
