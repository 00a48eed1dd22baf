//! The import of a file that was exported. Everything that it says is checked before the first byte is sent; nothing is unpacked.
//!
//! The new manifests have the importer as their author, so their digests are new, while the roots of their trees are those of the
//! archive. A tree that names other manifests names the new ones.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use manifest_tree::{BlobDigest, EntryKind, EntryPath, TreeBuilder, TreeEntry};
use oci_archive::{ArchiveError, ArchiveReader, ArchivedManifest};
use serde_json::Value;

use super::calls::{CreatedManifest, SubstrateCalls, read_digest};
use super::content::{LocalContent, MeasuredContent};
use super::import::{ImportOutcome, origin};
use super::paging::{ImportNote, PAGE_ENTRIES, PagedManifest, entry_argument};
use super::progress::FilesProgress;
use crate::command::context::Context;
use crate::local::{CatalogueNeed, LocalApi};

type FileArchive = ArchiveReader<BufReader<File>>;

pub(super) async fn run(
    context: &Context,
    path: &Path,
    message: Option<&str>,
) -> anyhow::Result<ImportOutcome> {
    // Opened twice: its lists are read while its blobs are.
    let (mut lists, mut blobs) = (open(path)?, open(path)?);
    check(&mut lists, &blobs)?;
    let ask = async |api: &mut LocalApi| {
        let blobs = ArchiveBlobs { path: path.to_owned(), reader: &mut blobs };
        let import =
            ArchiveImport { calls: SubstrateCalls(api), blobs, new: HashMap::new(), sent: 0, sent_bytes: 0 };
        import.run(&mut lists, message).await
    };
    context.ask(CatalogueNeed::NotNeeded, ask).await
}

fn open(path: &Path) -> anyhow::Result<FileArchive> {
    let could_not = || {
        let hint = "give a file that `toolgate substrate export` wrote, a zip, or a folder";
        format!("could not read {} as an exported manifest\nhint: {hint}", path.display())
    };
    let file = File::open(path).with_context(could_not)?;
    ArchiveReader::open(BufReader::new(file)).with_context(could_not)
}

/// Compares the roots of all trees with what the archive says, and looks for every artifact that they name.
fn check(lists: &mut FileArchive, blobs: &FileArchive) -> anyhow::Result<()> {
    for manifest in lists.manifests().to_vec() {
        let could_not = || format!("the manifest sha256:{} in the file is damaged", manifest.manifest);
        for line in lists.entries(&manifest).with_context(could_not)? {
            let (path, entry) = line.with_context(could_not)?;
            if entry.kind == EntryKind::Manifest {
                continue;
            }
            let place = blobs.place(&entry.digest).with_context(could_not)?;
            if place.bytes != entry.bytes {
                bail!("{path} has {} bytes in the file, and not {}", place.bytes, entry.bytes);
            }
        }
    }
    Ok(())
}

/// The artifacts of an archive.
struct ArchiveBlobs<'a> {
    path: PathBuf,
    reader: &'a mut FileArchive,
}

impl ArchiveBlobs<'_> {
    /// An artifact, whose bytes are compared with its digest.
    fn content(&mut self, digest: BlobDigest) -> anyhow::Result<MeasuredContent> {
        let place = self.reader.check_blob(&digest, |_| {})?;
        let content =
            LocalContent::Part { path: self.path.clone(), offset: place.offset, bytes: place.bytes };
        Ok(MeasuredContent { content, digest, bytes: place.bytes })
    }
}

struct ArchiveImport<'a> {
    calls: SubstrateCalls<'a>,
    blobs: ArchiveBlobs<'a>,
    /// The manifests of the gateway, by their digests in the archive.
    new: HashMap<BlobDigest, BlobDigest>,
    sent: u64,
    sent_bytes: u64,
}

impl ArchiveImport<'_> {
    async fn run(mut self, lists: &mut FileArchive, message: Option<&str>) -> anyhow::Result<ImportOutcome> {
        let mut all = lists.manifests().to_vec();
        let Some(main) = all.pop() else { bail!("the file has no manifest") };
        for manifest in &all {
            let created = self.manifest(lists, manifest, &manifest.message).await?;
            self.new.insert(manifest.manifest, read_digest(&created.digest)?);
        }
        let created = self.manifest(lists, &main, message.unwrap_or(&main.message)).await?;
        let (sent, sent_bytes) = (self.sent, self.sent_bytes);
        Ok(ImportOutcome { created, files: main.entries, sent, sent_bytes })
    }

    async fn manifest(
        &mut self,
        lists: &mut FileArchive,
        manifest: &ArchivedManifest,
        message: &str,
    ) -> anyhow::Result<CreatedManifest> {
        let is_as_it_was = message == manifest.message;
        if is_as_it_was && self.calls.root_of(&manifest.manifest).await? == Some(manifest.root) {
            let digest = format!("sha256:{}", manifest.manifest);
            return Ok(CreatedManifest { digest, root: manifest.root, is_duplicate: true });
        }
        let note = ImportNote { message: message.to_owned(), metadata: Some(origin(manifest)) };
        let (mut pages, mut builder) = (PagedManifest::new(note), TreeBuilder::default());
        let mut progress = FilesProgress::new("read", Some(manifest.entries));
        let mut lines = lists.entries(manifest)?;
        loop {
            let page = self.page(&mut lines)?;
            if page.is_empty() {
                break;
            }
            self.upload_missing(&page).await?;
            let mut entries: Vec<Value> = Vec::with_capacity(page.len());
            for (path, entry) in &page {
                progress.add(entry.bytes);
                builder.push(path, entry)?;
                entries.push(entry_argument(path, entry));
            }
            drop(builder.take_nodes());
            pages.add(&mut self.calls, entries).await?;
        }
        let created = pages.finish(&mut self.calls).await?;
        let wanted = builder.finish()?.digest;
        match created.root == wanted {
            true => Ok(created),
            false => bail!("the new manifest has the root sha256:{}, and not sha256:{wanted}", created.root),
        }
    }

    /// The next entries, with the new digests of manifests.
    fn page(
        &self,
        lines: &mut impl Iterator<Item = Result<(EntryPath, TreeEntry), ArchiveError>>,
    ) -> anyhow::Result<Vec<(EntryPath, TreeEntry)>> {
        let mut page = Vec::new();
        for line in lines.take(PAGE_ENTRIES) {
            let (path, mut entry) = line?;
            if entry.kind == EntryKind::Manifest {
                let new = self.new.get(&entry.digest);
                entry.digest = *new.with_context(|| {
                    format!("{path} names the manifest sha256:{}, which is not in the file", entry.digest)
                })?;
            }
            page.push((path, entry));
        }
        Ok(page)
    }

    async fn upload_missing(&mut self, page: &[(EntryPath, TreeEntry)]) -> anyhow::Result<()> {
        let artifacts = page.iter().filter(|(_, entry)| entry.kind == EntryKind::Artifact);
        let paths: BTreeMap<BlobDigest, &EntryPath> =
            artifacts.map(|(path, entry)| (entry.digest, path)).collect();
        let digests: Vec<BlobDigest> = paths.keys().copied().collect();
        if digests.is_empty() {
            return Ok(());
        }
        for digest in self.calls.missing(&digests).await? {
            let Some(path) = paths.get(&digest) else { continue };
            let damaged = || format!("{path} is damaged in the file");
            let content = self.blobs.content(digest).with_context(damaged)?;
            content.upload(&mut self.calls, path).await.with_context(|| format!("could not send {path}"))?;
            self.sent += 1;
            self.sent_bytes += content.bytes;
        }
        Ok(())
    }
}
