//! Finding a Chromium.

use std::env;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use capability_kit::{Trouble, environment};

/// In the order of their start: the shell has no windows to prepare, and is ready in a fifth of the time.
const NAMES: [&str; 6] = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
];

/// The named program, or the first on `PATH`.
pub(crate) fn find(named: Option<&Path>) -> Result<PathBuf, Trouble> {
    if let Some(named) = named {
        return match is_program(named) {
            true => Ok(named.to_owned()),
            false => Err(missing(format!("there is no program {}", named.display()))),
        };
    }
    let path = environment::variable("PATH").unwrap_or_default();
    find_in(&env::split_paths(&path).collect::<Vec<_>>())
        .ok_or_else(|| missing("there is no Chromium on this machine".to_owned()))
}

fn find_in(folders: &[PathBuf]) -> Option<PathBuf> {
    let candidates = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    candidates.into_iter().find(|path| is_program(path))
}

fn missing(message: String) -> Trouble {
    Trouble::unavailable(message).hint(
        "install it, on Debian with `apt-get install chromium-headless-shell` (or `chromium`), and start the server again; \
         or name its program with the server's option",
    )
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use capability_kit::TroubleCode;

    use super::*;

    #[test]
    fn a_machine_without_chromium_says_what_to_install() {
        let empty = tempfile::tempdir().unwrap();
        assert_eq!(find_in(&[empty.path().to_owned()]), None);
        let refused = find(Some(&empty.path().join("chromium"))).unwrap_err();
        assert_eq!(refused.code, TroubleCode::Unavailable);
        assert!(refused.to_string().contains("apt-get install chromium"), "{refused}");
    }

    #[test]
    fn the_one_that_starts_soonest_is_taken_whatever_folder_it_lies_in() {
        let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (folder, name) in [(&first, "chromium"), (&second, "chromium-headless-shell")] {
            let path = folder.path().join(name);
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let found = find_in(&[first.path().to_owned(), second.path().to_owned()]).unwrap();
        assert_eq!(found, second.path().join("chromium-headless-shell"));
    }
}
