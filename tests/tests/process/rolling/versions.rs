//! Two versions of the server over the same data: each repeats and continues what the other began.

use anyhow::{Context, Result, bail, ensure};
use riposte_tests::thread_tree::verify;

use super::calls::{CallLog, Peer};
use super::deployment::{Deployment, RedisKind};
use super::walks::Walks;

#[tokio::test(flavor = "multi_thread")]
async fn either_version_repeats_and_continues_what_the_other_began_with_a_redis() -> Result<()> {
    either_version_repeats_and_continues(RedisKind::One).await
}

#[tokio::test(flavor = "multi_thread")]
async fn either_version_repeats_and_continues_what_the_other_began_with_a_redis_cluster() -> Result<()> {
    either_version_repeats_and_continues(RedisKind::Cluster).await
}

async fn either_version_repeats_and_continues(kind: RedisKind) -> Result<()> {
    let Some(deployment) = Deployment::fresh(kind).await? else { return Ok(()) };
    let (Some(before), Some(now)) = (deployment.versions.first(), deployment.versions.last()) else {
        bail!("no version")
    };
    // Side by side, as in a rolling update.
    let (old, new) = (before.start().await?, now.start().await?);
    let is_one_version = deployment.versions.len() == 1;
    let peer_before = if is_one_version { Peer::of } else { Peer::before_reasons };
    let (old_peer, new_peer) = (peer_before(&old)?, Peer::of(&new)?);
    let upgraded = CallLog::make(&old_peer, &new_peer).await.context("from the older version to the newer")?;
    let downgraded = CallLog::make(&new_peer, &old_peer).await.context("from the newer version to the older")?;
    for first in [&old_peer, &new_peer] {
        Walks::prepare(first).await?.hold(&old_peer, &new_peer).await?;
    }
    for server in [old, new] {
        ensure!(server.stop().await? == Some(0));
    }
    // One after the other, as in an upgrade and a downgrade with a stop in between.
    for (version, peer, calls) in [
        (now, Peer::of as fn(&_) -> _, &upgraded),
        (before, peer_before, &downgraded),
        (now, Peer::of, &downgraded),
        (before, peer_before, &upgraded),
    ] {
        let server = version.start().await?;
        calls.repeat(&peer(&server)?).await?;
        ensure!(verify(&server, "article").await? == 2);
        ensure!(server.stop().await? == Some(0));
    }
    Ok(())
}
