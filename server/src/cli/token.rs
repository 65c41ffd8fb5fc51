//! `riposte token`: a new bearer token for a caller.

use super::exit::{Failure, USAGE};
use super::{output, output_file};
use anyhow::Context;
use clap::ValueEnum;
use riposte_grpc::auth::{Callers, TokenHash};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
The token is printed once; the server stores only its hash. Give the token to the caller \
(RIPOSTE_TOKEN for the SDKs), and add the second line to the caller's table in auth.callers_file. \
To change a token, add the new hash, give the caller the new token, then remove the old hash.

With --add-to the table of a new caller is written to the file, which is created if it is missing, \
and only the token is printed. A server that runs reads the file again by itself.

Examples:
  riposte token
  riposte token --caller web --add-to callers.toml
  riposte token --caller staff --role moderator,reader --object-type article --add-to callers.toml";

/// The caller that gets the token.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// The name of a new caller: a back end, or a tool of operators
    #[arg(long, value_name = "NAME", requires = "add_to")]
    caller: Option<String>,
    /// The file of callers (auth.callers_file) that gets the caller's table
    #[arg(long, value_name = "FILE", requires = "caller")]
    add_to: Option<PathBuf>,
    /// The roles of the new caller
    #[arg(long, value_enum, value_name = "ROLE,…", value_delimiter = ',', requires = "caller",
          default_values_t = [RoleArg::Reader, RoleArg::Writer])]
    role: Vec<RoleArg>,
    /// The object types of the new caller; * is every one
    #[arg(long, value_name = "TYPE,…", value_delimiter = ',', requires = "caller", default_value = "*")]
    object_type: Vec<String>,
}

/// A role as the file of callers names it.
#[derive(Clone, Copy, Debug, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum RoleArg {
    /// Reads comments
    Reader,
    /// Writes comments and likes for members
    Writer,
    /// Reviews comments, edits and reports; hides and deletes comments of others
    Moderator,
    /// Imports, exports and repairs; switches moderation off and on; reads the addresses of clients
    /// (GetClientInfo)
    Operator,
    /// Receives the events of all comments (EventService)
    Subscriber,
}

/// The table of one caller.
#[derive(Debug, Serialize)]
struct CallerTable {
    tokens_sha256: [String; 1],
    roles: Vec<RoleArg>,
    object_types: Vec<String>,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let (token, hash) = TokenHash::new_token();
        let (Some(name), Some(path)) = (self.caller, self.add_to) else {
            output::write(&format!("{token}\ntokens_sha256 = [\"{hash}\"]\n"))?;
            return Ok(ExitCode::SUCCESS);
        };
        output_file::check(&path, "--add-to FILE")?;
        let table = CallerTable { tokens_sha256: [hash.to_string()], roles: self.role, object_types: self.object_type };
        let table = toml::to_string(&BTreeMap::from([(&name, table)])).context("the table of the caller")?;
        add(&path, &name, &table)?;
        output::line(&token)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Adds the table of a caller to the file. The file is replaced in one step, because a server may
/// read it at any moment, and only by one that the server accepts. A symbolic link stays, and its
/// file is replaced.
fn add(path: &Path, name: &str, table: &str) -> anyhow::Result<()> {
    let (shown, path) = (path.display(), fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()));
    let path = path.as_path();
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let cannot_write = || format!("{shown} cannot be written");
    // Two commands at once must not overwrite the table of each other. The file itself is replaced,
    // so the lock is on its folder.
    let lock = fs::File::open(folder).with_context(cannot_write)?;
    lock.lock().with_context(cannot_write)?;
    let before = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        read => read.with_context(|| format!("{shown} cannot be read"))?,
    };
    let has_caller = before.parse::<toml::Table>().is_ok_and(|callers| callers.contains_key(name));
    if has_caller {
        let message = format!(
            "{shown} has the caller {name:?} already, and nothing was written: for another token of it run `riposte token` \
             and add its second line, the hash, to tokens_sha256 of [{name}]"
        );
        return Err(Failure::new(USAGE, message).into());
    }
    let separator = if before.is_empty() { "" } else { "\n" };
    let written = tempfile::NamedTempFile::new_in(folder).with_context(cannot_write)?;
    fs::write(written.path(), format!("{before}{separator}{table}")).with_context(cannot_write)?;
    Callers::read(written.path()).map_err(|error| {
        let error = error.replace(&written.path().display().to_string(), &shown.to_string());
        Failure::new(USAGE, format!("{error}: nothing was written"))
    })?;
    // The file holds hashes only, and the server may run as another user.
    let permissions = match fs::metadata(path) {
        Ok(existing) => {
            keep_owner(&existing, &written).with_context(|| format!("{shown} cannot keep its owner and group"))?;
            existing.permissions()
        }
        Err(_) => PermissionsExt::from_mode(0o644),
    };
    fs::set_permissions(written.path(), permissions).with_context(cannot_write)?;
    written.persist(path).map_err(|error| error.error).with_context(cannot_write)?;
    Ok(())
}

/// Gives a new file the owner and the group of the file that it replaces. A server that may read
/// the one must be able to read the other.
fn keep_owner(existing: &fs::Metadata, written: &tempfile::NamedTempFile) -> std::io::Result<()> {
    let new = fs::metadata(written.path())?;
    if (new.uid(), new.gid()) == (existing.uid(), existing.gid()) {
        return Ok(());
    }
    std::os::unix::fs::chown(written.path(), Some(existing.uid()), Some(existing.gid()))
}

#[cfg(test)]
mod tests {
    use super::add;

    #[test]
    fn a_table_is_added_once_and_a_file_that_no_server_accepts_is_never_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("callers.toml");
        let table = |name: &str, roles: &str| {
            format!("[{name}]\ntokens_sha256 = [\"{}\"]\nroles = [{roles}]\nobject_types = [\"*\"]\n", name.repeat(64))
        };
        add(&path, "a", &table("a", "\"reader\"")).unwrap();
        add(&path, "b", &table("b", "\"writer\"")).unwrap();
        let both = std::fs::read_to_string(&path).unwrap();
        assert!(both.starts_with("[a]\n") && both.contains("\n\n[b]\n"), "{both}");
        let again = add(&path, "a", &table("a", "\"writer\"")).unwrap_err().to_string();
        assert!(again.contains("has the caller \"a\" already"), "{again}");
        let wrong = add(&path, "c", &table("c", "\"king\"")).unwrap_err().to_string();
        assert!(wrong.starts_with(&path.display().to_string()) && wrong.ends_with("nothing was written"), "{wrong}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), both);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no other file is left");
    }
}
