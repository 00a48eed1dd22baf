//! `toolgate substrate import`: a manifest of what lies on this machine. Only artifacts that the gateway does not have are sent, so an
//! import that broke off goes on where it was.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use manifest_tree::{BlobDigest, EntryPath};
use serde_json::{Value, json};

use super::calls::{CreatedManifest, SubstrateCalls};
use super::content::MeasuredContent;
use super::paging::{ImportNote, PagedManifest};
use super::progress::FilesProgress;
use super::source::{ImportFile, ImportSource, SkippedFile};
use super::unpacking;
use crate::cli::{ImportKind, ImportManifestArgs};
use crate::command::context::Context;
use crate::command::shown::{several, size};
use crate::local::{CatalogueNeed, LocalApi};
use crate::output::{printable, put, say, talk};
use crate::table;

/// The files that are looked at together: those of a zip are open meanwhile.
const FILES_AT_ONCE: usize = 100;
/// The paths that are named among those that were left out.
const LEFT_OUT_SHOWN: usize = 10;
/// The beginnings of a zip: with files, and without.
const ZIP_MARKS: [&[u8; 4]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// The outcome of an import.
pub(super) struct ImportOutcome {
    pub(super) created: CreatedManifest,
    /// The files, and the bytes of those that were sent.
    pub(super) files: u64,
    pub(super) sent: u64,
    pub(super) sent_bytes: u64,
}

pub(super) async fn run(context: &Context, args: &ImportManifestArgs) -> anyhow::Result<ExitCode> {
    let path = context.cwd.join(&args.path);
    let kind = kind_of(&path, args.kind)?;
    if kind == ImportKind::Archive {
        let outcome = unpacking::run(context, &path, args.message.as_deref()).await?;
        return Ok(tell(context, &outcome, &[]));
    }
    let (mut source, left_out) = ImportSource::open(&path, kind).await?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let message = args.message.clone().unwrap_or(name);
    let note = ImportNote { message, metadata: None };
    let ask = async |api: &mut LocalApi| import(SubstrateCalls(api), &mut source, note).await;
    let outcome = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    Ok(tell(context, &outcome, &left_out))
}

fn tell(context: &Context, outcome: &ImportOutcome, left_out: &[SkippedFile]) -> ExitCode {
    for SkippedFile { path, why } in left_out.iter().take(LEFT_OUT_SHOWN) {
        talk!("left out: {} {why}", printable(path));
    }
    if left_out.len() > LEFT_OUT_SHOWN {
        talk!("left out: {} more", left_out.len() - LEFT_OUT_SHOWN);
    }
    let ImportOutcome { created, files, sent, sent_bytes } = outcome;
    if context.global.json {
        let told = json!({ "manifest": created.digest, "root": format!("sha256:{}", created.root),
            "is_duplicate": created.is_duplicate, "files": files, "sent": sent, "sent_bytes": sent_bytes,
            "left_out": left_out.len() });
        put!("{}", table::json(&told));
    } else {
        say!("{}", created.digest);
        let (files, sent) = (several(*files, "path"), several(*sent, "artifact"));
        talk!("{files}; sent {sent} of {}", size(*sent_bytes));
    }
    ExitCode::SUCCESS
}

/// The kind of what lies there, if it was not said.
fn kind_of(path: &Path, said: ImportKind) -> anyhow::Result<ImportKind> {
    let could_not = || {
        format!(
            "could not look at {}\nhint: give the path of a file or folder that you may read",
            path.display()
        )
    };
    let is_folder = path.metadata().with_context(could_not)?.is_dir();
    match said {
        ImportKind::Auto if is_folder && path.join(".git").exists() => Ok(ImportKind::Git),
        ImportKind::Auto if is_folder => Ok(ImportKind::Folder),
        ImportKind::Auto => {
            let mut start = Vec::new();
            File::open(path)
                .with_context(could_not)?
                .take(4)
                .read_to_end(&mut start)
                .with_context(could_not)?;
            let is_zip = ZIP_MARKS.iter().any(|mark| start == **mark);
            Ok(if is_zip { ImportKind::Zip } else { ImportKind::Archive })
        }
        ImportKind::Folder | ImportKind::Git if !is_folder => {
            bail!("{} is no folder\nhint: leave out --kind, and it is looked into", path.display())
        }
        ImportKind::Archive | ImportKind::Zip if is_folder => {
            bail!("{} is a folder\nhint: leave out --kind, or say --kind folder", path.display())
        }
        said => Ok(said),
    }
}

async fn import(
    mut calls: SubstrateCalls<'_>,
    source: &mut ImportSource,
    note: ImportNote,
) -> anyhow::Result<ImportOutcome> {
    let files = source.take_files();
    let mut progress = FilesProgress::new("read", Some(files.len() as u64));
    let mut manifest = PagedManifest::new(note);
    let (mut sent, mut sent_bytes) = (0, 0);
    let mut left = files.into_iter();
    loop {
        let page: Vec<ImportFile> = left.by_ref().take(FILES_AT_ONCE).collect();
        if page.is_empty() {
            break;
        }
        let mut entries = Vec::with_capacity(page.len());
        let mut contents = HashMap::new();
        for ImportFile { path, place } in page {
            let content = source.measure(&place)?;
            progress.add(content.bytes);
            entries.push(json!({ "path": path.as_str(), "artifact_sha256": content.digest.to_string() }));
            contents.entry(content.digest).or_insert((path, content));
        }
        let uploaded = upload_missing(&mut calls, &contents).await?;
        sent += uploaded.0;
        sent_bytes += uploaded.1;
        manifest.add(&mut calls, entries).await?;
    }
    let created = manifest.finish(&mut calls).await?;
    Ok(ImportOutcome { created, files: progress.files, sent, sent_bytes })
}

/// Sends those that the gateway does not have, and returns their number and their bytes.
async fn upload_missing(
    calls: &mut SubstrateCalls<'_>,
    contents: &HashMap<BlobDigest, (EntryPath, MeasuredContent)>,
) -> anyhow::Result<(u64, u64)> {
    let mut digests: Vec<BlobDigest> = contents.keys().copied().collect();
    digests.sort_unstable();
    let (mut sent, mut bytes) = (0, 0);
    for digest in calls.missing(&digests).await? {
        let Some((path, content)) = contents.get(&digest) else { continue };
        content.upload(calls, path).await.with_context(|| format!("could not send {path}"))?;
        sent += 1;
        bytes += content.bytes;
    }
    Ok((sent, bytes))
}

/// The metadata that say where an imported manifest comes from.
pub(super) fn origin(manifest: &oci_archive::ArchivedManifest) -> serde_json::Map<String, Value> {
    let mut metadata = match &manifest.metadata {
        Some(Value::Object(metadata)) => metadata.clone(),
        _ => serde_json::Map::new(),
    };
    let from = json!({ "manifest": format!("sha256:{}", manifest.manifest), "created_by": manifest.principal,
        "created_at": manifest.created_at });
    metadata.insert("imported_from".to_owned(), from);
    metadata
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_is_found_by_looking() {
        let folder = tempfile::tempdir().expect("a folder");
        let kind = |name: &str, said| kind_of(&folder.path().join(name), said);
        std::fs::create_dir_all(folder.path().join("plain")).expect("made");
        std::fs::create_dir_all(folder.path().join("tree/.git")).expect("made");
        std::fs::write(folder.path().join("a.zip"), b"PK\x03\x04rest").expect("written");
        std::fs::write(folder.path().join("a.tar"), b"oci-layout").expect("written");
        for (name, wanted) in [
            ("plain", ImportKind::Folder),
            ("tree", ImportKind::Git),
            ("a.zip", ImportKind::Zip),
            ("a.tar", ImportKind::Archive),
        ] {
            assert_eq!(kind(name, ImportKind::Auto).expect(name), wanted);
        }
        assert_eq!(kind("tree", ImportKind::Folder).expect("said"), ImportKind::Folder);
        assert!(kind("a.zip", ImportKind::Git).is_err_and(|error| error.to_string().contains("no folder")));
        assert!(kind("plain", ImportKind::Zip).is_err_and(|error| error.to_string().contains("is a folder")));
        assert!(kind("nowhere", ImportKind::Auto).is_err());
    }
}
