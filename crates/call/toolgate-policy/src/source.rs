//! The sources of policies: a folder of `.cedar` files, texts from the settings, and a level of care.
//!
//! Which set a file belongs to is in its name:
//!
//! | file | set |
//! |---|---|
//! | `gates.cedar`, `anything.gates.cedar`, anything in a folder `gates/` | gates |
//! | every other `.cedar` | guard |
//! | the same with `.shadow` before `.cedar`: `guard.shadow.cedar`, `money.gates.shadow.cedar` | the same set, for comparison only |
//!
//! Folders inside are read too; names that start with a dot are not.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use toolgate_core::Digest;
use toolgate_core::decision::PolicyTemplate;

use crate::problem::PolicyProblem;

/// The policies to load.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sources {
    pub folder: Option<PathBuf>,
    /// Texts that do not come from files.
    pub extra: Vec<NamedPolicies>,
    pub template: PolicyTemplate,
}

/// A text that does not come from a file: its name, its set, the policies.
pub type NamedPolicies = (String, PolicyPurpose, String);

/// The purpose of a text of policies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PolicyPurpose {
    /// Permits and forbids. A denial is final.
    Guard,
    /// A match means that a person must agree.
    Gates,
    /// Has no effect: only the differences that it would make are reported.
    GuardShadow,
    GatesShadow,
}

impl PolicyPurpose {
    /// By its word, such as `gates_shadow`.
    pub fn parse(word: &str) -> Option<PolicyPurpose> {
        serde_json::from_value(word.into()).ok()
    }

    pub fn is_gates(self) -> bool {
        matches!(self, PolicyPurpose::Gates | PolicyPurpose::GatesShadow)
    }

    pub fn is_shadow(self) -> bool {
        matches!(self, PolicyPurpose::GuardShadow | PolicyPurpose::GatesShadow)
    }

    /// The set of a file, by its path inside the policy folder; `None` for files of another kind.
    pub(crate) fn of_file(path: &Path) -> Option<PolicyPurpose> {
        let name = path.file_name()?.to_str()?.strip_suffix(".cedar")?;
        let (name, shadow) = match name.strip_suffix(".shadow") {
            Some(name) => (name, true),
            None => (name, false),
        };
        let folders = path.parent().into_iter().flat_map(Path::components);
        let in_gates = folders.into_iter().any(|folder| folder.as_os_str() == "gates");
        let gates = in_gates || name == "gates" || name.ends_with(".gates");
        Some(match (gates, shadow) {
            (false, false) => PolicyPurpose::Guard,
            (true, false) => PolicyPurpose::Gates,
            (false, true) => PolicyPurpose::GuardShadow,
            (true, true) => PolicyPurpose::GatesShadow,
        })
    }
}

/// One text of policies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PolicyText {
    /// The name of its policies: the path inside the folder, or the name from the settings.
    pub(crate) name: String,
    /// The name in error messages: the path as a person would open it.
    pub(crate) shown: String,
    pub(crate) set: PolicyPurpose,
    pub(crate) text: String,
    pub(crate) author: PolicyAuthor,
    /// The least strict level of care that it is part of.
    pub(crate) level: PolicyTemplate,
}

/// The author of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PolicyAuthor {
    /// It ships with the gateway.
    BuiltIn,
    Operator,
}

impl PolicyText {
    pub(crate) fn new(name: &str, set: PolicyPurpose, text: &str, author: PolicyAuthor) -> Self {
        Self {
            name: name.to_owned(),
            shown: name.to_owned(),
            set,
            text: text.to_owned(),
            author,
            level: PolicyTemplate::Exploratory,
        }
    }
}

const FILES_MAX: usize = 1_000;
const FILE_BYTES_MAX: u64 = 1 << 20;
const FOLDERS_DEEP_MAX: usize = 8;

impl Sources {
    /// True if the operator wrote no policies at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.folder.is_none() && self.extra.is_empty()
    }

    /// Reads every text, files first, in the order of their names.
    pub(crate) fn read(&self) -> (Vec<PolicyText>, Vec<PolicyProblem>) {
        let mut texts = Vec::new();
        let mut problems = Vec::new();
        if let Some(folder) = &self.folder {
            let (files, mut found) = list(folder);
            problems.append(&mut found);
            for (path, stamp) in files {
                match read_file(folder, &path, &stamp) {
                    Ok(text) => texts.push(text),
                    Err(problem) => problems.push(problem),
                }
            }
        }
        let extra = self.extra.iter();
        texts
            .extend(extra.map(|(name, set, text)| PolicyText::new(name, *set, text, PolicyAuthor::Operator)));
        (texts, problems)
    }

    /// The outside state of the files. Two equal ones mean that nothing needs to be read again.
    pub(crate) fn stamp(&self) -> FileStamps {
        FileStamps(self.folder.as_deref().map(list))
    }
}

/// Names, sizes and times of all files, and the errors of those that could not be inspected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FileStamps(Option<(BTreeMap<PathBuf, FileStamp>, Vec<PolicyProblem>)>);

/// A file as its folder describes it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct FileStamp {
    set: PolicyPurpose,
    bytes: u64,
    modified: Option<SystemTime>,
    /// Tells apart files that replaced each other within one tick of the clock.
    identity: (u64, i64),
}

impl FileStamp {
    fn of(set: PolicyPurpose, metadata: &Metadata) -> Self {
        Self { set, bytes: metadata.len(), modified: metadata.modified().ok(), identity: identity(metadata) }
    }
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> (u64, i64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.ino(), metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> (u64, i64) {
    (0, 0)
}

fn list(folder: &Path) -> (BTreeMap<PathBuf, FileStamp>, Vec<PolicyProblem>) {
    let mut listing = PolicyListing { root: folder, files: BTreeMap::new(), problems: Vec::new() };
    listing.enter(Path::new(""), 0);
    (listing.files, listing.problems)
}

struct PolicyListing<'a> {
    root: &'a Path,
    files: BTreeMap<PathBuf, FileStamp>,
    problems: Vec<PolicyProblem>,
}

impl PolicyListing<'_> {
    fn enter(&mut self, inside: &Path, depth: usize) {
        // Joining nothing would add a slash to the name that problems show.
        let folder = if depth == 0 { self.root.to_owned() } else { self.root.join(inside) };
        if depth > FOLDERS_DEEP_MAX {
            return self.refuse(&folder, format!("policy folders nest at most {FOLDERS_DEEP_MAX} deep"));
        }
        let entries = match fs::read_dir(&folder).and_then(Iterator::collect::<Result<Vec<_>, _>>) {
            Ok(entries) => entries,
            Err(error) => return self.refuse(&folder, format!("the policy folder cannot be read: {error}")),
        };
        let mut names: Vec<_> = entries.iter().map(fs::DirEntry::file_name).collect();
        names.sort();
        for name in names.iter().filter(|name| !name.as_encoded_bytes().starts_with(b".")) {
            self.take(&inside.join(name), depth);
        }
    }

    fn take(&mut self, path: &Path, depth: usize) {
        let full = self.root.join(path);
        // Links are followed: a mounted configuration often consists of links.
        match fs::metadata(&full) {
            Ok(metadata) if metadata.is_dir() => self.enter(path, depth + 1),
            Ok(metadata) => self.add(path, &metadata),
            Err(error) if PolicyPurpose::of_file(path).is_some() => {
                self.refuse(&full, format!("cannot be read: {error}"))
            }
            Err(_) => {}
        }
    }

    fn add(&mut self, path: &Path, metadata: &Metadata) {
        let Some(set) = PolicyPurpose::of_file(path) else { return };
        if self.files.len() == FILES_MAX {
            let root = self.root.to_owned();
            return self.refuse(&root, format!("a policy folder has at most {FILES_MAX} files"));
        }
        self.files.insert(path.to_owned(), FileStamp::of(set, metadata));
    }

    fn refuse(&mut self, path: &Path, what: String) {
        self.problems.push(PolicyProblem::of_file(path.display().to_string(), what));
    }
}

fn read_file(folder: &Path, path: &Path, stamp: &FileStamp) -> Result<PolicyText, PolicyProblem> {
    let full = folder.join(path);
    let shown = full.display().to_string();
    if stamp.bytes > FILE_BYTES_MAX {
        return Err(PolicyProblem::of_file(
            shown,
            format!("a policy file has at most {FILE_BYTES_MAX} bytes"),
        ));
    }
    match fs::read(&full).map(String::from_utf8) {
        Ok(Ok(text)) => {
            let name = path.display().to_string();
            Ok(PolicyText { shown, ..PolicyText::new(&name, stamp.set, &text, PolicyAuthor::Operator) })
        }
        Ok(Err(_)) => Err(PolicyProblem::of_file(shown, "is not text in UTF-8")),
        Err(error) => Err(PolicyProblem::of_file(shown, format!("cannot be read: {error}"))),
    }
}

/// The digest of a level of care and of all texts that are part of it.
pub(crate) fn version(texts: &[PolicyText], template: PolicyTemplate) -> Digest {
    let mut all = Vec::new();
    let mut add = |part: &str| {
        all.extend_from_slice(&(part.len() as u64).to_be_bytes());
        all.extend_from_slice(part.as_bytes());
    };
    add(template.as_str());
    for text in texts.iter().filter(|text| text.level <= template) {
        add(&text.name);
        add(match text.set {
            PolicyPurpose::Guard => "guard",
            PolicyPurpose::Gates => "gates",
            PolicyPurpose::GuardShadow => "guard shadow",
            PolicyPurpose::GatesShadow => "gates shadow",
        });
        add(&text.text);
    }
    Digest::of(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_says_its_set() {
        for (path, expected) in [
            ("guard.cedar", Some(PolicyPurpose::Guard)),
            ("bank.cedar", Some(PolicyPurpose::Guard)),
            ("gates.cedar", Some(PolicyPurpose::Gates)),
            ("money.gates.cedar", Some(PolicyPurpose::Gates)),
            ("gates/money.cedar", Some(PolicyPurpose::Gates)),
            ("teams/gates/a/money.cedar", Some(PolicyPurpose::Gates)),
            ("mygates.cedar", Some(PolicyPurpose::Guard)),
            ("guard.shadow.cedar", Some(PolicyPurpose::GuardShadow)),
            ("gates.shadow.cedar", Some(PolicyPurpose::GatesShadow)),
            ("x.gates.shadow.cedar", Some(PolicyPurpose::GatesShadow)),
            ("gates/x.shadow.cedar", Some(PolicyPurpose::GatesShadow)),
            ("shadow.cedar", Some(PolicyPurpose::Guard)),
            ("guard.cedar.bak", None),
            ("bank.test.toml", None),
        ] {
            assert_eq!(PolicyPurpose::of_file(Path::new(path)), expected, "{path}");
        }
    }

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn sources(folder: &tempfile::TempDir) -> Sources {
        Sources { folder: Some(folder.path().to_owned()), ..Sources::default() }
    }

    #[test]
    fn a_folder_is_read_in_the_order_of_names() {
        let folder =
            folder(&[("guard.cedar", "b"), ("gates/a.cedar", "a"), (".hidden.cedar", "x"), ("note.md", "x")]);
        let (texts, problems) = sources(&folder).read();
        assert_eq!(problems, []);
        let names: Vec<&str> = texts.iter().map(|text| text.name.as_str()).collect();
        assert_eq!(names, ["gates/a.cedar", "guard.cedar"]);
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let missing = Sources { folder: Some("no/such/folder".into()), ..Sources::default() };
        let (_, problems) = missing.read();
        assert!(problems[0].to_string().starts_with("no/such/folder: the policy folder cannot be read: "));

        let folder = folder(&[]);
        fs::write(folder.path().join("a.cedar"), [0xff]).unwrap();
        let large = usize::try_from(FILE_BYTES_MAX).unwrap() + 1;
        fs::write(folder.path().join("b.cedar"), vec![b' '; large]).unwrap();
        let (_, problems) = sources(&folder).read();
        let told: Vec<&str> = problems.iter().map(|problem| problem.what.as_str()).collect();
        assert_eq!(told, ["is not text in UTF-8", "a policy file has at most 1048576 bytes"]);
    }

    #[test]
    fn stamps_differ_when_a_file_comes_goes_or_changes() {
        let folder = folder(&[("guard.cedar", "one")]);
        let sources = sources(&folder);
        let first = sources.stamp();
        assert_eq!(sources.stamp(), first);

        fs::write(folder.path().join("guard.cedar"), "longer").unwrap();
        let second = sources.stamp();
        assert_ne!(second, first);

        // The same size, replaced in one step, as editors and deployments do.
        fs::write(folder.path().join("new"), "LONGER").unwrap();
        fs::rename(folder.path().join("new"), folder.path().join("guard.cedar")).unwrap();
        let third = sources.stamp();
        assert_ne!(third, second);

        fs::write(folder.path().join("gates.cedar"), "").unwrap();
        let fourth = sources.stamp();
        assert_ne!(fourth, third);
        fs::remove_file(folder.path().join("gates.cedar")).unwrap();
        assert_eq!(sources.stamp(), third);
        fs::write(folder.path().join("note.txt"), "").unwrap();
        assert_eq!(sources.stamp(), third);
    }

    #[test]
    fn the_version_stands_for_names_sets_texts_and_template() {
        let text = |name: &str, set, text: &str| PolicyText::new(name, set, text, PolicyAuthor::Operator);
        let base = version(&[text("a", PolicyPurpose::Guard, "x")], PolicyTemplate::Standard);
        assert_eq!(version(&[text("a", PolicyPurpose::Guard, "x")], PolicyTemplate::Standard), base);
        for (texts, template) in [
            (vec![text("b", PolicyPurpose::Guard, "x")], PolicyTemplate::Standard),
            (vec![text("a", PolicyPurpose::Gates, "x")], PolicyTemplate::Standard),
            (vec![text("a", PolicyPurpose::Guard, "y")], PolicyTemplate::Standard),
            (vec![text("a", PolicyPurpose::Guard, "x")], PolicyTemplate::Regulated),
            (vec![], PolicyTemplate::Standard),
        ] {
            assert_ne!(version(&texts, template), base);
        }
    }
}
