//! An import that is interrupted, or loses its server, resumes where it stopped.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use riposte_sdk::v1::ListSubjectsRequest;
use riposte_sdk::v1::admin_service_client::AdminServiceClient;
use riposte_sdk::{Client, Connection, Options};
use riposte_tests::Server;
use riposte_tests::command;
use riposte_tests::real::madrid::{Madrid, OBJECT_TYPE, Orphans};
use riposte_tests::real::{self, FLAT};
use tokio::process::{Child, Command};

/// A rate that is low enough for an interruption in the middle.
const SLOWLY: [&str; 2] = ["--max-rps", "4000"];

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_stops_an_import_gracefully_and_the_same_command_resumes_it() -> Result<()> {
    let Some(data) = real::data() else { return Ok(()) };
    let server = Server::dev().await?;
    let scratch = tempfile::tempdir()?;
    let running = import(&data, server.admin_target(), scratch.path())?.args(SLOWLY).stderr(Stdio::piped()).spawn()?;
    begun(server.admin()?).await?;
    let pid = running.id().and_then(|id| i32::try_from(id).ok()).context("the import ended early")?;
    kill(Pid::from_raw(pid), Signal::SIGINT)?;
    let ended = tokio::time::timeout(Duration::from_secs(20), running.wait_with_output()).await??;
    let text = String::from_utf8_lossy(&ended.stderr).into_owned();
    ensure!(ended.status.code() == Some(130) && text.contains("riposte import"), "{:?}: {text}", ended.status);
    let last = command::finish(&mut import(&data, server.admin_target(), scratch.path())?).await?.ended(6)?;
    print!("the run after Ctrl-C:\n{}", last.out);
    ensure!(!last.out.contains("comments  0 created") && !last.out.contains(", 0 unchanged\nlikes"), "{}", last.out);
    let madrid = Madrid::read(&data, Orphans::Reject)?;
    real::compare(&server, OBJECT_TYPE, FLAT, &madrid.trees).await.map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_completes_although_its_server_is_killed_and_restarted() -> Result<()> {
    let Some(data) = real::data() else { return Ok(()) };
    let scratch = tempfile::tempdir()?;
    let [grpc, admin] = [free_port()?, free_port()?];
    let start = || -> Result<Child> {
        let addresses = ["--listen", &grpc, "--admin-listen", &admin];
        let mut dev = command::riposte(["dev", "--seed", "none", "--data"])?;
        Ok(dev.arg(scratch.path().join("data")).args(addresses).stdout(Stdio::null()).spawn()?)
    };
    let client = || {
        let options = Options { target: grpc.clone(), admin_target: admin.clone(), ..Options::default() };
        anyhow::Ok(Client::open(options)?.admin()?)
    };
    let mut server = start()?;
    let running =
        import(&data, &format!("http://{admin}"), scratch.path())?.args(SLOWLY).stdout(Stdio::piped()).spawn()?;
    for _ in 0..3 {
        begun(client()?).await?;
        tokio::time::sleep(Duration::from_millis(rand::random_range(100..700))).await;
        server.kill().await?;
        server = start()?;
    }
    let ended = tokio::time::timeout(Duration::from_secs(60), running.wait_with_output()).await??;
    let text = String::from_utf8_lossy(&ended.stdout).into_owned();
    print!("the run that lost its server three times:\n{text}");
    ensure!(ended.status.code() == Some(6), "{:?}: {text}", ended.status);
    // An item that was sent twice counts as created or as unchanged, depending on the time of the
    // crash.
    server.kill().await?;
    let server = Server::dev_on(&scratch.path().join("data")).await?;
    let madrid = Madrid::read(&data, Orphans::Reject)?;
    real::compare(&server, OBJECT_TYPE, FLAT, &madrid.trees).await?;
    ensure!(riposte_tests::thread_tree::verify(&server, OBJECT_TYPE).await? == madrid.proposals.len());
    Ok(())
}

fn import(data: &Path, target: &str, scratch: &Path) -> Result<Command> {
    let mut command = command::riposte(["import", "--format", "csv", "--target", target, "--map"])?;
    command.arg(real::workspace().join("docs/import/decide-madrid.toml"));
    command.arg(data.join("decide-madrid/comments.csv.gz")).arg("--rejects").arg(scratch.join("rejects.jsonl"));
    Ok(command)
}

/// Waits until the first subjects exist.
async fn begun(mut admin: AdminServiceClient<Connection>) -> Result<()> {
    let request =
        ListSubjectsRequest { object_type: OBJECT_TYPE.to_owned(), page_size: 3, ..ListSubjectsRequest::default() };
    let some = async {
        while admin.list_subjects(request.clone()).await.map_or(0, |page| page.into_inner().subjects.len()) < 3 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), some).await.context("no subject was imported")
}

fn free_port() -> Result<String> {
    Ok(std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string())
}
