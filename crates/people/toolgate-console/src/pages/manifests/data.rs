//! The API's data about manifests.

use serde::Deserialize;
use serde_json::Value;

use crate::address::PageAddress;
use crate::parts::text;

const BRIEF_CHARS: usize = 19;

#[derive(Deserialize)]
pub(super) struct ManifestData {
    pub(super) digest: String,
    pub(super) parents: Vec<String>,
    pub(super) message: String,
    pub(super) entries: u64,
    pub(super) size: u64,
    #[serde(default)]
    pub(super) metadata: Option<Value>,
    pub(super) created_by: String,
    #[serde(default)]
    pub(super) run: Option<String>,
    pub(super) created_at: String,
}

#[derive(Deserialize)]
pub(super) struct ManifestEntriesData {
    pub(super) entries: Vec<ManifestEntryData>,
    #[serde(default)]
    pub(super) next_after: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct ManifestEntryData {
    pub(super) path: String,
    /// folder, artifact or manifest
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) digest: Option<String>,
    #[serde(default)]
    pub(super) size: Option<u64>,
    #[serde(default)]
    pub(super) media_type: Option<String>,
    #[serde(default)]
    pub(super) metadata: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct ManifestChangesData {
    pub(super) changes: Vec<ManifestChangeData>,
    #[serde(default)]
    pub(super) counts: Option<ChangeCountsData>,
    #[serde(default)]
    pub(super) next_after: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct ManifestChangeData {
    pub(super) path: String,
    /// added, removed, content or metadata
    pub(super) change: String,
    #[serde(default)]
    pub(super) old: Option<ManifestEntryData>,
    #[serde(default)]
    pub(super) new: Option<ManifestEntryData>,
}

#[derive(Deserialize)]
pub(super) struct ChangeCountsData {
    pub(super) added: u64,
    pub(super) removed: u64,
    pub(super) content: u64,
    pub(super) metadata: u64,
    pub(super) complete: bool,
}

impl ManifestData {
    /// Its message, or the beginning of its digest.
    pub(super) fn called(&self) -> &str {
        match self.message.lines().next().map(str::trim).filter(|line| !line.is_empty()) {
            Some(line) => line,
            None => text::cut_at(&self.digest, BRIEF_CHARS).0,
        }
    }

    /// The page with what changed since another one.
    pub(super) fn changes(&self, since: &str) -> PageAddress {
        PageAddress::of(["console", "manifests", &self.digest, "changes"]).with("since", since)
    }
}

impl ManifestEntryData {
    /// The address of the thing that it names, in the console.
    pub(super) fn address(&self, manifest: &str) -> Option<PageAddress> {
        match (self.kind.as_str(), &self.digest) {
            ("folder", _) => Some(folder_address(manifest, &self.path)),
            ("manifest", Some(digest)) => Some(PageAddress::of(["console", "manifests", digest])),
            (_, Some(digest)) => Some(PageAddress::of(["console", "artifacts", digest])),
            (_, None) => None,
        }
    }
}

pub(super) fn folder_address(manifest: &str, folder: &str) -> PageAddress {
    with_path(PageAddress::of(["console", "manifests", manifest]), "folder", Some(folder))
}

/// With a path as it is: blanks at its ends belong to it.
pub(super) fn with_path(address: PageAddress, name: &str, path: Option<&str>) -> PageAddress {
    match path.filter(|path| !path.is_empty()) {
        Some(path) => address.with(name, path),
        None => address,
    }
}
