//! Progress of an import: a bar on a terminal, a line every five seconds elsewhere.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::task::JoinHandle;
use tokio::time::MissedTickBehavior;

use super::console::note;
use super::totals::ImportTotals;

const BAR_TICK: Duration = Duration::from_millis(100);
const LINE_TICK: Duration = Duration::from_secs(5);
const TEMPLATE: &str = "{spinner} {wide_bar} {human_pos} of {human_len} ({percent} %), {msg}";

/// Shows the totals on standard error until it is dropped.
#[derive(Debug)]
pub(crate) struct ImportProgress {
    bar: ProgressBar,
    task: JoinHandle<()>,
}

impl ImportProgress {
    /// Starts the display. Must be called within a tokio runtime.
    pub(crate) fn start(totals: &Arc<ImportTotals>) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let target = if terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        let (task_bar, totals) = (bar.clone(), Arc::clone(totals));
        let task = tokio::spawn(async move {
            let mut tick = tokio::time::interval(if terminal { BAR_TICK } else { LINE_TICK });
            tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
            // The first tick is immediate, when there is nothing to report.
            tick.tick().await;
            loop {
                tick.tick().await;
                if terminal && !totals.total_known.load(Ordering::Relaxed) {
                    task_bar.set_message(line(&totals, task_bar.elapsed()));
                } else if terminal {
                    task_bar.set_length(totals.expected());
                    task_bar.set_position(totals.done.get());
                    task_bar.set_message(rate_and_rejects(&totals, task_bar.elapsed()));
                } else {
                    note(&line(&totals, task_bar.elapsed()));
                }
            }
        });
        Self { bar, task }
    }

    /// Shows a message without disturbing the bar.
    pub(crate) fn show_message(&self, text: &str) {
        if self.bar.is_hidden() {
            note(text);
        } else {
            self.bar.println(text);
        }
    }

    /// Returns the time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.bar.elapsed()
    }
}

impl Drop for ImportProgress {
    fn drop(&mut self) {
        self.task.abort();
        self.bar.finish_and_clear();
    }
}

/// Returns one line for a log: done, total, share, rate, time left, rejects.
pub(crate) fn line(totals: &ImportTotals, elapsed: Duration) -> String {
    let (done, total) = (totals.done.get(), totals.expected());
    let is_total_known = totals.total_known.load(Ordering::Relaxed);
    if !is_total_known {
        let (read, rate) = (totals.read.get(), per_second(totals.read.get().max(done), elapsed));
        return format!(
            "reading: {read} records so far, {rate}/s; {done} items done, {} rejected",
            totals.rejected.get()
        );
    }
    let percent = (done.min(total) * 100).checked_div(total).unwrap_or_default();
    format!("{done} of {total} ({percent} %), {}", rate_and_rejects(totals, elapsed))
}

fn rate_and_rejects(totals: &ImportTotals, elapsed: Duration) -> String {
    let (done, total) = (totals.done.get(), totals.expected());
    let rate = per_second(done, elapsed);
    let remaining =
        total.saturating_sub(done).checked_div(rate).map_or_else(|| "?".to_owned(), |remaining| remaining.to_string());
    format!("{rate}/s, {remaining} s left, {} rejected", totals.rejected.get())
}

/// Returns items per second, rounded.
pub(crate) fn per_second(items: u64, elapsed: Duration) -> u64 {
    let millis = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX).max(1);
    items.saturating_mul(1000) / millis
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_done_total_rate_time_left_and_rejects() {
        let totals = ImportTotals::default();
        totals.total.add(2000);
        totals.read.add(900);
        totals.done.add(500);
        totals.rejected.add(3);
        let text = |totals: &ImportTotals| line(totals, Duration::from_secs(5));
        assert_eq!(text(&totals), "reading: 900 records so far, 180/s; 500 items done, 3 rejected");
        totals.total_known.store(true, Ordering::Relaxed);
        assert_eq!(text(&totals), "500 of 2000 (25 %), 100/s, 15 s left, 3 rejected");
        assert_eq!(
            line(&ImportTotals::default(), Duration::ZERO),
            "reading: 0 records so far, 0/s; 0 items done, 0 rejected"
        );
    }
}
