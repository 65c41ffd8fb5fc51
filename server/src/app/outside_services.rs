//! The services of other teams that decide on writes.

use std::sync::Arc;

use riposte_clients::{GrpcAccountClient, GrpcFilterClient};
use riposte_settings::ConfigErrors;
use riposte_telemetry::Metrics;

use crate::config::Config;
use crate::observers::{AccountCalls, FilterCalls};

/// The clients of the services that are set up.
#[derive(Debug, Clone)]
pub(super) struct OutsideServices {
    /// The filter.
    pub(super) filter: Option<Arc<GrpcFilterClient>>,
    /// The account service.
    pub(super) accounts: Option<Arc<GrpcAccountClient>>,
}

impl OutsideServices {
    /// Reads the files of the services. They are called when the first write needs it.
    ///
    /// # Errors
    /// A file that cannot be used.
    pub(super) fn open(config: &Config, metrics: &Metrics) -> Result<Self, ConfigErrors> {
        let filter = config.filter.client(Arc::new(FilterCalls(metrics.clone())))?.map(Arc::new);
        let accounts = config.accounts.client(Arc::new(AccountCalls(metrics.clone())))?.map(Arc::new);
        Ok(Self { filter, accounts })
    }
}
