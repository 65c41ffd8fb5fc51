//! Options whose value is wrong for every record, and places that cannot be written: a command ends
//! before it reads or sends anything, and leaves nothing behind.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::ListSubjectsRequest;
use riposte_tests::command::{self, Ran};
use riposte_tests::{Say, Server};

const TYPE: &str = "page";
const ISSO: &str = r#"[{"id": "/a", "comments": [
    {"id": 1, "created": 1, "text": "x", "author": "a"},
    {"id": 2, "created": 2, "text": "y", "author": "b"}]}]"#;
const ROWS: &str = "id,at\n1,2020-01-01\n2,2020-01-02\n";
const FIELDS: &str = "[comment]\nsubject = \"s\"\nid = \"{id}\"\nmember = \"m\"\ntext = \"x\"\n";

/// A server and a folder with the files of imports.
struct Fixture {
    server: Server,
    folder: tempfile::TempDir,
}

impl Fixture {
    async fn new(sets: &[&str]) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join("isso.json"), ISSO)?;
        std::fs::write(folder.path().join("rows.csv"), ROWS)?;
        Ok(Self { server: Server::dev_with(None, sets).await?, folder })
    }

    fn at(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    async fn run(&self, arguments: &[&str]) -> Result<Ran> {
        let mut command = command::riposte(arguments)?;
        command.args(["--target", self.server.admin_target()]).current_dir(self.folder.path());
        command::finish(&mut command).await
    }

    /// Fails if a command has left a file behind, or a subject of the type on the server.
    async fn require_nothing(&self, files: usize) -> Result<()> {
        let request =
            ListSubjectsRequest { object_type: TYPE.to_owned(), page_size: 1, ..ListSubjectsRequest::default() };
        let subjects = self.server.admin()?.list_subjects(request).await?.into_inner().subjects;
        ensure!(subjects.is_empty(), "{subjects:?}");
        let left: Vec<_> = std::fs::read_dir(self.folder.path())?.flatten().map(|entry| entry.file_name()).collect();
        ensure!(left.len() == files, "{left:?}");
        Ok(())
    }
}

#[tokio::test]
async fn an_import_whose_rejects_or_spool_have_no_place_sends_nothing() -> Result<()> {
    let fixture = Fixture::new(&[]).await?;
    let import = ["import", "isso.json", "--format", "isso"];
    let no_file = ["/proc/rejects.jsonl", "none/rejects.jsonl", "isso.json/rejects.jsonl", ".", "/dev/null"];
    let no_folder = ["/proc", "none", "isso.json"];
    let rejects = no_file.map(|path| ["--rejects", path]);
    let spools = no_folder.map(|path| ["--spool", path]);
    for place in rejects.into_iter().chain(spools) {
        for dry in [&[][..], &["--dry-run"]] {
            let arguments = [&import[..], &place, dry].concat();
            let cure = format!("by {}", place[0]);
            fixture
                .run(&arguments)
                .await?
                .ended(2)?
                .says(&[place[1], &cure])
                .with_context(|| format!("{arguments:?}"))?;
        }
    }
    fixture.require_nothing(2).await?;
    ensure!(!Path::new("/dev/null").is_file(), "the device is a file");
    Ok(())
}

#[tokio::test]
async fn a_file_that_is_missing_is_named_before_any_other_is_read() -> Result<()> {
    let fixture = Fixture::new(&[]).await?;
    // No process writes to the pipe, so an import that opened it first would wait for ever.
    nix::unistd::mkfifo(&fixture.at("fifo"), nix::sys::stat::Mode::from_bits_truncate(0o600))?;
    for (file, words) in [("none.json", "cannot open none.json"), (".", ". is a folder")] {
        for dry in [&[][..], &["--dry-run"]] {
            let arguments = [&["import", "fifo", file, "--format", "isso"][..], dry].concat();
            fixture.run(&arguments).await?.ended(1)?.says(&[words])?;
        }
    }
    fixture.require_nothing(3).await
}

#[tokio::test]
async fn a_command_at_the_other_port_of_a_server_says_which_port_it_needs() -> Result<()> {
    let fixture = Fixture::new(&[]).await?;
    let (admin, public) = (fixture.server.admin_target(), fixture.server.target());
    for (arguments, target, port) in [
        (&["import", "isso.json", "--format", "isso"][..], public, "admin"),
        (&["export", "--object-type", "page"], public, "admin"),
        (&["verify"], public, "admin"),
        (&["rebuild", "history", "--object-type", "page"], public, "admin"),
        (&["comment", "list", "page/1"], admin, "gRPC"),
    ] {
        let mut command = command::riposte(arguments)?;
        command.args(["--target", target]).current_dir(fixture.folder.path());
        let cure = format!("--target must name the {port} port of the server");
        let ran = command::finish(&mut command).await?.ended(1)?.says(&[&cure])?;
        ensure!(!ran.err.contains("is incomplete"), "{arguments:?}: {}", ran.err);
    }
    fixture.require_nothing(2).await
}

#[tokio::test]
async fn the_rejects_replace_no_file_that_the_import_reads() -> Result<()> {
    let fixture = Fixture::new(&[]).await?;
    let map = format!("source = \"x\"\n{FIELDS}create_time = \"{{at}}\"\n");
    std::fs::write(fixture.at("map.toml"), &map)?;
    std::fs::write(fixture.at("urls.csv"), "/old,/new\n")?;
    for input in ["rows.csv", "./rows.csv", "map.toml", "urls.csv"] {
        let import = ["import", "rows.csv", "--format", "csv", "--map", "map.toml", "--url-map", "urls.csv"];
        let arguments = [&import[..], &["--rejects", input]].concat();
        fixture.run(&arguments).await?.ended(2)?.says(&["--rejects"]).with_context(|| input.to_owned())?;
    }
    ensure!(std::fs::read_to_string(fixture.at("map.toml"))? == map, "the map is another");
    fixture.require_nothing(4).await
}

#[tokio::test]
async fn a_value_that_no_record_can_have_ends_an_import_before_its_first_one() -> Result<()> {
    let fixture = Fixture::new(&[]).await?;
    let long = "x".repeat(65);
    let isso = ["import", "isso.json", "--format", "isso", "--rejects", "rejects.jsonl"];
    for (option, value, cure) in [
        ("--object-type", "Bad", "did you mean bad?"),
        ("--object-type", "9", "[a-z][a-z0-9_]{0,31}"),
        ("--source", "", "1 to 64 bytes"),
        ("--source", &long, "1 to 64 bytes"),
        ("--timezone", "Mars/Base", "Europe/Madrid"),
    ] {
        for dry in [&[][..], &["--dry-run"]] {
            let arguments = [&isso[..], &[option, value], dry].concat();
            fixture.run(&arguments).await?.ended(2)?.says(&[option, cure]).with_context(|| format!("{arguments:?}"))?;
        }
    }
    let csv = ["import", "rows.csv", "--format", "csv", "--map", "map.toml", "--rejects", "rejects.jsonl"];
    let map = |head: &str, time: &str| format!("source = \"x\"\n{head}\n{FIELDS}create_time = {time}\n");
    for (map, words) in [
        (map("object_type = \"Bad\"", "\"{at}\""), "[a-z][a-z0-9_]{0,31}"),
        (map("", "\"{at}\"\nobject_type = \"Bad\""), "[a-z][a-z0-9_]{0,31}"),
        (map("time_format = \"YYYY-MM-DD\"", "\"{at}\""), "%Y-%m-%d"),
        (map("", "{ value = \"{at}\", format = \"%Y-%m-%K\" }"), "%Y-%m-%d"),
        (map("", "\"{at}\"").replace("\"x\"\n", &format!("\"{long}\"\n")), "1 to 64 bytes"),
    ] {
        std::fs::write(fixture.at("map.toml"), &map)?;
        for dry in [&[][..], &["--dry-run"]] {
            fixture
                .run(&[&csv[..], dry].concat())
                .await?
                .ended(1)?
                .says(&["map", words])
                .with_context(|| map.clone())?;
        }
    }
    fixture.require_nothing(3).await
}

#[tokio::test]
async fn a_record_of_a_type_that_no_server_has_is_rejected_by_a_dry_run_too() -> Result<()> {
    let fixture = Fixture::new(&[]).await?;
    let comment = r#"{"comment":{"subject":{"object_type":"Bad","object_id":"a"},"external_id":"1","member_id":"m","text":"x","create_time":"2020-01-01T00:00:00Z"}}"#;
    let lines = format!("{comment}\n{}\n", comment.replace("Bad", "good"));
    std::fs::write(fixture.at("lines.jsonl"), lines)?;
    for dry in [&["--dry-run"][..], &[]] {
        let import = ["import", "lines.jsonl", "--format", "jsonl", "--rejects", "rejects.jsonl"];
        fixture.run(&[&import[..], dry].concat()).await?.ended(6)?.says(&["1  VALUE_INVALID"])?;
    }
    Ok(())
}

#[tokio::test]
async fn a_type_that_the_server_does_not_know_ends_an_import_and_an_export_at_once() -> Result<()> {
    let fixture = Fixture::new(&["--set", "open_object_types=false", "--set", "object_types.page.max_depth=2"]).await?;
    let import = ["import", "isso.json", "--format", "isso", "--object-type", "film", "--rejects", "rejects.jsonl"];
    fixture.run(&import).await?.ended(1)?.says(&["\"film\"", "register the type", "--object-type"])?;
    let ran = fixture.run(&["export", "--object-type", "film", "--out", "out.jsonl"]).await?;
    ensure!(ran.code != 0 && ran.err.contains("OBJECT_TYPE_UNKNOWN"), "{}", ran.err);
    // Another run of the same command is no cure.
    ensure!(!ran.err.contains("is incomplete"), "{}", ran.err);
    fixture.require_nothing(2).await
}

#[tokio::test]
async fn an_export_that_has_no_place_or_no_subject_leaves_nothing() -> Result<()> {
    let fixture = Fixture::new(&[]).await?;
    let say = Say::on(&fixture.server.client()?, "article");
    say.comment("m", "exported").await?;
    for (arguments, words) in [
        (&["--object-type", "Article", "--out", "out.jsonl"][..], "did you mean article?"),
        (&["--object-type", "article", "--out", "none/out.jsonl"], "by --out FILE"),
        (&["--object-type", "article", "--out", ".", "--overwrite"], "by --out FILE"),
        (&["--object-type", "article", "--out", "/dev/null", "--overwrite"], "by --out FILE"),
        (&["--object-type", "article", "--out", "/proc/out.jsonl"], "by --out FILE"),
        (&["--object-type", "article", "--object-id", "", "--out", "out.jsonl"], "object_id"),
    ] {
        let arguments = [&["export"][..], arguments].concat();
        let ran = fixture.run(&arguments).await?.ended(2)?.says(&[words]).with_context(|| format!("{arguments:?}"))?;
        ensure!(!ran.err.contains("is incomplete"), "{arguments:?}: {}", ran.err);
    }
    fixture.require_nothing(2).await?;
    let out = ["export", "--object-type", "article", "--out", "out.jsonl"];
    let mut unanswered = command::riposte(out)?;
    unanswered.args(["--target", "http://127.0.0.1:1"]).current_dir(fixture.folder.path());
    let ran =
        command::finish(&mut unanswered).await?.ended(5)?.says(&["the export is incomplete", "To start again"])?;
    ensure!(!ran.err.contains("--resume"), "{}", ran.err);
    fixture.require_nothing(2).await?;
    fixture.run(&out).await?.ended(0)?.says(&["1 subject, 1 comment"])?;
    Ok(())
}

#[tokio::test]
async fn a_development_server_without_a_place_for_its_endpoint_file_does_not_start() -> Result<()> {
    for path in ["/proc/endpoint", "none/endpoint", "/", "/dev/null"] {
        let dev = ["dev", "--listen", "127.0.0.1:0", "--endpoint-file", path, "--exec", "--", "echo", "started"];
        let ran = command::run(dev).await?.ended(2)?.says(&[path, "by --endpoint-file FILE"])?;
        ensure!(!ran.out.contains("started"), "{}", ran.out);
    }
    ensure!(!Path::new("/dev/null").is_file(), "the device is a file");
    Ok(())
}
