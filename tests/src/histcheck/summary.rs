//! The summary of a run: a table for people and a file for programs.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::check::Anomaly;
use super::history::History;
use super::options::Options;
use super::report;

/// Times from the injection of a fault until every server accepts writes again, by the kind of
/// fault, in seconds.
pub(super) type Recoveries = BTreeMap<&'static str, Vec<f64>>;

/// Shows a line for each kind of fault.
pub(super) fn show(recoveries: &Recoveries) {
    println!("{:<18} {:>6}  serving again: median, longest", "fault", "times");
    for (kind, times) in recoveries {
        let (median, longest) = quantiles(times);
        println!("{kind:<18} {:>6}  {median:.2} s, {longest:.2} s", times.len());
    }
}

/// Writes `summary.json`.
///
/// # Errors
/// Fails when the file cannot be written.
pub(super) fn write(
    folder: &Path,
    options: &Options,
    history: &History,
    anomalies: &[Anomaly],
    recoveries: &Recoveries,
) -> Result<()> {
    let kinds: BTreeMap<&str, Value> = recoveries
        .iter()
        .map(|(kind, times)| {
            let (median, longest) = quantiles(times);
            (
                *kind,
                json!({ "times": times.len(), "serving_again_median_s": median, "serving_again_longest_s": longest }),
            )
        })
        .collect();
    let mutants = u8::from(!options.mutant.is_empty());
    let summary = json!({
        "seed": history.seed,
        "seconds": options.length.as_secs(),
        "tables": options.tables.to_string(),
        "means": options.means.iter().map(|means| means.name()).collect::<Vec<_>>().join(", "),
        "operations": history.ops.len(),
        "injections": history.faults.len(),
        "anomalies": anomalies.len(),
        "rules": report::rules(anomalies),
        "planted": mutants,
        "caught": u8::from(mutants == 1 && !anomalies.is_empty()),
        "faults": kinds,
    });
    let path = folder.join("summary.json");
    std::fs::write(&path, format!("{summary:#}\n")).with_context(|| format!("cannot write {}", path.display()))
}

fn quantiles(times: &[f64]) -> (f64, f64) {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |index: usize| sorted.get(index).copied().unwrap_or_default();
    (at(sorted.len() / 2), at(sorted.len().saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_contains_the_anomalies_and_the_recovery_times() {
        let folder = tempfile::tempdir().unwrap();
        let found = |rule| Anomaly { rule, description: String::new(), ops: Vec::new() };
        let options = Options::read(["--planted".to_owned(), "x".to_owned()]).unwrap();
        let recoveries = BTreeMap::from([("kill server", vec![3.0, 1.0, 2.0])]);
        write(folder.path(), &options, &History::default(), &[found("rows"), found("rows")], &recoveries).unwrap();
        let text = std::fs::read_to_string(folder.path().join("summary.json")).unwrap();
        let summary: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&summary["anomalies"], &summary["planted"], &summary["caught"]), (&json!(2), &json!(1), &json!(1)));
        assert_eq!(summary["rules"], json!({ "rows": 2 }));
        assert_eq!(summary["faults"]["kill server"]["serving_again_median_s"], json!(2.0));
        assert_eq!(summary["faults"]["kill server"]["serving_again_longest_s"], json!(3.0));
    }
}
