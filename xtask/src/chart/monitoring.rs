//! Checks of alerts and dashboards: they use registered metrics only, each alert has a runbook and
//! a passing test, and each metric appears somewhere.

use super::CHART;
use super::findings::Findings;
use super::objects::documents;
use crate::live::Live;
use crate::registry::Registry;
use crate::repo::Repo;
use crate::run::output_of;
use crate::tools;
use anyhow::{Context, Result, anyhow, ensure};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

const TESTS: &str = "helm/alerts_test.yaml";
const RUNBOOKS: &str = "docs/runbooks";
/// The words of PromQL that can stand at the position of a metric.
const KEYWORDS: [&str; 11] =
    ["and", "or", "unless", "by", "without", "on", "ignoring", "group_left", "group_right", "bool", "offset"];

/// Runs all checks, and the tests of the alerts if promtool is available.
pub(super) fn check(repo: &Repo, live: &Arc<Live>, found: &mut Findings) -> Result<()> {
    let registry = Registry::read(repo)?;
    let (series, exemplars) = (registry.series(), registry.exemplars());
    let alerts = alerts(repo)?;
    let tests = fs::read_to_string(repo.at(TESTS))?;
    for alert in &alerts {
        found.judge(format!("alert {}", alert.name), alert.sound(repo, &series, &tests));
    }
    let names: BTreeSet<String> = alerts.iter().map(|alert| format!("{RUNBOOKS}/{}.md", alert.name)).collect();
    for page in repo.files()?.iter().filter(|path| path.starts_with(RUNBOOKS) && !names.contains(*path)) {
        found.fault(format!("{page} belongs to no alert"));
    }
    let shown = dashboards(repo, &series, &exemplars, found)?;
    for metric in registry.metrics() {
        let name = metric.scraped();
        let seen = shown.iter().any(|series| series.strip_prefix(&name).is_some());
        found.judge("dashboards", if seen { Ok(()) } else { Err(anyhow!("none shows {name}")) });
    }
    match tools::promtool(repo, live) {
        Ok(promtool) => {
            let mut test = repo.command(promtool);
            found.judge("promtool", output_of(test.args(["test", "rules", TESTS])).map(drop));
        }
        Err(error) => found.skip(format!("the tests of alerts: {error:#}")),
    }
    Ok(())
}

/// An alerting rule.
#[derive(Debug)]
struct Alert {
    name: String,
    expression: String,
    severity: String,
    runbook: String,
}

fn alerts(repo: &Repo) -> Result<Vec<Alert>> {
    let rules = fs::read_to_string(repo.at(CHART).join("files/alerts.yaml"))?;
    let groups = documents(&rules)?;
    let rules = groups.iter().flat_map(|of| of["groups"].as_array().into_iter().flatten());
    let rules = rules.flat_map(|group| group["rules"].as_array().into_iter().flatten());
    let text = |rule: &Value, path: &str| rule.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    let alert = |rule: &Value| Alert {
        name: text(rule, "/alert"),
        expression: text(rule, "/expr"),
        severity: text(rule, "/labels/severity"),
        runbook: text(rule, "/annotations/runbook"),
    };
    let alerts: Vec<Alert> = rules.map(alert).collect();
    ensure!(!alerts.is_empty(), "files/alerts.yaml has no alert");
    Ok(alerts)
}

impl Alert {
    fn sound(&self, repo: &Repo, series: &BTreeSet<String>, tests: &str) -> Result<()> {
        registered(&self.expression, series)?;
        ensure!(["critical", "warning"].contains(&self.severity.as_str()), "its severity is {:?}", self.severity);
        let page = format!("{RUNBOOKS}/{}.md", self.name);
        ensure!(self.runbook == page, "its runbook is {:?}, not {page}", self.runbook);
        let text = fs::read_to_string(repo.at(&page)).with_context(|| format!("there is no {page}"))?;
        ensure!(text.starts_with(&format!("# {}\n", self.name)), "{page} has another title");
        ensure!(tests.contains(&format!("\"{}\"", self.name)), "{TESTS} does not test it");
        Ok(())
    }
}

/// Checks every query of every dashboard. Returns the series that they show.
fn dashboards(
    repo: &Repo,
    series: &BTreeSet<String>,
    exemplars: &BTreeSet<String>,
    found: &mut Findings,
) -> Result<BTreeSet<String>> {
    let folder = format!("{CHART}/files/dashboards/");
    let mut shown = BTreeSet::new();
    for path in repo.files()?.into_iter().filter(|path| path.starts_with(&folder)) {
        let dashboard: Value =
            serde_json::from_str(&fs::read_to_string(repo.at(&path))?).with_context(|| path.clone())?;
        let named = dashboard["uid"].as_str().is_some_and(|uid| path == format!("{folder}{uid}.json"));
        found.judge(&path, if named { Ok(()) } else { Err(anyhow!("its uid is not its name")) });
        for target in targets(&dashboard) {
            let query = target["expr"].as_str().unwrap_or_default();
            found.judge(&path, registered(query, series).and_then(|()| exemplar_is_set(query, target, exemplars)));
            shown.extend(metrics(query));
        }
    }
    Ok(shown)
}

/// Returns every query of a dashboard with its enclosing object.
fn targets(value: &Value) -> Vec<&Value> {
    match value {
        Value::Object(fields) if fields.contains_key("expr") => vec![value],
        Value::Object(fields) => fields.values().flat_map(targets).collect(),
        Value::Array(all) => all.iter().flat_map(targets).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// Checks that a query requests exemplars exactly if one of its metrics has them.
fn exemplar_is_set(query: &str, target: &Value, exemplars: &BTreeSet<String>) -> Result<()> {
    let there = metrics(query).iter().any(|name| exemplars.contains(name));
    let wanted = target["exemplar"].as_bool().unwrap_or_default();
    ensure!(there == wanted, "\"exemplar\" is {wanted}, and should be {there}: {query}");
    Ok(())
}

fn registered(query: &str, series: &BTreeSet<String>) -> Result<()> {
    let names = metrics(query);
    ensure!(!names.is_empty(), "asks for no metric: {query}");
    match names.iter().find(|name| !series.contains(*name)) {
        Some(name) => Err(anyhow!("there is no metric {name}")),
        None => Ok(()),
    }
}

/// Returns the metrics of a query: words outside of selectors, ranges, texts and lists of labels
/// that are neither functions nor keywords.
fn metrics(query: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    // Every second part is quoted and may contain brackets.
    let plain: String = query.split('"').step_by(2).collect();
    let mut rest = plain.as_str();
    let mut labels = false;
    while let Some(first) = rest.chars().next() {
        let closing = match first {
            '{' => Some('}'),
            '[' => Some(']'),
            '(' if labels => Some(')'),
            _ => None,
        };
        if let Some(closing) = closing {
            let inner = &rest[first.len_utf8()..];
            rest = inner.find(closing).map_or("", |end| &inner[end + closing.len_utf8()..]);
            labels = false;
            continue;
        }
        let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
        let length = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(length);
        rest = if word.is_empty() { &rest[first.len_utf8()..] } else { behind };
        let grouping = ["by", "without", "on", "ignoring", "group_left", "group_right"].contains(&word);
        labels = grouping || labels && word.is_empty() && first.is_whitespace();
        let next = behind.trim_start();
        let grouped = next.split(|c: char| !in_word(c)).next().is_some_and(|next| ["by", "without"].contains(&next));
        let function = next.starts_with('(') || grouped;
        let number = word.starts_with(|c: char| c.is_ascii_digit());
        if !word.is_empty() && !function && !number && !KEYWORDS.contains(&word) {
            found.insert(word.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn metric_names(query: &str) -> Vec<String> {
        metrics(query).into_iter().collect()
    }

    #[test]
    fn metric_names_are_found_in_a_query() {
        let query =
            "histogram_quantile(0.99, sum by (le, pool) (rate(a_bucket{x=~\"b|c}\"}[5m]))) > 14.4 * 0.001 and on (d) e";
        assert_eq!(metric_names(query), ["a_bucket", "e"]);
        assert_eq!(
            metric_names("(sum(rate(a[1h])) or vector(0)) / max without(b) (c) unless d offset 5m"),
            ["a", "c", "d"]
        );
        assert!(metric_names("time() - 3").is_empty());
    }

    #[test]
    fn exemplars_are_requested_where_they_exist() {
        let exemplars = BTreeSet::from(["a_bucket".to_owned()]);
        let dashboard = json!({"panels": [{"targets": [
            {"expr": "rate(a_bucket[5m])", "exemplar": true}, {"expr": "rate(a_bucket[5m])"},
            {"expr": "rate(b_bucket[5m])"}, {"expr": "rate(b_bucket[5m])", "exemplar": true},
        ]}]});
        let sound = |target: &Value| exemplar_is_set(target["expr"].as_str().unwrap(), target, &exemplars).is_ok();
        assert_eq!(targets(&dashboard).into_iter().map(sound).collect::<Vec<_>>(), [true, false, true, false]);
    }

    #[test]
    fn a_metric_that_is_not_registered_is_found() {
        let series = BTreeSet::from(["a".to_owned()]);
        assert!(registered("rate(a[5m]) > 0", &series).is_ok());
        assert!(registered("rate(a_total[5m]) > 0", &series).is_err());
        assert!(registered("vector(1)", &series).is_err());
    }
}
