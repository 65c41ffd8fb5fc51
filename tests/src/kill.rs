//! A mixed load on two servers while servers and databases are killed, and the check of the
//! remaining data.
//!
//! Every call is an operation of one history, which records the request, its id, its time and its
//! response. After each round a sample of the answered requests is sent again and must get the same
//! response. At the end all data is read through the API and checked against the history. The
//! effect of a request without a response may be present once or not at all.

mod call;
mod check;
pub(crate) mod databases;
pub(crate) mod fleet;
pub(crate) mod ground;
mod history;
mod planner;
mod replay;
mod report;
mod rounds;
mod seen;
mod strike;
pub(crate) mod verdict;
mod worker;

use anyhow::{Context, Result, bail};

use crate::{Server, command, mysql};
use databases::Databases;
use fleet::{Fleet, Launch, SERVERS};
use rounds::Rounds;

/// Options of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Number of rounds, each with one kill; at least one.
    pub rounds: u32,
    /// Seed of all random choices: the victims, the times of the kills and the calls of the load.
    pub seed: u64,
}

impl Options {
    /// Reads `--rounds N --seed N`. The defaults are 20 rounds and a random seed.
    ///
    /// # Errors
    /// An unknown or malformed argument is an error.
    pub fn read(arguments: impl IntoIterator<Item = String>) -> Result<Self> {
        let mut options = Self { rounds: 20, seed: u64::from(rand::random::<u32>()) };
        let mut arguments = arguments.into_iter();
        while let Some(name) = arguments.next() {
            let value = arguments.next().with_context(|| format!("{name} has no value"))?;
            match name.as_str() {
                "--rounds" => options.rounds = value.parse().context("--rounds is a number")?,
                "--seed" => options.seed = value.parse().context("--seed is a number")?,
                other => bail!("no such argument: {other}"),
            }
        }
        Ok(options)
    }
}

/// Runs the rounds on the two database servers of the task runner that started this program.
/// Returns true if nothing was lost or doubled.
///
/// # Errors
/// Fails when there are no database servers, or when a process does not start again.
pub async fn run(options: Options) -> Result<bool> {
    let servers = mysql::servers().context("there are no database servers: `cargo xtask kill` starts them")?;
    let name = mysql::fresh_name();
    mysql::create(&servers, &name).await?;
    let mut sets = Server::settings(&servers, &name);
    // A run is longer than the default edit window, and late edits are not under test here.
    sets.extend(["--set".to_owned(), "object_type_defaults.edit_window=always".to_owned()]);
    command::finish(command::riposte(&sets)?.args(["migrate", "up"])).await?.ended(0)?;
    println!("seed {}", options.seed);
    let launch = Launch { sets, ..Launch::default() };
    Rounds::new(Fleet::start(vec![launch; SERVERS]).await?, Databases, options.seed).run(options.rounds).await
}

#[cfg(test)]
mod tests {
    use super::Options;

    #[test]
    fn arguments_are_read_and_others_refused() {
        let read = |arguments: &[&str]| Options::read(arguments.iter().map(|word| (*word).to_owned()));
        assert_eq!(read(&["--seed", "7", "--rounds", "3"]).unwrap(), Options { rounds: 3, seed: 7 });
        assert_eq!(read(&[]).unwrap().rounds, 20);
        assert!(read(&["--rounds"]).is_err() && read(&["--round", "3"]).is_err());
    }
}
