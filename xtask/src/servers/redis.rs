//! A redis-server and a Redis Cluster of six processes, shared by all tests of a run. Tests that
//! stop or damage servers start their own.

use super::DIES_WITH_US;
use crate::live::{Folder, Live};
use anyhow::Result;
use riposte_test_support::redis::{Cluster, Program, Server};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A running server, a running cluster, and the folder of their data.
#[derive(Debug)]
pub(crate) struct Redis {
    program: PathBuf,
    server: Server,
    cluster: Cluster,
    // Dropped after the servers, so that none loses its folder while it runs.
    _data: Folder,
}

impl Redis {
    /// Returns the environment by which the tests find the servers, and the program for servers of
    /// their own.
    pub(crate) fn exports(&self) -> [(&'static str, String); 3] {
        [
            ("RIPOSTE_TEST_REDIS", self.server.url()),
            ("RIPOSTE_TEST_REDIS_CLUSTER", self.cluster.url()),
            ("RIPOSTE_TEST_REDIS_SERVER", self.program.display().to_string()),
        ]
    }
}

/// One running server and the folder of its data.
#[derive(Debug)]
pub(crate) struct OneRedis {
    server: Server,
    // Dropped after the server.
    _data: Folder,
}

impl OneRedis {
    /// Returns its address.
    pub(crate) fn url(&self) -> String {
        self.server.url()
    }

    /// Returns its process id.
    pub(crate) fn pid(&self) -> Result<i32> {
        self.server.pid()
    }
}

/// Starts a single server.
pub(crate) fn start_one(program: &Path, live: &Arc<Live>) -> Result<OneRedis> {
    let data = live.folder()?;
    Ok(OneRedis { server: Server::start(&how(program, &data))?, _data: data })
}

/// Returns the command of a server that ends with this task runner.
fn how(program: &Path, data: &Folder) -> Program {
    let words: Vec<&OsStr> = DIES_WITH_US.iter().map(OsStr::new).chain([program.as_os_str()]).collect();
    Program::new(&words, data.path())
}

/// Starts both. The cluster is complete when the function returns, after two or three seconds.
pub(crate) fn start(program: &Path, live: &Arc<Live>) -> Result<Redis> {
    let data = live.folder()?;
    let how = how(program, &data);
    let (server, cluster) = (Server::start(&how)?, Cluster::start(&how)?);
    Ok(Redis { program: program.to_owned(), server, cluster, _data: data })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpStream;

    #[test]
    fn a_server_and_a_cluster_are_exported_and_end_with_their_guard() {
        let given = std::env::var_os("RIPOSTE_TEST_REDIS_SERVER").map(PathBuf::from);
        let Some(program) = given.or_else(|| crate::tools::on_path("redis-server")) else {
            println!("SKIPPED: no redis-server on the path, and none in RIPOSTE_TEST_REDIS_SERVER");
            return;
        };
        let live = Arc::new(Live::default());
        let redis = start(&program, &live).unwrap();
        let nodes = redis.cluster.nodes().iter().chain([&redis.server]);
        let ports: Vec<u16> = nodes.map(Server::port).collect();
        let [(_, server), (_, cluster), (_, given)] = redis.exports();
        assert!(server.ends_with(&ports[6].to_string()) && given == program.display().to_string());
        assert!(ports[..6].iter().all(|port| cluster.contains(&format!("127.0.0.1:{port}"))), "{cluster}");
        let folder = redis._data.path().to_owned();
        drop(redis);
        assert!(ports.iter().all(|port| TcpStream::connect(("127.0.0.1", *port)).is_err()));
        assert!(!folder.exists());
    }
}
