//! Connections that send nothing but the frames that keep them open.

use super::{Done, http2};
use anyhow::Result;
use futures::{StreamExt, stream};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// The number of connections that are opened at a time.
const WIDTH: usize = 100;

/// Opens a number of connections, and holds them until the time is over.
pub(super) async fn run(address: &str, connections: usize, lasting: Duration) -> Result<Done> {
    let until = Instant::now() + lasting;
    let mut opening = stream::iter(0..connections).map(|_| http2::open(address)).buffer_unordered(WIDTH);
    let (mut held, mut done) = (JoinSet::new(), Done::default());
    while let Some(opened) = opening.next().await {
        let (reader, speaker) = opened?;
        done.opened += 1;
        held.spawn(http2::tend(reader, speaker));
    }
    tokio::time::sleep_until(until).await;
    while held.try_join_next().is_some() {
        done.ended += 1;
    }
    Ok(done)
}
