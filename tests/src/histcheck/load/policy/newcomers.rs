//! The clients of new members. No comment of theirs is ever in sight, so each one waits, also while
//! their comments cannot be counted.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Result;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use riposte_sdk::RequestIds;
use tokio::sync::watch;

use super::client::{complete, new_request, text_of};
use super::{FIRST_NEWCOMER, NEWCOMER_CLIENTS};
use crate::histcheck::history::{Call, PolicyCall};
use crate::histcheck::load::Environment;
use crate::histcheck::names::{NEWCOMER_MEMBERS, NEWCOMERS};

/// Number of subjects.
const SUBJECTS: u32 = 8;
/// Number of members.
const MEMBERS: u32 = 40;
/// The longest pause between two creates.
const PAUSE: Duration = Duration::from_millis(100);

/// A client with its state.
#[derive(Debug)]
pub(crate) struct Newcomers {
    number: u32,
    rng: StdRng,
    ids: RequestIds,
    texts: u64,
}

impl Newcomers {
    /// Returns all clients.
    pub(crate) fn all(seed: u64) -> impl Iterator<Item = Self> {
        (FIRST_NEWCOMER..FIRST_NEWCOMER + NEWCOMER_CLIENTS).map(move |number| {
            let rng = StdRng::seed_from_u64(seed ^ u64::from(number + 811).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            Self { number, rng, ids: RequestIds::default(), texts: 0 }
        })
    }

    /// Creates comments while `active` is true, until its sender is dropped. No create is retried:
    /// while one data source fails, the next one may be on the other one.
    ///
    /// # Errors
    /// Fails when the history cannot be written.
    pub(crate) async fn run(mut self, environment: Arc<Environment>, mut active: watch::Receiver<bool>) -> Result<()> {
        while active.wait_for(|active| *active).await.is_ok() {
            self.texts += 1;
            let member = NEWCOMER_MEMBERS + self.rng.random_range(0..MEMBERS);
            let call = PolicyCall::CreateNew { member, text: text_of(self.number, self.texts) };
            let subject = NEWCOMERS + self.rng.random_range(0..SUBJECTS);
            let call = (Call::Policy { subject, call }, new_request(&self.ids)?);
            complete(&environment, (self.number, &mut self.rng), call, Duration::ZERO).await?;
            environment.completed.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(PAUSE.mul_f64(self.rng.random())).await;
        }
        Ok(())
    }
}
