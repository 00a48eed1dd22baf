//! The tools, and their descriptions for agents.

mod answers;
mod as_findings;
mod document;
mod given;
mod pdf;
mod personal;
mod redact;
mod texts;
mod versions;
mod web;

use std::path::PathBuf;
use std::time::Duration;

use capability_kit::{Capability, Effect, FileStrategy, Tool};
use capability_ocr::OcrSettings;

use redact::LazyPictureEyes;

/// Drawing pages takes a while.
const REDACTION_TIME_LIMIT: Duration = Duration::from_secs(300);

const INSTRUCTIONS: &str = "Checks documents and redacts them, offline. check_document runs several checks by \
    profile; the others are single checks. Findings have a rule, a severity, spots, evidence and how to mend \
    them; what is not checked is said. redact returns a ref_id of a file from which the text is really gone. \
    Nothing here is legal advice.";

/// The places of OCR engines.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ComplianceOptions {
    /// Folder with the weights for reading pictures; searched in the usual places by default
    #[arg(long, env = "CAPABILITY_OCR_MODELS", value_name = "FOLDER")]
    pub ocr_models: Option<PathBuf>,
    /// The Tesseract program; searched on the PATH by default
    #[arg(long, env = "CAPABILITY_TESSERACT", value_name = "PROGRAM")]
    pub tesseract: Option<PathBuf>,
}

/// The server.
pub fn capability(options: &ComplianceOptions) -> Capability {
    let eyes = LazyPictureEyes::new(OcrSettings {
        models: options.ocr_models.clone(),
        tesseract: options.tesseract.clone(),
        ..OcrSettings::default()
    });
    let file = |tool: Tool| tool.capabilities(&["compliance"]).file(FileStrategy::BinaryBase64);
    Capability::new("audit-compliance-mcp", env!("CARGO_PKG_VERSION"), INSTRUCTIONS)
        .tool(file(document::tool()))
        .tool(file(pdf::tool()))
        .tool(file(web::tool()))
        .tool(file(personal::tool()))
        .tool(file(redact::tool(eyes)).effect(Effect::Write).time_limit(REDACTION_TIME_LIMIT))
        .tool(file(texts::readability()))
        .tool(file(texts::contract()))
        .tool(file(texts::licenses()))
        .tool(file(texts::metadata()))
        .tool(
            versions::tool()
                .capabilities(&["compliance"])
                .file_at(FileStrategy::BinaryBase64, "before_file_id", "before_data", None)
                .file_at(FileStrategy::BinaryBase64, "after_file_id", "after_data", None),
        )
}
