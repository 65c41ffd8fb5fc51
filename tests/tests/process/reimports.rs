//! An export and its import into an empty server: nothing that a caller has stored changes.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{Content, CreateCommentRequest, CreateSubjectRequest};
use riposte_tests::{Say, Server, command};

/// Returns the lines of an export, without the ids that each server generates.
async fn exported(server: &Server, path: &Path) -> Result<Vec<serde_json::Value>> {
    let file = path.to_str().context("a path")?;
    let export = ["export", "--object-type", "article", "--out", file, "--target", server.admin_target()];
    command::run(export).await?.ended(0)?;
    std::fs::read_to_string(path)?.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

#[tokio::test]
async fn texts_and_metadata_of_any_characters_are_the_same_after_an_export_and_its_import() -> Result<()> {
    let (first, second) = (Server::dev().await?, Server::dev().await?);
    let folder = tempfile::tempdir()?;
    let strange = "{\n\t\"a\": \"\u{1b}[31m\r\u{7f}\u{85}\",\n\t\"b\": \"\u{202e}\u{2028}\u{feff}\u{10ffff}\"\n}";
    let metadata: BTreeMap<String, String> =
        [("json", strange), ("empty", ""), ("nul", "\0"), ("tab", "\t")].map(|(k, v)| (k.into(), v.into())).into();
    let client = first.client()?;
    let say = Say::on(&client, "article");
    let subject = CreateSubjectRequest {
        key: Some(say.key.clone()),
        metadata: metadata.clone(),
        ..CreateSubjectRequest::default()
    };
    client.subjects().create_subject(subject).await?;
    let comment = CreateCommentRequest {
        subject: Some(say.key.clone()),
        member_id: "m\u{202e}".into(),
        content: Some(Content { text: strange.into(), metadata, ..Content::default() }),
        ..CreateCommentRequest::default()
    };
    client.comments().create_comment(comment).await?;

    let before = exported(&first, &folder.path().join("first.jsonl")).await?;
    let file = folder.path().join("first.jsonl").to_str().context("a path")?.to_owned();
    let import = ["import", "--format", "jsonl", &file, "--target", second.admin_target()];
    let mut command = command::riposte(import)?;
    command::finish(command.current_dir(folder.path())).await?.ended(0)?;
    // What comes back to its own server is there already.
    let import = ["import", "--format", "jsonl", &file, "--target", first.admin_target()];
    let mut command = command::riposte(import)?;
    let back = command::finish(command.current_dir(folder.path())).await?.ended(0)?;
    ensure!(back.out.contains("comments  0 created, 1 unchanged"), "{}", back.out);
    let after = exported(&second, &folder.path().join("second.jsonl")).await?;
    ensure!(after == before, "before {before:#?}, after {after:#?}");
    Ok(())
}
