//! The tracked files of a git work tree, as they are in the folder. git itself says which ones those are.

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, bail};
use tokio::process::Command;

use super::found::FoundFiles;

/// The settings of a work tree may name programs to run; none of them runs here.
const SAFE: [&str; 4] = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];

pub(super) async fn list(root: &Path, found: &mut FoundFiles) -> anyhow::Result<()> {
    for name in tracked(root).await? {
        let path = root.join(&name);
        // A tracked file may have been deleted, and a tracked folder is another repository.
        match path.symlink_metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                found.leave_out(&name, "is tracked, and not in the folder");
            }
            _ => found.add_from_disk(&name, path)?,
        }
    }
    Ok(())
}

async fn tracked(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut git = Command::new("git");
    git.args(SAFE).arg("-C").arg(root).args(["ls-files", "-z", "--cached"]);
    git.env("GIT_OPTIONAL_LOCKS", "0").stdin(Stdio::null()).kill_on_drop(true);
    let said = match git.output().await {
        Ok(said) => said,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            bail!(
                "git is not on PATH, and only git says which files are tracked\nhint: install git, or say --kind folder"
            )
        }
        Err(error) => return Err(error).context("could not run git"),
    };
    if !said.status.success() {
        let why = String::from_utf8_lossy(&said.stderr).trim().to_owned();
        bail!(
            "git could not list the files of {}: {why}\nhint: say --kind folder to import all files",
            root.display()
        );
    }
    let text = String::from_utf8(said.stdout)
        .context("a tracked file has a name that is not UTF-8\nhint: rename it")?;
    let mut names: Vec<String> =
        text.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    // During a merge, a file with a conflict is listed once for each side.
    names.dedup();
    Ok(names)
}
