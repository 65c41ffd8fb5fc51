//! Invalid import files: each is reported with its fault, and nothing is imported.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use riposte_tests::{Server, command, real, thread_tree};

#[tokio::test(flavor = "multi_thread")]
async fn invalid_input_is_refused_by_name_and_nothing_is_imported() -> Result<()> {
    let server = Server::dev().await?;
    let folder = tempfile::tempdir()?;
    let bytes: Vec<u8> = (0..4096).map(|_| rand::random()).collect();
    let written: [(&str, &[u8]); 8] = [
        ("random.bin", &bytes),
        ("torn.json", b"{\"version\": 1, \"comments\": [{"),
        ("wrong.json", b"{\"a\": 1}"),
        ("torn.xml", b"<?xml version=\"1.0\"?><disqus><post>"),
        ("other.xml", b"<?xml version=\"1.0\"?><html><body/></html>"),
        ("torn.gz", &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b, 0x4c]),
        ("torn.jsonl", b"{\"schema\":\"riposte.export.v1\"}\n{\"comment\":{\"oops\":"),
        ("newer.jsonl", b"{\"schema\":\"riposte.export.v9\"}\n"),
    ];
    for (name, bytes) in written {
        std::fs::write(folder.path().join(name), bytes)?;
    }
    let cases = [
        ("random.bin", "disqus"),
        ("random.bin", "jsonl"),
        ("torn.json", "commento"),
        ("torn.json", "isso"),
        ("wrong.json", "isso"),
        ("wrong.json", "jsonl"),
        ("torn.xml", "disqus"),
        ("other.xml", "disqus"),
        ("other.xml", "wordpress"),
        ("torn.gz", "isso"),
        ("torn.jsonl", "jsonl"),
        ("newer.jsonl", "jsonl"),
        ("absent.xml", "disqus"),
    ];
    for (name, format) in cases {
        let file = folder.path().join(name);
        let arguments = [file.to_str().context("a path")?, "--format", format];
        let output = real::import(&server, &arguments, folder.path()).await?;
        println!("{name} as {format}: code {}, {}", output.code, output.err.lines().last().unwrap_or_default());
        let output = output.says(&[name])?;
        ensure!(
            [1, 2, 3].contains(&output.code) && !output.err.contains("panicked"),
            "{}: {}",
            output.code,
            output.err
        );
    }
    ensure!(thread_tree::verify(&server, "page").await? == 0, "something came in");
    Ok(())
}

#[tokio::test]
async fn a_map_that_does_not_fit_is_refused_by_key() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (csv, map) = (folder.path().join("c.csv"), folder.path().join("m.toml"));
    std::fs::write(&csv, "id,text\n1,hello\n")?;
    let comment = "[comment]\nsubject = \"s\"\nid = \"{id}\"\nmember = \"m\"\ntext = \"{txt}\"\ncreate_time = \"0\"\n";
    for (text, word) in [
        ("source = \"x\"\nobject_type = \"page\"\nsurprise = 1\n", "surprise"),
        (&format!("source = \"x\"\nobject_type = \"page\"\ntime_format = \"unix\"\n{comment}"), "txt"),
        ("not toml", "m.toml"),
    ] {
        std::fs::write(&map, text)?;
        let output = import_csv(&csv, &map).await?.says(&[word])?;
        ensure!([1, 2].contains(&output.code) && !output.err.contains("panicked"), "{}: {}", output.code, output.err);
    }
    command::run(["import", "x.csv", "--format", "csv"]).await?.ended(2)?.says(&["--map"])?;
    command::run(["import", "x.csv", "--format", "xls"]).await?.ended(2)?.says(&["wordpress"])?;
    Ok(())
}

async fn import_csv(csv: &Path, map: &Path) -> Result<command::Ran> {
    let mut import = command::riposte(["import", "--format", "csv", "--dry-run"])?;
    command::finish(import.arg(csv).arg("--map").arg(map)).await
}

#[tokio::test]
async fn a_server_out_of_reach_is_waited_for_and_then_named() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("i.json");
    std::fs::write(&file, "[{\"id\":\"/\",\"comments\":[{\"id\":1,\"created\":1,\"text\":\"x\",\"author\":\"a\"}]}]")?;
    let free = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let mut import = command::riposte(["import", "--format", "isso", "--patience", "1"])?;
    let output = command::finish(import.arg(&file).args(["--target", &format!("http://{free}")])).await?.ended(5)?;
    output.says(&["does not answer", "did not answer", "to continue", "riposte import"])?;
    command::run(["export", "--object-type", "page", "--target", &format!("http://{free}")]).await?.ended(5)?;
    Ok(())
}

#[tokio::test]
async fn the_export_of_a_subject_that_does_not_exist_says_so() -> Result<()> {
    let server = Server::dev().await?;
    let arguments = ["export", "--object-type", "page", "--object-id", "none", "--target", server.admin_target()];
    command::run(arguments).await?.ended(3)?.says(&["page/none"])?;
    Ok(())
}
