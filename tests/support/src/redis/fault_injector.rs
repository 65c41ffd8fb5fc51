//! Random fault injection into a Redis that is in use.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use super::cluster::Cluster;
use super::connection::Reply;
use super::server::Server;
use super::stored_key::{self, StoredKey};

/// A fault of a Redis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedisFault {
    /// A key is evicted, as under memory pressure. Each type of key is equally likely, so a header
    /// is evicted as often as a content.
    Evict,
    /// All keys are removed (FLUSHALL), in a cluster those of one master.
    Flush,
    /// A process is suspended for this time and resumed (SIGSTOP, SIGCONT). In a cluster the time
    /// is too short for the other nodes to notice.
    Pause(Duration),
    /// A process is killed with SIGKILL and restarts empty; its functions are gone too.
    Restart,
    /// A replica is cut off, and after this time takes over with the data that it has. The fault
    /// ends when the cluster is complete again.
    Failover(Duration),
}

/// A target of fault injection.
pub trait FaultTarget: std::fmt::Debug {
    /// Chooses a fault that this target supports.
    fn choose_fault(&self, random: &mut StdRng) -> RedisFault;

    /// Injects a fault, and returns when it is over.
    ///
    /// # Errors
    /// If the target does not recover, or does not support this fault.
    fn inject(&mut self, fault: RedisFault, random: &mut StdRng) -> Result<()>;

    /// Returns every key, in a cluster those of its masters.
    ///
    /// # Errors
    /// If a server does not respond.
    fn keys(&self) -> Result<Vec<StoredKey>>;
}

/// A sequence of faults that is determined by a seed. Their times depend on the duration of each
/// fault.
#[derive(Debug)]
pub struct FaultInjector {
    random: StdRng,
    /// The longest pause between two faults.
    pause: Duration,
}

impl FaultInjector {
    /// Creates a sequence from this seed, with pauses of random length up to `pause` between the
    /// faults.
    #[must_use]
    pub fn new(seed: u64, pause: Duration) -> Self {
        Self { random: StdRng::seed_from_u64(seed), pause }
    }

    /// Injects `count` faults and returns them in order. The call blocks while the load on the
    /// target runs elsewhere. At the end the target is complete.
    ///
    /// # Errors
    /// If the target does not recover from a fault.
    pub fn inject_random(&mut self, target: &mut impl FaultTarget, count: usize) -> Result<Vec<RedisFault>> {
        let mut injected = Vec::with_capacity(count);
        for _ in 0..count {
            std::thread::sleep(self.random_duration(self.pause));
            let fault = target.choose_fault(&mut self.random);
            target.inject(fault, &mut self.random).with_context(|| format!("{fault:?} after {injected:?}"))?;
            injected.push(fault);
        }
        Ok(injected)
    }

    fn random_duration(&mut self, longest: Duration) -> Duration {
        random_duration(&mut self.random, longest)
    }
}

impl FaultTarget for Server {
    fn choose_fault(&self, random: &mut StdRng) -> RedisFault {
        match random.random_range(0..10) {
            0..=5 => RedisFault::Evict,
            6 => RedisFault::Flush,
            7 | 8 => RedisFault::Pause(random_duration(random, Duration::from_millis(400))),
            _ => RedisFault::Restart,
        }
    }

    fn inject(&mut self, fault: RedisFault, random: &mut StdRng) -> Result<()> {
        match fault {
            RedisFault::Evict => evict(self, random),
            RedisFault::Flush => self.flush(),
            RedisFault::Pause(length) => pause(self, length),
            RedisFault::Restart => self.start_again(),
            RedisFault::Failover(_) => bail!("a single server has no replica"),
        }
    }

    fn keys(&self) -> Result<Vec<StoredKey>> {
        stored_key::of(self)
    }
}

impl FaultTarget for Cluster {
    fn choose_fault(&self, random: &mut StdRng) -> RedisFault {
        match random.random_range(0..12) {
            0..=6 => RedisFault::Evict,
            7 => RedisFault::Flush,
            8 | 9 => RedisFault::Pause(random_duration(random, Duration::from_millis(400))),
            10 => RedisFault::Restart,
            _ => RedisFault::Failover(random_duration(random, Duration::from_millis(400))),
        }
    }

    fn inject(&mut self, fault: RedisFault, random: &mut StdRng) -> Result<()> {
        let masters = self.masters()?;
        let master = *masters.choose(random).context("no master")?;
        match fault {
            RedisFault::Evict => evict(&self.nodes()[master], random),
            RedisFault::Flush => self.nodes()[master].flush(),
            RedisFault::Pause(length) => pause(&self.nodes()[master], length),
            RedisFault::Restart => {
                self.node_mut(master).start_again()?;
                self.wait_until_ready()
            }
            RedisFault::Failover(lag) => {
                let replica = self.replica_of(master)?;
                self.hold_back(replica)?;
                std::thread::sleep(lag);
                self.take_over(replica)?;
                self.wait_until_ready()
            }
        }
    }

    fn keys(&self) -> Result<Vec<StoredKey>> {
        let masters = self.masters()?.into_iter().map(|master| stored_key::of(&self.nodes()[master]));
        Ok(masters.collect::<Result<Vec<_>>>()?.concat())
    }
}

/// Returns a random duration up to `longest`.
fn random_duration(random: &mut StdRng, longest: Duration) -> Duration {
    longest.mul_f64(random.random())
}

fn pause(server: &Server, length: Duration) -> Result<()> {
    server.pause()?;
    std::thread::sleep(length);
    server.resume()
}

/// Removes a key of a random type, if one exists.
fn evict(server: &Server, random: &mut StdRng) -> Result<()> {
    let kind = ["string", "hash", "zset"].choose(random).context("no type")?;
    let found = server.ask(&["SCAN", "0", "COUNT", "10000", "TYPE", kind])?;
    let Reply::List(parts) = found else { bail!("SCAN says {found:?}") };
    let Some(Reply::List(keys)) = parts.last() else { bail!("SCAN says {parts:?}") };
    match keys.choose(random) {
        Some(key) => server.ask(&["DEL", &key.clone().text()?]).map(drop),
        None => Ok(()),
    }
}
