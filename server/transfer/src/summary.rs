//! The result of an import, reported at its end.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use super::counted::count;
use super::progress::per_second;
use super::totals::{ImportTotals, ItemTotals};

/// The data of a summary.
#[derive(Debug)]
pub(crate) struct ImportSummary<'a> {
    pub(crate) totals: &'a ImportTotals,
    pub(crate) by_reason: &'a BTreeMap<String, u64>,
    /// The path of the rejects file, if one was written.
    pub(crate) rejects: Option<&'a Path>,
    pub(crate) elapsed: Duration,
}

impl ImportSummary<'_> {
    /// Returns the summary as lines for a person.
    pub(crate) fn text(&self) -> String {
        let totals = self.totals;
        let mut lines = vec![
            kind("subjects", &totals.subjects, ""),
            kind("comments", &totals.comments, &repeated(totals)),
            kind("likes", &totals.likes, &synthetic(totals)),
        ];
        if !self.by_reason.is_empty() {
            let location = self.rejects.map_or_else(String::new, |path| format!(", listed in {}", path.display()));
            lines.push(format!("rejected  {}{location}", totals.rejected.get()));
            lines.extend(self.by_reason.iter().map(|(reason, count)| format!("          {count:>7}  {reason}")));
        }
        let (done, resent) = (totals.done.get(), totals.resent.get());
        let seconds = self.elapsed.as_secs_f64();
        let mut last = format!("{} in {seconds:.1} s, {}/s", count(done, "item"), per_second(done, self.elapsed));
        if resent > 0 {
            // Writing to a string cannot fail.
            let _ = write!(last, "; {resent} were sent again after a lost connection and may count as unchanged");
        }
        lines.push(last);
        lines.join("\n")
    }
}

fn kind(name: &str, kind: &ItemTotals, suffix: &str) -> String {
    format!("{name:<9} {} created, {} unchanged{suffix}", kind.created.get(), kind.unchanged.get())
}

fn repeated(totals: &ImportTotals) -> String {
    match totals.repeated.get() {
        0 => String::new(),
        n => format!("; {n} stood in the input more than once"),
    }
}

fn synthetic(totals: &ImportTotals) -> String {
    let (synthetic, skipped) = (totals.synthetic.get(), totals.votes_skipped.get());
    let likes = match synthetic {
        1 => "1 stands for a vote known only as a number (member `~synthetic:…`)".to_owned(),
        n => format!("{n} stand for votes known only as numbers (members `~synthetic:…`)"),
    };
    match (synthetic, skipped) {
        (0, 0) => String::new(),
        (0, 1) => "; 1 vote known only as a number was left out".to_owned(),
        (0, skipped) => format!("; {skipped} votes known only as numbers were left out"),
        (_, 0) => format!("; {likes}"),
        (_, 1) => format!("; {likes}, 1 more belongs to a rejected comment"),
        (_, skipped) => format!("; {likes}, {skipped} more belong to rejected comments"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_names_every_count_that_is_not_zero() {
        let totals = ImportTotals::default();
        totals.comments.created.add(5);
        totals.likes.created.add(7);
        totals.synthetic.add(7);
        totals.rejected.add(2);
        totals.done.add(14);
        let by_reason = BTreeMap::from([("TEXT_EMPTY".to_owned(), 2)]);
        let rejects = Some(Path::new("r.jsonl"));
        let text =
            ImportSummary { totals: &totals, by_reason: &by_reason, rejects, elapsed: Duration::from_secs(2) }.text();
        let expected = "subjects  0 created, 0 unchanged\n\
                        comments  5 created, 0 unchanged\n\
                        likes     7 created, 0 unchanged; 7 stand for votes known only as numbers (members `~synthetic:…`)\n\
                        rejected  2, listed in r.jsonl\n          \u{20}     2  TEXT_EMPTY\n14 items in 2.0 s, 7/s";
        assert_eq!(text, expected);
    }
}
