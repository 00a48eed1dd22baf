//! Programs from npm and PyPI that the tests talk to. `tests/clients/install` fetches them; here they are only found.

use std::path::{Path, PathBuf};

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

/// A fetched file, by its path in the cache.
pub(crate) fn fetched(path: &str) -> PathBuf {
    let cache = std::env::var_os("TOOLGATE_CACHE").map_or_else(|| repository().join(".cache"), PathBuf::from);
    let path = cache.join(path);
    assert!(path.exists(), "{} is missing; `tests/clients/install` fetches it", path.display());
    path
}

/// A Node that is new enough for everything here, regardless of the machine's own.
pub(crate) fn node() -> PathBuf {
    fetched("node/bin/node")
}
