//! Citations as the gateway makes them, for `script/bench index`, which compares their boxes with the words that another tool sees.

use std::path::{Path, PathBuf};

use anyhow::Context;
use docir::{DocIr, cite};
use serde::Deserialize;

use crate::json_lines::json_lines;

/// A place in a document.
#[derive(Deserialize)]
struct WantedCitation {
    /// The file with the DocIR.
    file: PathBuf,
    artifact: String,
    docir: String,
    item: String,
    start: usize,
    end: usize,
}

/// Prints the citation of each place as a line of JSON, or `null` if it cannot be cited.
pub(crate) fn run(wanted: &Path) -> anyhow::Result<()> {
    // Places of one document follow one another.
    let mut last: Option<(PathBuf, DocIr)> = None;
    for wanted in json_lines::<WantedCitation>(wanted)? {
        let WantedCitation { file, artifact, docir, item, start, end } = wanted?;
        let document = match last.take() {
            Some((known, document)) if known == file => document,
            _ => read(&file)?,
        };
        let citation = cite(&document, &artifact, &docir, &item, start..end);
        println!("{}", serde_json::to_string(&citation)?);
        last = Some((file, document));
    }
    Ok(())
}

fn read(file: &Path) -> anyhow::Result<DocIr> {
    let bytes = std::fs::read(file).with_context(|| file.display().to_string())?;
    DocIr::read(&bytes).with_context(|| file.display().to_string())
}
