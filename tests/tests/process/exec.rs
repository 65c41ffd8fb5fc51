//! `riposte dev --exec -- CMD`: a server for the duration of one command.

use anyhow::{Context, Result, ensure};
use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use riposte_tests::command::{self, Ran};

async fn exec(script: &str) -> Result<Ran> {
    command::run(["dev", "--listen", "127.0.0.1:0", "--exec", "--", "sh", "-c", script]).await
}

#[tokio::test]
async fn the_exit_code_is_the_commands_and_no_process_is_left() -> Result<()> {
    let output = exec("echo $$ $PPID; exit 37").await?.ended(37)?;
    let pids: Vec<i32> = output.out.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    ensure!(pids.len() == 2, "{}", output.out);
    for pid in pids {
        ensure!(kill(Pid::from_raw(pid), None::<Signal>) == Err(Errno::ESRCH), "process {pid} is left");
    }
    exec("exit 0").await?.ended(0)?;
    Ok(())
}

#[tokio::test]
async fn the_command_finds_the_server_ready() -> Result<()> {
    let binary = riposte_tests::binary::binary()?;
    let binary = binary.to_str().context("a path")?;
    let script = format!(
        "{binary} healthcheck --target $RIPOSTE_TARGET && {binary} export --object-type article \
                          --object-id 1 --target http://$RIPOSTE_ADMIN_TARGET"
    );
    exec(&script).await?.ended(0)?.says(&["SERVING", "riposte.export.v1"])?;
    Ok(())
}

#[tokio::test]
async fn a_command_that_does_not_exist_is_named() -> Result<()> {
    let arguments = ["dev", "--listen", "127.0.0.1:0", "--exec", "--", "/nowhere/command"];
    command::run(arguments).await?.ended(3)?.says(&["/nowhere/command"])?;
    command::run(["dev", "--exec"]).await?.ended(2)?;
    Ok(())
}
