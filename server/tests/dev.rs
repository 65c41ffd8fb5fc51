//! `riposte dev` from its start to its end, as a process.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops where it stands")]

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use std::{
    fs,
    net::TcpListener,
    path::Path,
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

fn dev(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_riposte"));
    command.args(["dev", "--listen", "127.0.0.1:0"]).args(arguments);
    command
}

fn exec(arguments: &[&str], script: &str) -> Output {
    dev(arguments).args(["--exec", "--", "sh", "-c", script]).output().unwrap()
}

/// Waits for the endpoint file and returns its content.
fn endpoint(path: &Path) -> serde_json::Value {
    let begin = Instant::now();
    loop {
        if let Ok(text) = fs::read(path) {
            // The file is written in one step, so it is complete.
            return serde_json::from_slice(&text).unwrap();
        }
        assert!(begin.elapsed() < Duration::from_secs(30), "no endpoint file");
        std::thread::yield_now();
    }
}

fn is_serving(address: &str) -> bool {
    let check = Command::new(env!("CARGO_BIN_EXE_riposte")).args(["healthcheck", "--target", address]).output();
    check.unwrap().status.success()
}

fn terminate(child: &Child) {
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), Signal::SIGTERM).unwrap();
}

#[test]
fn the_endpoint_file_appears_when_the_server_is_ready_and_sigterm_ends_the_server_with_code_0() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("endpoint.json");
    let arguments = ["--endpoint-file", path.to_str().unwrap(), "--seed", "none"];
    let mut child = dev(&arguments).env("TMPDIR", folder.path()).stdout(Stdio::piped()).spawn().unwrap();
    let endpoint = endpoint(&path);
    assert_eq!(endpoint["pid"], child.id());
    let address = endpoint["grpc"].as_str().unwrap();
    assert!(is_serving(address) && is_serving(endpoint["admin"].as_str().unwrap()));

    terminate(&child);
    assert!(child.wait().unwrap().success());
    let banner = std::io::read_to_string(child.stdout.take().unwrap()).unwrap();
    assert!(banner.contains("NOT FOR PRODUCTION") && banner.contains(address), "{banner}");
    assert!(!is_serving(address));
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["endpoint.json"], "the temporary database is removed");
}

#[test]
fn an_old_endpoint_file_is_replaced_before_the_command_starts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("endpoint.json");
    fs::write(&path, "left by an earlier server").unwrap();
    let output = exec(&["--endpoint-file", path.to_str().unwrap()], &format!("cat {}", path.display()));
    let endpoint: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(endpoint["grpc"].is_string());
}

#[test]
fn exec_runs_a_command_beside_the_server_and_returns_its_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("target");
    let riposte = env!("CARGO_BIN_EXE_riposte");
    let script =
        format!("echo $RIPOSTE_TARGET > {}; {riposte} healthcheck --target $RIPOSTE_TARGET; exit 42", note.display());
    let output = exec(&[], &script);
    assert_eq!(output.status.code(), Some(42));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.ends_with("is SERVING\n") && text.lines().count() == 1, "only the command writes output: {text}");
    assert!(!is_serving(fs::read_to_string(note).unwrap().trim()), "no server is left");
}

#[test]
fn exec_passes_sigterm_on_and_leaves_no_process() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("endpoint");
    let script = "trap 'exit 9' TERM; while true; do sleep 0.05; done";
    let arguments = ["--endpoint-file", note.to_str().unwrap(), "--exec", "--", "sh", "-c", script];
    let mut child = dev(&arguments).spawn().unwrap();
    let endpoint = endpoint(&note);
    // The shell may not have set its trap yet. Then the signal, which is passed on as well, ends
    // the shell.
    terminate(&child);
    assert!(matches!(child.wait().unwrap().code(), Some(9 | 143)));
    assert!(!is_serving(endpoint["grpc"].as_str().unwrap()));
}

#[test]
fn a_folder_keeps_the_data_and_the_demo_is_created_once() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("deep/data");
    let arguments = ["--data", data.to_str().unwrap()];
    let export = format!("{} export --object-type article | sort", env!("CARGO_BIN_EXE_riposte"));
    let first = exec(&arguments, &export);
    let second = exec(&arguments, &export);
    assert_eq!(first.status.code(), Some(0), "{}", String::from_utf8_lossy(&first.stderr));
    let comments = |output: &Output| String::from_utf8_lossy(&output.stdout).matches("comment-").count();
    assert!(comments(&first) >= 50, "{}", String::from_utf8_lossy(&first.stdout));
    assert_eq!(comments(&first), comments(&second));
}

#[test]
fn a_busy_port_is_named_together_with_the_flag_that_moves_it() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = dev(&["--admin-listen", &address]).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains(&address) && text.contains("--admin-listen"), "{text}");
}

#[test]
fn many_dev_servers_start_at_once_without_a_clash() {
    let children: Vec<_> = (0..20).map(|_| dev(&["--seed", "none", "--exec", "--", "true"]).spawn().unwrap()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
}
