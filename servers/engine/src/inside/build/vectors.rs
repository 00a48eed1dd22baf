//! The vectors of a build: a new file, and files of former builds that become one with it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use engine_protocol::EngineFault;
use tantivy::directory::MmapDirectory;

use crate::fault::{bad_request, internal};
use crate::inside::facts::IndexFacts;
use crate::inside::faults::{outdated, unreadable};
use crate::inside::vectors::{VectorBlock, VectorWriter};

/// The numbers of a vector at most.
const DIMENSIONS_MAX: usize = 8192;
/// A file joins the newer ones unless it has more than so many times their rows. So there are few files, and a row is rarely copied.
const JOINING: usize = 4;

pub(super) struct NewVectors {
    folder: PathBuf,
    writer: Option<(String, VectorWriter)>,
}

/// A file, and its rows that were not removed.
struct VectorFile {
    name: String,
    blocks: Vec<VectorBlock>,
    alive: usize,
}

impl NewVectors {
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), writer: None }
    }

    pub(super) fn push(
        &mut self,
        facts: &mut IndexFacts,
        ord: u64,
        vector: &[f32],
    ) -> Result<(), EngineFault> {
        check_dimensions(facts, vector)?;
        if self.writer.is_none() {
            let name = facts.new_vector_file();
            let writer = VectorWriter::new(&self.folder.join(&name), vector.len()).map_err(failed)?;
            self.writer = Some((name, writer));
        }
        match &mut self.writer {
            Some((_, writer)) => writer.push(ord, vector).map_err(failed),
            None => Ok(()),
        }
    }

    /// Joins small files and leaves removed rows behind. `passages` are those which were not removed, sorted.
    pub(super) fn finish(self, facts: &mut IndexFacts, passages: &[(u64, u32)]) -> Result<(), EngineFault> {
        if let Some((name, writer)) = self.writer {
            writer.finish().map_err(failed)?;
            facts.vectors.push(name);
        }
        let directory = MmapDirectory::open(&self.folder).map_err(unreadable)?;
        let mut files = Vec::new();
        for name in &facts.vectors {
            let blocks = VectorBlock::read_file(&directory, name, facts.dimensions, passages)?;
            let alive = blocks.iter().map(alive).sum();
            files.push(VectorFile { name: name.clone(), blocks, alive });
        }
        facts.vectors = Vec::new();
        for group in groups(files) {
            let name = write_group(&self.folder, facts, group)?;
            facts.vectors.extend(name);
        }
        Ok(())
    }
}

fn check_dimensions(facts: &mut IndexFacts, vector: &[f32]) -> Result<(), EngineFault> {
    if vector.is_empty() || vector.len() > DIMENSIONS_MAX {
        let message = format!("a vector has from 1 to {DIMENSIONS_MAX} numbers, not {}", vector.len());
        return Err(bad_request(message, "use another model"));
    }
    let known = *facts.dimensions.get_or_insert(vector.len() as u32);
    match known as usize == vector.len() {
        true => Ok(()),
        false => Err(outdated(format!(
            "the index has vectors of {known} numbers, the model now of {}",
            vector.len()
        ))),
    }
}

/// Neighbours that become one file each, the oldest first: the newest ones together, the others alone.
fn groups(mut files: Vec<VectorFile>) -> Vec<Vec<VectorFile>> {
    let mut newest: Vec<VectorFile> = files.pop().into_iter().collect();
    let mut rows: usize = newest.iter().map(|file| file.alive).sum();
    while let Some(file) = files.pop_if(|file| file.alive <= JOINING * rows) {
        rows += file.alive;
        newest.insert(0, file);
    }
    files.into_iter().map(|file| vec![file]).chain([newest]).collect()
}

/// The name of the group's file, if any row is left.
fn write_group(
    folder: &Path,
    facts: &mut IndexFacts,
    group: Vec<VectorFile>,
) -> Result<Option<String>, EngineFault> {
    let alive: usize = group.iter().map(|file| file.alive).sum();
    match group.as_slice() {
        _ if alive == 0 => Ok(None),
        [one] if 2 * alive >= rows(one) => Ok(Some(one.name.clone())),
        _ => {
            let name = facts.new_vector_file();
            let dimensions = facts.dimensions.unwrap_or_default() as usize;
            copy_alive(&folder.join(&name), dimensions, &group).map_err(failed)?;
            Ok(Some(name))
        }
    }
}

fn copy_alive(path: &Path, dimensions: usize, group: &[VectorFile]) -> io::Result<()> {
    let mut writer = VectorWriter::new(path, dimensions)?;
    for block in group.iter().flat_map(|file| &file.blocks) {
        for row in (0..block.rows()).filter(|row| block.passage(*row).is_some()) {
            writer.copy(block, row)?;
        }
    }
    writer.finish()?;
    fs::File::open(path)?.sync_all()
}

fn alive(block: &VectorBlock) -> usize {
    (0..block.rows()).filter(|row| block.passage(*row).is_some()).count()
}

fn rows(file: &VectorFile) -> usize {
    file.blocks.iter().map(VectorBlock::rows).sum()
}

fn failed(error: io::Error) -> EngineFault {
    internal("writing vectors", error)
}
