//! The folder of an SQLite file, checked before the file is opened: SQLite's own errors name
//! neither the file nor the missing right.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Result, anyhow, ensure};
use riposte_store::{SQLITE_FILE, StoreKind, StoreSettings};

/// The first bytes of an SQLite file.
const HEAD: &[u8] = b"SQLite format 3\0";

/// Checks that the database file can be made or opened in its folder, or in a temporary folder if
/// none is set. Other stores have no folder.
///
/// # Errors
/// The file or folder, what is wrong with it, and the cure.
pub(crate) fn check_sqlite_folder(settings: &StoreSettings) -> Result<()> {
    if settings.kind != StoreKind::Sqlite {
        return Ok(());
    }
    let Some(folder) = &settings.data_dir else {
        let temporary = tempfile::env::temp_dir();
        // The error names a path at random.
        return tempfile::tempdir().map(drop).map_err(|_unusable| {
            anyhow!(
                "no temporary folder can be made in {}: set TMPDIR to a folder that can be written, or name a folder \
                 for the data by --data DIR (store.data_dir)",
                temporary.display()
            )
        });
    };
    let cure = "name another one (store.data_dir, or --data of `riposte dev`)";
    fs::create_dir_all(folder)
        .map_err(|error| anyhow!("the folder {} cannot be made ({error}): {cure}", folder.display()))?;
    tempfile::tempfile_in(folder).map(drop).map_err(|_unusable| {
        anyhow!("the folder {} cannot be written: let this user write there, or {cure}", folder.display())
    })?;
    let file = folder.join(SQLITE_FILE);
    let is_database =
        is_database(&file).map_err(|error| anyhow!("{} cannot be read ({error}): {cure}", file.display()))?;
    ensure!(is_database, "{} is not an SQLite file: move it away, or {cure}", file.display());
    Ok(())
}

/// Returns true for an SQLite file, and for one that SQLite would make: absent or empty.
fn is_database(file: &Path) -> io::Result<bool> {
    let mut head = Vec::new();
    match File::open(file) {
        Ok(file) => file.take(HEAD.len() as u64).read_to_end(&mut head)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(error),
    };
    Ok(head.is_empty() || head == HEAD)
}

#[cfg(test)]
mod tests {
    use super::is_database;

    #[test]
    fn another_file_is_not_taken_for_a_database() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("riposte.db");
        for (content, expected) in [(&b""[..], true), (b"SQLite format 3\0rest", true), (b"PK\x03\x04", false)] {
            std::fs::write(&path, content).unwrap();
            assert_eq!(is_database(&path).unwrap(), expected);
        }
        assert!(is_database(&folder.path().join("none")).unwrap());
    }
}
