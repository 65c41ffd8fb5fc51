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
pub struct World {
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
    pub run: fn(World) -> Running,
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Makes a list of cases from async functions that take a [`World`].
#[macro_export]
macro_rules! cases {
    ($($name:ident),* $(,)?) => {
        &[$($crate::Case { name: stringify!($name), run: |world| Box::pin($name(world)) }),*]
    };
}

/// Runs all cases on SQLite (`riposte dev`) and on two MariaDB servers (`riposte serve`), as
/// selected on the command line.
///
/// # Errors
/// If a server does not start.
pub fn run(groups: &[&[Case]]) -> Result<Conclusion> {
    let arguments = Arguments::from_args();
    let runtime = Arc::new(tokio::runtime::Runtime::new()?);
    let mut worlds = Vec::new();
    if !arguments.list {
        worlds = runtime.block_on(worlds_of())?;
    }
    let mut trials = Vec::new();
    for (store, world) in &worlds {
        for case in groups.iter().copied().flatten().copied() {
            let (world, runtime) = (world.clone(), Arc::clone(&runtime));
            trials.push(Trial::test(format!("{store}::{}", case.name), move || {
                let run = runtime.spawn((case.run)(world));
                runtime.block_on(run).map_err(Failed::from)?.map_err(|error| Failed::from(format!("{error:?}")))
            }));
        }
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    for (_, world) in worlds {
        drop(world);
    }
    Ok(conclusion)
}

async fn worlds_of() -> Result<Vec<(&'static str, World)>> {
    let mut servers = vec![("sqlite", Server::dev().await?)];
    if let Some(databases) = mysql::servers() {
        servers.push(("mariadb", Server::serve(&databases, &mysql::fresh_name()).await?));
    }
    let world = |store, server: Server| -> Result<World> {
        let client = server.client()?;
        Ok(World { server: Arc::new(server), client, dev: store == "sqlite" })
    };
    servers.into_iter().map(|(store, server)| Ok((store, world(store, server)?))).collect()
}
