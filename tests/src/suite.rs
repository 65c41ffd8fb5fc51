//! One list of cases, run over every store.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use anyhow::Result;
use libtest_mimic::{Arguments, Conclusion, Failed, Trial};
use riposte_sdk::Client;

use crate::{Server, mysql};

/// The environment of a case: a running server that other cases also use, so each case works under
/// ids of its own.
#[derive(Debug, Clone)]
pub struct Fixture {
    /// The server.
    pub server: Arc<Server>,
    /// A client of the server.
    pub client: Client,
    /// True for `riposte dev`, the only server that honours requests for faults.
    pub dev: bool,
}

/// The future of a running case.
pub type Running = Pin<Box<dyn Future<Output = Result<()>> + Send>>;

/// A named case.
#[derive(Clone, Copy)]
pub struct Case {
    /// A sentence, as an identifier.
    pub name: &'static str,
    /// The function that runs the case.
    pub run: fn(Fixture) -> Running,
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Makes a list of cases from async functions that take a [`Fixture`].
#[macro_export]
macro_rules! cases {
    ($($name:ident),* $(,)?) => {
        &[$($crate::Case { name: stringify!($name), run: |fixture| Box::pin($name(fixture)) }),*]
    };
}

/// Runs all cases on SQLite (`riposte dev`), on two MariaDB servers and on Vitess (`riposte
/// serve`), as selected on the command line.
///
/// # Errors
/// If a server does not start.
pub fn run(groups: &[&[Case]]) -> Result<Conclusion> {
    let arguments = Arguments::from_args();
    let runtime = Arc::new(tokio::runtime::Runtime::new()?);
    let mut fixtures = Vec::new();
    if !arguments.list {
        fixtures = runtime.block_on(all_fixtures())?;
    }
    let mut trials = Vec::new();
    for (store, fixture) in &fixtures {
        for case in groups.iter().copied().flatten().copied() {
            let (fixture, runtime) = (fixture.clone(), Arc::clone(&runtime));
            trials.push(Trial::test(format!("{store}::{}", case.name), move || {
                let run = runtime.spawn((case.run)(fixture));
                runtime.block_on(run).map_err(Failed::from)?.map_err(|error| Failed::from(format!("{error:?}")))
            }));
        }
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    for (_, fixture) in fixtures {
        drop(fixture);
    }
    Ok(conclusion)
}

async fn all_fixtures() -> Result<Vec<(&'static str, Fixture)>> {
    let mut servers = vec![("sqlite", Server::dev().await?)];
    if let Some(databases) = mysql::servers() {
        servers.push(("mariadb", Server::serve(&databases, &mysql::fresh_name()).await?));
    }
    if let Some(keyspace) = mysql::vitess() {
        servers.push(("vitess", Server::serve_on_vitess(&keyspace).await?));
    }
    let fixture = |store, server: Server| -> Result<Fixture> {
        let client = server.client()?;
        Ok(Fixture { server: Arc::new(server), client, dev: store == "sqlite" })
    };
    servers.into_iter().map(|(store, server)| Ok((store, fixture(store, server)?))).collect()
}
