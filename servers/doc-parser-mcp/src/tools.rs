//! The tools, and their descriptions for agents.

use std::path::PathBuf;
use std::time::Duration;

use capability_kit::{Capability, FileStrategy, Tool};

use crate::scans::ScanReader;
use crate::{info, tables, text};

/// Pages that need OCR take seconds each.
const TIME_LIMIT: Duration = Duration::from_secs(300);

const INSTRUCTIONS: &str = "Reads documents: PDF, DOCX, ODT, PPTX, XLSX, EPUB, HTML, Markdown and plain \
    text. extract_text returns the text in reading order, extract_tables the rows and columns, document_info \
    the kind of document. Long texts come as a ref_id with their beginning: pass it to other tools as \
    source_ref_id.";

/// The options of this server's command line.
#[derive(Clone, Default, Debug, clap::Args)]
pub struct DocParserOptions {
    /// Folder with the weights for reading scanned pages; searched in the usual places by default
    #[arg(long, env = "CAPABILITY_OCR_MODELS", value_name = "FOLDER")]
    pub ocr_models: Option<PathBuf>,
    /// The Tesseract program, if it is not on the PATH
    #[arg(long, env = "CAPABILITY_TESSERACT", value_name = "FILE")]
    pub tesseract: Option<PathBuf>,
    /// Languages of scanned pages, such as `en,de`
    #[arg(long, env = "CAPABILITY_OCR_LANGUAGES", value_name = "CODES", value_delimiter = ',')]
    pub ocr_languages: Vec<String>,
}

/// The server.
pub fn capability(options: &DocParserOptions) -> Capability {
    let scans = ScanReader::new(capability_ocr::OcrSettings {
        models: options.ocr_models.clone(),
        tesseract: options.tesseract.clone(),
        languages: options.ocr_languages.clone(),
    });
    Capability::new("doc-parser-mcp", env!("CARGO_PKG_VERSION"), INSTRUCTIONS)
        .tool(
            Tool::new(
                "extract_text",
                "Extract text",
                "Extract the text of a document in reading order, as plain text or Markdown with headings, lists and tables. \
                 Reads PDF (scanned pages by OCR), DOCX, ODT, PPTX, XLSX, EPUB, HTML, Markdown and text.",
                move |arguments, work| text::extract_text(arguments, work, &scans),
            )
            .capabilities(&["documents"])
            .file(FileStrategy::BinaryBase64)
            .time_limit(TIME_LIMIT),
        )
        .tool(
            Tool::new(
                "extract_tables",
                "Extract tables",
                "Extract the tables of a document as rows of cells or as CSV, with the page and position of \
                 each.",
                tables::extract_tables,
            )
            .capabilities(&["documents"])
            .file(FileStrategy::BinaryBase64),
        )
        .tool(
            Tool::new(
                "document_info",
                "Describe a document",
                "Describe a document: type, pages, title, author, language, number of words, and which pages \
                 are scans without text.",
                info::document_info,
            )
            .capabilities(&["documents"])
            .file(FileStrategy::BinaryBase64),
        )
}
