//! Faults that strike a Redis at random while others use it.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use crate::cluster::Cluster;
use crate::connection::Reply;
use crate::kept::{self, Kept};
use crate::server::Server;

/// What happens to a Redis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A key vanishes, as when memory is short. Each type of keys is hit alike, so a header goes as often as a content.
    Evict,
    /// All keys vanish (FLUSHALL), in a cluster those of one master.
    Flush,
    /// A process stands still for so long and goes on (SIGSTOP, SIGCONT). In a cluster it is too short to be missed.
    Pause(Duration),
    /// A process dies by SIGKILL and comes back with nothing; functions are gone too.
    Restart,
    /// A replica is cut off, and after so long takes over with what it has; then the cluster becomes whole again.
    Failover(Duration),
}

/// Something that faults strike.
pub trait Victim: std::fmt::Debug {
    /// Picks a fault that it can suffer.
    fn pick(&self, random: &mut StdRng) -> Fault;

    /// Suffers a fault, and returns when it is over.
    ///
    /// # Errors
    /// When it does not come back, or cannot suffer this fault.
    fn suffer(&mut self, fault: Fault, random: &mut StdRng) -> Result<()>;

    /// Every key, in a cluster those of its masters.
    ///
    /// # Errors
    /// When a server does not answer.
    fn kept(&self) -> Result<Vec<Kept>>;
}

/// A sequence of faults that follows from a seed. When they strike depends on how long each of them takes.
#[derive(Debug)]
pub struct Storm {
    random: StdRng,
    /// The longest calm between two faults.
    calm: Duration,
}

impl Storm {
    /// A storm of this seed, with calms of random length up to `calm` between the faults.
    #[must_use]
    pub fn new(seed: u64, calm: Duration) -> Self {
        Self { random: StdRng::seed_from_u64(seed), calm }
    }

    /// Lets `count` faults strike and tells them in their order. It blocks; what the victim is used for runs beside it. At
    /// the end the victim is whole.
    ///
    /// # Errors
    /// When the victim does not come back from a fault.
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

/// Any length up to this one.
fn moment(random: &mut StdRng, longest: Duration) -> Duration {
    longest.mul_f64(random.random())
}

fn pause(server: &Server, length: Duration) -> Result<()> {
    server.pause()?;
    std::thread::sleep(length);
    server.resume()
}

/// Removes a key of a type drawn by lot, if there is any.
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
