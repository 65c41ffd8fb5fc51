//! The messages of each subcommand about wrong inputs, its exit codes, and the rules of every
//! message (CONTRIBUTING.md, Messages). Each file of `words/` holds the cases of one
//! subcommand: the command line after `$`, what it writes, and its exit code.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use riposte_tests::{Say, Server, command};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

/// The least number of wrong inputs of a subcommand.
const LEAST: usize = 10;
/// Texts for programmers, which no message has.
const FORBIDDEN: [&str; 8] =
    ["Os {", "Error(", "Some(", "None)", "(os error", "code: '", "internal error", "panicked at"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/process/words")
}

#[tokio::test]
async fn every_subcommand_says_what_is_wrong_with_wrong_inputs() -> Result<()> {
    let help = command::run(["--help"]).await?.ended(0)?.out;
    let commands =
        help.split("\nCommands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).context(help.clone())?;
    let names = commands.lines().filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    // Descriptions continue on lines that are indented further.
    let is_command =
        |name: &&str| commands.contains(&format!("\n  {name} ")) || commands.starts_with(&format!("  {name} "));
    let (scratch, mut changed) = (scratch()?, Vec::new());
    for name in names.filter(is_command).filter(|name| *name != "help") {
        let path = folder().join(format!("{name}.txt"));
        let golden = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let cases: Vec<&str> = golden.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
        ensure!(cases.len() >= LEAST, "{name} has {} wrong inputs", cases.len());
        let mut output = String::new();
        for case in cases {
            output += &run(case, scratch.path()).await?;
        }
        if output != golden {
            let actual = std::env::temp_dir().join(format!("riposte-words-{name}.txt"));
            std::fs::write(&actual, &output)?;
            changed.push(format!("diff {} {}", path.display(), actual.display()));
        }
    }
    ensure!(changed.is_empty(), "messages changed; compare, and copy what is meant:\n{}", changed.join("\n"));
    Ok(())
}

/// Makes a folder with the files that the cases name.
fn scratch() -> Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text);
    write("bad.toml", "[server]\nlisten = \"127.0.0.1:1\n")?;
    write("key.toml", "[server]\nlisten = \"nowhere\"\n[store]\nsubject_table = 50\n")?;
    write("file", "no folder")?;
    write("text.json", "hostname: example.org")?;
    write("empty.json", "")?;
    write("page.html", "<html><body>Sign in</body></html>")?;
    write("time.json", r#"[{"id": "/a", "comments": [{"id": 1, "text": "x", "created": 1e300}]}]"#)?;
    write("duplicate.toml", "[server]\nreflection = true\n[server]\n")?;
    write("nothing.toml", "x = \n")?;
    write("array.toml", "x = [")?;
    write("rows.csv", "id,at\n1,2020-01-01\n")?;
    let fields = "[comment]\nsubject = \"s\"\nid = \"{id}\"\nmember = \"m\"\ntext = \"x\"\ncreate_time = \"{at}\"\n";
    write("type.toml", &format!("source = \"x\"\nobject_type = \"Bad\"\n{fields}"))?;
    write("time.toml", &format!("source = \"x\"\ntime_format = \"YYYY-MM-DD\"\n{fields}"))?;
    write("cut.pem", "-----BEGIN CERTIFICATE-----\nMIIB\n")?;
    write("der.pem", "\u{1}\u{2}")?;
    write("encrypted.pem", "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n")?;
    write(
        "words.jsonl",
        "{\"word\":\"x\",\"id\":\"1\"}\n{\"word\":\"y\",\"mode\":\"exact\"}\n{\"wrd\":\"z\",\"id\":\"1\"}\n",
    )?;
    write("mixed.txt", "one\n{\"word\":\"two\"}\n")?;
    std::fs::write(folder.path().join("latin1.txt"), b"one\ncaf\xe9\n")?;
    std::fs::create_dir(folder.path().join("other"))?;
    write("other/riposte.db", "this is no database")?;
    Ok(folder)
}

/// Runs one case: variables, then the arguments, of which one may stand in double quotes.
async fn run(case: &str, folder: &Path) -> Result<String> {
    let words = words(case);
    let variables = words.iter().take_while(|word| word.contains('=') && word.starts_with(char::is_uppercase));
    let variables: Vec<_> = variables.filter_map(|word| word.split_once('=')).collect();
    let mut command = command::riposte(&words[variables.len()..])?;
    command.current_dir(folder).envs(variables).env("COLUMNS", "100");
    let ran = command::finish(&mut command).await?;
    ensure!(ran.code != 0 || case.starts_with("token --version"), "{case} succeeds:\n{}{}", ran.out, ran.err);
    for text in FORBIDDEN {
        ensure!(!ran.err.contains(text), "{case} says {text:?}:\n{}", ran.err);
    }
    for line in ran.err.lines() {
        ensure!(!is_doubled(line), "{case} says the same twice:\n{line}");
    }
    let out = if ran.out.lines().count() > 20 { "(the configuration)\n".to_owned() } else { ran.out };
    // The log begins each line with the time.
    let is_logged = |line: &&str| line.starts_with("20") || line.starts_with('{');
    let output: String = ran.err.lines().filter(|line| !is_logged(line)).map(|line| format!("{line}\n")).collect();
    Ok(format!("$ {case}\n{out}{output}(exit code {})\n", ran.code))
}

fn words(case: &str) -> Vec<String> {
    let parts = case.split('"').enumerate();
    let words = parts.flat_map(|(n, part)| match n % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

/// Returns true if a part of a message, between colons, follows itself.
fn is_doubled(line: &str) -> bool {
    let parts: Vec<&str> = line.split(": ").map(str::trim).collect();
    parts.windows(2).any(|pair| pair[0] == pair[1])
}

#[tokio::test]
async fn a_reader_that_stops_early_ends_a_command_quietly() -> Result<()> {
    for arguments in [
        &["config", "example"][..],
        &["config", "schema"],
        &["config", "print"],
        &["completion", "bash"],
        &["errors", "list"],
        &["errors", "explain", "FIELD_INVALID"],
        &["version"],
        &["token"],
    ] {
        let (reader, writer) = std::io::pipe()?;
        drop(reader);
        // `output` would replace the closed pipe by one that is read.
        let child = command::riposte(arguments)?.stdout(writer).stderr(Stdio::piped()).spawn()?;
        let ended = child.wait_with_output().await?;
        let output = String::from_utf8_lossy(&ended.stderr);
        let is_quiet = output.is_empty() || arguments == ["config", "print"] && !output.contains("pipe");
        ensure!(is_quiet && !output.contains("panicked"), "{arguments:?}: {output}");
    }
    Ok(())
}

#[tokio::test]
async fn readers_that_stop_early_end_no_command_with_a_fault() -> Result<()> {
    let server = Server::dev().await?;
    let say = Say::on(&server.client()?, "article");
    say.comment("m", "root").await?;
    say.comment("m", "root").await?;
    let folder = scratch()?;
    let (admin, public) = (["--target", server.admin_target()], ["--target", server.target()]);
    let subject = format!("article/{}", say.key.object_id);
    let cases: [(&[&str], &[&str]); 8] = [
        (&["export", "--object-type", "article", "--out", "out.jsonl", "--overwrite"], &admin),
        (&["import", "--format", "jsonl", "out.jsonl"], &admin),
        (&["import", "--format", "jsonl", "out.jsonl", "--dry-run"], &[]),
        (&["verify"], &admin),
        (&["verify", "--repair"], &admin),
        (&["rebuild", "history", "--object-type", "article"], &admin),
        (&["rebuild", "ranks", "--object-type", "article"], &admin),
        (&["comment", "list", &subject, "--page-size", "1"], &public),
    ];
    for (arguments, target) in cases {
        for closed in [[true, false], [false, true]] {
            let (reader, writer) = std::io::pipe()?;
            drop(reader);
            let stream = |is_closed| if is_closed { writer.try_clone().map(Stdio::from) } else { Ok(Stdio::piped()) };
            let [out, err] = closed.map(stream);
            let mut command = command::riposte([arguments, target].concat())?;
            let child = command.current_dir(folder.path()).stdout(out?).stderr(err?).spawn()?;
            let ended = child.wait_with_output().await?;
            let words = String::from_utf8_lossy(&ended.stderr);
            ensure!(ended.status.success() && !words.contains("panicked"), "{arguments:?}, {closed:?}: {words}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_message_about_a_name_with_control_characters_does_not_control_the_terminal() -> Result<()> {
    let name = "\u{1b}[2J\u{9b}31m.json";
    let setting = format!("{name}=1");
    for arguments in [
        &["import", "--format", "isso", name][..],
        &["verify", "--target", name],
        &["config", "check", "--config", name],
        &["config", "check", "--set", &setting],
    ] {
        let ran = command::run(arguments).await?;
        let is_obeyed = |c: char| c.is_control() && c != '\n';
        ensure!(ran.code != 0 && ran.err.contains("\u{fffd}[2J"), "{arguments:?}: {:?}", ran.err);
        ensure!(!ran.err.contains(is_obeyed) && !ran.out.contains(is_obeyed), "{arguments:?}: {:?}", ran.err);
    }
    Ok(())
}

#[tokio::test]
async fn an_export_of_a_server_that_does_not_answer_writes_nothing() -> Result<()> {
    let export = ["export", "--object-type", "page", "--target", "http://127.0.0.1:1"];
    let ran = command::run(export).await?.ended(5)?.says(&["the export is incomplete", "no connection to"])?;
    ensure!(ran.out.is_empty(), "{}", ran.out);
    Ok(())
}

#[tokio::test]
async fn config_print_shows_what_there_is_and_then_what_is_wrong() -> Result<()> {
    let ran = command::run(["config", "print", "--set", "server.max_call_time=never"]).await?.ended(2)?;
    ensure!(ran.out.contains("server.listen = ") && ran.err.contains("server.max_call_time"), "{}{}", ran.out, ran.err);
    Ok(())
}

#[tokio::test]
async fn dev_starts_with_its_demo_and_writes_nothing_of_its_own_around_a_command() -> Result<()> {
    let ran = command::run(["dev", "--listen", "127.0.0.1:0", "--exec", "--", "echo", "done"]).await?.ended(0)?;
    ensure!((ran.out.as_str(), ran.err.as_str()) == ("done\n", ""), "{}{}", ran.out, ran.err);
    Ok(())
}

#[tokio::test]
async fn a_second_dev_of_its_own_address_takes_free_ports_for_the_rest() -> Result<()> {
    // If another process has the ports, the binds fail, which makes no difference.
    let taken = [7172, 7173].map(|port| std::net::TcpListener::bind(("127.0.0.1", port)));
    let free = std::net::TcpListener::bind("127.0.0.1:0")?;
    let address = free.local_addr()?.to_string();
    drop(free);
    let script = "echo $RIPOSTE_TARGET $RIPOSTE_ADMIN_TARGET";
    let ran = command::run(["dev", "--seed", "none", "--listen", &address, "--exec", "--", "sh", "-c", script]).await?;
    let ran = ran.ended(0)?;
    let (target, admin) = ran.out.trim().split_once(' ').context(ran.out.clone())?;
    ensure!(target == address && !admin.ends_with(":7172"), "{}", ran.out);
    drop(taken);
    Ok(())
}

#[tokio::test]
async fn a_browser_at_the_grpc_port_is_answered_by_one_sentence() -> Result<()> {
    let server = riposte_tests::Server::dev().await?;
    let target = server.target().trim_start_matches("http://").to_owned();
    let folder = tempfile::tempdir()?;
    for (http, bytes) in ["--http1.1", "--http2-prior-knowledge"].into_iter().flat_map(|http| {
        // A form is answered only after the server has read it, or the answer may be lost.
        [None, Some(2), Some(50_000), Some(1_000_000)].map(|bytes| (http, bytes))
    }) {
        for _ in 0..if bytes.is_some() { 20 } else { 1 } {
            let mut command = Command::new("curl");
            command.args(["--silent", "--show-error", "--max-time", "10", http, &format!("http://{target}/")]);
            if let Some(bytes) = bytes {
                let form = folder.path().join("form");
                std::fs::write(&form, "x".repeat(bytes))?;
                command.arg("--data").arg(format!("@{}", form.display()));
            }
            let ran = command::finish(&mut command).await?.ended(0)?;
            let is_sentence = ran.out.starts_with("This is a gRPC port: ") && ran.out.lines().count() == 1;
            ensure!(is_sentence, "{http}, {bytes:?} bytes: {} {}", ran.out, ran.err);
        }
    }
    for request in ["PROPFIND / HTTP/1.1\r\n\r\n", "TRACE / HTTP/1.1\r\n\r\n", "PUT / HTTP/1.1\r\n\r\n"] {
        // A client may send any number of bytes at a time.
        let mut stream = tokio::net::TcpStream::connect(&target).await?;
        stream.set_nodelay(true)?;
        for byte in request.as_bytes() {
            stream.write_all(&[*byte]).await?;
        }
        let mut response = String::new();
        stream.read_to_string(&mut response).await?;
        ensure!(response.contains("\r\n\r\nThis is a gRPC port: "), "{request}: {response}");
    }
    Ok(())
}

#[tokio::test]
async fn a_server_that_admits_every_caller_in_plaintext_says_so() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let sets = ["listen", "admin_listen", "metrics_listen"].map(|key| format!("server.{key}=127.0.0.1:0"));
    let data = format!("store.data_dir={}", folder.path().display());
    let mut serve = command::riposte(["serve", "--allow-insecure", "--set", "store.kind=sqlite", "--set", &data])?;
    for set in &sets {
        serve.args(["--set", set]);
    }
    let mut serve = serve
        .args(["--set", "store.subject_tables=1", "--set", "store.index_tables=1"])
        .stderr(Stdio::piped())
        .spawn()?;
    let log = serve.stderr.take().context("no output")?;
    let mut lines = tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(log));
    let mut output = String::new();
    while let Some(line) = lines.next_line().await? {
        output += &line;
        if line.contains("listening") {
            break;
        }
    }
    serve.kill().await?;
    ensure!(output.contains("every caller is admitted") && output.contains("in plaintext"), "{output}");
    Ok(())
}
