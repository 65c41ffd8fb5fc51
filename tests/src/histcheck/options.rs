//! The options of a run.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::fault::Means;

/// Options of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Period in which faults are injected.
    pub length: Duration,
    /// Seed of all random choices: the faults, their times, and the calls of the load.
    pub seed: u64,
    /// Means of a run in addition to servers, databases, a Redis and the proxies between them.
    pub means: Vec<Means>,
    /// Tables of the databases.
    pub tables: TableCounts,
    /// The mutant that the servers contain; empty for none. With a mutant the run succeeds if the
    /// check finds a violation.
    pub mutant: String,
    /// Folder of the history and the summary.
    pub folder: PathBuf,
    /// A history to check instead of a run.
    pub check: Option<PathBuf>,
    /// Number of operations of a generated history to check instead of a run, to measure the speed
    /// of the check; 0 for none.
    pub sample: u64,
}

/// Numbers of subject and of index tables, as in `8/32`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableCounts {
    /// The number of subject tables.
    pub subject: u16,
    /// The number of index tables.
    pub index: u16,
}

/// Enough tables for several on both databases, and few enough that their statements are soon
/// prepared: for a mutant, the number of calls in a run matters more than the number of tables.
const FEW: TableCounts = TableCounts { subject: 4, index: 8 };

impl FromStr for TableCounts {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let (subject, index) = text.split_once('/').context("two numbers, as in 8/32")?;
        Ok(Self { subject: subject.parse()?, index: index.parse()? })
    }
}

impl fmt::Display for TableCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.subject, self.index)
    }
}

impl Options {
    /// Reads `--seconds N --seed N --with clocks|disks|networks|cluster --tables N/N --planted NAME
    /// --folder PATH --check FILE --sample N`. The defaults are four minutes, a random seed, 4/8
    /// tables, and a folder below the current one.
    ///
    /// # Errors
    /// An unknown or malformed argument is an error.
    pub fn read(arguments: impl IntoIterator<Item = String>) -> Result<Self> {
        let mut options = Self {
            length: Duration::from_mins(4),
            seed: u64::from(rand::random::<u32>()),
            means: Vec::new(),
            tables: FEW,
            mutant: String::new(),
            folder: PathBuf::from("."),
            check: None,
            sample: 0,
        };
        let mut arguments = arguments.into_iter();
        while let Some(name) = arguments.next() {
            let value = arguments.next().with_context(|| format!("{name} has no value"))?;
            let number = || value.parse::<u64>().with_context(|| format!("{name} is a number"));
            match name.as_str() {
                "--seconds" => options.length = Duration::from_secs(number()?),
                "--seed" => options.seed = number()?,
                "--sample" => options.sample = number()?,
                "--with" => {
                    options.means.push(Means::named(&value).with_context(|| format!("no such means: {value}"))?);
                }
                "--tables" => options.tables = value.parse().with_context(|| format!("no table counts: {value}"))?,
                "--planted" => options.mutant = value,
                "--folder" => options.folder = value.into(),
                "--check" => options.check = Some(value.into()),
                other => bail!("no such argument: {other}"),
            }
        }
        Ok(options)
    }

    /// Returns the command that repeats the run with the same faults and the same load.
    pub(super) fn repeat_command(&self) -> String {
        let cluster = if self.means.contains(&Means::Cluster) { " --cluster" } else { "" };
        let mutant = if self.mutant.is_empty() { String::new() } else { format!(" --planted {}", self.mutant) };
        let (seconds, seed, tables) = (self.length.as_secs(), self.seed, self.tables);
        format!("cargo xtask prove --seconds {seconds} --seed {seed} --tables {tables}{cluster}{mutant}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_parsed_and_unknown_ones_are_refused() {
        let read = |arguments: &[&str]| Options::read(arguments.iter().map(|word| (*word).to_owned()));
        let options = read(&["--seed", "7", "--seconds", "30", "--planted", "twice"]).unwrap();
        assert_eq!((options.seed, options.length.as_secs(), options.mutant.as_str()), (7, 30, "twice"));
        let with = read(&["--with", "clocks", "--with", "cluster"]).unwrap().means;
        assert_eq!(with, [Means::Clocks, Means::Cluster]);
        assert!(read(&["--with", "luck"]).is_err());
        assert_eq!(options.repeat_command(), "cargo xtask prove --seconds 30 --seed 7 --tables 4/8 --planted twice");
        let tables = read(&["--tables", "50/200"]).unwrap().tables;
        assert_eq!((tables.subject, tables.index), (50, 200));
        assert!(read(&["--tables", "50"]).is_err() && read(&["--tables", "a/b"]).is_err());
        assert_eq!(read(&["--check", "a"]).unwrap().check, Some("a".into()));
        assert!(
            read(&["--seconds"]).is_err() && read(&["--seconds", "x"]).is_err() && read(&["--second", "3"]).is_err()
        );
    }
}
