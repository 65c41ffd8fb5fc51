//! Configuration errors: all are reported at once, by name, with exit code 2 and without secrets.

use anyhow::{Result, ensure};
use riposte_tests::command;

const SOURCE: &str = "store.sources=[{url=\"mysql://riposte:hush-hush@127.0.0.1:1/r\"}]";

#[tokio::test]
async fn serve_refuses_unsafe_settings() -> Result<()> {
    let output = command::run(["serve", "--set", SOURCE]).await?.ended(2)?;
    let output = output.says(&["allow-insecure"])?;
    ensure!(!output.err.contains("hush-hush"), "a password is shown: {}", output.err);
    command::run(["config", "check", "--set", SOURCE]).await?.ended(2)?;
    command::run(["config", "check", "--set", SOURCE, "--set", "auth.allow_insecure=true"]).await?.ended(0)?;
    Ok(())
}

#[tokio::test]
async fn the_start_names_the_keys_of_all_unusable_files() -> Result<()> {
    let mut serve = command::riposte(["serve", "--allow-insecure", "--set", SOURCE])?;
    let files = [
        "auth.callers_file=/nowhere/callers.toml",
        "server.tls.cert_file=/nowhere/a",
        "server.tls.key_file=/nowhere/b",
    ];
    for file in files {
        serve.args(["--set", file]);
    }
    let output = command::finish(&mut serve).await?.ended(2)?;
    output.says(&["auth.callers_file", "/nowhere/callers.toml", "server.tls", "/nowhere/a"])?;
    Ok(())
}

#[tokio::test]
async fn an_unknown_key_is_refused_wherever_it_is_and_the_nearest_key_is_named() -> Result<()> {
    for verb in [&["dev", "--listen", "127.0.0.1:0"][..], &["serve"], &["config", "check"], &["migrate", "status"]] {
        let output = command::run(verb.iter().chain(&["--set", "server.lisen=127.0.0.1:0"])).await?.ended(2)?;
        output.says(&["server.lisen", "listen", "--set"])?;
    }
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("riposte.toml");
    std::fs::write(&file, "[store]\nsubject_table = 50\n")?;
    let mut check = command::riposte(["config", "check", "--config"])?;
    let output = command::finish(check.arg(&file).env("RIPOSTE__LOG__FORMATT", "json")).await?.ended(2)?;
    output.says(&[
        "store.subject_table",
        "subject_tables",
        "riposte.toml, line 2",
        "log.formatt",
        "RIPOSTE__LOG__FORMATT",
    ])?;
    Ok(())
}

#[tokio::test]
async fn where_a_value_comes_from_is_shown_and_secrets_are_not() -> Result<()> {
    let mut show = command::riposte(["config", "print", "--show-origin", "--set", SOURCE])?;
    let output = command::finish(show.env("RIPOSTE__SERVER__MAX_CALL_TIME", "3s")).await?.ended(0)?;
    let output = output.says(&["3s", "RIPOSTE__SERVER__MAX_CALL_TIME", "--set", "default"])?;
    ensure!(!output.out.contains("hush-hush"), "{}", output.out);
    let example = command::run(["config", "example"]).await?.ended(0)?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("riposte.toml");
    std::fs::write(&file, example.out)?;
    let insecure = ["--set", SOURCE, "--set", "auth.allow_insecure=true"];
    let mut check = command::riposte(["config", "check", "--config"])?;
    command::finish(check.arg(&file).args(insecure)).await?.ended(0)?;
    Ok(())
}

#[tokio::test]
async fn a_mistyped_verb_or_flag_ends_with_code_2_and_help_with_0() -> Result<()> {
    command::run(["sreve"]).await?.ended(2)?.says(&["serve"])?;
    command::run(["dev", "--lisen", "x"]).await?.ended(2)?.says(&["--listen"])?;
    command::run(["--help"]).await?.ended(0)?.says(&["Exit codes", "import", "migrate"])?;
    command::run(["version"]).await?.ended(0)?.says(&["0.1.0"])?;
    command::run(["errors", "explain", "SUBJECT_NOT_FUOND"]).await?.ended(3)?.says(&["SUBJECT_NOT_FOUND"])?;
    Ok(())
}
