//! A Redis Cluster of six processes.

use anyhow::{Context, Result, ensure};

use super::peer::Peer;
use super::program::Program;
use super::server::Server;
use super::wait::until;

/// The number of masters at the start; each has one replica.
const MASTERS: usize = 3;
/// The number of hash slots of a cluster.
const SLOTS: usize = 16_384;

/// Three masters, nodes 0 to 2, and three replicas, nodes 3 to 5. The roles change with each
/// failover.
#[derive(Debug)]
pub struct Cluster {
    nodes: Vec<Server>,
}

impl Cluster {
    /// Starts a cluster, and returns when it is complete ([`Cluster::wait_until_ready`]).
    ///
    /// # Errors
    /// If a node does not start, or the nodes do not form a cluster.
    pub fn start(program: &Program) -> Result<Self> {
        let nodes = (0..2 * MASTERS).map(|_| Server::start_node(program)).collect::<Result<Vec<_>>>()?;
        let cluster = Self { nodes };
        cluster.join()?;
        cluster.wait_until_ready()?;
        Ok(cluster)
    }

    /// Does the work of `redis-cli --cluster create`, but checks a condition instead of sleeping
    /// for a second at each step.
    fn join(&self) -> Result<()> {
        for (number, node) in self.nodes.iter().enumerate() {
            // Without configured epochs, the nodes would have to agree on them first.
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
            // The command fails until the replica knows its master.
            let follow = || self.nodes[number].ask(&["CLUSTER", "REPLICATE", &master]);
            until("a replica knows its master", follow)?;
        }
        Ok(())
    }

    /// Returns the address with all nodes, `redis-cluster://127.0.0.1:port?node=127.0.0.1:port&…`.
    #[must_use]
    pub fn url(&self) -> String {
        let mut addresses = self.nodes.iter().map(|node| format!("127.0.0.1:{}", node.port()));
        let first = addresses.next().unwrap_or_default();
        let others: Vec<String> = addresses.map(|address| format!("node={address}")).collect();
        format!("redis-cluster://{first}?{}", others.join("&"))
    }

    /// Returns all nodes, indexed by their numbers.
    #[must_use]
    pub fn nodes(&self) -> &[Server] {
        &self.nodes
    }

    /// Returns a node, to kill or restart it.
    pub fn node_mut(&mut self, number: usize) -> &mut Server {
        &mut self.nodes[number]
    }

    /// Returns the numbers of the nodes that serve slots.
    ///
    /// # Errors
    /// If no node responds.
    pub fn masters(&self) -> Result<Vec<usize>> {
        let peers = self.seen()?;
        peers.iter().filter(|peer| peer.served() > 0).map(|peer| self.number(peer)).collect()
    }

    /// Returns the number of the master that serves a key.
    ///
    /// # Errors
    /// If no node responds, or none serves the key.
    pub fn master_of(&self, key: &str) -> Result<usize> {
        let slot = usize::try_from(self.any()?.ask(&["CLUSTER", "KEYSLOT", key])?.number()?)?;
        let peers = self.seen()?;
        let mut serving = peers.iter().filter(|peer| peer.serves(slot));
        self.number(serving.next().with_context(|| format!("no node serves slot {slot}"))?)
    }

    /// Returns the number of the running replica of a master.
    ///
    /// # Errors
    /// If no node responds, or the master has no running replica.
    pub fn replica_of(&self, master: usize) -> Result<usize> {
        let peers = self.seen()?;
        let id = &peers.iter().find(|peer| peer.port == self.nodes[master].port()).context("an unknown node")?.id;
        let replicas = peers.iter().filter(|peer| peer.master.as_ref() == Some(id));
        let mut running = replicas
            .map(|peer| self.number(peer))
            .filter(|number| number.as_ref().is_ok_and(|number| self.nodes[*number].is_running()));
        running.next().context("the master has no running replica")?
    }

    /// Cuts off a replica from its master's replication stream: from now on it lags, and keeps its
    /// present data. All nodes still see each other, so no failover happens.
    ///
    /// # Errors
    /// If a node does not respond.
    pub fn hold_back(&self, replica: usize) -> Result<()> {
        let node = &self.nodes[replica];
        let master = self
            .nodes
            .iter()
            .find(|other| node.info("replication", "master_port").ok() == Some(other.port().to_string()));
        let master = master.context("not a replica")?;
        // A password that the master does not accept makes every attempt to follow it fail.
        node.ask(&["CONFIG", "SET", "masterauth", "held back"])?;
        until("the master has lost its replica", || {
            master.ask(&["CLIENT", "KILL", "TYPE", "replica"])?;
            ensure!(node.info("replication", "master_link_status")? == "down", "still linked");
            ensure!(master.info("replication", "connected_slaves")? == "0", "still connected");
            Ok(())
        })
    }

    /// Makes a replica the master, whatever data it lacks and without the agreement of other nodes
    /// (CLUSTER FAILOVER TAKEOVER), and returns when all running nodes know it. The old master, if
    /// it runs, replaces its data with that of the new one.
    ///
    /// # Errors
    /// If the node is not a replica, or a node does not respond.
    pub fn take_over(&self, replica: usize) -> Result<()> {
        let node = &self.nodes[replica];
        node.ask(&["CLUSTER", "FAILOVER", "TAKEOVER"])?;
        until("all nodes know the new master", || {
            for view in self.views()? {
                let new =
                    view.iter().find(|peer| peer.port == node.port()).context("a node does not know the new master")?;
                ensure!(new.master.is_none() && new.served() > 0, "a node does not know that it is a master");
            }
            Ok(())
        })?;
        self.let_go(replica)
    }

    /// Ends [`Cluster::hold_back`]: the node follows again, or serves.
    ///
    /// # Errors
    /// If the node does not respond.
    pub fn let_go(&self, replica: usize) -> Result<()> {
        self.nodes[replica].ask(&["CONFIG", "SET", "masterauth", ""]).map(drop)
    }

    /// Returns when the cluster is complete: every running node serves or follows, agrees with the
    /// others on the role of each node, and considers no running node dead; all slots are served by
    /// running nodes; every running replica of these nodes is linked and up to date.
    ///
    /// # Errors
    /// If that does not happen, for example because a master without a replica was killed.
    pub fn wait_until_ready(&self) -> Result<()> {
        until("the cluster is complete", || self.is_complete())
    }

    fn is_complete(&self) -> Result<()> {
        let views = self.views()?;
        let running_nodes = |peers: &[Peer]| -> Vec<Peer> {
            let mut running: Vec<Peer> = peers.iter().filter(|peer| self.runs(peer)).cloned().collect();
            running.sort_by_key(|peer| peer.port);
            running
        };
        let first = running_nodes(views.first().context("no node runs")?);
        for view in &views {
            let view = running_nodes(view);
            ensure!(view.len() == views.len(), "{} of {} nodes are known", view.len(), views.len());
            ensure!(view.iter().all(Peer::is_well), "a node is considered dead: {view:?}");
            let agree = view.iter().zip(&first).all(|(one, other)| one.place() == other.place());
            ensure!(agree, "two nodes disagree: {view:?} and {first:?}");
        }
        let served: usize = first.iter().map(Peer::served).sum();
        ensure!(served == SLOTS, "{served} of {SLOTS} slots are served");
        for node in self.nodes.iter().filter(|node| node.is_running()) {
            let info = node.ask(&["CLUSTER", "INFO"])?.text()?;
            ensure!(info.contains("cluster_state:ok"), "a node does not serve: {info}");
            let following = node.info("replication", "role")? == "slave";
            ensure!(!following || node.info("replication", "master_link_status")? == "up", "a replica is not linked");
        }
        // A master sends to a replica only once it knows that the replica has loaded the snapshot.
        for master in first.iter().filter(|peer| peer.master.is_none()) {
            let replicas = first.iter().filter(|peer| peer.master.as_ref() == Some(&master.id)).count();
            let info = self.nodes[self.number(master)?].ask(&["INFO", "replication"])?.text()?;
            let online = info.matches("state=online").count();
            ensure!(online == replicas, "{online} of {replicas} replicas are up to date");
        }
        Ok(())
    }

    /// Returns the view of each running node.
    fn views(&self) -> Result<Vec<Vec<Peer>>> {
        self.nodes.iter().filter(|node| node.is_running()).map(view).collect()
    }

    /// Returns the view of a running node.
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
    ensure!(peers.iter().any(Peer::is_myself), "the node does not list itself");
    Ok(peers)
}
