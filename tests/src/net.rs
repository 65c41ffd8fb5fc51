//! Network namespaces for servers, each joined to ours by a pair of virtual interfaces, so that packets can vanish on their way: a
//! wire that is reset or stands still tells both ends something sooner or later, a route that swallows tells nobody anything.
//!
//! It takes root, `ip` and `nsenter`, and a network namespace of our own around it all, in which addresses and rules harm nobody.

use std::ffi::OsStr;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tokio::process::{Child, Command};

/// Stores that each server sees at an address of their own.
pub const STORES: u8 = 3;
/// How long a namespace may take to come into being.
const MADE_WITHIN: Duration = Duration::from_secs(10);

/// The namespace of one server. Dropping it ends the namespace, once nobody runs in it.
#[derive(Debug)]
pub struct Network {
    /// The third byte of its addresses.
    number: u8,
    /// Keeps the namespace in being.
    holder: Child,
}

impl Network {
    /// The namespace of a server, by a number of its own.
    ///
    /// # Errors
    /// Where none can be made.
    pub async fn make(number: u8) -> Result<Self> {
        let mut holder = Command::new("unshare");
        holder.args(["--net", "--", "sleep", "infinity"]).kill_on_drop(true);
        // Whoever reads what we say must not wait for it.
        holder.stdin(Stdio::null()).stdout(Stdio::null());
        let network = Self { number, holder: holder.spawn().context("cannot run unshare")? };
        let ours = std::fs::read_link("/proc/self/ns/net")?;
        // Until then it is in ours.
        let apart = async {
            while std::fs::read_link(network.place()?)? == ours {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            anyhow::Ok(())
        };
        tokio::time::timeout(MADE_WITHIN, apart).await.context("no namespace came into being")??;
        let (here, there) = (format!("riposte-a{number}"), format!("riposte-b{number}"));
        let pid = network.pid()?.to_string();
        ip(&["link", "add", "name", &here, "type", "veth", "peer", "name", &there, "netns", &pid]).await?;
        ip(&["address", "add", &format!("{}/24", network.clients()), "dev", &here]).await?;
        for store in 0..STORES {
            ip(&["address", "add", &format!("{}/24", network.store(store)), "dev", &here]).await?;
        }
        ip(&["link", "set", &here, "up"]).await?;
        network.inside(&["address", "add", &format!("{}/24", network.server()), "dev", &there]).await?;
        network.inside(&["link", "set", &there, "up"]).await?;
        network.inside(&["link", "set", "lo", "up"]).await?;
        Ok(network)
    }

    /// Where the server listens.
    #[must_use]
    pub fn server(&self) -> Ipv4Addr {
        Ipv4Addr::new(10, 77, self.number, 2)
    }

    /// Where clients are.
    fn clients(&self) -> Ipv4Addr {
        Ipv4Addr::new(10, 77, self.number, 1)
    }

    /// Where the server sees one of the stores, from 0 on.
    #[must_use]
    pub fn store(&self, store: u8) -> Ipv4Addr {
        Ipv4Addr::new(10, 77, self.number, 11 + store)
    }

    /// The words before a command that runs it in the namespace.
    ///
    /// # Errors
    /// When the namespace is gone.
    pub fn enter(&self) -> Result<[String; 3]> {
        Ok(["nsenter".to_owned(), format!("--net={}", self.place()?.display()), "--".to_owned()])
    }

    /// From now on nothing that a store answers reaches the server, and nobody is told.
    ///
    /// # Errors
    /// When the rule cannot be made.
    pub async fn swallow(&self, store: u8) -> Result<()> {
        self.rule("add", store).await
    }

    /// Ends that. What was sent meanwhile is sent again by whoever still waits.
    ///
    /// # Errors
    /// When there is no such rule.
    pub async fn let_through(&self, store: u8) -> Result<()> {
        self.rule("del", store).await
    }

    async fn rule(&self, verb: &str, store: u8) -> Result<()> {
        let [from, to] = [self.store(store), self.server()].map(|address| address.to_string());
        ip(&["rule", verb, "from", &from, "to", &to, "blackhole"]).await
    }

    fn pid(&self) -> Result<u32> {
        self.holder.id().context("the namespace is gone")
    }

    fn place(&self) -> Result<PathBuf> {
        Ok(format!("/proc/{}/ns/net", self.pid()?).into())
    }

    /// `ip` within the namespace.
    async fn inside(&self, words: &[&str]) -> Result<()> {
        let [program, arguments @ ..] = self.enter()?;
        let before = arguments.iter().map(String::as_str).chain(["ip"]);
        told(Command::new(program).args(before.chain(words.iter().copied()))).await
    }
}

async fn ip(words: &[&str]) -> Result<()> {
    told(Command::new("ip").args(words)).await
}

async fn told(command: &mut Command) -> Result<()> {
    let shown = || {
        let words = command.as_std().get_args().map(OsStr::to_string_lossy);
        words.collect::<Vec<_>>().join(" ")
    };
    let shown = shown();
    let output = command.output().await.with_context(|| shown.clone())?;
    ensure!(output.status.success(), "{shown}: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(())
}
