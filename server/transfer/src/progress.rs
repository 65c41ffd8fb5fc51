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
/// The display while it is not known how much there is.
const READING_TEMPLATE: &str = "{spinner} {msg}";
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
        let bar = new_bar(target);
        let (task_bar, totals) = (bar.clone(), Arc::clone(totals));
        let task = tokio::spawn(async move {
            let mut tick = tokio::time::interval(if terminal { BAR_TICK } else { LINE_TICK });
            tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
            // The first tick is immediate, when there is nothing to report.
            tick.tick().await;
            loop {
                tick.tick().await;
                match terminal {
                    true => draw(&task_bar, &totals),
                    false => note(&line(&totals, task_bar.elapsed())),
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

/// Creates the display as it is before anything is known.
fn new_bar(target: ProgressDrawTarget) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, target);
    if let Ok(style) = ProgressStyle::with_template(READING_TEMPLATE) {
        bar.set_style(style);
    }
    bar
}

/// Draws the bar; without a total there is nothing that a bar could show a part of.
fn draw(bar: &ProgressBar, totals: &ImportTotals) {
    let is_total_known = totals.total_known.load(Ordering::Relaxed);
    if let Ok(style) = ProgressStyle::with_template(if is_total_known { TEMPLATE } else { READING_TEMPLATE }) {
        bar.set_style(style);
    }
    if is_total_known {
        bar.set_length(totals.expected());
        bar.set_position(totals.done.get());
        bar.set_message(rate_and_rejects(totals, bar.elapsed()));
    } else {
        bar.set_message(line(totals, bar.elapsed()));
        bar.tick();
    }
}

/// Returns one line for a log: done, total, share, rate, time left, rejects.
pub(crate) fn line(totals: &ImportTotals, elapsed: Duration) -> String {
    let (done, total) = (totals.done.get(), totals.expected());
    let is_total_known = totals.total_known.load(Ordering::Relaxed);
    if !is_total_known {
        let (read, rate) = (totals.read.get(), per_second(totals.read.get().max(done), elapsed));
        return match read.max(done) {
            // An export reads no records.
            items if items > read => format!("{done} items so far, {rate}/s"),
            _ => format!("reading: {read} records so far, {rate}/s"),
        };
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
    use std::io;
    use std::sync::Mutex;

    use indicatif::TermLike;

    use super::*;

    #[test]
    fn a_line_has_done_total_rate_time_left_and_rejects() {
        let totals = ImportTotals::default();
        totals.total.add(2000);
        totals.read.add(900);
        totals.done.add(500);
        totals.rejected.add(3);
        let text = |totals: &ImportTotals| line(totals, Duration::from_secs(5));
        assert_eq!(text(&totals), "reading: 900 records so far, 180/s");
        totals.total_known.store(true, Ordering::Relaxed);
        assert_eq!(text(&totals), "500 of 2000 (25 %), 100/s, 15 s left, 3 rejected");
        assert_eq!(line(&ImportTotals::default(), Duration::ZERO), "reading: 0 records so far, 0/s");
        let export = ImportTotals::default();
        export.done.add(10);
        assert_eq!(line(&export, Duration::from_secs(5)), "10 items so far, 2/s");
    }

    /// A terminal that keeps what is written.
    #[derive(Debug, Clone, Default)]
    struct Screen(Arc<Mutex<String>>);

    impl TermLike for Screen {
        fn width(&self) -> u16 {
            120
        }

        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }

        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(text)
        }

        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }

        fn clear_line(&self) -> io::Result<()> {
            Ok(())
        }

        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_terminal_shows_no_part_of_a_total_that_is_not_known() {
        let screen = Screen::default();
        let target = ProgressDrawTarget::term_like_with_hz(Box::new(screen.clone()), 255);
        let (bar, totals) = (new_bar(target), ImportTotals::default());
        bar.println("the records are spooled");
        totals.read.add(3097);
        draw(&bar, &totals);
        bar.force_draw();
        let shown = std::mem::take(&mut *screen.0.lock().unwrap());
        assert!(shown.contains("reading: 3097 records so far") && !shown.contains('%'), "{shown}");
        assert!(!shown.contains(" of ") && !shown.contains('░'), "{shown}");
        totals.done.add(1000);
        totals.total_known.store(true, Ordering::Relaxed);
        draw(&bar, &totals);
        bar.force_draw();
        let shown = screen.0.lock().unwrap().clone();
        assert!(shown.contains("1,000 of 3,097 (32 %)"), "{shown}");
    }
}
