//! The model of the tests that search by meaning.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// The folder with the model. Without one, a test says that it was skipped.
pub(crate) fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("TOOLGATE_TEST_MODEL").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: TOOLGATE_TEST_MODEL names no folder with a model; script/model fetches one");
    }
    folder
}

/// The key of `[engine]`.
pub(crate) fn key(folder: &Path) -> String {
    format!("model = {folder:?}\n")
}

/// A model with the same weights and other files: its vectors cannot be compared with those of the first.
pub(super) fn changed(folder: &Path, to: &Path) {
    std::fs::create_dir(to).expect("a new folder");
    for entry in std::fs::read_dir(folder).expect("the model is there") {
        let path = entry.expect("it can be read").path();
        let there = to.join(path.file_name().expect("a file"));
        match path.ends_with("config.json") {
            true => {
                let config = std::fs::read_to_string(&path).expect("text");
                std::fs::write(there, format!("{}\n\n", config.trim_end())).expect("written");
            }
            false => symlink(path.canonicalize().expect("it is there"), there).expect("linked"),
        }
    }
}
