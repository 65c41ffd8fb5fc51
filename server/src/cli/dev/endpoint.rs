//! Announcement of the server's addresses to other programs.

use crate::app::Addresses;
use anyhow::Context;
use std::{
    io::{ErrorKind, Write},
    net::SocketAddr,
    path::Path,
};

/// Removes the file of an earlier server, so that a program that waits for this server does not
/// read the old addresses.
pub(super) fn remove(path: &Path) -> anyhow::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove the old endpoint file {}", path.display()))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Writes the addresses as one JSON object. A program that waits for the file sees either no file
/// or the whole content.
pub(super) fn write(path: &Path, addresses: Addresses) -> anyhow::Result<()> {
    let Addresses { grpc, admin, metrics } = addresses;
    let content = serde_json::json!({ "grpc": grpc, "admin": admin, "metrics": metrics, "pid": std::process::id() });
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    };
    let written = tempfile::NamedTempFile::new_in(folder).and_then(|mut file| {
        writeln!(file, "{content}")?;
        file.persist(path).map_err(|failed| failed.error)
    });
    written.map(drop).with_context(|| format!("cannot write the endpoint file {}", path.display()))
}

/// Returns the shell lines that direct clients to these addresses.
pub(super) fn shell(grpc: SocketAddr, admin: SocketAddr) -> String {
    format!("export RIPOSTE_TARGET={grpc}\nexport RIPOSTE_ADMIN_TARGET={admin}\n")
}

#[cfg(test)]
mod tests {
    use super::{remove, write};
    use crate::app::Addresses;

    #[test]
    fn the_endpoint_file_is_one_json_object_and_replaces_an_older_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("endpoint.json");
        for port in [1, 2] {
            let at = |port| ([127, 0, 0, 1], port).into();
            write(&path, Addresses { grpc: at(port), admin: at(port + 10), metrics: Some(at(port + 20)) }).unwrap();
            let read: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            assert_eq!(read["grpc"], format!("127.0.0.1:{port}"));
            assert_eq!(read["admin"], format!("127.0.0.1:{}", port + 10));
            assert_eq!(read["metrics"], format!("127.0.0.1:{}", port + 20));
            assert_eq!(read["pid"], std::process::id());
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
        remove(&path).unwrap();
        assert!(!path.exists());
        remove(&path).unwrap();
    }
}
