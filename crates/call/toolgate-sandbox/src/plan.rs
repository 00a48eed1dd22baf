//! The actions of a launcher on itself before it becomes a server's program.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct SandboxPlan {
    /// The user it runs as, if not the gateway's.
    pub(crate) user: Option<SandboxUser>,
    pub(crate) cwd: PathBuf,
    /// Folders to create if they are missing.
    pub(crate) make: Vec<PathBuf>,
    /// The gateway's own data. Always hidden.
    pub(crate) own: Vec<PathBuf>,
    /// Other places that look empty.
    pub(crate) hidden: Vec<PathBuf>,
    /// The paths that it may change.
    pub(crate) write: Vec<PathBuf>,
    /// True if it may use the network.
    pub(crate) network: bool,
    /// True if it may make namespaces of its own, as a browser does for its pages.
    pub(crate) nested: bool,
    /// The means; a required one that fails ends the launcher.
    pub(crate) namespaces: bool,
    pub(crate) landlock: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct SandboxUser {
    pub(crate) name: String,
    pub(crate) user: u32,
    pub(crate) group: u32,
    pub(crate) home: PathBuf,
}

/// True if one of the two contains the other, or they are equal.
pub(crate) fn overlap(a: &Path, b: &Path) -> bool {
    a.starts_with(b) || b.starts_with(a)
}

/// A folder without these places, as the existing paths. Links are left out: their targets have their own
/// paths.
#[cfg(target_os = "linux")]
pub(crate) fn all_but(folder: &Path, without: &[PathBuf]) -> Vec<PathBuf> {
    if without.iter().any(|place| folder.starts_with(place)) {
        return Vec::new();
    }
    if !without.iter().any(|place| place.starts_with(folder)) {
        return vec![folder.to_owned()];
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let real = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
    real.flat_map(|entry| all_but(&entry.path(), without)).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_a_folder_leads_nowhere_into_what_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        std::fs::create_dir_all(here.join("a/data/deep")).unwrap();
        std::fs::create_dir_all(here.join("a/docs")).unwrap();
        std::fs::create_dir_all(here.join("b")).unwrap();
        std::os::unix::fs::symlink(here.join("a/data"), here.join("link")).unwrap();
        let mut left = all_but(here, &[here.join("a/data")]);
        left.sort();
        assert_eq!(left, [here.join("a/docs"), here.join("b")]);
        assert_eq!(all_but(here, &[]), [here]);
        assert!(all_but(&here.join("a/data/deep"), &[here.join("a/data")]).is_empty());
    }
}
