//! The service and its stores, as faults strike them.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use nix::sys::signal::Signal;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::sync::{Mutex, watch};

use super::strike::{Store, Strike};
use crate::kill::databases::Databases;
use crate::kill::fleet::{Fleet, SERVERS};
use crate::redis;
use crate::redis::Victim;
use crate::wire::{Proxy, Weather};

/// Databases there are.
pub(crate) const DATABASES: usize = 2;
/// How long a server may take to serve again.
const AGAIN_WITHIN: Duration = Duration::from_secs(60);

/// The wires from each server to the databases and to Redis.
#[derive(Debug)]
pub(crate) struct Wires {
    databases: [[Proxy; DATABASES]; SERVERS],
    redis: [Proxy; SERVERS],
}

/// Everything that can be hurt.
#[derive(Debug)]
pub(crate) struct Rig {
    pub(crate) fleet: Fleet,
    pub(crate) wires: Wires,
    databases: Databases,
    /// It blocks, so it is used on threads where that may be.
    redis: Arc<Mutex<redis::Server>>,
    /// Whether the clients of a burst work; `None` when there are no more.
    burst: Option<watch::Sender<bool>>,
}

impl Wires {
    /// Wires to the databases of these ports and to a Redis.
    ///
    /// # Errors
    /// When no port is free.
    pub(crate) async fn to(databases: [u16; DATABASES], redis: u16) -> Result<Self> {
        let both = async || anyhow::Ok([Proxy::to(databases[0]).await?, Proxy::to(databases[1]).await?]);
        let databases = [both().await?, both().await?];
        Ok(Self { databases, redis: [Proxy::to(redis).await?, Proxy::to(redis).await?] })
    }

    /// The addresses of the databases that one server is told.
    pub(crate) fn databases(&self, server: usize) -> Vec<String> {
        self.databases[server].iter().map(|wire| format!("mysql://root@127.0.0.1:{}", wire.port())).collect()
    }

    /// The address of Redis that one server is told.
    pub(crate) fn redis(&self, server: usize) -> String {
        format!("redis://127.0.0.1:{}", self.redis[server].port())
    }

    fn of(&self, server: usize, store: Store) -> &Proxy {
        match store {
            Store::MariaDb(number) => &self.databases[server][usize::from(number) - 1],
            Store::Redis => &self.redis[server],
        }
    }
}

impl Rig {
    pub(crate) fn new(fleet: Fleet, wires: Wires, redis: redis::Server, burst: watch::Sender<bool>) -> Self {
        Self { fleet, wires, databases: Databases, redis: Arc::new(Mutex::new(redis)), burst: Some(burst) }
    }

    /// Ends the bursts for good, and with them their clients.
    pub(crate) fn calm(&mut self) {
        self.burst = None;
    }

    /// Stops the servers, and then everything else.
    ///
    /// # Errors
    /// When one does not stop.
    pub(crate) async fn stop(self) -> Result<()> {
        self.fleet.stop().await
    }

    /// Strikes, and returns when whoever was hurt runs again.
    ///
    /// # Errors
    /// When it does not.
    pub(crate) async fn suffer(&mut self, strike: Strike, random: &mut StdRng) -> Result<()> {
        let suffered = self.strike(strike, random).await;
        suffered.with_context(|| format!("{} {}", strike.kind(), strike.target()))
    }

    async fn strike(&mut self, strike: Strike, random: &mut StdRng) -> Result<()> {
        match strike {
            Strike::KillServer(server) => {
                self.fleet.kill(server).await?;
                self.replace().await
            }
            Strike::RollServer(server) => {
                self.fleet.end(server).await?;
                self.replace().await
            }
            Strike::PauseServer(server, length) => {
                self.fleet.signal(server, Signal::SIGSTOP)?;
                tokio::time::sleep(length).await;
                self.fleet.signal(server, Signal::SIGCONT)
            }
            Strike::KillMariaDb(number) => {
                self.databases.kill(&[number]).await?;
                self.databases.start(&[number]).await
            }
            Strike::PauseMariaDb(number, length) => {
                self.databases.pause(&[number]).await?;
                tokio::time::sleep(length).await;
                self.databases.resume(&[number]).await
            }
            Strike::KillRedis => self.redis(random, redis::Fault::Restart, 1).await,
            Strike::PauseRedis(length) => self.redis(random, redis::Fault::Pause(length), 1).await,
            Strike::FlushRedis => self.redis(random, redis::Fault::Flush, 1).await,
            Strike::EvictRedis(keys) => self.redis(random, redis::Fault::Evict, keys).await,
            Strike::Wire(server, store, weather, length) => {
                self.wires.of(server, store).set(weather);
                tokio::time::sleep(length).await;
                self.wires.of(server, store).set(Weather::Clear);
                Ok(())
            }
            Strike::Overload(length) => {
                let burst = self.burst.as_ref().context("there are no more bursts")?;
                burst.send_replace(true);
                tokio::time::sleep(length).await;
                burst.send_replace(false);
                Ok(())
            }
        }
    }

    async fn replace(&mut self) -> Result<()> {
        let replaced = tokio::time::timeout(AGAIN_WITHIN, self.fleet.replace()).await;
        replaced.context("no server stands again in time")?
    }

    async fn redis(&self, random: &mut StdRng, fault: redis::Fault, times: u8) -> Result<()> {
        let mut redis = Arc::clone(&self.redis).lock_owned().await;
        let mut random = StdRng::seed_from_u64(random.random());
        let suffers = move || (0..times).try_for_each(|_| redis.suffer(fault, &mut random));
        tokio::task::spawn_blocking(suffers).await?
    }
}
