//! `riposte doctor` and `riposte config check`: the faults that prevent a start, and the parts that
//! a server would lack.

use std::net::TcpListener;

use anyhow::Result;
use riposte_tests::command;

async fn doctor(sets: &[String]) -> Result<command::Ran> {
    let sets = sets.iter().flat_map(|set| ["--set", set]);
    command::run(["doctor", "--dev"].into_iter().chain(sets)).await
}

#[tokio::test]
async fn doctor_tries_to_append_to_the_audit_log_and_leaves_nothing_behind() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = |path: &std::path::Path| ["audit.kind=file".to_owned(), format!("audit.file={}", path.display())];
    let path = folder.path().join("audit.jsonl");
    doctor(&file(&path)).await?.ended(0)?.says(&["ok    audit log: ", "can be appended to"])?;
    anyhow::ensure!(std::fs::read_dir(folder.path())?.next().is_none(), "something was left behind");
    std::fs::write(&path, "{}\n")?;
    doctor(&file(&path)).await?.ended(0)?.says(&["ok    audit log: "])?;
    anyhow::ensure!(std::fs::read_to_string(&path)? == "{}\n");
    for wrong in [folder.path().to_owned(), folder.path().join("none/audit.jsonl")] {
        let words = ["FAIL  audit log: ", "cannot be appended to, so serve refuses to start"];
        doctor(&file(&wrong)).await?.ended(1)?.says(&words)?;
    }
    Ok(())
}

#[tokio::test]
async fn doctor_names_a_file_that_is_no_database_and_the_cure() -> Result<()> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("riposte.db"), "this is no database")?;
    let data = format!("store.data_dir={}", folder.path().display());
    doctor(&[data]).await?.ended(1)?.says(&["FAIL  data: ", "riposte.db is not an SQLite file: move it away"])?;
    Ok(())
}

#[tokio::test]
async fn doctor_tries_the_receiver_of_telemetry() -> Result<()> {
    doctor(&[]).await?.ended(0)?.says(&["ok    telemetry: nothing is sent"])?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let endpoint = format!("telemetry.endpoint=http://{}", listener.local_addr()?);
    doctor(std::slice::from_ref(&endpoint)).await?.ended(0)?.says(&["ok    telemetry: ", "takes a connection"])?;
    drop(listener);
    doctor(&[endpoint]).await?.ended(0)?.says(&["WARN  telemetry: ", "takes no connection"])?;
    let ca = ["telemetry.endpoint=https://127.0.0.1:1".to_owned(), "telemetry.ca_file=/nowhere/ca.crt".to_owned()];
    doctor(&ca).await?.ended(1)?.says(&["FAIL  telemetry: ", "telemetry.ca_file"])?;
    Ok(())
}

#[tokio::test]
async fn doctor_says_in_words_why_redis_cannot_be_used() -> Result<()> {
    let closed = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let ran = doctor(&["cache.kind=redis".to_owned(), format!("cache.url=redis://{closed}")]).await?;
    let ran = ran.says(&["WARN  cache (redis://", "cannot be used", ": Connection refused\n"])?;
    anyhow::ensure!(!ran.out.contains("Os {"), "{}", ran.out);
    Ok(())
}

#[tokio::test]
async fn config_check_refuses_addresses_that_serve_cannot_use_and_shows_no_secret() -> Result<()> {
    let sound =
        ["cache.kind=redis", "cache.url=redis://u:hush@cache:6379/1", "store.sources=[{url=\"mysql://a:hush@b/c\"}]"];
    let check = async |sets: &[&str]| {
        let sets = sound.iter().chain(sets).flat_map(|set| ["--set", set]);
        let ran =
            command::run(["config", "check", "--set", "auth.allow_insecure=true"].into_iter().chain(sets)).await?;
        anyhow::ensure!(!ran.out.contains("hush") && !ran.err.contains("hush"), "{}{}", ran.out, ran.err);
        anyhow::Ok(ran)
    };
    check(&[]).await?.ended(0)?;
    for url in [
        "redis://u:hush@:6379",
        "redis://u:hush@cache:99999",
        "redis://u:hush@cache/one",
        "redis://u:hush@cache/1/2",
        "redis-cluster://cache:1?node=u:hush@other:1",
    ] {
        check(&[&format!("cache.url={url}")]).await?.ended(2)?.says(&["cache.url: is not an address of Redis"])?;
    }
    for url in ["mysql://a:hush@b:99999/c", "mysql://a:hush@b/c?ssl-mode=hush", "mysql://a:hush@:3306/c"] {
        let set = format!("store.sources=[{{url=\"{url}\"}}]");
        check(&[&set]).await?.ended(2)?.says(&["store.sources.0.url"])?;
    }
    Ok(())
}
