//! Finding a program as the system would, before a launcher is in between: so that a missing one is reported
//! by its name.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The system's default search path.
const USUAL_PATH: &str = "/bin:/usr/bin";

/// The file that would be started.
pub(crate) fn find(command: &str, env: &BTreeMap<String, String>, cwd: &Path) -> io::Result<PathBuf> {
    if command.contains('/') {
        return startable(cwd.join(command));
    }
    let path = env.get("PATH").map_or(USUAL_PATH, String::as_str);
    let mut best = io::Error::from(io::ErrorKind::NotFound);
    for folder in path.split(':') {
        match startable(cwd.join(folder).join(command)) {
            Ok(found) => return Ok(found),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => best = error,
            Err(_) => {}
        }
    }
    Err(plain(best))
}

fn startable(path: PathBuf) -> io::Result<PathBuf> {
    let data = fs::metadata(&path)?;
    match data.is_file() && data.permissions().mode() & 0o111 != 0 {
        true => Ok(path),
        false => Err(plain(io::ErrorKind::PermissionDenied.into())),
    }
}

/// With the words that the system has for it.
fn plain(error: io::Error) -> io::Error {
    use nix::errno::Errno;
    match error.kind() {
        io::ErrorKind::NotFound => Errno::ENOENT.into(),
        io::ErrorKind::PermissionDenied => Errno::EACCES.into(),
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_as_the_system_finds_them() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        for (name, mode) in [("tool", 0o755), ("text", 0o644)] {
            fs::write(here.join(name), "#!/bin/sh\n").unwrap();
            fs::set_permissions(here.join(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        let env = BTreeMap::from([("PATH".to_owned(), format!("/nowhere:{}", here.display()))]);
        let kind = |command: &str| find(command, &env, here).map_err(|error| error.kind());
        assert_eq!(kind("tool"), Ok(here.join("tool")));
        assert_eq!(kind("./tool"), Ok(here.join("./tool")));
        assert_eq!(kind("text"), Err(io::ErrorKind::PermissionDenied));
        assert_eq!(kind("./text"), Err(io::ErrorKind::PermissionDenied));
        assert_eq!(kind("nobody"), Err(io::ErrorKind::NotFound));
        assert_eq!(kind("/nowhere/tool"), Err(io::ErrorKind::NotFound));
        let said = find("nobody", &env, here).unwrap_err().to_string();
        assert!(said.starts_with("No such file or directory"), "{said}");
    }
}
