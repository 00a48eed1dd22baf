//! Programs from npm and PyPI that the tests talk to. `tests/clients/install` fetches them; here they are only found.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::testkit;

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

/// Something that was fetched, by its path in the cache.
pub(crate) fn fetched(path: &str) -> PathBuf {
    let cache = std::env::var_os("TOOLGATE_CACHE").map_or_else(|| repository().join(".cache"), PathBuf::from);
    let path = cache.join(path);
    assert!(path.exists(), "{} is missing; `tests/clients/install` fetches it", path.display());
    path
}

/// A Node that is new enough for everything here, whatever the machine has.
pub(crate) fn node() -> PathBuf {
    fetched("node/bin/node")
}

/// The conforming server of the test kit on an HTTP port of its own, until dropped.
pub(crate) struct HttpNeighbour {
    process: Child,
    pub(crate) url: String,
}

impl HttpNeighbour {
    pub(crate) fn start(args: &[&str]) -> Self {
        let mut process = Command::new(testkit("conformance-server"))
            .args(args)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the conforming server starts");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("stdout is piped");
        BufReader::new(stdout).read_line(&mut line).expect("it says where it listens");
        let url = line.trim().strip_prefix("listening on ").expect("it says where it listens").to_owned();
        Self { process, url }
    }
}

impl Drop for HttpNeighbour {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to end.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
