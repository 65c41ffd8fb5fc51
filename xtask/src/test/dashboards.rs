//! The queries of the dashboards, on a Prometheus that scrapes a server which an example uses.

use super::summary::Report;
use super::{Run, examples};
use crate::run::run_observed;
use crate::{servers, tools};
use anyhow::{Context, Result};

/// Runs them, and shows the table of all panels.
pub(super) fn check(at: &mut Run<'_>) -> Result<Report> {
    tools::mariadb(at.live)?;
    let prometheus = tools::prometheus(at.repo, at.live)?;
    let mariadb = servers::start_mariadb(at.live, servers::Setup::TESTS)?;
    let redis = servers::start_redis(&tools::redis(at.repo, at.live)?, at.live)?;
    let [(_, mysql), _] = mariadb.exports();
    let [(_, redis_url), ..] = redis.exports();
    let mut test = at.repo.clean("python3");
    test.arg(at.repo.at("examples/tests/dashboards.py")).arg("--riposte").arg(at.repo.server_binary());
    test.arg("--prometheus").arg(prometheus).args(["--mysql", &mysql, "--redis", &redis_url]);
    test.arg("web-fastapi").args(examples::fastapi(at)?).env("PYTHONDONTWRITEBYTECODE", "1");
    let mut rows = 0_usize;
    let mut see = |line: &str| {
        rows += usize::from(line.starts_with("| Riposte"));
        println!("{line}");
    };
    run_observed(at.live, &mut test, &mut see).context("a panel without data")?;
    Ok(Report::success(format!("{rows} queries")))
}
