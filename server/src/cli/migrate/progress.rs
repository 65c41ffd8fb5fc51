//! Progress of a migration: a bar on a terminal, a line every five seconds elsewhere.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use riposte_migrations::MigrationProgress;
use std::{
    io::{self, IsTerminal},
    time::{Duration, Instant},
};

const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// The progress of all data sources together, on standard error.
pub(super) struct ProgressView {
    bar: ProgressBar,
    /// Finished tables and all tables of each source, as far as reported.
    sources: Vec<(usize, usize)>,
    last_line: Instant,
}

impl ProgressView {
    pub(super) fn start(sources: usize) -> Self {
        let terminal = io::stderr().is_terminal();
        let bar = ProgressBar::with_draw_target(
            None,
            if terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() },
        );
        if let Ok(style) =
            ProgressStyle::with_template("{wide_bar} {pos} of {len} tables, {per_sec}, {eta} left  {msg}")
        {
            bar.set_style(style);
        }
        ProgressView { bar, sources: vec![(0, 0); sources], last_line: Instant::now() }
    }

    pub(super) fn update(&mut self, progress: MigrationProgress) {
        let MigrationProgress { source, done, total, table } = progress;
        if let Some(counts) = self.sources.get_mut(source) {
            *counts = (done, total);
        }
        let (done, total) = self.sum();
        self.bar.set_length(total);
        self.bar.set_position(done);
        self.bar.set_message(table);
        if self.bar.is_hidden() && self.last_line.elapsed() >= LINE_INTERVAL {
            self.last_line = Instant::now();
            super::output::note(&progress_line(done, total, self.bar.elapsed()));
        }
    }

    /// Removes the bar and returns the number of created tables.
    pub(super) fn finish(self) -> u64 {
        self.bar.finish_and_clear();
        self.sum().0
    }

    fn sum(&self) -> (u64, u64) {
        let sum = |tables: fn(&(usize, usize)) -> usize| self.sources.iter().map(|source| tables(source) as u64).sum();
        (sum(|(done, _)| *done), sum(|(_, total)| *total))
    }
}

fn progress_line(done: u64, total: u64, elapsed: Duration) -> String {
    let rate = done * 1_000 / u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX).max(1);
    let remaining =
        total.saturating_sub(done).checked_div(rate).map_or_else(|| "?".to_owned(), |remaining| remaining.to_string());
    format!("{done} of {total} tables, {rate}/s, {remaining} s left")
}

#[cfg(test)]
mod tests {
    use super::{ProgressView, progress_line};
    use riposte_migrations::MigrationProgress;
    use std::time::Duration;

    #[test]
    fn the_tables_of_all_sources_are_counted_together() {
        let mut view = ProgressView::start(2);
        let table = || "comment_index_7".to_owned();
        view.update(MigrationProgress { source: 0, done: 10, total: 100, table: table() });
        view.update(MigrationProgress { source: 1, done: 30, total: 100, table: table() });
        view.update(MigrationProgress { source: 0, done: 11, total: 100, table: table() });
        assert_eq!(view.sum(), (41, 200));
        assert_eq!(view.finish(), 41);
    }

    #[test]
    fn a_line_has_done_total_rate_and_time_left() {
        assert_eq!(progress_line(40, 200, Duration::from_secs(2)), "40 of 200 tables, 20/s, 8 s left");
        assert_eq!(progress_line(0, 200, Duration::ZERO), "0 of 200 tables, 0/s, ? s left");
    }
}
