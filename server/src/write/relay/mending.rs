//! Keeps copies right: tells them what was committed. Copies that all processes share are told by whoever leads the source, those
//! of one process by itself.

use riposte_cache::Mender;
use riposte_core::ports::Epoch;
use tokio::sync::watch;

use crate::write::bells::{CALM, Ear, OTHERS, OURS, QUICK};
use crate::write::trouble::Trouble;

/// Mends whenever this process leads, for ever. What is told waits for the boards.
pub(super) async fn shared(
    mut mender: Mender,
    mut term: watch::Receiver<Option<Epoch>>,
    mut boards: Ear,
    source: usize,
) {
    let mut trouble = Trouble::of("mending of copies", source);
    loop {
        if term.borrow().is_none() {
            mender.rest();
        }
        // Without a leader that could ever tell a term, all is over.
        if term.wait_for(Option::is_some).await.is_err() {
            return;
        }
        match mender.turn().await {
            Ok(more) => {
                trouble.over();
                if !more {
                    boards.rest(CALM, OURS).await;
                }
            }
            Err(error) => tokio::time::sleep(trouble.met(&error)).await,
        }
    }
}

/// Mends for ever, whoever leads.
pub(in crate::write) async fn own(mut mender: Mender, mut numbers: Ear, source: usize) {
    let mut trouble = Trouble::of("mending of copies", source);
    loop {
        match mender.turn().await {
            Ok(more) => {
                trouble.over();
                if !more {
                    numbers.rest(QUICK, OTHERS).await;
                }
            }
            Err(error) => tokio::time::sleep(trouble.met(&error)).await,
        }
    }
}
