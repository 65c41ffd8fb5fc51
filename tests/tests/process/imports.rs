//! Imports as strangers run them: from pipes, of files in the wrong format, and of the files that
//! other systems really write.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use nix::sys::signal::{Signal, kill};
use nix::sys::stat::Mode;
use nix::unistd::{Pid, mkfifo};
use riposte_sdk::v1::{ListSubjectsRequest, Subject, SubjectState};
use riposte_tests::command::{self, Ran};
use riposte_tests::{Server, real};
use tokio::io::AsyncWriteExt;

const ISSO: &str = r#"[{"id":"/a","comments":[{"id":1,"created":1,"text":"x","author":"a"}]}]"#;
const XML: &str = "<disqus><thread id='1'><id>a</id></thread><post id='2'><message>x</message>\
    <createdAt>2012-02-02T10:00:00Z</createdAt><thread id='1'/></post></disqus>";
const CSV: &str = "id,body\n1,x\n";
const JSONL: &str = "{\"comment\":{\"subject\":{\"object_type\":\"page\",\"object_id\":\"a\"},\"external_id\":\"1\",\
    \"member_id\":\"m\",\"text\":\"x\",\"create_time\":\"2020-01-01T00:00:00Z\"}}\n";
const MAP: &str = "source = \"x\"\n[comment]\nsubject = \"s\"\nid = \"{id}\"\nmember = \"m\"\ntext = \"{body}\"\n\
    create_time = { value = \"0\", format = \"unix\" }\n";

fn dry_run(folder: &Path, arguments: &[&str]) -> Result<tokio::process::Command> {
    let mut command = command::riposte(["import", "--dry-run", "--spool"])?;
    command.arg(folder).args(arguments).current_dir(folder);
    Ok(command)
}

/// Runs a dry import of `text` by a pipe.
async fn piped(folder: &Path, name: &str, text: &str, arguments: &[&str]) -> Result<Ran> {
    let mut command = dry_run(folder, &[&[name][..], arguments].concat())?;
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut input = child.stdin.take().context("a pipe")?;
    input.write_all(text.as_bytes()).await?;
    drop(input);
    let output = tokio::time::timeout(Duration::from_secs(60), child.wait_with_output()).await??;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let code = output.status.code().unwrap_or(-1);
    Ok(Ran { code, out: text(output.stdout), err: text(output.stderr), took: Duration::ZERO })
}

#[tokio::test]
async fn every_format_is_read_from_a_pipe_once() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let map = folder.path().join("map.toml");
    std::fs::write(&map, MAP)?;
    let map = map.to_str().context("a path")?;
    let json = r#"[{"id":1,"body":"x"}]"#;
    let commento = r#"{"version":1,"comments":[{"commentHex":"1","url":"/a","markdown":"x","creationDate":"2020-01-01T00:00:00Z"}]}"#;
    let wordpress = "<rss xmlns:wp='http://wordpress.org/export/1.2/'><channel><item><post_id>1</post_id><comment>\
        <comment_id>1</comment_id><comment_content>x</comment_content><comment_date_gmt>2012-02-02 10:00:00</comment_date_gmt>\
        </comment></item></channel></rss>";
    let cases: [(&[&str], &str); 7] = [
        (&["--format", "isso"], ISSO),
        (&["--format", "disqus"], XML),
        (&["--format", "wordpress"], wordpress),
        (&["--format", "commento"], commento),
        (&["--format", "jsonl"], JSONL),
        (&["--format", "csv", "--map", map], CSV),
        (&["--format", "json", "--map", map], json),
    ];
    for (arguments, text) in cases {
        for name in ["-", "/dev/stdin"] {
            let ran = piped(folder.path(), name, text, arguments).await?.ended(0)?;
            ran.says(&["1 subject, 1 comment"]).with_context(|| format!("{arguments:?} {name}"))?;
        }
    }
    let twice = dry_run(folder.path(), &["-", "-", "--format", "isso"])?.stdin(Stdio::null()).output().await?;
    ensure!(String::from_utf8_lossy(&twice.stderr).contains("once"), "{twice:?}");
    Ok(())
}

#[tokio::test]
async fn a_signal_ends_an_import_that_waits_for_a_pipe() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let fifo = folder.path().join("fifo");
    mkfifo(&fifo, Mode::from_bits_truncate(0o600))?;
    for dry in [true, false] {
        let arguments = ["import", "--format", "isso", "--target", "http://127.0.0.1:9"];
        let mut command = command::riposte(arguments)?;
        command.args(dry.then_some("--dry-run")).arg(&fifo).current_dir(folder.path()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        // The writing end opens when the import has opened the other.
        let pipe = fifo.clone();
        let opened = tokio::task::spawn_blocking(move || std::fs::OpenOptions::new().write(true).open(pipe));
        let writer = tokio::time::timeout(Duration::from_secs(60), opened).await???;
        let pid = child.id().and_then(|id| i32::try_from(id).ok()).context("it ended early")?;
        kill(Pid::from_raw(pid), Signal::SIGTERM)?;
        let ended = tokio::time::timeout(Duration::from_secs(20), child.wait()).await??;
        ensure!(ended.code() == Some(130), "{ended:?}");
        drop(writer);
    }
    ensure!(std::fs::read_dir(folder.path())?.count() == 1, "only the pipe remains");
    Ok(())
}

#[tokio::test]
async fn nothing_read_is_an_error_unless_it_is_meant() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let header = "{\"schema\":\"riposte.export.v1\"}\n";
    for (format, text) in [("jsonl", ""), ("jsonl", header), ("isso", "[]"), ("disqus", "<disqus/>")] {
        let ran = piped(folder.path(), "-", text, &["--format", format]).await?.ended(1)?;
        ran.says(&["nothing was read", "standard input", "--allow-empty"])?;
        piped(folder.path(), "-", text, &["--format", format, "--allow-empty"]).await?.ended(0)?;
    }
    Ok(())
}

#[tokio::test]
async fn a_file_of_another_system_is_refused_with_the_options_for_it() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let artalk = r#"[{"id":"1","rid":"0","content":"hi","page_key":"/a/"}]"#;
    let cases = [
        ("isso", artalk, "docs/import/artalk.toml"),
        ("commento", r#"{"version": 3, "pages": [], "comments": []}"#, "docs/import/comentario.toml"),
        ("jsonl", "{\"version\":1,\"users\":[],\"posts\":[]}\n", "docs/import/remark42.toml"),
        ("isso", r#"[{"_id":"x","nick":"a","comment":"x","mailMd5":""}]"#, "docs/import/twikoo.toml"),
        ("commento", r#"{"type":"waline","data":{"Comment":[]}}"#, "docs/import/waline.toml"),
        ("wordpress", XML, "--format disqus"),
        ("disqus", "<rss version='2.0'><channel/></rss>", "news feed"),
        ("isso", XML, "--format disqus"),
        ("jsonl", ISSO, "--format isso"),
        ("isso", r#"[{"some": "thing"}]"#, "no thread has a list of comments"),
        ("commento", r#"{"some": "thing"}"#, "no Commento export"),
    ];
    for (format, text, words) in cases {
        let ran = piped(folder.path(), "-", text, &["--format", format]).await?.ended(1)?;
        ran.says(&[words]).with_context(|| format!("{format}: {text}"))?;
    }
    Ok(())
}

fn case(name: &str) -> Option<PathBuf> {
    Some(real::data()?.join("cases").join(name)).filter(|file| file.exists())
}

async fn subjects(server: &Server) -> Result<Vec<Subject>> {
    let request =
        ListSubjectsRequest { object_type: "page".to_owned(), page_size: 100, ..ListSubjectsRequest::default() };
    Ok(server.admin()?.list_subjects(request).await?.into_inner().subjects)
}

#[tokio::test(flavor = "multi_thread")]
async fn orders_drafts_and_passwords_of_a_blog_stay_private() -> Result<()> {
    let Some(file) = case("03-wxr-order-notes.xml") else { return Ok(()) };
    let (server, scratch) = (Server::dev().await?, tempfile::tempdir()?);
    let arguments = [file.to_str().context("a path")?, "--format", "wordpress"];
    real::import(&server, &arguments, scratch.path()).await?.ended(6)?;
    let rejects = real::rejects(scratch.path())?;
    ensure!(rejects.iter().all(|(_, reason)| reason == "NOT_A_COMMENT") && rejects.len() == 5, "{rejects:?}");
    for subject in subjects(&server).await? {
        let id = subject.key.as_ref().map_or("", |key| &key.object_id);
        let is_public = subject.state() != SubjectState::Hidden;
        ensure!(is_public == ["101", "106"].contains(&id), "{id}: {:?}", subject.state());
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_value_that_no_server_stores_rejects_its_record_and_never_the_file() -> Result<()> {
    let (server, scratch) = (Server::dev().await?, tempfile::tempdir()?);
    let file = scratch.path().join("texts.jsonl");
    let line = |id: &str, text: &str| {
        JSONL.replace(r#""1""#, &format!("{id:?}")).replace(r#""x""#, &serde_json::Value::from(text).to_string())
    };
    // The second is longer than any message that a server reads, the third shows nothing.
    let lines = [line("1", "x"), line("2", &"x".repeat(5 << 20)), line("3", "\u{200b}\u{ad}"), line("4", "y")];
    std::fs::write(&file, lines.concat())?;
    let arguments = [file.to_str().context("a path")?, "--format", "jsonl"];
    let expected =
        [("2", "CONTENT_TOO_LONG"), ("3", "TEXT_EMPTY")].map(|(id, reason)| (id.to_owned(), reason.to_owned()));
    for dry in [Some("--dry-run"), None] {
        let arguments: Vec<&str> = arguments.iter().copied().chain(dry).collect();
        let ran = real::import(&server, &arguments, scratch.path()).await?.ended(6)?;
        ran.says(&[if dry.is_some() { "1 subject, 2 comments" } else { "comments  2 created" }])?;
        let mut rejects = real::rejects(scratch.path())?;
        rejects.sort();
        ensure!(rejects == expected, "{rejects:?}");
    }
    let file = scratch.path().join("good.jsonl");
    std::fs::write(&file, line("1", "x"))?;
    real::import(&server, &[file.to_str().context("a path")?, "--format", "jsonl"], scratch.path()).await?.ended(0)?;
    ensure!(real::rejects(scratch.path()).is_err(), "the rejects of the earlier import are no longer any");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_rejects_what_the_import_rejects() -> Result<()> {
    let (server, scratch) = (Server::dev().await?, tempfile::tempdir()?);
    for (name, format) in [
        ("01b-wxr-nul.xml", "wordpress"),
        ("02-wxr-zero-gmt.xml", "wordpress"),
        ("04-disqus-twin-threads.xml", "disqus"),
        ("10-times.jsonl", "jsonl"),
    ] {
        let Some(file) = case(name) else { return Ok(()) };
        let arguments = [file.to_str().context("a path")?, "--format", format, "--object-type", "page"];
        let dry = real::import(&server, &[&arguments[..], &["--dry-run"]].concat(), scratch.path()).await?;
        let expected = real::rejects(scratch.path()).unwrap_or_default();
        println!("{name}: {}", dry.out);
        if format != "jsonl" {
            let ran = real::import(&server, &arguments, scratch.path()).await?;
            let found = real::rejects(scratch.path()).unwrap_or_default();
            // The server may have the parent of an orphan: a dry run counts and keeps orphans.
            let is_orphan = |reject: &(String, String)| reject.1 == "PARENT_MISSING" && !expected.contains(reject);
            let (orphans, found): (Vec<_>, Vec<_>) = found.into_iter().partition(is_orphan);
            // The parent of this reply is in the file, in the twin of its thread.
            let is_known = expected.contains(&("13".to_owned(), "PARENT_MISSING".to_owned()));
            ensure!(is_known == (format == "disqus"), "{name}: {expected:?}");
            let replies = if orphans.len() == 1 { "reply" } else { "replies" };
            let counted = format!("\n{} {replies} to a comment that its subject does not have", orphans.len());
            ensure!(dry.out.contains(&counted), "{name}: {orphans:?} after this dry run:\n{}", dry.out);
            ensure!(
                found == expected && ran.code == dry.code,
                "{name}: {expected:?} in the dry run, {found:?} after it"
            );
        } else {
            ensure!(
                !expected.is_empty() && expected.iter().all(|(_, reason)| reason.starts_with("TIME_")),
                "{expected:?}"
            );
        }
        let _ = std::fs::remove_file(scratch.path().join("rejects.jsonl"));
    }
    Ok(())
}
