//! The format of a document: the content decides, a declared type helps if the content does not tell.

mod sniff;

use crate::error::DocumentError;

/// A format that can be read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DocumentKind {
    Pdf,
    Docx,
    Odt,
    Pptx,
    Xlsx,
    Epub,
    Html,
    Markdown,
    Text,
}

impl DocumentKind {
    /// The format of the bytes. `said` is a media type or a file extension, and decides only if the bytes
    /// cannot tell.
    pub fn of(bytes: &[u8], said: Option<&str>) -> Result<DocumentKind, DocumentError> {
        sniff::kind(bytes, said.and_then(DocumentKind::named))
    }

    /// The format of a media type, a file extension or a file name.
    pub fn named(said: &str) -> Option<DocumentKind> {
        let said = said.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let is_media_type = said.contains('/');
        let said = if is_media_type { said.as_str() } else { said.rsplit('.').next().unwrap_or_default() };
        if let Some(kind) =
            DocumentKind::ALL.into_iter().find(|kind| kind.media_type() == said || kind.name_short() == said)
        {
            return Some(kind);
        }
        Some(match said {
            "docm" | "dotx" | "dotm" => DocumentKind::Docx,
            "pptm" | "ppsx" | "potx" => DocumentKind::Pptx,
            "xlsm" | "xltx" | "xltm" => DocumentKind::Xlsx,
            "ott" => DocumentKind::Odt,
            "htm" | "xhtml" | "application/xhtml+xml" => DocumentKind::Html,
            "markdown" | "text/x-markdown" => DocumentKind::Markdown,
            "text" | "log" | "csv" | "tsv" | "json" | "xml" | "yaml" | "yml" => DocumentKind::Text,
            "application/json" | "application/xml" | "text/csv" | "text/xml" => DocumentKind::Text,
            _ => return None,
        })
    }

    const ALL: [DocumentKind; 9] = [
        DocumentKind::Pdf,
        DocumentKind::Docx,
        DocumentKind::Odt,
        DocumentKind::Pptx,
        DocumentKind::Xlsx,
        DocumentKind::Epub,
        DocumentKind::Html,
        DocumentKind::Markdown,
        DocumentKind::Text,
    ];

    pub fn media_type(self) -> &'static str {
        match self {
            DocumentKind::Pdf => "application/pdf",
            DocumentKind::Docx => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            DocumentKind::Odt => "application/vnd.oasis.opendocument.text",
            DocumentKind::Pptx => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            DocumentKind::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            DocumentKind::Epub => "application/epub+zip",
            DocumentKind::Html => "text/html",
            DocumentKind::Markdown => "text/markdown",
            DocumentKind::Text => "text/plain",
        }
    }

    /// As the usual file extension.
    pub fn name_short(self) -> &'static str {
        match self {
            DocumentKind::Pdf => "pdf",
            DocumentKind::Docx => "docx",
            DocumentKind::Odt => "odt",
            DocumentKind::Pptx => "pptx",
            DocumentKind::Xlsx => "xlsx",
            DocumentKind::Epub => "epub",
            DocumentKind::Html => "html",
            DocumentKind::Markdown => "md",
            DocumentKind::Text => "txt",
        }
    }

    /// For sentences.
    pub fn name(self) -> &'static str {
        match self {
            DocumentKind::Pdf => "a PDF",
            DocumentKind::Docx => "a Word document (DOCX)",
            DocumentKind::Odt => "an OpenDocument text (ODT)",
            DocumentKind::Pptx => "a presentation (PPTX)",
            DocumentKind::Xlsx => "a workbook (XLSX)",
            DocumentKind::Epub => "an electronic book (EPUB)",
            DocumentKind::Html => "a web page (HTML)",
            DocumentKind::Markdown => "Markdown",
            DocumentKind::Text => "plain text",
        }
    }
}

#[cfg(test)]
mod tests;
