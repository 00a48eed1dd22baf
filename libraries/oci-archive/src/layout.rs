//! The documents of an OCI image layout, as far as they are needed, and the configuration that says which manifests the archive has.
//!
//! The configuration has the media type of an image's, so that every tool for images reads it; our members stand beside those that an
//! image must have.

use std::collections::BTreeMap;

use manifest_tree::BlobDigest;
use serde::{Deserialize, Serialize};

/// Blobs that are layers of their own. More go into packs: readers of images take a manifest of at most 4 MiB.
pub const LAYERS_MAX: usize = 4_096;
/// The most manifests in an archive.
pub const MANIFESTS_MAX: usize = 1_000;
/// The longest document: readers of images take no longer one.
pub(crate) const DOCUMENT_BYTES_MAX: u64 = 4 << 20;

pub(crate) const LAYOUT_NAME: &str = "oci-layout";
pub(crate) const INDEX_NAME: &str = "index.json";
pub(crate) const DESCRIPTION_NAME: &str = "ro-crate-metadata.json";
pub(crate) const BLOBS_FOLDER: &str = "blobs/sha256/";
pub(crate) const LAYOUT_VERSION: &str = "1.0.0";

pub(crate) const INDEX_TYPE: &str = "application/vnd.oci.image.index.v1+json";
pub(crate) const IMAGE_TYPE: &str = "application/vnd.oci.image.manifest.v1+json";
pub(crate) const CONFIG_TYPE: &str = "application/vnd.oci.image.config.v1+json";
pub(crate) const ENTRIES_TYPE: &str = "application/vnd.toolgate.manifest.entries.v1+ndjson";
pub(crate) const ARTIFACT_TYPE: &str = "application/vnd.toolgate.artifact.v1";
pub(crate) const PACK_TYPE: &str = "application/vnd.toolgate.artifact.pack.v1";
pub(crate) const DESCRIPTION_TYPE: &str = "application/vnd.toolgate.ro-crate.v1+json";

/// The annotation under which tools for images show a layer.
pub(crate) const TITLE: &str = "org.opencontainers.image.title";
/// A longer path is no title: thousands of them would not fit the manifest.
const TITLE_BYTES_MAX: usize = 255;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LayoutMark {
    pub(crate) image_layout_version: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImageIndex {
    pub(crate) schema_version: u64,
    #[serde(default)]
    pub(crate) media_type: String,
    pub(crate) manifests: Vec<BlobDescriptor>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImageDocument {
    pub(crate) schema_version: u64,
    #[serde(default)]
    pub(crate) media_type: String,
    pub(crate) config: BlobDescriptor,
    pub(crate) layers: Vec<BlobDescriptor>,
}

/// A blob, as documents name it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BlobDescriptor {
    pub(crate) media_type: String,
    #[serde(with = "prefixed")]
    pub(crate) digest: BlobDigest,
    pub(crate) size: u64,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) annotations: BTreeMap<String, String>,
}

impl BlobDescriptor {
    pub(crate) fn new(media_type: &str, digest: BlobDigest, size: u64) -> Self {
        Self { media_type: media_type.to_owned(), digest, size, annotations: BTreeMap::new() }
    }

    pub(crate) fn titled(mut self, title: &str) -> Self {
        if title.len() <= TITLE_BYTES_MAX {
            self.annotations.insert(TITLE.to_owned(), title.to_owned());
        }
        self
    }

    pub(crate) fn title(&self) -> Option<&str> {
        self.annotations.get(TITLE).map(String::as_str)
    }
}

/// The configuration of the image.
#[derive(Serialize, Deserialize)]
pub(crate) struct ArchiveConfig {
    pub(crate) architecture: String,
    pub(crate) os: String,
    pub(crate) rootfs: ImageLayers,
    /// Those that others name first, the one that was exported last.
    pub(crate) manifests: Vec<ArchivedManifest>,
}

/// An image must have it. There is no file system to be made of these layers, so the list is empty.
#[derive(Serialize, Deserialize)]
pub(crate) struct ImageLayers {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) diff_ids: Vec<String>,
}

impl ArchiveConfig {
    pub(crate) fn new(manifests: Vec<ArchivedManifest>) -> Self {
        Self {
            architecture: "unknown".to_owned(),
            os: "unknown".to_owned(),
            rootfs: ImageLayers { kind: "layers".to_owned(), diff_ids: Vec::new() },
            manifests,
        }
    }
}

/// A manifest as it was where it was exported.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ArchivedManifest {
    /// Its digest there, over root, parents, message, principal and run.
    #[serde(with = "prefixed")]
    pub manifest: BlobDigest,
    /// The root of its tree: the identity of its content, everywhere.
    #[serde(with = "prefixed")]
    pub root: BlobDigest,
    pub entries: u64,
    pub bytes: u64,
    /// The blob that lists its entries.
    #[serde(with = "prefixed")]
    pub list: BlobDigest,
    #[serde(default)]
    pub message: String,
    #[serde(default)]
    pub parents: Vec<String>,
    #[serde(default)]
    pub principal: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<serde_json::Value>,
    /// In RFC 3339.
    #[serde(default)]
    pub created_at: String,
}

/// Digests as the layout writes them: `sha256:` and hexadecimal digits.
pub(crate) mod prefixed {
    use manifest_tree::BlobDigest;
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    const PREFIX: &str = "sha256:";

    pub(crate) fn serialize<S: Serializer>(digest: &BlobDigest, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{PREFIX}{digest}"))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BlobDigest, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits =
            text.strip_prefix(PREFIX).ok_or_else(|| D::Error::custom("a digest begins with sha256:"))?;
        digits.parse().map_err(D::Error::custom)
    }
}

/// The name of a blob in the tar.
pub(crate) fn blob_name(digest: &BlobDigest) -> String {
    format!("{BLOBS_FOLDER}{digest}")
}
