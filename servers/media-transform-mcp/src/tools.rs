//! The tools, as agents see them.

use std::time::Duration;

use capability_kit::{Capability, Effect, FileStrategy, Tool};
use capability_typeset::FontSource;

use crate::convert::convert;
use crate::format::format_document;
use crate::generate::{generate_docx, generate_pdf};
use crate::libreoffice::LibreOffice;
use crate::options::MediaTransformOptions;

/// A large table takes some seconds, and LibreOffice some more.
const TIME_LIMIT: Duration = Duration::from_secs(120);

/// The server.
pub fn capability(options: MediaTransformOptions) -> Capability {
    let fonts = if options.embedded_fonts { FontSource::Embedded } else { FontSource::Machine };
    let office = LibreOffice::new(options.libreoffice);
    Capability::new(
        "media-transform-mcp",
        env!("CARGO_PKG_VERSION"),
        "Creates and converts documents: PDF and DOCX from Markdown, structured JSON, templates or a résumé; \
         Markdown, HTML, DOCX, PDF and text into each other; existing documents in another style.",
    )
    .tool(
        Tool::new(
            "generate_pdf",
            "Generate a PDF",
            "Creates a PDF from Markdown, structured JSON, a template with data, or a JSON Resume. Fonts are \
             embedded, all scripts are supported, and text is never run as code. Returns a ref_id.",
            move |arguments, work| generate_pdf(arguments, fonts, work),
        )
        .effect(Effect::Write)
        .capabilities(&["documents", "generation"])
        .aliases(&["documents.pdf.generate"])
        .time_limit(TIME_LIMIT),
    )
    .tool(
        Tool::new(
            "generate_docx",
            "Generate a DOCX",
            "Creates a Word document from Markdown, structured JSON, a template with data, or a JSON Resume, \
             with real styles, lists and tables. Returns a ref_id.",
            generate_docx,
        )
        .effect(Effect::Write)
        .capabilities(&["documents", "generation"])
        .aliases(&["documents.docx.generate"])
        .time_limit(TIME_LIMIT),
    )
    .tool(
        Tool::new(
            "convert",
            "Convert a document",
            "Converts a document (PDF, DOCX, ODT, PPTX, XLSX, EPUB, HTML, Markdown, text) to markdown, html, text, \
             docx or pdf. Short texts are in the answer, files and long texts behind a ref_id; warnings list \
             what was lost.",
            move |arguments, work| convert(arguments, fonts, &office, work),
        )
        .effect(Effect::Write)
        .capabilities(&["documents", "conversion"])
        .aliases(&["documents.convert"])
        .file(FileStrategy::BinaryBase64)
        .time_limit(TIME_LIMIT),
    )
    .tool(
        Tool::new(
            "format_document",
            "Format a document",
            "Restyles a document: template, page size, fonts, columns, heading numbers, table of contents, \
             headers and footers. Returns a ref_id to a PDF or DOCX.",
            move |arguments, work| format_document(arguments, fonts, work),
        )
        .effect(Effect::Write)
        .capabilities(&["documents", "conversion"])
        .aliases(&["documents.format"])
        .file(FileStrategy::BinaryBase64)
        .time_limit(TIME_LIMIT),
    )
}
