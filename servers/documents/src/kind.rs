//! The format of a document: the content decides, a declared type helps if the content does not tell.

mod sniff;

use crate::error::DocumentError;

/// A format that can be read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
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

impl Kind {
    /// The format of the bytes. `said` is a media type or a file extension, and decides only if the bytes
    /// cannot tell.
    pub fn of(bytes: &[u8], said: Option<&str>) -> Result<Kind, DocumentError> {
        sniff::kind(bytes, said.and_then(Kind::named))
    }

    /// The format of a media type, a file extension or a file name.
    pub fn named(said: &str) -> Option<Kind> {
        let said = said.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let is_media_type = said.contains('/');
        let said = if is_media_type { said.as_str() } else { said.rsplit('.').next().unwrap_or_default() };
        if let Some(kind) =
            Kind::ALL.into_iter().find(|kind| kind.media_type() == said || kind.name_short() == said)
        {
            return Some(kind);
        }
        Some(match said {
            "docm" | "dotx" | "dotm" => Kind::Docx,
            "pptm" | "ppsx" | "potx" => Kind::Pptx,
            "xlsm" | "xltx" | "xltm" => Kind::Xlsx,
            "ott" => Kind::Odt,
            "htm" | "xhtml" | "application/xhtml+xml" => Kind::Html,
            "markdown" | "text/x-markdown" => Kind::Markdown,
            "text" | "log" | "csv" | "tsv" | "json" | "xml" | "yaml" | "yml" => Kind::Text,
            "application/json" | "application/xml" | "text/csv" | "text/xml" => Kind::Text,
            _ => return None,
        })
    }

    const ALL: [Kind; 9] = [
        Kind::Pdf,
        Kind::Docx,
        Kind::Odt,
        Kind::Pptx,
        Kind::Xlsx,
        Kind::Epub,
        Kind::Html,
        Kind::Markdown,
        Kind::Text,
    ];

    pub fn media_type(self) -> &'static str {
        match self {
            Kind::Pdf => "application/pdf",
            Kind::Docx => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            Kind::Odt => "application/vnd.oasis.opendocument.text",
            Kind::Pptx => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            Kind::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            Kind::Epub => "application/epub+zip",
            Kind::Html => "text/html",
            Kind::Markdown => "text/markdown",
            Kind::Text => "text/plain",
        }
    }

    /// As the usual file extension.
    pub fn name_short(self) -> &'static str {
        match self {
            Kind::Pdf => "pdf",
            Kind::Docx => "docx",
            Kind::Odt => "odt",
            Kind::Pptx => "pptx",
            Kind::Xlsx => "xlsx",
            Kind::Epub => "epub",
            Kind::Html => "html",
            Kind::Markdown => "md",
            Kind::Text => "txt",
        }
    }

    /// For sentences.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Pdf => "a PDF",
            Kind::Docx => "a Word document (DOCX)",
            Kind::Odt => "an OpenDocument text (ODT)",
            Kind::Pptx => "a presentation (PPTX)",
            Kind::Xlsx => "a workbook (XLSX)",
            Kind::Epub => "an electronic book (EPUB)",
            Kind::Html => "a web page (HTML)",
            Kind::Markdown => "Markdown",
            Kind::Text => "plain text",
        }
    }
}

#[cfg(test)]
mod tests;
