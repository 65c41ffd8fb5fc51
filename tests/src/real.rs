//! Real data, read without the server's importers, and functions that import it into a server.

pub mod madrid;
pub mod moderators;
pub mod polis;

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use riposte_sdk::v1::SubjectKey;

use crate::Server;
use crate::command::{self, Ran};
use crate::mysql::{self, Databases};
use crate::settings;
use crate::thread_tree::{self, Tree};

/// Returns the folder of real data: `RIPOSTE_TEST_DATA`, else `shared/data` next to the workspace;
/// `None`, with a notice on standard error, if neither exists.
#[must_use]
pub fn data() -> Option<PathBuf> {
    let named = std::env::var_os("RIPOSTE_TEST_DATA").map(PathBuf::from);
    let folder = named.or_else(|| Some(workspace().parent()?.join("shared/data")));
    let folder = folder.filter(|folder| folder.join("decide-madrid").is_dir());
    if folder.is_none() {
        eprintln!("SKIPPED everything on real data: RIPOSTE_TEST_DATA names no folder that holds it");
    }
    folder
}

/// Returns the root of the workspace.
#[must_use]
pub fn workspace() -> PathBuf {
    let mut here = Path::new(env!("CARGO_MANIFEST_DIR")).to_owned();
    here.pop();
    here
}

/// The number of levels of a proposal's threads on MariaDB: the maximum, so that lists show every
/// edge of the file. On SQLite the default applies, so that most edges are known by `parent_id`
/// only.
pub const DEEP: i32 = 32;
/// The default number of levels of a thread.
pub const FLAT: i32 = 2;

/// The storage of a server's data, with which the server can be restarted after a crash.
#[derive(Debug)]
pub enum Storage {
    /// `riposte dev` with its data in a folder.
    Sqlite(tempfile::TempDir),
    /// `riposte serve` with these arguments, on two MariaDB servers with 50/200/200 tables.
    MariaDb(Vec<String>),
}

impl Storage {
    /// Creates an empty folder.
    ///
    /// # Errors
    /// If the system cannot create it.
    pub fn sqlite() -> Result<Self> {
        Ok(Self::Sqlite(tempfile::tempdir()?))
    }

    /// Creates databases and migrates them; `None`, with a notice on standard error, without
    /// database servers.
    ///
    /// # Errors
    /// If the migration fails.
    pub async fn mariadb() -> Result<Option<Self>> {
        Self::mariadb_with(&[]).await
    }

    /// Does the same with additional settings of the form `key=value`.
    ///
    /// # Errors
    /// If the migration fails.
    pub async fn mariadb_with(more: &[&str]) -> Result<Option<Self>> {
        let Some(servers) = mysql::servers() else { return Ok(None) };
        let deep = format!("object_types.proposal.max_depth={DEEP}");
        let tables = ["store.subject_tables=50", "store.index_tables=200"].map(str::to_owned);
        let more = more.iter().map(|&set| set.to_owned());
        let sets = settings::sets(tables.into_iter().chain([deep]).chain(more));
        Ok(Some(Self::MariaDb(Databases::on(&servers, sets).await?.arguments)))
    }

    /// Starts a server on this storage.
    ///
    /// # Errors
    /// If the server does not start.
    pub async fn start(&self) -> Result<Server> {
        match self {
            Self::Sqlite(folder) => Server::dev_on(folder.path()).await,
            Self::MariaDb(sets) => Server::serve_with(sets).await,
        }
    }

    /// Returns the number of levels of a proposal's threads on this storage.
    #[must_use]
    pub fn levels(&self) -> i32 {
        match self {
            Self::Sqlite(_) => FLAT,
            Self::MariaDb(_) => DEEP,
        }
    }
}

/// Creates a subject key.
#[must_use]
pub fn key(object_type: &str, object_id: &str) -> SubjectKey {
    SubjectKey { object_type: object_type.to_owned(), object_id: object_id.to_owned() }
}

/// Runs `riposte import` against a server, with its rejects in a file in `scratch`.
///
/// # Errors
/// If it cannot be run.
pub async fn import(server: &Server, arguments: &[&str], scratch: &Path) -> Result<Ran> {
    let rejects = scratch.join("rejects.jsonl");
    let mut command = command::riposte(["import"])?;
    command.args(arguments).args(["--target", server.admin_target()]).arg("--rejects").arg(rejects);
    command::finish(&mut command).await
}

/// Runs `riposte export` of all subjects of a type into a file.
///
/// # Errors
/// If it fails.
pub async fn export(server: &Server, object_type: &str, file: &Path) -> Result<()> {
    let mut command = command::riposte(["export", "--object-type", object_type, "--target", server.admin_target()])?;
    command::finish(command.arg("--out").arg(file).arg("--overwrite")).await?.ended(0)?;
    Ok(())
}

/// Returns the reasons and external ids of a file of rejects, in its order.
///
/// # Errors
/// If the file has another format.
pub fn rejects(scratch: &Path) -> Result<Vec<(String, String)>> {
    let text = std::fs::read_to_string(scratch.join("rejects.jsonl"))?;
    let mut all = Vec::new();
    for line in text.lines().skip(1) {
        let line: serde_json::Value = serde_json::from_str(line)?;
        let text = |value: &serde_json::Value| value.as_str().map(str::to_owned).context("a reject without a name");
        all.push((text(&line["comment"]["external_id"])?, text(&line["rejected"]["reason"])?));
    }
    Ok(all)
}

/// Walks every subject of a source and compares it with its source.
///
/// # Errors
/// If a subject differs; names the first one.
pub async fn compare<'t>(
    server: &Server,
    object_type: &str,
    levels: i32,
    trees: impl IntoIterator<Item = (&'t String, &'t Tree)>,
) -> Result<Vec<Tree>> {
    let mut walked = Vec::new();
    for (object_id, source) in trees {
        let found = thread_tree::walk(server, &key(object_type, object_id), levels).await.context(object_id.clone())?;
        thread_tree::compare(object_id, source, &found)?;
        walked.push(found);
    }
    Ok(walked)
}

/// Returns the text of a file, which may be compressed with gzip.
fn unpacked(path: &Path) -> Result<String> {
    let file = std::fs::File::open(path).with_context(|| path.display().to_string())?;
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(file).read_to_string(&mut text)?;
    Ok(text)
}

/// Returns the rows of a CSV file with a header, as maps from column name to value.
fn rows(path: &Path) -> Result<Vec<std::collections::HashMap<String, String>>> {
    let text = unpacked(path)?;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    Ok(reader.deserialize().collect::<Result<_, _>>()?)
}
