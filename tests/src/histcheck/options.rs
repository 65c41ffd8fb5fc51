//! What a run is asked to do.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::fault::Means;

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// How long faults strike.
    pub length: Duration,
    /// Where all choices come from: what strikes when, and what the load asks.
    pub seed: u64,
    /// What there is beside servers, databases, a Redis and wires between them.
    pub means: Vec<Means>,
    /// The bug that the servers are started with; empty for none. The run succeeds when it is caught.
    pub planted: String,
    /// Where the history and the summary are written.
    pub folder: PathBuf,
    /// A history to check, instead of a run.
    pub check: Option<PathBuf>,
    /// So many operations of a model to check, instead of a run: tells how fast that is. 0: no.
    pub sample: u64,
}

impl Options {
    /// Reads `--seconds N --seed N --with clocks|disks|networks|cluster --planted NAME --folder PATH --check FILE --sample N`;
    /// without them four minutes by a random seed, written below the present folder.
    ///
    /// # Errors
    /// An argument that is none of these.
    pub fn read(arguments: impl IntoIterator<Item = String>) -> Result<Self> {
        let mut options = Self {
            length: Duration::from_mins(4),
            seed: u64::from(rand::random::<u32>()),
            means: Vec::new(),
            planted: String::new(),
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
                "--planted" => options.planted = value,
                "--folder" => options.folder = value.into(),
                "--check" => options.check = Some(value.into()),
                other => bail!("no such argument: {other}"),
            }
        }
        Ok(options)
    }

    /// The command that lets the same faults strike the same clients again.
    pub(super) fn again(&self) -> String {
        let cluster = if self.means.contains(&Means::Cluster) { " --cluster" } else { "" };
        let planted = if self.planted.is_empty() { String::new() } else { format!(" --planted {}", self.planted) };
        format!("cargo xtask prove --seconds {} --seed {}{cluster}{planted}", self.length.as_secs(), self.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_and_others_refused() {
        let read = |arguments: &[&str]| Options::read(arguments.iter().map(|word| (*word).to_owned()));
        let options = read(&["--seed", "7", "--seconds", "30", "--planted", "twice"]).unwrap();
        assert_eq!((options.seed, options.length.as_secs(), options.planted.as_str()), (7, 30, "twice"));
        let with = read(&["--with", "clocks", "--with", "cluster"]).unwrap().means;
        assert_eq!(with, [Means::Clocks, Means::Cluster]);
        assert!(read(&["--with", "luck"]).is_err());
        assert_eq!(options.again(), "cargo xtask prove --seconds 30 --seed 7 --planted twice");
        assert_eq!(read(&["--check", "a"]).unwrap().check, Some("a".into()));
        assert!(
            read(&["--seconds"]).is_err() && read(&["--seconds", "x"]).is_err() && read(&["--second", "3"]).is_err()
        );
    }
}
