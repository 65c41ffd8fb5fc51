//! Tens of thousands of calls, each cancelled after its last byte. A client whose connection is
//! closed opens another one.

use super::http2::GivenUp;
use super::{Done, http2};
use crate::raw::LIST_COMMENTS;
use anyhow::Result;
use bytes::BytesMut;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

/// The number of calls that are written at once: fewer than the twenty for which the HTTP/2 library
/// closes a connection.
const BATCH: u32 = 16;
/// The wait after a failed connection attempt.
const AGAIN: Duration = Duration::from_millis(50);

/// Resets calls over a number of connections at a total rate, as far as the service accepts them.
pub(super) async fn run(
    address: &str,
    message: &[u8],
    connections: usize,
    rate: f64,
    lasting: Duration,
) -> Result<Done> {
    let call = Arc::new(GivenUp::of(LIST_COMMENTS, address, message));
    let until = Instant::now() + lasting;
    let pace = Duration::from_secs_f64(f64::from(BATCH) * connections as f64 / rate);
    let mut storms = JoinSet::new();
    for _ in 0..connections {
        storms.spawn(storm(address.to_owned(), Arc::clone(&call), pace, until));
    }
    let add = |all: Done, one: Done| Done {
        resets: all.resets + one.resets,
        opened: all.opened + one.opened,
        ended: all.ended + one.ended,
    };
    Ok(storms.join_all().await.into_iter().fold(Done::default(), add))
}

/// Opens one connection after the other.
async fn storm(address: String, call: Arc<GivenUp>, pace: Duration, until: Instant) -> Done {
    let (mut done, mut due) = (Done::default(), Instant::now());
    while Instant::now() < until {
        done.opened += 1;
        let Ok((reader, speaker)) = http2::open(&address).await else {
            done.ended += 1;
            tokio::time::sleep(AGAIN).await;
            continue;
        };
        let mut open = tokio::spawn(http2::tend(reader, Arc::clone(&speaker)));
        let mut stream = 1;
        while Instant::now() < until {
            // Calls that could not be written when they were due are not repeated later.
            due = (due + pace).max(Instant::now());
            let mut batch = BytesMut::new();
            (0..BATCH).for_each(|number| call.put(&mut batch, stream + 2 * number));
            stream += 2 * BATCH;
            let written = speaker.lock().await.write_all(&batch).await.is_ok();
            done.resets += if written { u64::from(BATCH) } else { 0 };
            let goes_on = tokio::select! {
                () = sleep_until(due.min(until)) => written,
                _ = &mut open => false,
            };
            if !goes_on {
                done.ended += 1;
                break;
            }
        }
        open.abort();
    }
    done
}
