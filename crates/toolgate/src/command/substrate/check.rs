//! `toolgate substrate check`: the proof of a path of a manifest, checked with nothing but its file.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use toolgate_core::substrate::ManifestDigest;
use toolgate_substrate::{ProvedPath, check_proof};

use crate::command::context::Context;
use crate::output::{printable, put, talk};
use crate::table;

/// The maximum size of a proof that is read: some nodes of 16 KiB, and a document.
const FILE_BYTES_MAX: u64 = 4 << 20;
const MADE_BY: &str =
    "a proof is the file that `toolgate substrate manifest prove` made; ask its sender for it again";

pub(super) fn run(
    context: &Context,
    file: &Path,
    wanted: Option<ManifestDigest>,
) -> anyhow::Result<ExitCode> {
    let path = context.cwd.join(file);
    let size = path.metadata().with_context(|| format!("could not read {}", path.display()))?.len();
    if size > FILE_BYTES_MAX {
        bail!("{} is too large for a proof\nhint: {MADE_BY}", path.display());
    }
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("could not read {}", path.display()))?;
    let proved =
        check_proof(&text).with_context(|| format!("{} proves nothing\nhint: {MADE_BY}", path.display()))?;
    if let Some(wanted) = wanted.filter(|wanted| *wanted != proved.manifest) {
        bail!(
            "{} is about another manifest: {}, not {wanted}\nhint: {MADE_BY}",
            path.display(),
            proved.manifest
        );
    }
    let shown = output(&proved);
    if context.global.json {
        put!("{}", table::json(&shown));
    } else {
        put!("{}", printable(&told(&proved)));
    }
    if wanted.is_none() {
        talk!("note: compare the manifest with the one that you know, or give it with --manifest");
    }
    Ok(ExitCode::SUCCESS)
}

fn output(proved: &ProvedPath) -> Value {
    let entry = proved.entry.as_ref().map(|entry| {
        json!({ "sha256": format!("sha256:{}", entry.digest), "size_bytes": entry.bytes,
            "media_type": &*entry.media_type,
            "metadata": serde_json::from_slice::<Value>(&entry.metadata).ok() })
    });
    json!({ "manifest": proved.manifest, "root": proved.root, "message": proved.message,
        "principal": proved.principal, "path": proved.path.as_str(), "present": proved.entry.is_some(), "entry": entry })
}

fn told(proved: &ProvedPath) -> String {
    let ProvedPath { manifest, message, principal, path, entry, .. } = proved;
    let first = match entry {
        Some(entry) => {
            format!("{path} is in the manifest: sha256:{}, {} bytes\n", entry.digest, entry.bytes)
        }
        None => format!("{path} is not in the manifest\n"),
    };
    format!("{first}manifest: {manifest}\nmade by: {principal}\nmessage: {message}\n")
}
