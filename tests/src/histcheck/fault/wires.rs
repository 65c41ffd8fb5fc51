//! The wires between servers and stores, through which everything goes that one says to the other.

use std::net::Ipv4Addr;

use anyhow::{Result, ensure};

use super::strike::Store;
use crate::kill::fleet::SERVERS;
use crate::net::Network;
use crate::wire::Proxy;

/// Databases there are.
const DATABASES: usize = 2;

/// The wires from each server to the databases and, unless it is a cluster, to Redis.
#[derive(Debug)]
pub(crate) struct Wires(Vec<Vec<Proxy>>);

impl Wires {
    /// Wires from each server to the stores of these ports. Servers in networks see each store at an address of its own.
    ///
    /// # Errors
    /// When no port is free.
    pub(crate) async fn to(databases: &[u16], redis: Option<u16>, networks: &[Network]) -> Result<Self> {
        ensure!(databases.len() == DATABASES, "there are {} databases", databases.len());
        let mut all = Vec::new();
        for server in 0..SERVERS {
            let mut wires = Vec::new();
            for (place, port) in (0..).zip(databases.iter().copied().chain(redis)) {
                let here = networks.get(server).map_or(Ipv4Addr::LOCALHOST, |network| network.store(place));
                wires.push(Proxy::between(here, port).await?);
            }
            all.push(wires);
        }
        Ok(Self(all))
    }

    /// The addresses of the databases that one server is told.
    pub(crate) fn databases(&self, server: usize) -> Vec<String> {
        self.0[server][..DATABASES].iter().map(|wire| format!("mysql://root@{}", wire.address())).collect()
    }

    /// The address of Redis that one server is told; none where no wire leads there.
    pub(crate) fn redis(&self, server: usize) -> Option<String> {
        self.0[server].get(DATABASES).map(|wire| format!("redis://{}", wire.address()))
    }

    pub(super) fn of(&self, server: usize, store: Store) -> &Proxy {
        &self.0[server][usize::from(store.place())]
    }
}
