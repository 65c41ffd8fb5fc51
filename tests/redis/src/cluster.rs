//! A Redis Cluster of six processes.

use anyhow::{Context, Result, ensure};

use crate::peer::Peer;
use crate::program::Program;
use crate::server::Server;
use crate::wait::until;

/// Masters at the start, and replicas: one for each.
const MASTERS: usize = 3;
/// Hash slots of any cluster.
const SLOTS: usize = 16_384;

/// Three masters, nodes 0 to 2, and three replicas, nodes 3 to 5: who is what changes with each failover.
#[derive(Debug)]
pub struct Cluster {
    nodes: Vec<Server>,
}

impl Cluster {
    /// Starts a cluster, and returns when it is whole as [`Cluster::settle`] says.
    ///
    /// # Errors
    /// When a node does not come up, or they do not come together.
    pub fn start(program: &Program) -> Result<Self> {
        let nodes = (0..2 * MASTERS).map(|_| Server::start_node(program)).collect::<Result<Vec<_>>>()?;
        let cluster = Self { nodes };
        cluster.join()?;
        cluster.settle()?;
        Ok(cluster)
    }

    /// What `redis-cli --cluster create` does, with a look instead of a second's sleep for each step.
    fn join(&self) -> Result<()> {
        for (number, node) in self.nodes.iter().enumerate() {
            // Without epochs of their own, nodes would have to settle them among themselves first.
            node.ask(&["CLUSTER", "SET-CONFIG-EPOCH", &(number + 1).to_string()])?;
            if number < MASTERS {
                let (from, to) = (number * SLOTS / MASTERS, (number + 1) * SLOTS / MASTERS - 1);
                node.ask(&["CLUSTER", "ADDSLOTSRANGE", &from.to_string(), &to.to_string()])?;
            }
            let bus = node.bus().context("not a node of a cluster")?.to_string();
            self.nodes[0].ask(&["CLUSTER", "MEET", "127.0.0.1", &node.port().to_string(), &bus])?;
        }
        for number in MASTERS..self.nodes.len() {
            let master = self.nodes[number - MASTERS].ask(&["CLUSTER", "MYID"])?.text()?;
            // Refused until it has heard of its master.
            let follow = || self.nodes[number].ask(&["CLUSTER", "REPLICATE", &master]);
            until("a replica knows its master", follow)?;
        }
        Ok(())
    }

    /// Its address with all nodes, `redis-cluster://127.0.0.1:port?node=127.0.0.1:port&…`.
    #[must_use]
    pub fn url(&self) -> String {
        let mut addresses = self.nodes.iter().map(|node| format!("127.0.0.1:{}", node.port()));
        let first = addresses.next().unwrap_or_default();
        let others: Vec<String> = addresses.map(|address| format!("node={address}")).collect();
        format!("redis-cluster://{first}?{}", others.join("&"))
    }

    /// All nodes by their numbers.
    #[must_use]
    pub fn nodes(&self) -> &[Server] {
        &self.nodes
    }

    /// A node, to kill it or to start it again.
    pub fn node_mut(&mut self, number: usize) -> &mut Server {
        &mut self.nodes[number]
    }

    /// The numbers of the nodes that serve slots.
    ///
    /// # Errors
    /// When no node answers.
    pub fn masters(&self) -> Result<Vec<usize>> {
        let peers = self.seen()?;
        peers.iter().filter(|peer| peer.served() > 0).map(|peer| self.number(peer)).collect()
    }

    /// The number of the master that serves a key.
    ///
    /// # Errors
    /// When no node answers, or none serves it.
    pub fn master_of(&self, key: &str) -> Result<usize> {
        let slot = usize::try_from(self.any()?.ask(&["CLUSTER", "KEYSLOT", key])?.number()?)?;
        let peers = self.seen()?;
        let mut serving = peers.iter().filter(|peer| peer.serves(slot));
        self.number(serving.next().with_context(|| format!("nobody serves slot {slot}"))?)
    }

    /// The number of the running replica of a master.
    ///
    /// # Errors
    /// When no node answers, or it has none.
    pub fn replica_of(&self, master: usize) -> Result<usize> {
        let peers = self.seen()?;
        let id = &peers.iter().find(|peer| peer.port == self.nodes[master].port()).context("an unknown node")?.id;
        let replicas = peers.iter().filter(|peer| peer.master.as_ref() == Some(id));
        let mut running = replicas
            .map(|peer| self.number(peer))
            .filter(|number| number.as_ref().is_ok_and(|number| self.nodes[*number].is_running()));
        running.next().context("it has no replica")?
    }

    /// Cuts a replica off from what its master is told: from now on it lags, and knows no more than it does now. All
    /// nodes still see each other, so nothing fails over.
    ///
    /// # Errors
    /// When a node does not answer.
    pub fn hold_back(&self, replica: usize) -> Result<()> {
        let node = &self.nodes[replica];
        let master = self
            .nodes
            .iter()
            .find(|other| node.info("replication", "master_port").ok() == Some(other.port().to_string()));
        let master = master.context("not a replica")?;
        // A password that the master does not know of ends every attempt to follow it.
        node.ask(&["CONFIG", "SET", "masterauth", "held back"])?;
        until("the master has lost its replica", || {
            master.ask(&["CLIENT", "KILL", "TYPE", "replica"])?;
            ensure!(node.info("replication", "master_link_status")? == "down", "still linked");
            ensure!(master.info("replication", "connected_slaves")? == "0", "still connected");
            Ok(())
        })
    }

    /// Makes a replica the master, whatever it lacks and whoever agrees (CLUSTER FAILOVER TAKEOVER), and returns when all
    /// running nodes know it. The old master, if it runs, throws away its data for the new one's.
    ///
    /// # Errors
    /// When it is no replica, or a node does not answer.
    pub fn take_over(&self, replica: usize) -> Result<()> {
        let node = &self.nodes[replica];
        node.ask(&["CLUSTER", "FAILOVER", "TAKEOVER"])?;
        until("all nodes know the new master", || {
            for view in self.views()? {
                let new = view.iter().find(|peer| peer.port == node.port()).context("it is unknown")?;
                ensure!(new.master.is_none() && new.served() > 0, "it is not known as a master");
            }
            Ok(())
        })?;
        self.let_go(replica)
    }

    /// Ends what [`Cluster::hold_back`] began: the node follows again, or serves.
    ///
    /// # Errors
    /// When the node does not answer.
    pub fn let_go(&self, replica: usize) -> Result<()> {
        self.nodes[replica].ask(&["CONFIG", "SET", "masterauth", ""]).map(drop)
    }

    /// Returns when the cluster is whole: every running node serves or follows, agrees with the others on who does what,
    /// and takes no running node for dead; all slots are served by nodes that run; every running replica of theirs is
    /// linked and up to date.
    ///
    /// # Errors
    /// When that does not happen, for instance since a master was killed that has no replica.
    pub fn settle(&self) -> Result<()> {
        until("the cluster is whole", || self.is_whole())
    }

    fn is_whole(&self) -> Result<()> {
        let views = self.views()?;
        let of_the_living = |peers: &[Peer]| -> Vec<Peer> {
            let mut living: Vec<Peer> = peers.iter().filter(|peer| self.runs(peer)).cloned().collect();
            living.sort_by_key(|peer| peer.port);
            living
        };
        let first = of_the_living(views.first().context("no node runs")?);
        for view in &views {
            let view = of_the_living(view);
            ensure!(view.len() == views.len(), "{} of {} nodes are known", view.len(), views.len());
            ensure!(view.iter().all(Peer::is_well), "a node is taken for dead: {view:?}");
            let alike = view.iter().zip(&first).all(|(one, other)| one.place() == other.place());
            ensure!(alike, "two nodes disagree: {view:?} and {first:?}");
        }
        let served: usize = first.iter().map(Peer::served).sum();
        ensure!(served == SLOTS, "{served} of {SLOTS} slots are served");
        for node in self.nodes.iter().filter(|node| node.is_running()) {
            let info = node.ask(&["CLUSTER", "INFO"])?.text()?;
            ensure!(info.contains("cluster_state:ok"), "a node does not serve: {info}");
            let following = node.info("replication", "role")? == "slave";
            ensure!(!following || node.info("replication", "master_link_status")? == "up", "a replica is not linked");
        }
        // A master sends to a replica only once it knows that this one has loaded what it was handed.
        for master in first.iter().filter(|peer| peer.master.is_none()) {
            let replicas = first.iter().filter(|peer| peer.master.as_ref() == Some(&master.id)).count();
            let info = self.nodes[self.number(master)?].ask(&["INFO", "replication"])?.text()?;
            let online = info.matches("state=online").count();
            ensure!(online == replicas, "{online} of {replicas} replicas are up to date");
        }
        Ok(())
    }

    /// What each running node sees.
    fn views(&self) -> Result<Vec<Vec<Peer>>> {
        self.nodes.iter().filter(|node| node.is_running()).map(view).collect()
    }

    /// What a running node sees.
    fn seen(&self) -> Result<Vec<Peer>> {
        view(self.any()?)
    }

    fn any(&self) -> Result<&Server> {
        self.nodes.iter().find(|node| node.is_running()).context("no node runs")
    }

    fn runs(&self, peer: &Peer) -> bool {
        self.nodes.iter().any(|node| node.is_running() && node.port() == peer.port)
    }

    fn number(&self, peer: &Peer) -> Result<usize> {
        self.nodes.iter().position(|node| node.port() == peer.port).context("a node that is not of this cluster")
    }
}

fn view(node: &Server) -> Result<Vec<Peer>> {
    let peers = Peer::all(&node.ask(&["CLUSTER", "NODES"])?.text()?)?;
    ensure!(peers.iter().any(Peer::is_myself), "it does not see itself");
    Ok(peers)
}
