//! The queries of the dashboards, on a Prometheus that scrapes a server which an example uses.

use super::summary::Report;
use super::{Run, examples};
use crate::run::run_observed;
use crate::{servers, tools};
use anyhow::{Context, Result};

/// Runs them, and shows the table of all panels.
pub(super) fn check(at: &mut Run<'_>) -> Result<Report> {
    tools::mariadb(at.live)?;
    tools::faketime(at.live)?;
    let prometheus = tools::prometheus(at.repo, at.live)?;
    let mariadb = servers::start_mariadb(at.live, servers::Setup::TESTS)?;
    let redis = servers::start_redis(&tools::redis(at.repo, at.live)?, at.live)?;
    let mut report = Report::default();
    let mut kafka = match tools::kafka(at.repo, at.live)? {
        Ok(jars) => Some(servers::begin_kafka(&jars, at.live)?),
        Err(reason) => {
            report.skipped.push(format!("the panels of the topic: {reason}"));
            None
        }
    };
    kafka.iter_mut().try_for_each(servers::Kafka::ready)?;
    let [(_, mysql), _] = mariadb.exports();
    let [(_, redis_url), ..] = redis.exports();
    let mut test = at.repo.clean("python3");
    test.arg(at.repo.at("examples/tests/dashboards.py")).arg("--riposte").arg(at.repo.server_binary());
    test.arg("--prometheus").arg(prometheus).args(["--mysql", &mysql, "--redis", &redis_url]);
    for [(_, brokers), _] in kafka.iter().map(servers::Kafka::exports) {
        test.args(["--kafka", &brokers]);
    }
    test.arg("web-fastapi").args(examples::fastapi(at)?).env("PYTHONDONTWRITEBYTECODE", "1");
    let mut rows = 0_usize;
    let mut see = |line: &str| {
        rows += usize::from(line.starts_with("| Riposte"));
        println!("{line}");
    };
    run_observed(at.live, &mut test, &mut see).context("a panel without data")?;
    (report.passed, report.note) = (1, format!("{rows} queries"));
    Ok(report)
}

#[cfg(test)]
mod tests {
    use crate::repo::Repo;
    use serde_json::Value;
    use std::fs;

    /// Returns a row for each query of a dashboard: the title of the dashboard and of the panel.
    fn queries(dashboard: &Value) -> Vec<String> {
        let title = dashboard["title"].as_str().unwrap();
        let panels = dashboard["panels"].as_array().unwrap().iter();
        let rows = panels.flat_map(|panel| {
            let queries = panel["targets"].as_array().map_or(0, Vec::len);
            vec![format!("{title}: {}", panel["title"].as_str().unwrap()); queries]
        });
        rows.collect()
    }

    /// Returns the same of the tables of the page.
    fn rows(page: &str) -> Vec<String> {
        let sections = page.split("\n## ").skip(1).filter_map(|section| section.split_once('\n'));
        let rows = sections.flat_map(|(title, table)| {
            let lines = table.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
            let panels = lines.filter_map(|line| Some(line.strip_prefix("| ")?.split_once(" | ")?.0));
            panels.map(move |panel| format!("{title}: {panel}"))
        });
        rows.collect()
    }

    #[test]
    fn the_page_has_a_row_for_every_query() {
        let repo = Repo::find().unwrap();
        let mut expected = Vec::new();
        for file in repo.files().unwrap().iter().filter(|file| file.starts_with("helm/riposte/files/dashboards/")) {
            let dashboard = serde_json::from_str(&fs::read_to_string(repo.at(file)).unwrap()).unwrap();
            expected.extend(queries(&dashboard));
        }
        assert!(expected.len() >= 69, "{expected:?}");
        let mut found = rows(&fs::read_to_string(repo.at("docs/dashboards.md")).unwrap());
        found.sort();
        expected.sort();
        assert_eq!(found, expected);
    }
}
