//! Two processes with all roles while nothing happens: what they cost the database and Redis, by
//! the servers' own counters, and that events still arrive.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::CommentSort;
use riposte_test_support::redis::Program;
use riposte_tests::mysql::Databases;
use riposte_tests::{Say, Server, Watch, mysql, settings};

/// The time after which a process without calls is at rest.
const AT_REST_AFTER: Duration = Duration::from_secs(10);
/// The time for which statements and commands are counted.
const WINDOW: Duration = Duration::from_secs(20);
/// The goals for each process and second: five statements, and one for the standings of members.
const STATEMENTS: u64 = 6;
const COMMANDS: u64 = 10;

/// A user of a database server whose statements the server counts.
pub(super) struct CountedUser {
    /// The address of the server, as the user of the test run.
    server: String,
    name: String,
}

impl CountedUser {
    /// Creates a user of the database.
    pub(super) async fn create(server: &str, database: &str) -> Result<Self> {
        let user = Self { server: server.to_owned(), name: database.replace("riposte_", "idle_") };
        let name = &user.name;
        user.query(&format!("CREATE USER {name}; GRANT ALL ON {database}.* TO {name}; SET GLOBAL userstat = 1"))
            .await?;
        Ok(user)
    }

    /// Returns the address of the server as this user.
    pub(super) fn address(&self) -> Result<String> {
        let (_, host) = self.server.split_once('@').context("no user in the address")?;
        Ok(format!("mysql://{}@{host}", self.name))
    }

    /// Returns the number of statements so far, BEGIN and ROLLBACK included.
    pub(super) async fn statements(&self) -> Result<u64> {
        let columns = "SELECT_COMMANDS + UPDATE_COMMANDS + OTHER_COMMANDS";
        let counted = format!("SELECT {columns} FROM information_schema.USER_STATISTICS WHERE USER = '{}'", self.name);
        Ok(self.query(&counted).await?.trim().parse()?)
    }

    async fn query(&self, statement: &str) -> Result<String> {
        mysql::query(&self.server, "", statement).await
    }
}

/// Returns the number of commands that a Redis has processed, those of functions included.
fn commands(redis: &riposte_test_support::redis::Server) -> Result<u64> {
    Ok(redis.info("stats", "total_commands_processed")?.parse()?)
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_at_rest_send_few_statements_and_commands_and_deliver_the_next_event() -> Result<()> {
    let Some([server, _]) = mysql::servers() else { return Ok(()) };
    let Some(program) = Program::find() else { return Ok(()) };
    let redis = riposte_test_support::redis::Server::start(&program)?;
    let databases = Databases::on(std::slice::from_ref(&server), [""; 0]).await?;
    let user = CountedUser::create(&server, &databases.name).await?;
    let cache = [format!("cache.url=redis://127.0.0.1:{}", redis.port()), "cache.kind=redis".to_owned()];
    let arguments = [settings::on_databases(&[user.address()?], &databases.name), settings::sets(cache)].concat();
    let processes = [Server::serve_with(&arguments).await?, Server::serve_with(&arguments).await?];
    let here = Say::on(&processes[0].client()?, "article");
    here.comment("m", "the first").await?;
    let there = Say { client: processes[1].client()?, key: here.key.clone() };
    let begin = here.page(CommentSort::Newest, 1).await?.subject.context("no subject")?.revision;
    let mut watches = [Watch::open(&here, begin).await?, Watch::open(&there, begin).await?];

    tokio::time::sleep(AT_REST_AFTER).await;
    let counts = async || anyhow::Ok((user.statements().await?, commands(&redis)?));
    let before = counts().await?;
    tokio::time::sleep(WINDOW).await;
    let after = counts().await?;
    let (statements, commands) = (after.0 - before.0, after.1 - before.1);
    let most = |goal: u64| goal * processes.len() as u64 * WINDOW.as_secs();
    ensure!(statements <= most(STATEMENTS), "{statements} statements in {WINDOW:?}");
    ensure!(commands <= most(COMMANDS), "{commands} commands of Redis in {WINDOW:?}");
    // They poll, so that each finds what the other one does.
    ensure!(statements >= 2 * WINDOW.as_secs(), "{statements} statements in {WINDOW:?}");

    for say in [&here, &there] {
        tokio::time::sleep(AT_REST_AFTER / 2).await;
        say.comment("m", "after a rest").await?;
        for watch in &mut watches {
            watch.change().await?;
        }
    }
    Ok(())
}
