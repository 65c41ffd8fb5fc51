//! Network namespaces for servers, each connected to the test's own by a pair of virtual
//! interfaces, so that packets can vanish on their way. Both ends notice a proxy that resets or
//! stalls sooner or later; neither notices a route that drops packets.
//!
//! It requires root, `ip` and `nsenter`, and a network namespace around the whole test, in which
//! addresses and rules do not affect the machine.

use std::ffi::OsStr;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use nix::sched::{CloneFlags, setns};
use tokio::process::{Child, Command};

/// The number of stores that each server reaches, each at an address of its own.
pub const STORES: u8 = 3;
/// The longest time for the creation of a namespace.
const MADE_WITHIN: Duration = Duration::from_secs(10);

/// The namespace of one server. Dropping it ends the namespace, once no process runs in it.
#[derive(Debug)]
pub struct Network {
    /// The third byte of its addresses.
    number: u8,
    /// The process that keeps the namespace alive.
    holder: Child,
}

impl Network {
    /// Creates the namespace of a server with this unique number.
    ///
    /// # Errors
    /// If no namespace can be created.
    pub async fn make(number: u8) -> Result<Self> {
        let mut holder = Command::new("unshare");
        holder.args(["--net", "--", "sleep", "infinity"]).kill_on_drop(true);
        // A process that reads the test's output must not wait for this one.
        holder.stdin(Stdio::null()).stdout(Stdio::null());
        let network = Self { number, holder: holder.spawn().context("cannot run unshare")? };
        let ours = std::fs::read_link("/proc/self/ns/net")?;
        // Before `unshare` has run, the process is still in the test's namespace.
        let apart = async {
            while std::fs::read_link(network.place()?)? == ours {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            anyhow::Ok(())
        };
        tokio::time::timeout(MADE_WITHIN, apart).await.context("the namespace was not created")??;
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

    /// Returns the address at which the server listens.
    #[must_use]
    pub fn server(&self) -> Ipv4Addr {
        Ipv4Addr::new(10, 77, self.number, 2)
    }

    /// Returns the address of the clients.
    fn clients(&self) -> Ipv4Addr {
        Ipv4Addr::new(10, 77, self.number, 1)
    }

    /// Returns the address at which the server reaches a store, numbered from 0.
    #[must_use]
    pub fn store(&self, store: u8) -> Ipv4Addr {
        Ipv4Addr::new(10, 77, self.number, 11 + store)
    }

    /// Returns the command prefix that runs a command in the namespace.
    ///
    /// # Errors
    /// If the namespace no longer exists.
    pub fn enter(&self) -> Result<[String; 3]> {
        Ok(["nsenter".to_owned(), format!("--net={}", self.place()?.display()), "--".to_owned()])
    }

    /// Returns a listener on a free port of the loopback interface of the namespace.
    ///
    /// # Errors
    /// If the namespace no longer exists.
    pub fn listen(&self) -> Result<TcpListener> {
        let place = std::fs::File::open(self.place()?)?;
        // A socket stays in the namespace of the thread that made it.
        let listen = move || -> Result<TcpListener> {
            setns(place, CloneFlags::CLONE_NEWNET)?;
            Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?)
        };
        std::thread::spawn(listen).join().map_err(|_| anyhow!("the thread panicked"))?
    }

    /// Drops all packets from a store to the server from now on, without a notification to either
    /// end.
    ///
    /// # Errors
    /// If the rule cannot be added.
    pub async fn drop_packets(&self, store: u8) -> Result<()> {
        self.rule("add", store).await
    }

    /// Stops dropping packets. Data that was sent meanwhile is sent again by senders that still
    /// wait.
    ///
    /// # Errors
    /// If the rule does not exist.
    pub async fn pass_packets(&self, store: u8) -> Result<()> {
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

    /// Runs `ip` in the namespace.
    async fn inside(&self, words: &[&str]) -> Result<()> {
        let [program, arguments @ ..] = self.enter()?;
        let before = arguments.iter().map(String::as_str).chain(["ip"]);
        run(Command::new(program).args(before.chain(words.iter().copied()))).await
    }
}

async fn ip(words: &[&str]) -> Result<()> {
    run(Command::new("ip").args(words)).await
}

async fn run(command: &mut Command) -> Result<()> {
    let shown = || {
        let words = command.as_std().get_args().map(OsStr::to_string_lossy);
        words.collect::<Vec<_>>().join(" ")
    };
    let shown = shown();
    let output = command.output().await.with_context(|| shown.clone())?;
    ensure!(output.status.success(), "{shown}: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(())
}
