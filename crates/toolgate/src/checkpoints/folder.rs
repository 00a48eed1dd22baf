//! Checkpoints as files of a folder.

use std::fs::Permissions;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use tempfile::NamedTempFile;

use super::signed::ENDING;

/// Everyone may read a checkpoint.
const FOR_ALL: u32 = 0o644;

/// Writes a file, which appears when it is complete and on disk.
pub(super) fn keep(folder: &Path, name: &str, text: &str) -> anyhow::Result<()> {
    let target = folder.join(name);
    let written = std::fs::create_dir_all(folder).and_then(|()| {
        let mut part = NamedTempFile::new_in(folder)?;
        // Others verify with them; they hold nothing secret.
        part.as_file().set_permissions(Permissions::from_mode(FOR_ALL))?;
        part.write_all(text.as_bytes())?;
        part.as_file().sync_all()?;
        part.persist(&target)?;
        std::fs::File::open(folder)?.sync_all()
    });
    written.with_context(|| format!("could not write {}", target.display()))
}

/// The checkpoint files of a folder, oldest first. A folder that is not there has none.
pub(crate) fn checkpoint_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.with_context(|| format!("could not look into {}", folder.display()))?,
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>();
    let mut paths = paths.with_context(|| format!("could not look into {}", folder.display()))?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == ENDING));
    paths.sort();
    Ok(paths)
}

/// The newest checkpoint file of a folder.
pub(crate) fn newest(folder: &Path) -> anyhow::Result<Option<PathBuf>> {
    Ok(checkpoint_files(folder)?.pop())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_listed_by_time_and_others_left_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("a/b");
        assert_eq!(checkpoint_files(&inner).expect("none"), Vec::<PathBuf>::new());
        for name in ["2026-02-01-gateway.checkpoint", "2026-01-01-gateway.checkpoint", "notes.txt"] {
            keep(&inner, name, "text").expect("written");
        }
        let names: Vec<String> = checkpoint_files(&inner)
            .expect("listed")
            .iter()
            .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
            .collect();
        assert_eq!(names, ["2026-01-01-gateway.checkpoint", "2026-02-01-gateway.checkpoint"]);
        let mode = inner.join(&names[0]).metadata().expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o644, "another account reads it");
        assert!(newest(&inner).expect("listed").is_some_and(|path| path.ends_with(&names[1])));
        assert!(keep(Path::new("/dev/null/x"), "name", "text").is_err());
    }
}
