//! Creates at a steady rate.

use crate::clients::{Clients, TargetArgs};
use crate::prepare;
use crate::report::{MeasuredTime, Samples};
use anyhow::{Context, Result, ensure};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

/// The kind of the creates among the samples.
pub(super) const KIND: &str = "creates";
/// The number of creates under way above which the next one waits.
const UNDER_WAY: usize = 2_000;
/// The clients that the creates are spread over.
const CALLERS: usize = 64;

/// The rate of the creates.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct CreateRate {
    /// Comments created per second
    #[arg(long, default_value_t = 100)]
    pub(super) rate: u32,
    /// Subjects that they are spread over
    #[arg(long, default_value_t = 64)]
    pub(super) subjects: usize,
}

impl CreateRate {
    /// Makes sure that the subjects exist.
    pub(super) async fn prepare(&self, clients: &Clients, target: &TargetArgs) -> Result<()> {
        ensure!(self.rate > 0 && self.subjects > 0, "at least one of each");
        prepare::subjects(clients, target, self.subjects).await.map(drop)
    }

    /// Returns a task that creates comments when they are due, until the end of the window. Its
    /// samples are the creates that ended within the window, from the moment when each was due.
    pub(super) fn run(
        self,
        window: MeasuredTime,
        clients: &Clients,
        target: &TargetArgs,
    ) -> impl Future<Output = Result<Samples>> + Send + use<> {
        let calls: Vec<_> = (0..CALLERS).map(|number| clients.of(number).comments()).collect();
        let keys = target.keys(self.subjects);
        let begin = Instant::now();
        let due = move |number: u32| begin + Duration::from_secs(1) * number / self.rate;
        async move {
            let (mut running, mut samples, mut number) = (JoinSet::new(), Samples::default(), 0);
            while due(number) < window.until {
                sleep_until(due(number)).await;
                while due(number) <= Instant::now() && due(number) < window.until {
                    let mut calls = calls[number as usize % calls.len()].clone();
                    let request = prepare::comment(&keys[number as usize % keys.len()], number as usize);
                    let due = due(number);
                    running.spawn(async move {
                        let created = calls.create_comment(request).await.map(drop);
                        (due, Instant::now(), created)
                    });
                    number += 1;
                }
                while running.len() > UNDER_WAY {
                    take(&mut samples, window, running.join_next().await.context("a create")??);
                }
                while let Some(one) = running.try_join_next() {
                    take(&mut samples, window, one?);
                }
            }
            while let Some(one) = running.join_next().await {
                take(&mut samples, window, one?);
            }
            Ok(samples)
        }
    }
}

/// Counts a create that ended within the window.
fn take<E>(samples: &mut Samples, window: MeasuredTime, (due, end, created): (Instant, Instant, Result<(), E>))
where
    E: std::error::Error + Send + Sync + 'static,
{
    if end >= window.from && end < window.until {
        samples.take(end - due, created.map_err(anyhow::Error::new));
    }
}
