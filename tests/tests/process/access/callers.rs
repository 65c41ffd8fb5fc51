//! A server with authentication, and its callers.

use std::fmt::Write;
use std::path::Path;

use anyhow::Result;
use riposte_sdk::{Client, Options};
use riposte_tests::Server;
use sha2::{Digest, Sha256};

/// A file of callers, each with a token derived from its name.
pub(super) struct Callers {
    folder: tempfile::TempDir,
    callers: Vec<CallerEntry>,
}

struct CallerEntry {
    name: String,
    token: String,
    /// The lines of the caller's table besides its token.
    grants: String,
}

impl Callers {
    /// Returns one caller for each role, named like the role, on one type.
    pub(super) fn with_each_role(object_type: &str) -> Self {
        let none = Self {
            folder: tempfile::tempdir().unwrap_or_else(|error| panic!("no folder: {error}")),
            callers: Vec::new(),
        };
        super::table::ROLES.iter().fold(none, |callers, role| callers.and(role, &[role], &[object_type]))
    }

    /// Adds a caller.
    pub(super) fn and(mut self, name: &str, roles: &[&str], types: &[&str]) -> Self {
        let grants = format!("roles = {roles:?}\nobject_types = {types:?}\n");
        self.callers.push(CallerEntry { name: name.to_owned(), token: format!("riposte_{name}"), grants });
        self
    }

    /// Adds a caller that presents a certificate.
    pub(super) fn and_identity(self, name: &str, spiffe_id: &str, roles: &[&str], types: &[&str]) -> Self {
        self.and_grants(name, &format!("spiffe_ids = [{spiffe_id:?}]\n"), roles, types)
    }

    /// Adds a caller that presents JWTs with this subject.
    pub(super) fn and_subject(self, name: &str, subject: &str, roles: &[&str], types: &[&str]) -> Self {
        self.and_grants(name, &format!("jwt_subjects = [{subject:?}]\n"), roles, types)
    }

    fn and_grants(mut self, name: &str, shown: &str, roles: &[&str], types: &[&str]) -> Self {
        self = self.and(name, roles, types);
        if let Some(entry) = self.callers.last_mut() {
            entry.grants.push_str(shown);
        }
        self
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.callers.retain(|entry| entry.name != name);
    }

    pub(super) fn token(&self, name: &str) -> &str {
        self.callers.iter().find(|entry| entry.name == name).map_or("", |entry| &entry.token)
    }

    /// Returns a client that sends the caller's token.
    pub(super) fn client(&self, server: &Server, name: &str) -> Result<Client> {
        client(server, self.token(name))
    }

    /// Writes the file atomically, as an operator's tools do.
    pub(super) fn write(&self) -> Result<()> {
        let mut text = String::new();
        for CallerEntry { name, token, grants } in &self.callers {
            let hash: String = Sha256::digest(token).iter().map(|byte| format!("{byte:02x}")).collect();
            write!(text, "[{name}]\ntokens_sha256 = [{hash:?}]\n{grants}\n")?;
        }
        self.replace(&text)
    }

    /// Writes an invalid file.
    pub(super) fn write_broken(&self) -> Result<()> {
        self.replace("[reader\n")
    }

    fn replace(&self, text: &str) -> Result<()> {
        let new = self.folder.path().join("new");
        std::fs::write(&new, text)?;
        Ok(std::fs::rename(new, self.path())?)
    }

    /// Returns the path of the file.
    pub(super) fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("callers.toml")
    }
}

/// Returns a client that sends this token.
pub(super) fn client(server: &Server, token: &str) -> Result<Client> {
    Ok(Client::open(Options {
        target: server.target().to_owned(),
        admin_target: server.admin_target().to_owned(),
        token: Some(token.to_owned()),
        insecure_token: true,
        ..Options::default()
    })?)
}

/// Starts `riposte dev`, which admits only these callers.
pub(super) async fn dev(data: Option<&Path>, callers: &Callers, more: &[&str]) -> Result<Server> {
    callers.write()?;
    let file = format!("auth.callers_file={}", callers.path().display());
    Server::dev_with(data, &[&["--set", &file][..], more].concat()).await
}
