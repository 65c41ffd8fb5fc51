//! The binary on the command line: its output, the stream of the output, and its exit code.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops where it stands")]

use std::{
    path::Path,
    process::{Command, Output},
};

fn riposte(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_riposte"));
    command.args(arguments).envs(variables.iter().copied()).output().unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn file(folder: &Path, text: &str) -> String {
    let path = folder.join("riposte.toml");
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[test]
fn config_print_shows_all_five_sources_and_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(
        folder.path(),
        "[server]\nmax_call_time = \"5s\"\n[page_tokens]\nkeys = [\"MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=\"]\n",
    );
    let arguments =
        ["config", "print", "--dev", "--show-origin", "--config", &path, "--set", "server.drain_timeout=7s"];
    let output = riposte(&arguments, &[("RIPOSTE__STORE__POOLS__READ__CONNECTIONS", "3")]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let shown = stdout(&output).replace(&path, "riposte.toml");
    // The origins are in a separate column, whose position does not matter here.
    let lines: Vec<_> = shown.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for expected in [
        "server.max_call_time = \"5s\" # riposte.toml, line 2",
        "page_tokens.keys = [\"********\"] # riposte.toml, line 4",
        "server.drain_timeout = \"7s\" # flag --set server.drain_timeout",
        "store.pools.read.connections = 3 # variable RIPOSTE__STORE__POOLS__READ__CONNECTIONS",
        "store.kind = \"sqlite\" # profile dev",
        "server.max_request_size = \"4MiB\" # default",
    ] {
        assert!(lines.iter().any(|line| line == expected), "{expected}\nis missing in\n{shown}");
    }
    assert!(!shown.contains("MDEy"), "{shown}");
}

#[test]
fn the_output_of_config_print_is_a_valid_configuration_file() {
    let folder = tempfile::tempdir().unwrap();
    let shown = stdout(&riposte(&["config", "print", "--dev", "--show-origin"], &[]));
    let path = file(folder.path(), &shown);
    let again = riposte(&["config", "print", "--dev", "--config", &path], &[]);
    assert_eq!(code(&again), 0, "{}", stderr(&again));
    assert_eq!(stdout(&again), stdout(&riposte(&["config", "print", "--dev"], &[])));
}

#[test]
fn a_typo_at_depth_four_stops_check_serve_and_dev_with_code_2_and_a_suggestion() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "[store.pools.read]\nconnectoins = 3\n");
    for command in [&["config", "check"][..], &["serve"], &["dev"], &["doctor"], &["migrate", "status"]] {
        let output = riposte(&[command, &["--config", &path]].concat(), &[]);
        assert_eq!(code(&output), 2, "{command:?}");
        let text = stderr(&output);
        assert!(text.contains("store.pools.read.connectoins: unknown key; did you mean `connections`?"), "{text}");
        assert!(text.contains("riposte.toml, line 2"), "{text}");
    }
}

#[test]
fn config_check_names_the_successor_of_every_old_key_in_each_source_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "[lanes]\nlane_queue = 512\n[cache]\nunmended = \"30s\"\n");
    let output = riposte(
        &[
            &["config", "check", "--config", &path, "--set", "hot.enabled=false", "--set", "store.kind=sqlite"][..],
            &["--set", "store.pools.write.connections=8"],
        ]
        .concat(),
        &[("RIPOSTE__LIMITS__UNREAD_SIZE", "64MiB")],
    );
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    let listed = stderr(&output).replace(&path, "riposte.toml");
    for expected in [
        "lanes.lane_queue: is now write_queues.partition_queue (riposte.toml, line 2)",
        "cache.unmended: is now cache.stale_after (riposte.toml, line 4)",
        "hot.enabled: is now response_cache.enabled, as in --set response_cache.enabled=… (flag --set hot.enabled)",
        "limits.unread_size: is now limits.send_buffer_size, as a variable RIPOSTE__LIMITS__SEND_BUFFER_SIZE \
         (variable RIPOSTE__LIMITS__UNREAD_SIZE)",
        "store.pools.write.connections: must be 1",
    ] {
        assert!(listed.contains(expected), "{expected}\nis missing in\n{listed}");
    }
}

#[test]
fn serve_refuses_what_dev_allows_and_names_each_key_with_its_cure() {
    let output = riposte(&["serve", "--set", "store.kind=sqlite"], &[]);
    assert_eq!((code(&output), stdout(&output).as_str()), (2, ""));
    let text = stderr(&output);
    for key in ["auth.callers_file: ", "server.tls.cert_file: ", "store.kind: ", "page_tokens.keys: "] {
        assert!(text.lines().any(|line| line.trim().starts_with(key) && line.contains("--allow-insecure")), "{text}");
    }
}

#[test]
fn every_failure_has_its_exit_code_and_writes_its_error_to_standard_error() {
    let down = ["--set", "store.sources=[{url='mysql://u:canary@127.0.0.1:1/r'}]"];
    let timeouts =
        ["--set", "store.pools.read.acquire_timeout=50ms", "--set", "store.pools.write.acquire_timeout=50ms"];
    let cases: [(&[&str], i32); 7] = [
        (&["version"], 0),
        (&["frobnicate"], 2),
        (&["config", "check"], 2),
        (&["errors", "explain", "NO_SUCH_REASON"], 3),
        (&["healthcheck", "--target", "127.0.0.1:1"], 5),
        (&["migrate", "status", down[0], down[1], timeouts[0], timeouts[1], timeouts[2], timeouts[3]], 5),
        (&["migrate", "up", down[0], down[1], timeouts[0], timeouts[1], timeouts[2], timeouts[3]], 5),
    ];
    for (arguments, expected) in cases {
        let output = riposte(arguments, &[]);
        let text = stderr(&output);
        assert_eq!(code(&output), expected, "{arguments:?}\n{text}");
        assert_eq!(text.is_empty(), expected == 0, "{arguments:?}\n{text}");
        assert!(!text.contains("canary") && !stdout(&output).contains("canary"), "{text}");
    }
}

#[test]
fn doctor_fails_exactly_the_line_of_the_source_that_is_down() {
    let set = "store.sources=[{url='mysql://u:canary@127.0.0.1:1/r'}]";
    let key = "page_tokens.keys=['MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=']";
    let short_timeout = "store.pools.write.acquire_timeout=50ms";
    let insecure = "auth.allow_insecure=true";
    let output = riposte(&["doctor", "--set", set, "--set", key, "--set", short_timeout, "--set", insecure], &[]);
    let text = stdout(&output);
    let failed: Vec<_> = text.lines().filter(|line| line.starts_with("FAIL")).collect();
    assert_eq!(failed.len(), 1, "{text}");
    assert!(failed[0].starts_with("FAIL  source 1 (mysql://********@127.0.0.1:1/r): cannot be reached"), "{text}");
    assert_eq!(code(&output), 1);
}

#[test]
fn errors_are_explained_and_completions_are_generated() {
    let explained = riposte(&["errors", "explain", "pin_limit_reached"], &[]);
    assert!(stdout(&explained).starts_with("PIN_LIMIT_REACHED  (gRPC code FAILED_PRECONDITION)\n"));
    assert!(stdout(&riposte(&["errors", "list"], &[])).lines().count() > 30);
    for shell in ["bash", "zsh", "fish"] {
        assert!(stdout(&riposte(&["completion", shell], &[])).contains("healthcheck"), "{shell}");
    }
}
