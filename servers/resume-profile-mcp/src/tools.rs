//! The tools of the server, and what they share: where a profile comes from.

mod extract;
mod fit;
mod given;
mod parse;
mod tailor;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use capability_kit::{Capability, Effect, FileStrategy, Tool};
use capability_ocr::Settings;

use crate::reading::Eyes;

/// Where to find what reads pictures.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Options {
    /// Folder with the weights for reading scanned pages; looked for in the usual places if left out
    #[arg(long, env = "CAPABILITY_OCR_MODELS")]
    pub ocr_models: Option<PathBuf>,
    /// The Tesseract program; looked for on the path if left out
    #[arg(long, env = "CAPABILITY_TESSERACT")]
    pub tesseract: Option<PathBuf>,
}

/// What reads pictures is looked for with the first document, so that the server starts at once.
struct Sight {
    settings: Settings,
    eyes: OnceLock<Eyes>,
}

impl Sight {
    fn of(options: &Options) -> Arc<Self> {
        let settings = Settings {
            models: options.ocr_models.clone(),
            tesseract: options.tesseract.clone(),
            ..Settings::default()
        };
        Arc::new(Self { settings, eyes: OnceLock::new() })
    }

    fn eyes(&self) -> &Eyes {
        self.eyes.get_or_init(|| Eyes::find(&self.settings))
    }
}

pub fn capability(options: &Options) -> Capability {
    let sight = Sight::of(options);
    let (parsing, extracting) = (Arc::clone(&sight), sight);
    Capability::new(
        "resume-profile-mcp",
        env!("CARGO_PKG_VERSION"),
        "Reads resumes: parse_document reads a file, extract_profile makes a JSON Resume of it with the source of every field, \
         score_fit compares it with a job description and shows its evidence, tailor_resume sets what fits as PDF or DOCX. \
         Pass the ref_id of one tool as source_ref_id of the next. Nothing is invented: what is not in the document is said to be missing.",
    )
    .tool(
        Tool::new(
            "parse_document",
            "Parse a resume",
            "Read a resume (PDF, DOCX, ODT, HTML, Markdown, text; scanned pages by OCR where it is installed) and say which sections it has. \
             Gives a ref_id for extract_profile.",
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
            "Make a JSON Resume (basics, work, education, skills, languages, dates as YYYY-MM) of a parsed document, a file or a text. \
             Each field comes with its place in the text and a confidence; what was not found is listed. Gives a ref_id for score_fit and tailor_resume.",
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
            "Compare a profile with a job description. The score (0 to 100) is the sum of the points that are shown; every matched requirement \
             has quotes from the profile, every missing one is listed.",
            fit::fit,
        )
        .capabilities(&["resumes"])
        .effect(Effect::Read),
    )
    .tool(
        Tool::new(
            "tailor_resume",
            "Tailor a resume",
            "Set a resume for a role or a job description as PDF or DOCX: what fits comes first, what does not fit on the pages is left out. \
             Only what the profile says is in it; requirements that it does not support are listed, not claimed.",
            tailor::tailor,
        )
        .capabilities(&["resumes", "documents"])
        .effect(Effect::Write),
    )
}
