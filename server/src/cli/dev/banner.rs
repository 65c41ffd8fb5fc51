//! The startup banner: every address, and a command to try.

use super::{Seed, seed};
use crate::{app::Addresses, cli::version::VERSION, config::Config};
use riposte_store::StoreKind;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::time::Duration;

/// The addresses that clients use if they are given none.
const DEFAULT_TARGET: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 7171));
const DEFAULT_ADMIN: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 7172));

/// The contents of the banner.
pub(super) struct Banner<'a> {
    pub(super) seed: Seed,
    pub(super) config: &'a Config,
    pub(super) addresses: Addresses,
    /// The time from the start of the process to the first successful health check.
    pub(super) serving: Duration,
    /// The program as the caller named it, so that the lines can be pasted.
    pub(super) program: String,
}

impl Banner<'_> {
    pub(super) fn text(&self) -> String {
        let Banner { seed, config, addresses, serving, program } = self;
        let Addresses { grpc, admin, metrics } = *addresses;
        let store = match (config.store.kind, &config.store.data_dir) {
            (StoreKind::Sqlite, None) => "SQLite, temporary".to_owned(),
            (StoreKind::Sqlite, Some(folder)) => format!("SQLite in {}", folder.display()),
            (StoreKind::Vitess, _) => "a Vitess keyspace".to_owned(),
            (StoreKind::Mysql, _) => format!("MySQL, {} data sources", config.store.sources.len()),
        };
        let shards = match config.store.layout().new_counts().subject {
            1 => "1 shard".to_owned(),
            count => format!("{count} shards"),
        };
        let seeded = match seed {
            Seed::Demo => format!("{} comments", seed::comments()),
            Seed::None => "no comments".to_owned(),
        };
        let title = format!("riposte dev {VERSION}    {store} · {shards} · {seeded}");
        let reflection = if config.server.reflection { "reflection v1 and v1alpha" } else { "no reflection" };
        let milliseconds = serving.as_millis();
        let subject = seed::SUBJECT;
        // Commands without an address call the default one.
        let target = if grpc == DEFAULT_TARGET { String::new() } else { format!(" --target {grpc}") };
        let shell = if (grpc, admin) == (DEFAULT_TARGET, DEFAULT_ADMIN) {
            format!(r#"eval "$({program} dev env)""#)
        } else {
            // `dev env` knows the default addresses alone.
            format!("export RIPOSTE_TARGET={grpc} RIPOSTE_ADMIN_TARGET={admin}")
        };
        let list = format!("{program} comment list {subject}{target}");
        let post = format!(r#"{program} comment post {subject} ann "Hello"{target}"#);
        // An empty subject has nothing to list yet.
        let (first, second) = if *seed == Seed::Demo { (list, post) } else { (post, list) };
        format!(
            r#"{title:69} NOT FOR PRODUCTION
  gRPC    {grpc:16} {reflection:30} admin    {admin}
  callers {admitted:47} shell    {shell}
  ready   {ready:47} metrics  {metrics}
  stop    Ctrl-C
  try     {first}
          {second}
"#,
            grpc = grpc.to_string(),
            admitted = admitted(config),
            ready = format!("serving after {milliseconds} ms"),
            metrics = metrics.map_or_else(|| "not scraped".to_owned(), |at| format!("http://{at}/metrics")),
        )
    }
}

/// Returns the program of this process as it was called, in quotes where a shell needs them.
pub(super) fn program() -> String {
    let name = std::env::args().next().unwrap_or_else(|| "riposte".to_owned());
    if name.contains(char::is_whitespace) { format!("'{name}'") } else { name }
}

/// Returns the callers that are admitted.
fn admitted(config: &Config) -> &'static str {
    if config.auth.callers_file.is_some() { "those of auth.callers_file" } else { "all admitted, no token needed" }
}

#[cfg(test)]
mod tests {
    use super::{Banner, Seed, admitted};
    use crate::{
        app::Addresses,
        config::{Config, Inputs, Profile},
    };
    use std::time::Duration;

    #[test]
    fn the_banner_names_the_callers_file_if_there_is_one() {
        let inputs = |set: &[&str]| Inputs {
            profile: Profile::Dev,
            sets: set.iter().map(|line| (*line).to_owned()).collect(),
            ..Inputs::default()
        };
        let callers = |set: &[&str]| admitted(&Config::load(&inputs(set)).unwrap().config);
        assert_eq!(callers(&[]), "all admitted, no token needed");
        assert_eq!(callers(&["auth.callers_file=callers.toml"]), "those of auth.callers_file");
    }

    #[test]
    fn the_banner_shows_every_address_the_warning_and_a_line_to_paste() {
        let config = Config::load(&Inputs { profile: Profile::Dev, ..Inputs::default() }).unwrap().config;
        let at = |port| ([127, 0, 0, 1], port).into();
        let addresses = Addresses { grpc: at(7171), admin: at(7172), metrics: Some(at(7173)) };
        let expected = r#"
riposte dev 0.1.0    SQLite, temporary · 1 shard · 50 comments        NOT FOR PRODUCTION
  gRPC    127.0.0.1:7171   reflection v1 and v1alpha      admin    127.0.0.1:7172
  callers all admitted, no token needed                   shell    eval "$(riposte dev env)"
  ready   serving after 84 ms                             metrics  http://127.0.0.1:7173/metrics
  stop    Ctrl-C
  try     riposte comment list article/1
          riposte comment post article/1 ann "Hello"
"#;
        let (serving, program) = (Duration::from_millis(84), "riposte".to_owned());
        let shown = Banner { seed: Seed::Demo, config: &config, addresses, serving, program: program.clone() }.text();
        assert_eq!(format!("\n{shown}"), expected);

        let addresses = Addresses { grpc: at(8171), admin: at(7172), metrics: Some(at(7173)) };
        let shown = Banner { seed: Seed::None, config: &config, addresses, serving, program }.text();
        let own = "shell    export RIPOSTE_TARGET=127.0.0.1:8171 RIPOSTE_ADMIN_TARGET=127.0.0.1:7172\n";
        assert!(shown.contains(own), "{shown}");
        let first = "try     riposte comment post article/1 ann \"Hello\" --target 127.0.0.1:8171\n";
        assert!(shown.contains(first), "{shown}");
    }
}
