//! The startup banner: every address, and a command to try.

use super::Seed;
use crate::{app::Addresses, cli::version::VERSION, config::Config};
use riposte_store::StoreKind;
use std::time::Duration;

/// Returns the banner. `serving` is the time from the start of the process to the first successful
/// health check.
pub(super) fn text(seed: Seed, config: &Config, addresses: Addresses, serving: Duration) -> String {
    let Addresses { grpc, admin, metrics } = addresses;
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
    let seed = match seed {
        Seed::Demo => "seed demo",
        Seed::None => "no seed",
    };
    let title = format!("riposte dev {VERSION}    {store} · {shards} · {seed}");
    let reflection = if config.server.reflection { "reflection v1 and v1alpha" } else { "no reflection" };
    let milliseconds = serving.as_millis();
    format!(
        r#"{title:69} NOT FOR PRODUCTION
  gRPC    {grpc:16} {reflection:30} admin    {admin}
  callers {admitted:47} shell    eval "$(riposte dev env)"
  ready   {ready:47} metrics  {metrics}
  stop    Ctrl-C
  try     grpcurl -plaintext -d '{{"subject":{{"objectType":"article","objectId":"1"}}}}' \
            {grpc} riposte.v1.CommentService/ListComments
"#,
        grpc = grpc.to_string(),
        admitted = admitted(config),
        ready = format!("serving after {milliseconds} ms"),
        metrics = metrics.map_or_else(|| "not scraped".to_owned(), |at| format!("http://{at}/metrics")),
    )
}

/// Returns the callers that are admitted.
fn admitted(config: &Config) -> &'static str {
    if config.auth.callers_file.is_some() { "those of auth.callers_file" } else { "all admitted, no token needed" }
}

#[cfg(test)]
mod tests {
    use super::{Seed, admitted, text};
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
riposte dev 0.1.0    SQLite, temporary · 1 shard · seed demo          NOT FOR PRODUCTION
  gRPC    127.0.0.1:7171   reflection v1 and v1alpha      admin    127.0.0.1:7172
  callers all admitted, no token needed                   shell    eval "$(riposte dev env)"
  ready   serving after 84 ms                             metrics  http://127.0.0.1:7173/metrics
  stop    Ctrl-C
  try     grpcurl -plaintext -d '{"subject":{"objectType":"article","objectId":"1"}}' \
            127.0.0.1:7171 riposte.v1.CommentService/ListComments
"#;
        let shown = text(Seed::Demo, &config, addresses, Duration::from_millis(84));
        assert_eq!(format!("\n{shown}"), expected);
    }
}
