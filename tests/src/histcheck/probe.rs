//! Probes that measure the time until every server accepts writes again after a fault.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use futures::future::try_join_all;
use riposte_sdk::RequestIds;

use super::fleet::SERVERS;
use super::history::{Call, Op, Outcome};
use super::load::{Environment, failure_outcome, send};

/// Number of subjects that are written to through each server; they are spread over several tables
/// and both databases.
const SUBJECTS: u32 = 6;
/// The client number, and the first member, of the probes.
const CLIENT: u32 = 100_000;
/// Time limit for the service to serve again.
const WITHIN: Duration = Duration::from_secs(60);
/// Timeout of one attempt; short, because its response may be lost.
const ATTEMPT: Duration = Duration::from_secs(2);

/// Writes through every server until each has acknowledged a write to every subject. `round` must
/// be different at each call.
///
/// # Errors
/// Fails when a server does not serve within a minute.
pub(super) async fn probe(environment: &Environment, ids: &RequestIds, round: u32) -> Result<()> {
    let probes = (0..SERVERS as u32).flat_map(|server| (0..SUBJECTS).map(move |subject| (server, subject)));
    try_join_all(probes.map(|(server, subject)| write_until_served(environment, ids, round, server, subject))).await?;
    Ok(())
}

async fn write_until_served(
    environment: &Environment,
    ids: &RequestIds,
    round: u32,
    server: u32,
    subject: u32,
) -> Result<()> {
    let number = server * SUBJECTS + subject;
    let client = CLIENT + number;
    let text = u64::from(client) << 32 | u64::from(round);
    let call = Call::Root { subject, member: client, text };
    let request = uuid::Uuid::parse_str(&ids.next()).context("the SDK makes UUIDs")?.as_u64_pair();
    let first = environment.now();
    loop {
        let ports = environment.channels.ports(server as usize);
        let begun = environment.now();
        let result = send(ports, &call, request, "", ATTEMPT).await;
        let ended = environment.now();
        let outcome = match result {
            Ok((outcome, _)) => outcome,
            Err(status) => failure_outcome(status).0,
        };
        let served = matches!(outcome, Outcome::Written(_));
        let waited = Duration::from_nanos(ended - first);
        ensure!(served || waited < WITHIN, "server {server} does not serve again: {outcome:?}");
        let call = call.clone();
        environment.recorder.op(Op { client, server: server as u8, begun, ended, request, call, outcome })?;
        if served {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
