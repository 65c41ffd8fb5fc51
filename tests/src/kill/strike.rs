//! Selection of the victims of each round.

use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use super::fleet::SERVERS;

/// The victims of one round, killed at once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Strike {
    /// Servers, from 0.
    pub(super) servers: Vec<usize>,
    /// Databases, from 1.
    pub(super) databases: Vec<u8>,
}

impl Strike {
    /// Returns the victims of `rounds` rounds. Of any three consecutive rounds from a multiple of
    /// three on, one kills servers only, one databases only and one both.
    pub(super) fn plan(rounds: u32, rng: &mut StdRng) -> Vec<Self> {
        let mut plan = Vec::new();
        while plan.len() < rounds as usize {
            let server = vec![rng.random_range(0..SERVERS)];
            let mut three = [
                Self { servers: server, databases: Vec::new() },
                Self { servers: Vec::new(), databases: databases(rng) },
                Self { servers: servers(rng), databases: databases(rng) },
            ];
            three.shuffle(rng);
            plan.extend(three);
        }
        plan.truncate(rounds as usize);
        plan
    }

    /// Returns its name in the table.
    pub(super) fn name(&self) -> String {
        let servers = self.servers.iter().map(|number| format!("server {}", number + 1));
        let databases = self.databases.iter().map(|number| format!("MariaDB {number}"));
        servers.chain(databases).collect::<Vec<_>>().join(", ")
    }
}

fn servers(rng: &mut StdRng) -> Vec<usize> {
    if rng.random_ratio(1, 3) { (0..SERVERS).collect() } else { vec![rng.random_range(0..SERVERS)] }
}

fn databases(rng: &mut StdRng) -> Vec<u8> {
    if rng.random_ratio(1, 3) { vec![1, 2] } else { vec![rng.random_range(1..=2)] }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn every_three_rounds_strike_servers_databases_and_both_and_a_seed_repeats_itself() {
        let plan = |seed| Strike::plan(21, &mut StdRng::seed_from_u64(seed));
        for three in plan(1).chunks(3) {
            let count = |kind: fn(&Strike) -> bool| three.iter().filter(|strike| kind(strike)).count();
            assert_eq!(count(|strike| strike.databases.is_empty()), 1);
            assert_eq!(count(|strike| strike.servers.is_empty()), 1);
        }
        assert_eq!(plan(1), plan(1));
        assert_ne!(plan(1), plan(2));
        assert_eq!(Strike::plan(20, &mut StdRng::seed_from_u64(1)).len(), 20);
    }
}
