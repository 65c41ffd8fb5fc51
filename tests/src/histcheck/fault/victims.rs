//! The service and its stores, as targets of fault injection.

use std::sync::Arc;

use anyhow::{Context, Result};
use nix::sys::signal::Signal;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::sync::{Mutex, watch};

use super::databases::Databases;
use super::injection::Injection;
use super::kind::Kind;
use super::proxies::Wires;
use crate::clock::Clock;
use crate::histcheck::fleet::Fleet;
use crate::net::Network;
use crate::proxy::Weather;
use crate::redis;

/// All components that faults can affect.
#[derive(Debug)]
pub(crate) struct Rig {
    pub(crate) fleet: Fleet,
    proxies: Wires,
    /// The clocks of the servers and the relay; empty if they use the clock of the machine.
    clocks: Vec<Clock>,
    /// The network namespaces of the servers and the relay; empty if they use the one of this
    /// program.
    networks: Vec<Network>,
    databases: Databases,
    /// Its methods block, so they are called on threads for blocking work.
    redis: Arc<Mutex<dyn redis::Victim + Send>>,
    /// Makes the clients of a burst work or pause; `None` once the bursts have ended.
    burst: Option<watch::Sender<bool>>,
}

impl Rig {
    pub(crate) fn new(
        fleet: Fleet,
        proxies: Wires,
        (clocks, networks): (Vec<Clock>, Vec<Network>),
        redis: Arc<Mutex<dyn redis::Victim + Send>>,
        burst: watch::Sender<bool>,
    ) -> Self {
        Self { fleet, proxies, clocks, networks, databases: Databases, redis, burst: Some(burst) }
    }

    /// Returns the Redis that stores the cache, for reads.
    pub(crate) fn redis(&self) -> Arc<Mutex<dyn redis::Victim + Send>> {
        Arc::clone(&self.redis)
    }

    /// Ends the bursts for good, and with them their clients.
    pub(crate) fn calm(&mut self) {
        self.burst = None;
    }

    /// Stops all servers, and then the other components.
    ///
    /// # Errors
    /// Fails when a server does not stop.
    pub(crate) async fn stop(self) -> Result<()> {
        self.fleet.stop().await
    }

    /// Injects a fault, and returns when the affected processes run again.
    ///
    /// # Errors
    /// Fails when one of them does not run again.
    pub(crate) async fn suffer(&mut self, injection: Injection, random: &mut StdRng) -> Result<()> {
        let suffered = self.injection(injection, random).await;
        suffered.with_context(|| format!("{} {}", injection.kind.name(), injection.target()))
    }

    async fn injection(&mut self, injection: Injection, random: &mut StdRng) -> Result<()> {
        let Injection { process, database, store, length, .. } = injection;
        match injection.kind {
            Kind::KillServer | Kind::KillRelay => {
                self.fleet.kill(process).await?;
                self.fleet.replace().await
            }
            Kind::KillSeveral => self.kill_several(injection).await,
            Kind::KillMidway => {
                self.proxies.of(process, store).set(injection.weather().context("no weather")?);
                tokio::time::sleep(length).await;
                self.fleet.kill(process).await?;
                self.proxies.of(process, store).set(Weather::Clear);
                self.fleet.replace().await
            }
            Kind::RollServer => {
                self.fleet.end(process).await?;
                self.fleet.replace().await
            }
            Kind::PauseServer | Kind::PauseRelay => {
                self.fleet.signal(process, Signal::SIGSTOP)?;
                tokio::time::sleep(length).await;
                self.fleet.signal(process, Signal::SIGCONT)
            }
            Kind::StepClock => {
                let clock = self.clocks.get(process).context("it has no clock of its own")?;
                clock.set(injection.ahead)?;
                tokio::time::sleep(length).await;
                clock.set(0)
            }
            Kind::KillMariaDb => {
                self.databases.kill(&[database]).await?;
                self.databases.start(&[database]).await
            }
            Kind::PauseMariaDb => {
                self.databases.pause(&[database]).await?;
                tokio::time::sleep(length).await;
                self.databases.resume(&[database]).await
            }
            Kind::FailSync => self.databases.fail_sync(database).await,
            Kind::FillDisk => self.databases.fill_disk(database).await,
            Kind::KillRedis => self.hurt_redis(random, redis::RedisFault::Restart, 1).await,
            Kind::PauseRedis => self.hurt_redis(random, redis::RedisFault::Pause(length), 1).await,
            Kind::FlushRedis => self.hurt_redis(random, redis::RedisFault::Flush, 1).await,
            Kind::EvictRedis => self.hurt_redis(random, redis::RedisFault::Evict, injection.keys).await,
            Kind::FailOver => self.hurt_redis(random, redis::RedisFault::Failover(length), 1).await,
            Kind::Delay | Kind::Late | Kind::Slices | Kind::HalfOpen | Kind::OneWay | Kind::Reset => {
                let proxy = self.proxies.of(process, store);
                proxy.set(injection.weather().context("no weather")?);
                tokio::time::sleep(length).await;
                proxy.set(Weather::Clear);
                Ok(())
            }
            Kind::Blackhole => {
                let network = self.networks.get(process).context("it is in no network of its own")?;
                network.swallow(store.place()).await?;
                tokio::time::sleep(length).await;
                network.let_through(store.place()).await
            }
            Kind::Overload => {
                let burst = self.burst.as_ref().context("there are no more bursts")?;
                burst.send_replace(true);
                tokio::time::sleep(length).await;
                burst.send_replace(false);
                Ok(())
            }
        }
    }

    /// Starts each process again as soon as it has ended, whether the others run or not.
    async fn kill_several(&mut self, injection: Injection) -> Result<()> {
        let servers = async {
            for server in injection.servers() {
                self.fleet.kill(server).await?;
            }
            self.fleet.replace().await
        };
        let databases = async {
            self.databases.kill(&injection.databases()).await?;
            self.databases.start(&injection.databases()).await
        };
        tokio::try_join!(servers, databases).map(|_| ())
    }

    async fn hurt_redis(&self, random: &mut StdRng, fault: redis::RedisFault, times: u8) -> Result<()> {
        let mut redis = Arc::clone(&self.redis).lock_owned().await;
        let mut random = StdRng::seed_from_u64(random.random());
        let suffers = move || (0..times).try_for_each(|_| redis.suffer(fault, &mut random));
        tokio::task::spawn_blocking(suffers).await?
    }
}
