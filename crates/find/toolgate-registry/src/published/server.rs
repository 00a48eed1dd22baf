//! A published server: what its entry says, within limits.

use std::collections::BTreeMap;

use serde::Deserialize;
use toolgate_core::Digest;

use super::input::PublishedInput;
use super::name::{PublishedName, PublishedOrigin};

/// An entry of a registry. Its texts are a stranger's.
#[derive(Clone, PartialEq, Debug)]
pub struct PublishedServer {
    pub name: PublishedName,
    pub version: String,
    pub title: Option<String>,
    pub description: String,
    /// The address of its source code, as the publisher says.
    pub repository: Option<String>,
    pub website: Option<String>,
    pub status: PublicationStatus,
    /// The publisher's words about the status.
    pub status_message: Option<String>,
    pub published_at: Option<String>,
    /// `false` if the registry says that there is a later version.
    pub is_latest: bool,
    /// Of what the publisher wrote: equal entries have equal digests, however their keys are ordered.
    pub digest: Digest,
    pub(super) packages: Vec<PublishedPackage>,
    pub(super) remotes: Vec<PublishedRemote>,
}

/// The standing of an entry in its registry.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PublicationStatus {
    #[default]
    Active,
    Deprecated,
    Deleted,
}

impl PublicationStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            PublicationStatus::Active => "active",
            PublicationStatus::Deprecated => "deprecated",
            PublicationStatus::Deleted => "deleted",
        }
    }

    pub(super) fn of(word: &str) -> Self {
        match word {
            "deprecated" => PublicationStatus::Deprecated,
            "deleted" => PublicationStatus::Deleted,
            _ => PublicationStatus::Active,
        }
    }
}

impl PublishedServer {
    /// The kinds of packages and remotes in the entry, each once.
    pub fn kinds(&self) -> Vec<&'static str> {
        let mut kinds: Vec<&'static str> = self.packages.iter().map(PublishedPackage::kind).collect();
        if !self.remotes.is_empty() {
            kinds.push("remote");
        }
        let mut seen = Vec::new();
        for kind in kinds {
            if !seen.contains(&kind) {
                seen.push(kind);
            }
        }
        seen
    }

    /// The origin that a server made from it remembers.
    pub fn origin(&self, registry: &str) -> PublishedOrigin {
        PublishedOrigin {
            registry: registry.to_owned(),
            name: self.name.clone(),
            version: self.version.clone(),
            digest: self.digest,
        }
    }

    /// True if name, title or description contain every word.
    pub fn has_words(&self, words: &[String]) -> bool {
        let title = self.title.as_deref().unwrap_or_default();
        let text = format!("{} {title} {}", self.name, self.description).to_lowercase();
        words.iter().all(|word| text.contains(&word.to_lowercase()))
    }
}

#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct PublishedPackage {
    pub(super) registry_type: String,
    pub(super) registry_base_url: Option<String>,
    pub(super) identifier: String,
    pub(super) version: Option<String>,
    pub(super) file_sha256: Option<String>,
    pub(super) runtime_hint: Option<String>,
    pub(super) transport: PackageTransport,
    pub(super) runtime_arguments: Vec<PublishedInput>,
    pub(super) package_arguments: Vec<PublishedInput>,
    pub(super) environment_variables: Vec<PublishedInput>,
}

#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PackageTransport {
    #[serde(rename = "type")]
    pub(super) kind: String,
}

#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PublishedRemote {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) url: String,
    pub(super) headers: Vec<PublishedInput>,
    pub(super) variables: BTreeMap<String, PublishedInput>,
}

impl PublishedPackage {
    /// A word of ours, whatever the entry says.
    pub(super) fn kind(&self) -> &'static str {
        const KINDS: [&str; 7] = ["npm", "pypi", "nuget", "oci", "mcpb", "cargo", "go"];
        KINDS.into_iter().find(|kind| *kind == self.registry_type).unwrap_or("other")
    }

    /// The package and its version, for people.
    pub(super) fn named(&self) -> String {
        match &self.version {
            Some(version) => format!("{} {version}", self.identifier),
            None => self.identifier.clone(),
        }
    }
}
