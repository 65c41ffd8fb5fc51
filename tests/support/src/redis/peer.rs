//! The nodes of a cluster, as one of them reports them.

use anyhow::{Context, Result};

/// A line of CLUSTER NODES.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Peer {
    pub(crate) id: String,
    pub(crate) port: u16,
    flags: Vec<String>,
    /// The id of its master; `None` for a master.
    pub(crate) master: Option<String>,
    /// The slots that it serves: first and last of each range.
    slots: Vec<(usize, usize)>,
}

impl Peer {
    /// Parses all lines of CLUSTER NODES.
    pub(crate) fn all(text: &str) -> Result<Vec<Self>> {
        text.lines().map(|line| Self::parse(line).with_context(|| format!("CLUSTER NODES says {line:?}"))).collect()
    }

    /// Parses `<id> <ip:port@bus[,name]> <flags> <master> <ping> <pong> <epoch> <link> <slots…>`
    fn parse(line: &str) -> Result<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [id, address, flags, master, _ping, _pong, _epoch, _link, slots @ ..] = words.as_slice() else {
            anyhow::bail!("too short");
        };
        let (_, port) = address.split('@').next().and_then(|address| address.rsplit_once(':')).context("no address")?;
        Ok(Self {
            id: (*id).to_owned(),
            port: port.parse()?,
            flags: flags.split(',').map(str::to_owned).collect(),
            master: (*master != "-").then(|| (*master).to_owned()),
            // Slots in brackets are migrating to another node, and are served here until then.
            slots: slots
                .iter()
                .filter(|range| !range.starts_with('['))
                .map(|range| slots_of(range))
                .collect::<Result<_>>()?,
        })
    }

    fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|own| own == flag)
    }

    /// Returns true for the node that was queried.
    pub(crate) fn is_myself(&self) -> bool {
        self.has("myself")
    }

    /// Returns true if the node is known and not considered dead.
    pub(crate) fn is_well(&self) -> bool {
        !["fail", "fail?", "handshake", "noaddr"].iter().any(|flag| self.has(flag))
    }

    /// Returns the number of slots that it serves.
    pub(crate) fn served(&self) -> usize {
        self.slots.iter().map(|(first, last)| last + 1 - first).sum()
    }

    /// Returns true if it serves this slot.
    pub(crate) fn serves(&self, slot: usize) -> bool {
        self.slots.iter().any(|(first, last)| (*first..=*last).contains(&slot))
    }

    /// Returns the facts on which all nodes must agree: the node, its master and its slots.
    pub(crate) fn place(&self) -> (u16, Option<&str>, &[(usize, usize)]) {
        (self.port, self.master.as_deref(), &self.slots)
    }
}

/// Parses a range as the server writes it: `first-last`, or one number.
fn slots_of(range: &str) -> Result<(usize, usize)> {
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    Ok((first.parse()?, last.parse()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_masters_replicas_and_failed_nodes_are_parsed() {
        let text = "aa 127.0.0.1:7001@7101 myself,master - 0 0 1 connected 0-5460 5462 [5462->-bb]\n\
                    bb 127.0.0.1:7002@7102,name slave,fail? aa 0 0 1 connected\n\
                    cc :0@0 master,noaddr - 0 0 1 disconnected\n";
        let peers = Peer::all(text).unwrap();
        assert!(peers[0].is_myself() && peers[0].is_well() && !peers[1].is_myself());
        assert_eq!(peers[0].place(), (7001, None, [(0, 5460), (5462, 5462)].as_slice()));
        assert!(peers[0].served() == 5462 && peers[0].serves(5460) && !peers[0].serves(5461) && peers[1].served() == 0);
        assert_eq!((peers[1].master.as_deref(), peers[1].is_well(), peers[2].is_well()), (Some("aa"), false, false));
        assert!(Peer::all("aa 127.0.0.1:7001@7101 master").is_err());
    }
}
