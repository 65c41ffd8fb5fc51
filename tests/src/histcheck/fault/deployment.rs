//! The service and its stores, into which faults are injected.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use nix::sys::signal::Signal;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use riposte_test_support::kafka::Kafka;
use tokio::sync::{Mutex, watch};

use super::databases::Databases;
use super::injection::Injection;
use super::kind::FaultKind;
use super::proxies::Proxies;
use crate::clock::Clock;
use crate::histcheck::fleet::Fleet;
use crate::net::Network;
use crate::proxy::ProxyMode;
use crate::redis;

/// The service and its stores.
#[derive(Debug)]
pub(crate) struct Deployment {
    pub(crate) fleet: Fleet,
    proxies: Proxies,
    /// The clocks of the servers and the relay; empty if they use the clock of the machine.
    clocks: Vec<Clock>,
    /// The network namespaces of the servers and the relay; empty if they use the one of this
    /// program.
    networks: Vec<Network>,
    databases: Databases,
    /// Its methods block, so they are called on threads for blocking work.
    redis: Arc<Mutex<dyn redis::FaultTarget + Send>>,
    /// The broker of the topic, if there is one. Its methods block, too.
    kafka: Option<Kafka>,
    /// Makes the clients of a burst work or pause; `None` once the bursts have ended.
    burst: Option<watch::Sender<bool>>,
}

impl Deployment {
    pub(crate) fn new(
        fleet: Fleet,
        proxies: Proxies,
        (clocks, networks): (Vec<Clock>, Vec<Network>),
        (redis, kafka): (Arc<Mutex<dyn redis::FaultTarget + Send>>, Option<Kafka>),
        burst: watch::Sender<bool>,
    ) -> Self {
        Self { fleet, proxies, clocks, networks, databases: Databases, redis, kafka, burst: Some(burst) }
    }

    /// Returns the Redis that stores the cache, for reads.
    pub(crate) fn redis(&self) -> Arc<Mutex<dyn redis::FaultTarget + Send>> {
        Arc::clone(&self.redis)
    }

    /// Returns the broker of the topic, if there is one, for reads.
    pub(crate) fn brokers(&self) -> Option<String> {
        self.kafka.as_ref().map(Kafka::brokers)
    }

    /// Ends the clients of the bursts; no further burst can begin.
    pub(crate) fn end_bursts(&mut self) {
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
    pub(crate) async fn inject(&mut self, injection: Injection, random: &mut StdRng) -> Result<()> {
        let injected = self.inject_fault(injection, random).await;
        injected.with_context(|| format!("{} {}", injection.kind.name(), injection.target()))
    }

    async fn inject_fault(&mut self, injection: Injection, random: &mut StdRng) -> Result<()> {
        let Injection { process, database, store, length, .. } = injection;
        match injection.kind {
            FaultKind::KillServer | FaultKind::KillRelay => {
                self.fleet.kill(process).await?;
                self.fleet.replace().await
            }
            FaultKind::KillSeveral => self.kill_several(injection).await,
            FaultKind::KillMidway => {
                self.proxies.of(process, store).set(injection.proxy_mode().context("it affects no proxy")?);
                tokio::time::sleep(length).await;
                self.fleet.kill(process).await?;
                self.proxies.of(process, store).set(ProxyMode::Forward);
                self.fleet.replace().await
            }
            FaultKind::RollServer => {
                self.fleet.terminate(process).await?;
                self.fleet.replace().await
            }
            FaultKind::PauseServer | FaultKind::PauseRelay => {
                self.fleet.signal(process, Signal::SIGSTOP)?;
                tokio::time::sleep(length).await;
                self.fleet.signal(process, Signal::SIGCONT)
            }
            FaultKind::StepClock => {
                let clock = self.clocks.get(process).context("the process has no clock of its own")?;
                clock.set(injection.ahead)?;
                tokio::time::sleep(length).await;
                clock.set(0)
            }
            FaultKind::KillMariaDb => {
                self.databases.kill(&[database]).await?;
                self.databases.start(&[database]).await
            }
            FaultKind::PauseMariaDb => {
                self.databases.pause(&[database]).await?;
                tokio::time::sleep(length).await;
                self.databases.resume(&[database]).await
            }
            FaultKind::FailSync => self.databases.fail_sync(database).await,
            FaultKind::FillDisk => self.databases.fill_disk(database).await,
            FaultKind::KillRedis => self.inject_into_redis(random, redis::RedisFault::Restart, 1).await,
            FaultKind::PauseRedis => self.inject_into_redis(random, redis::RedisFault::Pause(length), 1).await,
            FaultKind::FlushRedis => self.inject_into_redis(random, redis::RedisFault::Flush, 1).await,
            FaultKind::EvictRedis => self.inject_into_redis(random, redis::RedisFault::Evict, injection.keys).await,
            FaultKind::FailOver => self.inject_into_redis(random, redis::RedisFault::Failover(length), 1).await,
            FaultKind::Delay
            | FaultKind::Late
            | FaultKind::Slices
            | FaultKind::HalfOpen
            | FaultKind::OneWay
            | FaultKind::Reset => {
                let proxy = self.proxies.of(process, store);
                proxy.set(injection.proxy_mode().context("it affects no proxy")?);
                tokio::time::sleep(length).await;
                proxy.set(ProxyMode::Forward);
                Ok(())
            }
            FaultKind::Blackhole => {
                let network = self.networks.get(process).context("the process has no network of its own")?;
                network.drop_packets(store.index()).await?;
                tokio::time::sleep(length).await;
                network.pass_packets(store.index()).await
            }
            FaultKind::KillBroker => self.kill_broker(length).await,
            FaultKind::Overload => {
                let burst = self.burst.as_ref().context("there are no more bursts")?;
                burst.send_replace(true);
                tokio::time::sleep(length).await;
                burst.send_replace(false);
                Ok(())
            }
        }
    }

    /// Kills the broker, and starts it again after a while.
    async fn kill_broker(&mut self, pause: Duration) -> Result<()> {
        let mut kafka = self.kafka.take().context("there is no broker")?;
        kafka.kill(0);
        tokio::time::sleep(pause).await;
        let started = tokio::task::spawn_blocking(move || kafka.start_again(0).map(|()| kafka)).await??;
        self.kafka = Some(started);
        Ok(())
    }

    /// Kills servers and databases, and starts each of them again without waiting for the others.
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

    async fn inject_into_redis(&self, random: &mut StdRng, fault: redis::RedisFault, times: u8) -> Result<()> {
        let mut redis = Arc::clone(&self.redis).lock_owned().await;
        let mut random = StdRng::seed_from_u64(random.random());
        let inject = move || (0..times).try_for_each(|_| redis.inject(fault, &mut random));
        tokio::task::spawn_blocking(inject).await?
    }
}
