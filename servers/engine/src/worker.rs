//! The worker's side: one document at a time, in a process that may die of it.
//!
//! Bytes do not travel through pipes. A job names the file of a content and the file to write; only facts come back.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use capability_kit::{Trouble, work_as_worker};
use engine_protocol::{ContentId, EngineErrorCode, EngineFault, PagePicture, Parse};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::contents::digest_of;
use crate::fault::{fault, internal, missing_contents};
use crate::options::EngineOptions;
use crate::parse::{self, ParseTools};

pub(crate) const PARSE: &str = "parse";
pub(crate) const PAGE_PICTURE: &str = "page_picture";

/// A job for a worker.
#[derive(Serialize, Deserialize)]
pub(crate) struct DocumentJob<R> {
    pub(crate) request: R,
    /// The file of the document.
    pub(crate) from: PathBuf,
    /// The file for what is made of it.
    pub(crate) to: PathBuf,
}

/// The facts about a parsed document; the DocIR is in the file.
#[derive(Serialize, Deserialize)]
pub(crate) struct ParsedFacts {
    pub(crate) media_type: String,
    pub(crate) pages: u64,
    pub(crate) items: u64,
    pub(crate) tables: u64,
    pub(crate) confidence: f32,
    pub(crate) warnings: Vec<String>,
}

/// The facts about a drawn page; the PNG is in the file.
#[derive(Serialize, Deserialize)]
pub(crate) struct DrawnFacts {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) page_width: f32,
    pub(crate) page_height: f32,
}

/// The whole life of a worker.
pub(crate) fn run(options: &EngineOptions) -> ExitCode {
    let tools = ParseTools { ocr: options.ocr.clone() };
    work_as_worker(options.job_limits(), move |job, arguments| match job {
        PARSE => told(parsed(arguments, &tools)),
        PAGE_PICTURE => told(drawn(arguments)),
        other => Err(Trouble::internal(format!("a worker does not know {other}"))),
    })
}

/// A fault is an answer, too: it says more than a trouble could.
fn told<T: Serialize>(done: Result<T, EngineFault>) -> Result<Value, Trouble> {
    serde_json::to_value(done).map_err(|error| Trouble::internal(error.to_string()))
}

fn parsed(arguments: Value, tools: &ParseTools) -> Result<ParsedFacts, EngineFault> {
    let job: DocumentJob<Parse> = read(arguments)?;
    let bytes = load(&job.from, &job.request.artifact)?;
    let made = parse::parse(&bytes, &job.request, tools)?;
    save(&job.to, &made.docir)?;
    Ok(ParsedFacts {
        media_type: made.media_type,
        pages: made.pages,
        items: made.items,
        tables: made.tables,
        confidence: made.confidence,
        warnings: made.warnings,
    })
}

fn drawn(arguments: Value) -> Result<DrawnFacts, EngineFault> {
    let job: DocumentJob<PagePicture> = read(arguments)?;
    let bytes = load(&job.from, &job.request.artifact)?;
    let made = parse::picture(&bytes, &job.request)?;
    save(&job.to, &made.png)?;
    Ok(DrawnFacts {
        width: made.width,
        height: made.height,
        page_width: made.page_width,
        page_height: made.page_height,
    })
}

fn read<R: for<'a> Deserialize<'a>>(arguments: Value) -> Result<DocumentJob<R>, EngineFault> {
    serde_json::from_value(arguments).map_err(|error| internal("reading a job", error))
}

/// The bytes of a document, if they are what their name says.
fn load(path: &Path, id: &ContentId) -> Result<Vec<u8>, EngineFault> {
    let bytes = fs::read(path).map_err(|error| internal("reading a document", error))?;
    match bytes.is_empty() {
        true => Err(fault(EngineErrorCode::Unreadable, "the document is empty")),
        false if digest_of(&bytes) == *id => Ok(bytes),
        false => Err(missing_contents(vec![id.clone()])),
    }
}

fn save(path: &Path, bytes: &[u8]) -> Result<(), EngineFault> {
    fs::write(path, bytes).map_err(|error| internal("writing what was made of a document", error))
}
