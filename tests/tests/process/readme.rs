//! The commands of the READMEs, as a reader pastes them: the first minute beside `riposte dev`, and
//! the way to production with an editor that completes the marked lines.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use riposte_tests::real::workspace;
use riposte_tests::{binary, command, mysql};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

use super::compose;

/// Returns the lines between the fences after a mark.
fn commands_of(readme: &str, mark: &str) -> Result<String> {
    let text = std::fs::read_to_string(workspace().join(readme))?;
    let after = text.split_once(&format!("<!-- {mark}: run by a test -->")).with_context(|| readme.to_owned())?.1;
    Ok(after.split("```").nth(1).context("no commands")?.trim_start().to_owned())
}

/// Makes a folder that has the binary under test where a build of the repository has it.
fn folder() -> Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    std::fs::create_dir_all(folder.path().join("target/release"))?;
    symlink(binary::binary()?, folder.path().join("target/release/riposte"))?;
    Ok(folder)
}

/// Returns a shell that runs a script in the folder with the binary on its path.
fn shell(folder: &Path, script: &str) -> Result<Command> {
    let mut shell = Command::new("sh");
    let mut path = folder.join("target/release").into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").context("there is no PATH")?);
    shell.args(["-euc", script]).current_dir(folder).env("PATH", path).kill_on_drop(true);
    Ok(shell)
}

#[tokio::test]
async fn the_first_minute_of_each_readme_runs_beside_dev() -> Result<()> {
    for (readme, text) in [("README.md", "Hello"), ("README.zh-CN.md", "你好")] {
        let folder = folder()?;
        let script = commands_of(readme, "try")?;
        ensure!(script.lines().count() == 4, "{script}");
        let dev = ["dev", "--listen", "127.0.0.1:0", "--exec", "--", "sh", "-euc", &script];
        let ran = command::finish(command::riposte(dev)?.current_dir(folder.path())).await?.ended(0)?;
        ensure!(ran.out.starts_with("article/1: 50 comments in "), "{}", ran.out);
        ensure!(ran.out.contains("\narticle/1: 51 comments in ") && ran.out.contains(text), "{}", ran.out);
    }
    Ok(())
}

#[tokio::test]
async fn the_way_to_production_runs_as_it_is_pasted() -> Result<()> {
    let Some([server, _]) = mysql::servers() else { return Ok(()) };
    let (folder, name) = (folder()?, mysql::fresh_name());
    mysql::create(std::slice::from_ref(&server), &name).await?;
    let made = compose::prepared(folder.path()).await?;
    // The editor that completes the marked lines.
    let editor = folder.path().join("editor");
    let editing = format!(
        r##"#!/bin/sh
sed -i -e 's#^cert_file = ""#cert_file = "made/server/tls.crt"#' \
  -e 's#^key_file = ""#key_file = "made/server/tls.key"#' \
  -e 's#^url = ""#url = "{server}/{name}"#' -e 's#^callers_file = ""#callers_file = "callers.toml"#' \
  -e 's#^listen = .*#listen = "127.0.0.1:0"#' "$1"
"##
    );
    std::fs::write(&editor, editing)?;
    std::fs::set_permissions(&editor, PermissionsExt::from_mode(0o755))?;

    let script = commands_of("README.md", "production")?;
    let lines = || script.lines().map(|line| line.split("  #").next().unwrap_or(line).trim_end());
    ensure!(lines().next_back() == Some("riposte --config riposte.toml serve"), "{script}");
    let mut shell = shell(folder.path(), &script)?;
    // The other listeners of the default ports may be taken on the machine of the test.
    shell.env("EDITOR", &editor).env("RIPOSTE__LOG__FORMAT", "json");
    shell.env("RIPOSTE__SERVER__ADMIN_LISTEN", "127.0.0.1:0").env("RIPOSTE__SERVER__METRICS_LISTEN", "127.0.0.1:0");
    let mut child = shell.process_group(0).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let group = Pid::from_raw(-child.id().and_then(|id| i32::try_from(id).ok()).context("it ended")?);
    let mut log = BufReader::new(child.stderr.take().context("no stderr")?).lines();
    let mut address = None;
    let (mut seen, mut is_serving) = (String::new(), false);
    while let Some(line) = log.next_line().await? {
        let event: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
        address = address.or(event["grpc"].as_str().map(str::to_owned));
        is_serving = event["message"] == "serving";
        if is_serving {
            break;
        }
        seen += &format!("{line}\n");
    }
    ensure!(is_serving, "it does not serve:\n{seen}");
    let port = address.as_deref().and_then(|address| address.rsplit_once(':')).context("no address")?.1;
    let target = format!("https://localhost:{port}");
    let token = std::fs::read_to_string(folder.path().join("web.token"))?;
    let post = |token: &str| -> Result<Command> {
        let mut post = command::riposte(["comment", "post", "article/1", "ann", "Hello", "--target", &target])?;
        post.env("RIPOSTE_TOKEN", token).env("RIPOSTE_TLS_CA", made.join("ca.crt"));
        Ok(post)
    };
    command::finish(&mut post(token.trim())?).await?.ended(0)?;
    command::finish(&mut post("riposte_other")?).await?.ended(4)?.says(&["CALLER_UNKNOWN"])?;
    kill(group, Signal::SIGTERM)?;
    child.wait().await?;
    Ok(())
}

#[tokio::test]
async fn the_short_file_of_sqlite_serves_on_one_laptop() -> Result<()> {
    let folder = folder()?;
    let script = "riposte config example --minimal sqlite | sed \
        -e 's#^data_dir = \"\"#data_dir = \"data\"#' -e 's#^listen = .*#listen = \"127.0.0.1:0\"#' > riposte.toml
        mkdir data
        riposte --config riposte.toml config check
        riposte --config riposte.toml config print --show-origin | grep store.pools.write.connections";
    let ran = command::finish(&mut shell(folder.path(), script)?).await?.ended(0)?;
    let shown: Vec<&str> = ran.out.lines().last().unwrap_or_default().split_whitespace().collect();
    ensure!(shown == ["store.pools.write.connections", "=", "1", "#", "default"], "{}", ran.out);
    let sets = ["server.admin_listen=127.0.0.1:0", "server.metrics_listen=127.0.0.1:0", "log.format=json"];
    let sets = sets.iter().flat_map(|set| ["--set".to_owned(), (*set).to_owned()]);
    let sets: Vec<String> = ["--config".to_owned(), folder.path().join("riposte.toml").display().to_string()]
        .into_iter()
        .chain(sets)
        .collect();
    let data = ["--set".to_owned(), format!("store.data_dir={}", folder.path().join("data").display())];
    let server = riposte_tests::Server::serve_with(&[sets, data.to_vec()].concat()).await?;
    let post = ["comment", "post", "article/1", "ann", "Hello", "--target", server.target()];
    command::run(post).await?.ended(0)?;
    ensure!(server.stop().await? == Some(0));
    Ok(())
}
