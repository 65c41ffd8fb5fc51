//! Even load without a load balancer: one client over eight servers.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use futures::future::try_join_all;
use riposte_tests::mysql;
use riposte_tests::mysql::Databases;
use riposte_tests::{Names, Say, Server};

use super::migrate::TABLES;

const SERVERS: usize = 8;
const CALLERS: usize = 16;
/// The number of comments by each caller.
const COMMENTS: usize = 50;

#[tokio::test(flavor = "multi_thread")]
async fn one_client_gives_eight_servers_equal_shares() -> Result<()> {
    let Some(databases) = mysql::servers() else { return Ok(()) };
    let databases = Databases::on(&databases[..1], TABLES).await?;
    let servers = try_join_all((0..SERVERS).map(|_| Server::serve_with(&databases.arguments))).await?;
    let names = Names::default();
    names.stand_for(&servers)?;
    let client = names.client()?;
    let callers = (0..CALLERS).map(|_| {
        let say = Say::on(&client, "article");
        tokio::spawn(async move {
            let mut workers = Vec::new();
            for _ in 0..COMMENTS {
                // Every process generates ids under a worker number of its own, which identifies
                // the process.
                workers.push(say.comment("m", "an equal share").await?.id >> 8 & 63);
            }
            anyhow::Ok(workers)
        })
    });
    let mut shares = BTreeMap::<i64, u32>::new();
    for workers in try_join_all(callers).await? {
        workers?.into_iter().for_each(|worker| *shares.entry(worker).or_default() += 1);
    }
    let mean = (CALLERS * COMMENTS) as f64 / SERVERS as f64;
    let variance = shares.values().map(|share| (f64::from(*share) - mean).powi(2)).sum::<f64>() / SERVERS as f64;
    let spread = variance.sqrt() / mean;
    println!("shares of {SERVERS} servers: {shares:?}, standard deviation {:.1} % of the mean", spread * 100.0);
    ensure!(shares.len() == SERVERS && spread < 0.1, "{shares:?}");
    Ok(())
}
