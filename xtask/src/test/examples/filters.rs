//! The examples of a filter, checked as another team's filter is: by `riposte conformance`.

use super::python;
use crate::run::run;
use crate::test::Run;
use crate::tools;
use anyhow::{Context, Result, bail};
use riposte_test_support::free_port;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Tests an example. Returns the reason of a skip.
type Test = fn(&Run<'_>) -> Result<Option<String>>;

/// The examples by their folders.
pub(super) const ALL: [(&str, Test); 2] = [("filter-go", filter_go), ("filter-python", filter_python)];

/// The longest start of an example.
const START: Duration = Duration::from_secs(60);
/// The pause between two attempts to connect.
const BETWEEN: Duration = Duration::from_millis(50);

fn filter_go(at: &Run<'_>) -> Result<Option<String>> {
    if tools::on_path("go").is_none() {
        return Ok(Some("go is missing".into()));
    }
    let folder = at.repo.target().join("examples");
    fs::create_dir_all(&folder)?;
    let program = folder.join("filter-go");
    let mut go = at.repo.command("go");
    go.args(["build", "-o"]).arg(&program).arg(".").current_dir(at.repo.at("examples/filter-go"));
    run(at.live, &mut go)?;
    checked(at, "filter-go", &[program])
}

fn filter_python(at: &Run<'_>) -> Result<Option<String>> {
    if tools::on_path("python3").is_none() {
        return Ok(Some("python3 is missing".into()));
    }
    checked(at, "filter-python", &[python(at, "filter-python")?, PathBuf::from("main.py")])
}

/// Starts a filter and checks it. The deadline is the longest that a server has: other steps of the
/// tests may run beside this one.
fn checked(at: &Run<'_>, name: &str, command: &[PathBuf]) -> Result<Option<String>> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, free_port()?));
    let (program, arguments) = command.split_first().context("an example without a program")?;
    let mut filter = at.repo.clean(program);
    filter.args(arguments).arg(address.to_string()).arg("spam").current_dir(at.repo.at(&format!("examples/{name}")));
    let mut filter = at.live.spawn(filter.env("PYTHONDONTWRITEBYTECODE", "1"))?;
    let begun = Instant::now();
    while TcpStream::connect(address).is_err() {
        if let Some(status) = filter.child().try_wait()? {
            bail!("{name} ended with {status}");
        }
        if begun.elapsed() > START {
            bail!("{name} does not listen on {address}");
        }
        std::thread::sleep(BETWEEN);
    }
    let mut check = at.repo.clean(at.repo.server_binary());
    check.args(["conformance", "filter", "--deadline", "500ms", "--target", &address.to_string()]);
    run(at.live, &mut check).map(|()| None)
}

/// Returns the programs of the examples.
#[cfg(test)]
pub(super) fn programs(repo: &crate::repo::Repo) -> Vec<String> {
    let files = repo.files().unwrap_or_default();
    let is_program = |path: &String| ALL.iter().any(|(name, _)| path.starts_with(&format!("examples/{name}/main.")));
    files.into_iter().filter(is_program).collect()
}
