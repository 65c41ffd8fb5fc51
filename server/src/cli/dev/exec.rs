//! `--exec -- CMD`: a command that runs while the server runs.

use crate::{
    app::Addresses,
    cli::exit::{Failure, NOT_FOUND},
    config::foreign_variable,
    lifecycle::{StopSignal, StopSignals},
};
use nix::{
    sys::signal::{Signal as UnixSignal, kill},
    unistd::Pid,
};
use std::{
    ffi::OsString,
    io::{self, IsTerminal},
    os::unix::process::ExitStatusExt,
    process::{ExitCode, ExitStatus},
};
use tokio::process::{Child, Command};

/// Runs the command with the addresses in its environment and returns its exit code. The first
/// signal is forwarded to it, the second one kills it.
pub(super) async fn run(
    command: &[OsString],
    addresses: Addresses,
    signals: &mut StopSignals,
) -> anyhow::Result<ExitCode> {
    let Some((program, arguments)) = command.split_first() else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut child = Command::new(program)
        .args(arguments)
        .envs(without_proxy(["NO_PROXY", "no_proxy"].map(foreign_variable)))
        .env("RIPOSTE_TARGET", addresses.grpc.to_string())
        .env("RIPOSTE_ADMIN_TARGET", addresses.admin.to_string())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| {
            Failure::new(
                NOT_FOUND,
                format!("cannot run {}: {error}; give a program of the PATH, or its path", program.display()),
            )
        })?;
    let mut signalled = false;
    loop {
        tokio::select! {
            status = child.wait() => return Ok(code(status?)),
            signal = signals.next() => {
                if signalled {
                    child.start_kill()?;
                } else {
                    forward(&child, signal);
                }
                signalled = true;
            }
        }
    }
}

/// The hosts of this machine, as variables of proxies name them.
const LOOPBACK: &str = "localhost,127.0.0.0/8,127.0.0.1,::1";

/// Returns both variables of the hosts that are reached without a proxy, for commands that are not
/// written with an SDK. Each has the hosts that it names, and this machine. One that is not set
/// gets the hosts of the other: programs that read it first would otherwise no longer see them.
fn without_proxy([upper, lower]: [Option<String>; 2]) -> [(&'static str, String); 2] {
    let [upper, lower] = [upper, lower].map(|hosts| hosts.filter(|hosts| !hosts.is_empty()));
    let and_this_machine =
        |hosts: Option<&String>| hosts.map_or(LOOPBACK.to_owned(), |hosts| format!("{hosts},{LOOPBACK}"));
    [
        ("NO_PROXY", and_this_machine(upper.as_ref().or(lower.as_ref()))),
        ("no_proxy", and_this_machine(lower.as_ref().or(upper.as_ref()))),
    ]
}

/// Forwards a signal. On a terminal, Ctrl-C has already reached the command with the whole process
/// group, and most programs quit immediately at a second one.
fn forward(child: &Child, signal: StopSignal) {
    let number = match signal {
        StopSignal::Interrupt if io::stdin().is_terminal() => return,
        StopSignal::Interrupt => UnixSignal::SIGINT,
        StopSignal::Terminate => UnixSignal::SIGTERM,
    };
    if let Some(id) = child.id().and_then(|id| i32::try_from(id).ok()) {
        // It fails only if the command has just ended, which the loop detects.
        let _ = kill(Pid::from_raw(id), number);
    }
}

/// Returns the exit code of the command, or 128 plus the number of the signal that ended it, as
/// shells report it.
fn code(status: ExitStatus) -> ExitCode {
    let number = status.code().or_else(|| Some(128 + status.signal()?));
    ExitCode::from(number.and_then(|number| u8::try_from(number).ok()).unwrap_or(u8::MAX))
}

#[cfg(test)]
mod tests {
    use super::{LOOPBACK, run, without_proxy};
    use crate::{
        app::Addresses,
        lifecycle::{REPEAT_INTERVAL, StopSignals},
    };
    use std::process::ExitCode;

    async fn run_shell(script: &str) -> ExitCode {
        let at = |port| ([127, 0, 0, 1], port).into();
        let command = ["sh", "-c", script].map(Into::into);
        run(
            &command,
            Addresses { grpc: at(1), admin: at(2), metrics: Some(at(3)) },
            &mut StopSignals::listen(REPEAT_INTERVAL).unwrap(),
        )
        .await
        .unwrap()
    }

    #[tokio::test]
    async fn the_command_sees_both_addresses_and_its_exit_code_is_ours() {
        let script = r#"[ "$RIPOSTE_TARGET" = 127.0.0.1:1 ] && [ "$RIPOSTE_ADMIN_TARGET" = 127.0.0.1:2 ] && exit 37"#;
        assert_eq!(run_shell(script).await, ExitCode::from(37));
        assert_eq!(run_shell("exit 0").await, ExitCode::SUCCESS);
        assert_eq!(run_shell("kill -TERM $$").await, ExitCode::from(143));
    }

    #[tokio::test]
    async fn the_command_reaches_this_machine_without_a_proxy() {
        let script =
            r#"case "$NO_PROXY $no_proxy" in *localhost,*127.0.0.1,*\ *localhost,*127.0.0.1,*) ;; *) exit 1; esac"#;
        assert_eq!(run_shell(script).await, ExitCode::SUCCESS);
    }

    #[test]
    fn hosts_without_a_proxy_stay_in_either_variable() {
        let listed = |upper: Option<&str>, lower: Option<&str>| {
            without_proxy([upper, lower].map(|hosts| hosts.map(str::to_owned))).map(|(_, hosts)| hosts)
        };
        let with = |hosts: &str| format!("{hosts},{LOOPBACK}");
        assert_eq!(listed(None, Some("")), [LOOPBACK, LOOPBACK]);
        assert_eq!(listed(None, Some("a.example")), [with("a.example"), with("a.example")]);
        assert_eq!(listed(Some("a.example"), None), [with("a.example"), with("a.example")]);
        assert_eq!(listed(Some("a.example"), Some("b.example")), [with("a.example"), with("b.example")]);
    }

    #[tokio::test]
    async fn a_missing_command_is_reported_as_missing() {
        let at = |port| ([127, 0, 0, 1], port).into();
        let addresses = Addresses { grpc: at(1), admin: at(2), metrics: Some(at(3)) };
        let error = run(&["/nowhere/cmd".into()], addresses, &mut StopSignals::listen(REPEAT_INTERVAL).unwrap())
            .await
            .unwrap_err();
        assert!(error.to_string().contains("/nowhere/cmd"), "{error}");
    }
}
