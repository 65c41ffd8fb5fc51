//! Random fault injection into a Redis that is in use.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use crate::cluster::Cluster;
use crate::connection::Reply;
use crate::kept::{self, Kept};
use crate::server::Server;

/// A fault of a Redis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
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
    /// A replica is cut off, and after this time takes over with the data that it has; then the
    /// cluster becomes whole again.
    Failover(Duration),
}

/// A target of fault injection.
pub trait Victim: std::fmt::Debug {
    /// Chooses a fault that this target supports.
    fn pick(&self, random: &mut StdRng) -> Fault;

    /// Injects a fault, and returns when it is over.
    ///
    /// # Errors
    /// If the target does not recover, or does not support this fault.
    fn suffer(&mut self, fault: Fault, random: &mut StdRng) -> Result<()>;

    /// Returns every key, in a cluster those of its masters.
    ///
    /// # Errors
    /// If a server does not respond.
    fn kept(&self) -> Result<Vec<Kept>>;
}

/// A sequence of faults that is determined by a seed. Their times depend on the duration of each
/// fault.
#[derive(Debug)]
pub struct Storm {
    random: StdRng,
    /// The longest pause between two faults.
    calm: Duration,
}

impl Storm {
    /// Creates a sequence from this seed, with pauses of random length up to `calm` between the
    /// faults.
    #[must_use]
    pub fn new(seed: u64, calm: Duration) -> Self {
        Self { random: StdRng::seed_from_u64(seed), calm }
    }

    /// Injects `count` faults and returns them in order. The call blocks while the load on the
    /// target runs elsewhere. At the end the target is whole.
    ///
    /// # Errors
    /// If the target does not recover from a fault.
    pub fn rage(&mut self, victim: &mut impl Victim, count: usize) -> Result<Vec<Fault>> {
        let mut struck = Vec::with_capacity(count);
        for _ in 0..count {
            std::thread::sleep(self.moment(self.calm));
            let fault = victim.pick(&mut self.random);
            victim.suffer(fault, &mut self.random).with_context(|| format!("{fault:?} after {struck:?}"))?;
            struck.push(fault);
        }
        Ok(struck)
    }

    fn moment(&mut self, longest: Duration) -> Duration {
        moment(&mut self.random, longest)
    }
}

impl Victim for Server {
    fn pick(&self, random: &mut StdRng) -> Fault {
        match random.random_range(0..10) {
            0..=5 => Fault::Evict,
            6 => Fault::Flush,
            7 | 8 => Fault::Pause(moment(random, Duration::from_millis(400))),
            _ => Fault::Restart,
        }
    }

    fn suffer(&mut self, fault: Fault, random: &mut StdRng) -> Result<()> {
        match fault {
            Fault::Evict => evict(self, random),
            Fault::Flush => self.flush(),
            Fault::Pause(length) => pause(self, length),
            Fault::Restart => self.start_again(),
            Fault::Failover(_) => bail!("a server alone has nobody to take over"),
        }
    }

    fn kept(&self) -> Result<Vec<Kept>> {
        kept::of(self)
    }
}

impl Victim for Cluster {
    fn pick(&self, random: &mut StdRng) -> Fault {
        match random.random_range(0..12) {
            0..=6 => Fault::Evict,
            7 => Fault::Flush,
            8 | 9 => Fault::Pause(moment(random, Duration::from_millis(400))),
            10 => Fault::Restart,
            _ => Fault::Failover(moment(random, Duration::from_millis(400))),
        }
    }

    fn suffer(&mut self, fault: Fault, random: &mut StdRng) -> Result<()> {
        let masters = self.masters()?;
        let master = *masters.choose(random).context("no master")?;
        match fault {
            Fault::Evict => evict(&self.nodes()[master], random),
            Fault::Flush => self.nodes()[master].flush(),
            Fault::Pause(length) => pause(&self.nodes()[master], length),
            Fault::Restart => {
                self.node_mut(master).start_again()?;
                self.settle()
            }
            Fault::Failover(lag) => {
                let replica = self.replica_of(master)?;
                self.hold_back(replica)?;
                std::thread::sleep(lag);
                self.take_over(replica)?;
                self.settle()
            }
        }
    }

    fn kept(&self) -> Result<Vec<Kept>> {
        let masters = self.masters()?.into_iter().map(|master| kept::of(&self.nodes()[master]));
        Ok(masters.collect::<Result<Vec<_>>>()?.concat())
    }
}

/// Returns a random duration up to `longest`.
fn moment(random: &mut StdRng, longest: Duration) -> Duration {
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
