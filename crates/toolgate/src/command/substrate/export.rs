//! `toolgate substrate export`: a manifest with everything that it names, as one file.
//!
//! Lists of entries come first, page by page; their tree is built on the way and must have the root that the gateway says. Then each
//! artifact is fetched once, as the lists in the file name it. Memory does not grow with the bytes.

use std::collections::{HashMap, HashSet};
use std::fs::{File, Permissions};
use std::io::{BufReader, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use manifest_tree::{BlobDigest, EntryKind, EntryPath, TreeBuilder, TreeEntry};
use oci_archive::{ArchiveWriter, ArchivedManifest, EntriesLayer, EntryLines, entry_line};
use serde_json::json;
use tempfile::NamedTempFile;

use super::calls::SubstrateCalls;
use super::progress::FilesProgress;
use crate::cli::ExportManifestArgs;
use crate::command::context::Context;
use crate::command::shown::{several, size};
use crate::local::{CatalogueNeed, LocalApi};
use crate::output::{put, say, talk};
use crate::table;

pub(super) async fn run(context: &Context, args: &ExportManifestArgs) -> anyhow::Result<ExitCode> {
    let path = context.cwd.join(&args.out);
    let could_not = || format!("could not write {}", path.display());
    if path.is_dir() {
        bail!("{} is a folder\nhint: name the file with --out FILE", path.display());
    }
    let file = new_file(path.parent().unwrap_or(Path::new("."))).with_context(could_not)?;
    let ask = async |api: &mut LocalApi| {
        let mut export = ManifestExport::begin(SubstrateCalls(api), &file)?;
        let main = export.calls.resolve(&args.what).await?;
        export.list_all(main).await?;
        export.fetch_all(&file).await?;
        export.finish()
    };
    let written = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    file.persist(&path).map_err(|error| error.error).with_context(could_not)?;
    tell(context, &path, &written);
    Ok(ExitCode::SUCCESS)
}

fn tell(context: &Context, path: &Path, written: &WrittenArchive) {
    let WrittenArchive { manifest, image, artifacts, bytes } = written;
    if context.global.json {
        let told = json!({ "file": path.display().to_string(), "manifest": format!("sha256:{}", manifest.manifest),
            "root": format!("sha256:{}", manifest.root), "image": format!("sha256:{image}"),
            "entries": manifest.entries, "artifacts": artifacts, "bytes": bytes });
        put!("{}", table::json(&told));
        return;
    }
    say!("{}", path.display());
    let (entries, artifacts) = (several(manifest.entries, "path"), several(*artifacts, "artifact"));
    talk!("sha256:{} with {entries}, {artifacts} of {}", manifest.manifest, size(*bytes));
}

/// With the usual mode of this user's files: a temporary file would be private.
fn new_file(folder: &Path) -> std::io::Result<NamedTempFile> {
    tempfile::Builder::new().permissions(Permissions::from_mode(0o666)).tempfile_in(folder)
}

/// An archive that is complete.
struct WrittenArchive {
    manifest: ArchivedManifest,
    /// The digest of the image manifest.
    image: BlobDigest,
    artifacts: u64,
    bytes: u64,
}

/// An export that is under way.
struct ManifestExport<'a> {
    calls: SubstrateCalls<'a>,
    writer: ArchiveWriter<File>,
    /// The lists that were written, by the roots of their trees, and in order.
    lists: HashMap<BlobDigest, EntriesLayer>,
    layers: Vec<EntriesLayer>,
    /// Those that others name first.
    manifests: Vec<ArchivedManifest>,
    artifacts: u64,
    bytes: u64,
}

/// A step through manifests that name each other: a manifest is done after those that it names.
enum ExportStep {
    Enter(BlobDigest),
    Leave(Box<ArchivedManifest>),
}

impl<'a> ManifestExport<'a> {
    fn begin(calls: SubstrateCalls<'a>, file: &NamedTempFile) -> anyhow::Result<Self> {
        let writer = ArchiveWriter::new(file.reopen().context("could not open the new file again")?)?;
        let (lists, layers, manifests) = (HashMap::new(), Vec::new(), Vec::new());
        Ok(Self { calls, writer, lists, layers, manifests, artifacts: 0, bytes: 0 })
    }

    /// Writes the lists of a manifest and of all that it names.
    async fn list_all(&mut self, main: BlobDigest) -> anyhow::Result<()> {
        let mut met = HashSet::new();
        let mut steps = vec![ExportStep::Enter(main)];
        while let Some(step) = steps.pop() {
            match step {
                ExportStep::Leave(manifest) => self.manifests.push(*manifest),
                ExportStep::Enter(digest) if met.insert(digest) => {
                    let (manifest, named) = self.list(&digest).await?;
                    steps.push(ExportStep::Leave(Box::new(manifest)));
                    steps.extend(named.into_iter().map(ExportStep::Enter));
                }
                ExportStep::Enter(_) => {}
            }
        }
        Ok(())
    }

    /// Writes the list of a manifest, and returns the manifests that its entries name.
    async fn list(&mut self, digest: &BlobDigest) -> anyhow::Result<(ArchivedManifest, Vec<BlobDigest>)> {
        let first = self.calls.checkout(digest, None).await?;
        let root = first.root()?;
        if let Some(list) = self.lists.get(&root) {
            // The same entries name the same manifests, which were met.
            return Ok((first.archived(list.digest)?, Vec::new()));
        }
        self.writer.begin_entries()?;
        let (mut builder, mut named) = (TreeBuilder::default(), Vec::new());
        let mut after = first.next_after.clone();
        self.add_page(&first.entries()?, &mut builder, &mut named)?;
        while let Some(last) = after {
            let page = self.calls.checkout(digest, Some(&last)).await?;
            self.add_page(&page.entries()?, &mut builder, &mut named)?;
            after = page.next_after;
        }
        let list = self.writer.end_entries()?;
        let built = builder.finish()?.digest;
        if built != root {
            bail!("the entries of sha256:{digest} make the root sha256:{built}, and not sha256:{root}");
        }
        self.lists.insert(root, list);
        self.layers.push(list);
        Ok((first.archived(list.digest)?, named))
    }

    fn add_page(
        &mut self,
        entries: &[(EntryPath, TreeEntry)],
        builder: &mut TreeBuilder,
        named: &mut Vec<BlobDigest>,
    ) -> anyhow::Result<()> {
        let mut lines = Vec::new();
        for (path, entry) in entries {
            builder.push(path, entry)?;
            lines.extend(entry_line(path, entry)?);
            if entry.kind == EntryKind::Manifest {
                named.push(entry.digest);
            }
        }
        // Only the root is of interest.
        drop(builder.take_nodes());
        Ok(self.writer.write_entries(&lines)?)
    }

    /// Fetches every artifact that the lists name, each once.
    async fn fetch_all(&mut self, file: &NamedTempFile) -> anyhow::Result<()> {
        let mut progress = FilesProgress::new("fetched", None);
        for list in self.layers.clone() {
            for line in lines_of(file, list)? {
                let (path, entry) = line?;
                if entry.kind == EntryKind::Artifact && !self.writer.has(&entry.digest) {
                    self.fetch(&path, &entry).await?;
                    progress.add(entry.bytes);
                }
            }
        }
        (self.artifacts, self.bytes) = (progress.files, progress.bytes);
        Ok(())
    }

    async fn fetch(&mut self, path: &EntryPath, entry: &TreeEntry) -> anyhow::Result<()> {
        let mut download = self.calls.fetch(&entry.digest).await?;
        self.writer.begin_blob(entry.digest, entry.bytes, path.as_str())?;
        while let Some(piece) = download.next().await? {
            self.writer.write_blob(&piece)?;
        }
        self.writer.end_blob().with_context(|| format!("{path} did not come as it is"))
    }

    fn finish(self) -> anyhow::Result<WrittenArchive> {
        let Some(manifest) = self.manifests.last().cloned() else { bail!("there is nothing to export") };
        let (file, image) = self.writer.finish(self.manifests)?;
        file.sync_all().context("could not write the file to its end")?;
        Ok(WrittenArchive { manifest, image, artifacts: self.artifacts, bytes: self.bytes })
    }
}

/// The lines of a list, from the file in which they are already.
fn lines_of(
    file: &NamedTempFile,
    list: EntriesLayer,
) -> anyhow::Result<EntryLines<BufReader<std::io::Take<File>>>> {
    let mut again = file.reopen().context("could not open the new file again")?;
    again.seek(SeekFrom::Start(list.offset)).context("could not read the new file")?;
    Ok(EntryLines::new(BufReader::new(again.take(list.bytes))))
}
