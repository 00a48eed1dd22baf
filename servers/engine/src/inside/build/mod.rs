//! A version in the making: the files of the version before under their names, and a writer that adds to them.

mod vectors;

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use engine_protocol::{BeginBuild, EngineFault, EngineKind, IndexFile, IndexListing, IngestDocument};
use tantivy::directory::MmapDirectory;
use tantivy::indexer::IndexWriterOptions;
use tantivy::merge_policy::LogMergePolicy;
use tantivy::schema::IndexRecordOption;
use tantivy::{Index, IndexSettings, IndexWriter, SegmentReader, TantivyDocument, Term};
use tempfile::TempDir;

use super::facts::{FACTS_FILE, IndexFacts, profile_name};
use super::faults::{outdated, unreadable, unwritable};
use super::files;
use super::record::StoredRecord;
use super::schema::{ORD_FIELD, PassageFields, metadata_terms, schema};
use super::tokens::tokenizers;
use super::version::OpenVersion;
use crate::contents::Contents;
use crate::fault::{bad_request, internal};
use crate::port::{Build, EmbeddedChunk};
use vectors::NewVectors;

/// Memory in which passages gather before they become a segment.
const WRITER_BYTES: usize = 96 << 20;
/// As many segments of about the same size become one.
const MERGED_SEGMENTS: usize = 4;
/// Smaller segments count as of the same size.
const SMALL_PASSAGES: u32 = 10_000;
/// A segment of which a larger share was removed is written again.
const REMOVED_SHARE_MAX: f32 = 0.25;
const PATH_BYTES_MAX: usize = 60_000;

pub(super) struct InsideBuild {
    contents: Arc<Contents>,
    fields: PassageFields,
    facts: IndexFacts,
    /// The version before, with its listing.
    base: Option<(Arc<OpenVersion>, IndexListing)>,
    /// Paths of this build: true if passages of the document are in the index now.
    paths: HashMap<String, bool>,
    vectors: NewVectors,
    writer: IndexWriter,
    index: Index,
    folder: TempDir,
}

impl InsideBuild {
    pub(super) fn begin(
        contents: &Arc<Contents>,
        parent: &Path,
        begin: &BeginBuild,
        base: Option<Arc<OpenVersion>>,
    ) -> Result<Self, EngineFault> {
        let base = base.zip(begin.base.clone());
        let facts = match &base {
            Some((open, _)) => open.facts.clone(),
            None => IndexFacts::empty(&begin.profile),
        };
        check_profile(&facts, begin)?;
        let folder = files::new_folder(parent)?;
        let index = index(contents, &facts, base.as_ref(), folder.path())?;
        Ok(Self {
            contents: Arc::clone(contents),
            fields: PassageFields::of(&index.schema())?,
            vectors: NewVectors::new(folder.path()),
            facts,
            base,
            paths: HashMap::new(),
            writer: writer(&index)?,
            index,
            folder,
        })
    }

    /// Takes the passages of a document away, if there are any.
    fn remove(&mut self, path: &str) -> Result<(), EngineFault> {
        let is_there = match self.paths.get(path) {
            Some(is_there) => *is_there,
            None => self.base.as_ref().map_or(Ok(false), |(base, _)| has_path(base, path))?,
        };
        if is_there {
            self.writer.delete_term(Term::from_field_text(self.fields.path, path));
            self.facts.documents -= 1;
        }
        self.paths.insert(path.to_owned(), false);
        Ok(())
    }

    fn add(&mut self, document: &IngestDocument, chunk: EmbeddedChunk) -> Result<(), EngineFault> {
        let ord = self.facts.next_ord;
        self.facts.next_ord += 1;
        if let Some(vector) = &chunk.vector {
            self.vectors.push(&mut self.facts, ord, vector)?;
        }
        let mut passage = TantivyDocument::default();
        passage.add_u64(self.fields.ord, ord);
        passage.add_text(self.fields.path, &document.path);
        if let Some(media_type) = &document.media_type {
            passage.add_text(self.fields.media_type, media_type);
        }
        for term in metadata_terms(&document.metadata) {
            passage.add_text(self.fields.metadata, term);
        }
        let [title, headings, body, path] = self.fields.scored;
        passage.add_text(title, &chunk.chunk.title);
        passage.add_text(headings, chunk.chunk.headings.join("\n"));
        passage.add_text(body, &chunk.chunk.text);
        passage.add_text(path, &document.path);
        passage.add_bytes(self.fields.stored, &StoredRecord::new(document, chunk.chunk).write());
        self.writer.add_document(passage).map(drop).map_err(unwritable)
    }
}

impl Build for InsideBuild {
    fn put(&mut self, document: &IngestDocument, chunks: Vec<EmbeddedChunk>) -> Result<(), EngineFault> {
        if document.path.is_empty() || document.path.len() > PATH_BYTES_MAX {
            let message = format!("a path has from 1 to {PATH_BYTES_MAX} bytes, not {}", document.path.len());
            return Err(bad_request(message, "give the document another path"));
        }
        self.remove(&document.path)?;
        if chunks.is_empty() {
            return Ok(());
        }
        self.facts.documents += 1;
        self.paths.insert(document.path.clone(), true);
        chunks.into_iter().try_for_each(|chunk| self.add(document, chunk))
    }

    fn drop_document(&mut self, path: &str) -> Result<(), EngineFault> {
        self.remove(path)
    }

    fn finish(self: Box<Self>) -> Result<IndexListing, EngineFault> {
        let Self { contents, mut facts, base, vectors, mut writer, index, folder, .. } = *self;
        writer.commit().map_err(unwritable)?;
        writer.wait_merging_threads().map_err(unwritable)?;
        let passages = passages(&index)?;
        vectors.finish(&mut facts, &passages)?;
        let names = names(&index, &facts, folder.path())?;
        write_facts(&facts, folder.path())?;
        let base = base.map(|(_, listing)| listing);
        Ok(IndexListing {
            engine: EngineKind::Inside,
            format: facts.format,
            files: put_files(&contents, names, base.as_ref(), folder.path())?,
            documents: facts.documents,
            chunks: passages.len() as u64,
            model: base.and_then(|listing| listing.model),
            profile: facts.profile,
        })
    }
}

fn check_profile(facts: &IndexFacts, begin: &BeginBuild) -> Result<(), EngineFault> {
    let profile = profile_name(&begin.profile);
    match facts.profile == profile && facts.stemming == begin.profile.words.stemming {
        true => Ok(()),
        false => {
            Err(outdated(format!("the index was built with the profile {}, not {profile}", facts.profile)))
        }
    }
}

fn index(
    contents: &Contents,
    facts: &IndexFacts,
    base: Option<&(Arc<OpenVersion>, IndexListing)>,
    folder: &Path,
) -> Result<Index, EngineFault> {
    if let Some((_, listing)) = base {
        files::link(contents, listing, folder)?;
        // It is written anew, and a link is the content itself.
        fs::remove_file(folder.join(FACTS_FILE)).map_err(|error| internal("making an index", error))?;
    }
    let directory = MmapDirectory::open(folder).map_err(unreadable)?;
    let mut index = match base {
        Some(_) => Index::open(directory).map_err(unreadable)?,
        None => {
            let settings = IndexSettings::default();
            Index::create(directory, schema(facts.stemming), settings).map_err(unwritable)?
        }
    };
    index.set_tokenizers(tokenizers());
    Ok(index)
}

fn writer(index: &Index) -> Result<IndexWriter, EngineFault> {
    let options = IndexWriterOptions::builder()
        .num_worker_threads(1)
        .num_merge_threads(1)
        .memory_budget_per_thread(WRITER_BYTES)
        .build();
    let writer: IndexWriter = index.writer_with_options(options).map_err(unwritable)?;
    let mut policy = LogMergePolicy::default();
    policy.set_min_num_segments(MERGED_SEGMENTS);
    policy.set_min_layer_size(SMALL_PASSAGES);
    policy.set_del_docs_ratio_before_merge(REMOVED_SHARE_MAX);
    writer.set_merge_policy(Box::new(policy));
    Ok(writer)
}

fn has_path(version: &OpenVersion, path: &str) -> Result<bool, EngineFault> {
    for segment in &version.segments {
        let index = segment.reader.inverted_index(version.fields.path).map_err(unreadable)?;
        let Some(info) = index.terms().get(path).map_err(unreadable)? else { continue };
        let postings = index.read_block_postings_from_terminfo(&info, IndexRecordOption::Basic);
        let mut postings = postings.map_err(unreadable)?;
        while !postings.docs().is_empty() {
            if postings.docs().iter().any(|passage| !segment.reader.is_deleted(*passage)) {
                return Ok(true);
            }
            postings.advance();
        }
    }
    Ok(false)
}

/// The numbers of all passages that were not removed, sorted, in the form in which vectors look them up.
fn passages(index: &Index) -> Result<Vec<(u64, u32)>, EngineFault> {
    let mut passages = Vec::new();
    for segment in index.searchable_segments().map_err(unreadable)? {
        let reader = SegmentReader::open(&segment).map_err(unreadable)?;
        let ords = reader.fast_fields().column_first_or_default::<u64>(ORD_FIELD).map_err(unreadable)?;
        passages.extend(reader.doc_ids_alive().map(|passage| (ords.get_val(passage), passage)));
    }
    passages.sort();
    Ok(passages)
}

/// The names of all files of the version, sorted.
fn names(index: &Index, facts: &IndexFacts, folder: &Path) -> Result<Vec<String>, EngineFault> {
    let metas = index.load_metas().map_err(unreadable)?;
    let mut names: Vec<String> = metas
        .list_segment_files()
        .into_iter()
        .map(|path| path.to_string_lossy().into_owned())
        .filter(|name| !name.ends_with(".temp") && folder.join(name).exists())
        .collect();
    names.extend(["meta.json".to_owned(), FACTS_FILE.to_owned()]);
    names.extend(facts.vectors.iter().cloned());
    names.sort_unstable();
    Ok(names)
}

fn write_facts(facts: &IndexFacts, folder: &Path) -> Result<(), EngineFault> {
    let failed = |error| internal("writing an index", error);
    fs::write(folder.join(FACTS_FILE), facts.write()).map_err(failed)
}

/// Files of the version before are contents already: a file never changes under its name, but for the two that describe the others.
fn put_files(
    contents: &Contents,
    names: Vec<String>,
    base: Option<&IndexListing>,
    folder: &Path,
) -> Result<Vec<IndexFile>, EngineFault> {
    let mut files = Vec::new();
    for name in names {
        let old = base.and_then(|listing| listing.files.iter().find(|file| file.name == name));
        match old.filter(|_| name != "meta.json" && name != FACTS_FILE) {
            Some(old) => files.push(old.clone()),
            None => {
                let path = folder.join(&name);
                let bytes = fs::metadata(&path).map_err(|error| internal("writing an index", error))?.len();
                files.push(IndexFile { content: contents.put_file(path)?, name, bytes });
            }
        }
    }
    Ok(files)
}
