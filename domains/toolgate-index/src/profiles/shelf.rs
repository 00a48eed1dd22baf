//! All versions of all profiles that this gateway knows. They are read at the start and stay as they are.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolgate_core::Refusal;

use super::file::KnownProfile;
use crate::refusal::{bad_profile, unknown_profile};

const BUILT_IN: &[(&str, &str)] = &[
    ("docs.default.toml", include_str!("../../profiles/docs.default.toml")),
    ("docs.citation_strict.toml", include_str!("../../profiles/docs.citation_strict.toml")),
    ("runs.trace_search.toml", include_str!("../../profiles/runs.trace_search.toml")),
    ("projects.cross_project_reuse.toml", include_str!("../../profiles/projects.cross_project_reuse.toml")),
];

/// Files that are read from the folder.
const FILES_MAX: usize = 500;
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Profiles by name and version.
#[derive(Debug)]
pub(crate) struct ProfileShelf {
    profiles: BTreeMap<String, BTreeMap<u32, Arc<KnownProfile>>>,
}

impl ProfileShelf {
    /// The built-in profiles, and those of a folder. A file that cannot be used is refused by its name: a gateway that leaves out a
    /// profile would search with another one than its operator wrote.
    pub(crate) fn open(folder: Option<&Path>) -> Result<Self, Refusal> {
        let mut shelf = Self { profiles: BTreeMap::new() };
        for (file, text) in BUILT_IN {
            shelf.put(file, KnownProfile::read(file, text)?)?;
        }
        for path in folder.map(files_of).transpose()?.unwrap_or_default() {
            let file = path.display().to_string();
            shelf.put(&file, KnownProfile::read(&file, &text_of(&path)?)?)?;
        }
        Ok(shelf)
    }

    fn put(&mut self, file: &str, known: KnownProfile) -> Result<(), Refusal> {
        let versions = self.profiles.entry(known.profile.name.clone()).or_default();
        let (version, name) = (known.profile.version, known.full_name());
        match versions.insert(version, Arc::new(known)) {
            None => Ok(()),
            Some(_) => Err(bad_profile(file, format!("there is another {name}; give it the next version"))),
        }
    }

    pub(crate) fn version(&self, name: &str, version: u32) -> Result<&Arc<KnownProfile>, Refusal> {
        let found = self.profiles.get(name).and_then(|versions| versions.get(&version));
        found.ok_or_else(|| unknown_profile(name, Some(version), self.names()))
    }

    /// The highest version, which `index.evaluate` measures unless told otherwise.
    pub(crate) fn newest(&self, name: &str) -> Result<&Arc<KnownProfile>, Refusal> {
        let found = self.profiles.get(name).and_then(|versions| versions.values().next_back());
        found.ok_or_else(|| unknown_profile(name, None, self.names()))
    }

    /// The lowest version, which is active until another one is promoted.
    pub(crate) fn first(&self, name: &str) -> Result<&Arc<KnownProfile>, Refusal> {
        let found = self.profiles.get(name).and_then(|versions| versions.values().next());
        found.ok_or_else(|| unknown_profile(name, None, self.names()))
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.profiles.keys().map(String::as_str)
    }

    pub(crate) fn versions(&self, name: &str) -> Vec<u32> {
        self.profiles.get(name).map(|versions| versions.keys().copied().collect()).unwrap_or_default()
    }
}

/// The TOML files of a folder, sorted.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>, Refusal> {
    let refused = |flaw: String| bad_profile(&folder.display().to_string(), flaw);
    let entries =
        fs::read_dir(folder).map_err(|error| refused(format!("the folder cannot be read: {error}")))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| refused(format!("the folder cannot be read: {error}")))?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
        if files.len() > FILES_MAX {
            return Err(refused(format!("the folder has more than {FILES_MAX} profiles")));
        }
    }
    files.sort();
    Ok(files)
}

fn text_of(path: &Path) -> Result<String, Refusal> {
    let refused = |flaw: String| bad_profile(&path.display().to_string(), flaw);
    let unreadable = |error: std::io::Error| refused(format!("the file cannot be read: {error}"));
    match fs::metadata(path).map_err(unreadable)?.len() {
        bytes if bytes > FILE_BYTES_MAX => Err(refused(format!("it has more than {FILE_BYTES_MAX} bytes"))),
        _ => fs::read_to_string(path).map_err(unreadable),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_profiles_are_sound_and_have_questions() {
        let shelf = ProfileShelf::open(None).expect("they are read");
        let names: Vec<&str> = shelf.names().collect();
        assert_eq!(
            names,
            ["docs.citation_strict", "docs.default", "projects.cross_project_reuse", "runs.trace_search"]
        );
        for name in names {
            let known = shelf.version(name, 1).expect("version 1");
            assert!(known.questions.len() >= 5, "{name}");
        }
    }

    #[test]
    fn a_folder_adds_versions_and_may_not_replace_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let (_, text) = BUILT_IN[0];
        let write = |text: &str| fs::write(folder.path().join("mine.toml"), text).expect("written");
        write(&text.replace("version = 1", "version = 2"));
        let shelf = ProfileShelf::open(Some(folder.path())).expect("they are read");
        assert_eq!(shelf.versions("docs.default"), [1, 2]);
        assert_eq!(shelf.newest("docs.default").expect("newest").profile.version, 2);
        assert_eq!(shelf.first("docs.default").expect("first").profile.version, 1);
        write(text);
        let refused = ProfileShelf::open(Some(folder.path())).expect_err("the same version");
        assert!(refused.message.contains("docs.default@1"), "{}", refused.message);
    }

    #[test]
    fn a_folder_that_is_not_there_and_a_name_that_is_not_known_are_refused() {
        let refused = ProfileShelf::open(Some(Path::new("/nowhere/profiles"))).expect_err("no folder");
        assert!(refused.message.contains("/nowhere/profiles"), "{}", refused.message);
        let shelf = ProfileShelf::open(None).expect("they are read");
        let refused = shelf.version("docs.defualt", 1).expect_err("no such profile");
        assert!(refused.hint.contains("docs.default"), "{}", refused.hint);
        assert!(shelf.version("docs.default", 9).is_err());
    }
}
