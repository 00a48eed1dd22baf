//! The description of the archive as an RO-Crate 1.1: unpacked, the folder is one. Its files are the blobs, each under the name that a
//! manifest has for it.

use serde_json::{Value, json};

use crate::layout::{ARTIFACT_TYPE, ArchivedManifest, BlobDescriptor, DESCRIPTION_NAME, blob_name};

const CONTEXT: &str = "https://w3id.org/ro/crate/1.1/context";
const PROFILE: &str = "https://w3id.org/ro/crate/1.1";
/// The member of a manifest's metadata that names a license.
const LICENSE: &str = "license";
const NO_LICENSE: &str = "not stated";

/// Describes the manifest that was exported, and the blobs that are layers of their own.
pub(crate) fn describe(manifest: &ArchivedManifest, layers: &[BlobDescriptor]) -> Value {
    let files: Vec<&BlobDescriptor> =
        layers.iter().filter(|layer| layer.media_type == ARTIFACT_TYPE).collect();
    let mut graph = vec![descriptor(), root(manifest, &files)];
    graph.extend(files.into_iter().map(file));
    json!({ "@context": CONTEXT, "@graph": graph })
}

fn descriptor() -> Value {
    json!({
        "@id": DESCRIPTION_NAME,
        "@type": "CreativeWork",
        "about": { "@id": "./" },
        "conformsTo": { "@id": PROFILE },
    })
}

fn root(manifest: &ArchivedManifest, files: &[&BlobDescriptor]) -> Value {
    let license = manifest.metadata.as_ref().and_then(|metadata| metadata[LICENSE].as_str());
    let message = if manifest.message.is_empty() { "without a message" } else { &manifest.message };
    let about = format!("{} entries with {} bytes: {message}", manifest.entries, manifest.bytes);
    let parts: Vec<Value> = files.iter().map(|file| json!({ "@id": blob_name(&file.digest) })).collect();
    json!({
        "@id": "./",
        "@type": "Dataset",
        "name": format!("Manifest sha256:{}", manifest.manifest),
        "description": about,
        "datePublished": manifest.created_at,
        "license": license.unwrap_or(NO_LICENSE),
        "identifier": format!("sha256:{}", manifest.root),
        "hasPart": parts,
    })
}

fn file(layer: &BlobDescriptor) -> Value {
    let digest = format!("sha256:{}", layer.digest);
    json!({
        "@id": blob_name(&layer.digest),
        "@type": "File",
        "name": layer.title().unwrap_or(&digest),
        "contentSize": layer.size.to_string(),
        "identifier": digest,
    })
}
