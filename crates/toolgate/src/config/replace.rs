//! Changing a file that belongs to a person: a backup first, then all or nothing.

use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub(crate) enum ReplaceError {
    #[error("cannot back up {path}: {source}")]
    BackUp { path: PathBuf, source: std::io::Error },
    #[error("cannot write {path}: {source}")]
    Write { path: PathBuf, source: std::io::Error },
}

/// Writes `text` to `path` in one step and returns the backup of the previous content, if any.
///
/// A new file is readable by its owner only, since it may come to contain secrets; an existing one keeps its
/// mode. A symbolic link stays one: its target is replaced.
pub(crate) fn replace(path: &Path, text: &str) -> Result<Option<PathBuf>, ReplaceError> {
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let backup = match path.exists() {
        true => Some(back_up(&path).map_err(|source| ReplaceError::BackUp { path: path.clone(), source })?),
        false => None,
    };
    write_in_one_step(&path, text).map_err(|source| ReplaceError::Write { path: path.clone(), source })?;
    Ok(backup)
}

const BACKUPS_MAX: usize = 10_000;

/// Copies to the first free of `.bak`, `.bak.1`, `.bak.2`, …: an older backup is never lost.
fn back_up(path: &Path) -> std::io::Result<PathBuf> {
    for number in 0..BACKUPS_MAX {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(if number == 0 { ".bak".to_owned() } else { format!(".bak.{number}") });
        let backup = path.with_file_name(name);
        if std::fs::symlink_metadata(&backup).is_ok() {
            continue;
        }
        std::fs::copy(path, &backup)?;
        return Ok(backup);
    }
    Err(std::io::Error::other("there are too many backups beside it"))
}

fn write_in_one_step(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    // Created with mode 0600.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    if let Ok(metadata) = std::fs::metadata(path) {
        file.as_file().set_permissions(metadata.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}
