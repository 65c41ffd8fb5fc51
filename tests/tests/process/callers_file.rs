//! `riposte token --add-to`: the file of callers, which several people and servers use at once.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use riposte_tests::command::{self, Ran};

async fn add(name: &str, path: &Path) -> Result<Ran> {
    let path = path.to_str().context("a path")?;
    command::run(["token", "--caller", name, "--add-to", path]).await?.ended(0)
}

#[tokio::test]
async fn callers_that_are_added_at_once_are_all_in_the_file() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("callers.toml");
    let names: Vec<_> = (0..12).map(|number| format!("caller-{number}")).collect();
    futures::future::try_join_all(names.iter().map(|name| add(name, &path))).await?;
    let callers = std::fs::read_to_string(&path)?;
    let missing: Vec<_> = names.iter().filter(|name| !callers.contains(&format!("[{name}]\n"))).collect();
    ensure!(missing.is_empty(), "{missing:?} got a token and are not in the file");
    ensure!(std::fs::read_dir(folder.path())?.count() == 1, "another file is left");
    Ok(())
}

#[tokio::test]
async fn a_link_to_the_file_stays_a_link_and_the_file_keeps_its_owner_and_mode() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (file, link) = (folder.path().join("callers.toml"), folder.path().join("link.toml"));
    add("first", &file).await?;
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o640))?;
    // Another owner than that of the test needs its rights.
    let is_root = std::fs::metadata(&file)?.uid() == 0;
    if is_root {
        std::os::unix::fs::chown(&file, Some(1_234), Some(2_345))?;
    }
    let before = std::fs::metadata(&file)?;
    symlink("callers.toml", &link)?;
    add("second", &link).await?;
    ensure!(std::fs::symlink_metadata(&link)?.is_symlink(), "the link was replaced by a file");
    let callers = std::fs::read_to_string(&file)?;
    ensure!(callers.contains("[first]\n") && callers.contains("[second]\n"), "{callers}");
    let (after, access) = (std::fs::metadata(&file)?, |m: &std::fs::Metadata| (m.uid(), m.gid(), m.mode()));
    ensure!(access(&after) == access(&before), "{:?}, before {:?}", access(&after), access(&before));
    Ok(())
}
