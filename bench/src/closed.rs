//! Closed loops: each caller makes its next call as soon as it has a response.

use crate::cpu::{Meter, Watch};
use crate::report::{MeasuredTime, Report, Samples};
use anyhow::Result;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

/// The length of a measurement.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct MeasureTime {
    /// The length of the measurement, in seconds
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    /// Seconds of the same load before the measurement, to open connections and prepare statements
    #[arg(long, default_value_t = 0.5)]
    warm_up: f64,
    #[command(flatten)]
    watch: Watch,
}

/// One caller of a closed loop.
pub(crate) trait Caller: Send + 'static {
    /// Executes one operation and waits for its response: the operation is then durable.
    fn call(&mut self) -> impl Future<Output = Result<()>> + Send;

    /// Returns the kind of the last call if it is not the measured kind. Its latency alone is
    /// reported, separately.
    fn aside(&self) -> Option<&'static str> {
        None
    }
}

/// The wait of a caller after a failure, so that a dead service is not called in a tight loop.
const AFTER_FAILURE: Duration = Duration::from_millis(5);

impl MeasureTime {
    /// Begins the warm-up now; the window follows.
    pub(crate) fn begin(&self) -> MeasuredTime {
        let from = Instant::now() + Duration::from_secs_f64(self.warm_up);
        MeasuredTime { from, until: from + Duration::from_secs_f64(self.seconds) }
    }

    /// Waits for the end of the window and returns the CPU that was used within it.
    pub(crate) async fn meter(&self, window: MeasuredTime) -> Result<Meter> {
        sleep_until(window.from).await;
        let meter = self.start()?;
        sleep_until(window.until).await;
        meter.stop()
    }

    /// Begins to count the CPU, where the work itself determines the window.
    pub(crate) fn start(&self) -> Result<Meter> {
        Meter::start(&self.watch)
    }

    /// Runs all callers at once over a window that begins now.
    pub(crate) async fn closed<C: Caller>(&self, callers: Vec<C>) -> Result<Report> {
        self.closed_within(self.begin(), callers).await
    }

    /// Runs all callers at once over the window.
    pub(crate) async fn closed_within<C: Caller>(&self, window: MeasuredTime, callers: Vec<C>) -> Result<Report> {
        let mut loops = JoinSet::new();
        for caller in callers {
            loops.spawn(calls(caller, window));
        }
        let meter = self.meter(window).await?;
        let mut samples = Samples::default();
        while let Some(one) = loops.join_next().await {
            samples.add(one?);
        }
        samples.report(window, &meter)
    }
}

/// Makes the calls of one caller; those that end within the window count.
async fn calls<C: Caller>(mut caller: C, window: MeasuredTime) -> Samples {
    let mut samples = Samples::default();
    loop {
        let begin = Instant::now();
        let outcome = caller.call().await;
        let end = Instant::now();
        if end >= window.until {
            return samples;
        }
        let failed = outcome.is_err();
        if end >= window.from {
            match caller.aside() {
                Some(kind) => samples.aside(kind).take(end - begin, outcome),
                None => samples.take(end - begin, outcome),
            }
        }
        if failed {
            sleep(AFTER_FAILURE).await;
        }
    }
}
