//! The proxies between processes and stores, which carry all their traffic.

use std::net::Ipv4Addr;

use anyhow::{Result, ensure};

use super::QueryMutant;
use super::injection::{PROCESSES, Store};
use crate::net::Network;
use crate::proxy::Proxy;

/// Number of databases.
const DATABASES: usize = 2;

/// The proxies from each server and from the relay to the databases and, unless it is a cluster, to
/// Redis.
#[derive(Debug)]
pub(crate) struct Proxies(Vec<Vec<Proxy>>);

impl Proxies {
    /// Starts proxies from each process to the stores at these ports. Processes in network
    /// namespaces see each store at an address of its own. The mutant alters the queries to the
    /// databases.
    ///
    /// # Errors
    /// Fails when no port is free.
    pub(crate) async fn to(
        databases: &[u16],
        redis: Option<u16>,
        networks: &[Network],
        (seed, mutant): (u64, Option<QueryMutant>),
    ) -> Result<Self> {
        ensure!(databases.len() == DATABASES, "there are {} databases", databases.len());
        let mut all = Vec::new();
        for process in 0..PROCESSES {
            let mut proxies = Vec::new();
            for (index, port) in (0..).zip(databases.iter().copied().chain(redis)) {
                let here = networks.get(process).map_or(Ipv4Addr::LOCALHOST, |network| network.store(index));
                let seed = seed ^ (process as u64 * 8 + u64::from(index)) << 32;
                proxies.push(match mutant.filter(|_| usize::from(index) < DATABASES) {
                    Some(mutant) => Proxy::filtered(here, port, seed, move || mutant.filter()).await?,
                    None => Proxy::between(here, port, seed).await?,
                });
            }
            all.push(proxies);
        }
        Ok(Self(all))
    }

    /// Returns the addresses of the databases for one process.
    pub(crate) fn databases(&self, process: usize) -> Vec<String> {
        self.0[process][..DATABASES].iter().map(|proxy| format!("mysql://root@{}", proxy.address())).collect()
    }

    /// Returns the address of Redis for one process; none if there is no proxy to it.
    pub(crate) fn redis(&self, process: usize) -> Option<String> {
        self.0[process].get(DATABASES).map(|proxy| format!("redis://{}", proxy.address()))
    }

    pub(super) fn of(&self, process: usize, store: Store) -> &Proxy {
        &self.0[process][usize::from(store.index())]
    }
}
