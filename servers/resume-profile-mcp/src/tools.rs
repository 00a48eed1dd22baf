//! The tools of the server, and their shared part: the source of a profile.

mod extract;
mod fit;
mod given;
mod parse;
mod tailor;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use capability_kit::{Capability, Effect, FileStrategy, Tool};
use capability_ocr::OcrSettings;

use crate::reading::ScanEngine;

/// The places of OCR engines.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ResumeProfileOptions {
    /// Folder with the weights for reading scanned pages; searched in the usual places by default
    #[arg(long, env = "CAPABILITY_OCR_MODELS")]
    pub ocr_models: Option<PathBuf>,
    /// The Tesseract program; searched on the PATH by default
    #[arg(long, env = "CAPABILITY_TESSERACT")]
    pub tesseract: Option<PathBuf>,
}

/// The OCR engine is searched with the first document, so that the server starts at once.
struct LazyScanEngine {
    settings: OcrSettings,
    eyes: OnceLock<ScanEngine>,
}

impl LazyScanEngine {
    fn of(options: &ResumeProfileOptions) -> Arc<Self> {
        let settings = OcrSettings {
            models: options.ocr_models.clone(),
            tesseract: options.tesseract.clone(),
            ..OcrSettings::default()
        };
        Arc::new(Self { settings, eyes: OnceLock::new() })
    }

    fn eyes(&self) -> &ScanEngine {
        self.eyes.get_or_init(|| ScanEngine::find(&self.settings))
    }
}

pub fn capability(options: &ResumeProfileOptions) -> Capability {
    let sight = LazyScanEngine::of(options);
    let (parsing, extracting) = (Arc::clone(&sight), sight);
    Capability::new(
        "resume-profile-mcp",
        env!("CARGO_PKG_VERSION"),
        "Reads resumes: parse_document reads a file, extract_profile turns it into a JSON Resume with the \
         source of every field, score_fit compares it with a job description and shows its evidence, \
         tailor_resume lays the relevant parts out as PDF or DOCX. Pass the ref_id of one tool as \
         source_ref_id of the next. Nothing is invented: fields that the document lacks are listed as \
         missing.",
    )
    .tool(
        Tool::new(
            "parse_document",
            "Parse a resume",
            "Read a resume (PDF, DOCX, ODT, HTML, Markdown, text; scanned pages by OCR where it is \
             installed) and list its sections. Returns a ref_id for extract_profile.",
            move |arguments, work| parse::parse(arguments, work, parsing.eyes()),
        )
        .capabilities(&["resumes", "documents"])
        .effect(Effect::Read)
        .file(FileStrategy::BinaryBase64),
    )
    .tool(
        Tool::new(
            "extract_profile",
            "Extract a profile",
            "Build a JSON Resume (basics, work, education, skills, languages, dates as YYYY-MM) from a \
             parsed document, a file or a text. Missing and doubtful fields are listed; `spans` adds the \
             position and the confidence of each field. Returns a ref_id for score_fit and tailor_resume.",
            move |arguments, work| extract::extract(arguments, work, extracting.eyes()),
        )
        .capabilities(&["resumes"])
        .effect(Effect::Read)
        .file(FileStrategy::BinaryBase64),
    )
    .tool(
        Tool::new(
            "score_fit",
            "Score the fit",
            "Compare a profile with a job description. The score (0 to 100) is the sum of the points shown; \
             every matched requirement has quotes from the profile, and every missing one is listed.",
            fit::fit,
        )
        .capabilities(&["resumes"])
        .effect(Effect::Read),
    )
    .tool(
        Tool::new(
            "tailor_resume",
            "Tailor a resume",
            "Tailor a resume to a role or a job description, as PDF or DOCX: the most relevant parts come \
             first, and parts that do not fit on the pages are left out. It contains only what the profile \
             says; requirements that the profile does not support are listed, not claimed.",
            tailor::tailor,
        )
        .capabilities(&["resumes", "documents"])
        .effect(Effect::Write),
    )
}
