//! Looking at bytes: magic numbers, members of archives, the beginning of texts.

use super::DocumentKind;
use crate::archive::Archive;
use crate::error::DocumentError;
use crate::limits::DocumentLimits;
use crate::text::{decode, is_text};

/// The range that may contain the mark of a PDF.
const PDF_MARK_WITHIN: usize = 1024;
/// The part of a text that is checked.
const HEAD_BYTES: usize = 4096;
/// Compound files: old Office formats, and new ones behind a password.
const COMPOUND: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
/// Elements that a web page or a piece of one begins with.
const HTML_STARTS: [&str; 20] = [
    "!doctype html",
    "html",
    "head",
    "body",
    "title",
    "meta",
    "div",
    "p",
    "h1",
    "h2",
    "h3",
    "table",
    "ul",
    "ol",
    "article",
    "section",
    "main",
    "span",
    "a",
    "style",
];

pub(super) fn kind(bytes: &[u8], said: Option<DocumentKind>) -> Result<DocumentKind, DocumentError> {
    if bytes.trim_ascii().is_empty() {
        return Err(DocumentError::Empty);
    }
    let head = &bytes[..bytes.len().min(PDF_MARK_WITHIN)];
    if memchr::memmem::find(head, b"%PDF-").is_some() {
        return Ok(DocumentKind::Pdf);
    }
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        return in_zip(bytes);
    }
    if bytes.starts_with(COMPOUND) {
        return Err(in_compound(bytes));
    }
    if bytes.trim_ascii_start().starts_with(b"{\\rtf") {
        return Err(unsupported("an RTF document"));
    }
    let is_text = is_text(bytes);
    // First bytes are a weak sign: BMP has two letters, and so has the name of a car.
    let is_surely_text = is_text && std::str::from_utf8(bytes).is_ok();
    match other_format(bytes) {
        Some(found) if !is_surely_text => Err(unsupported(found)),
        None if !is_text => Err(unsupported("data of an unknown kind")),
        _ => Ok(in_text(bytes, said)),
    }
}

fn in_zip(bytes: &[u8]) -> Result<DocumentKind, DocumentError> {
    let mut archive = Archive::open(bytes, "ZIP archive", &DocumentLimits::default())?;
    if let Some(media_type) = archive.find("mimetype")? {
        return by_mimetype(media_type.trim_ascii());
    }
    if let Some(types) = archive.find("[Content_Types].xml")? {
        return by_content_types(&types, &archive);
    }
    if archive.has("META-INF/container.xml") {
        return Ok(DocumentKind::Epub);
    }
    by_parts(&archive)
}

fn by_mimetype(media_type: &[u8]) -> Result<DocumentKind, DocumentError> {
    let has = |part: &[u8]| memchr::memmem::find(media_type, part).is_some();
    if has(b"epub") {
        Ok(DocumentKind::Epub)
    } else if has(b"opendocument.text") {
        Ok(DocumentKind::Odt)
    } else if has(b"opendocument.spreadsheet") {
        Err(unsupported("an OpenDocument spreadsheet (ODS)"))
    } else if has(b"opendocument.presentation") {
        Err(unsupported("an OpenDocument presentation (ODP)"))
    } else {
        let said = String::from_utf8_lossy(&media_type[..media_type.len().min(80)]).into_owned();
        Err(unsupported(format!("an archive of the type {said:?}")))
    }
}

fn by_content_types(types: &[u8], archive: &Archive<'_>) -> Result<DocumentKind, DocumentError> {
    let has = |part: &[u8]| memchr::memmem::find(types, part).is_some();
    if has(b"wordprocessingml.document.main") || has(b"wordprocessingml.template.main") || has(b"ms-word.") {
        Ok(DocumentKind::Docx)
    } else if has(b"presentationml.") || has(b"ms-powerpoint.") {
        Ok(DocumentKind::Pptx)
    } else if has(b"sheet.binary") {
        Err(unsupported("a binary workbook (XLSB)"))
    } else if has(b"spreadsheetml.sheet.main") || has(b"spreadsheetml.template.main") || has(b"ms-excel.") {
        Ok(DocumentKind::Xlsx)
    } else {
        by_parts(archive)
    }
}

fn by_parts(archive: &Archive<'_>) -> Result<DocumentKind, DocumentError> {
    let parts = [
        ("word/document.xml", DocumentKind::Docx),
        ("ppt/presentation.xml", DocumentKind::Pptx),
        ("xl/workbook.xml", DocumentKind::Xlsx),
    ];
    let found = parts.into_iter().find(|(part, _)| archive.has(part));
    found.map(|(_, kind)| kind).ok_or_else(|| unsupported("a ZIP archive"))
}

fn in_compound(bytes: &[u8]) -> DocumentError {
    let has = |name: &str| {
        let wide: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        memchr::memmem::find(bytes, &wide).is_some()
    };
    if has("EncryptedPackage") {
        return DocumentError::Locked { format: "Office document" };
    }
    let streams = [
        ("WordDocument", "an old Word document (DOC)"),
        ("PowerPoint Document", "an old presentation (PPT)"),
        ("Workbook", "an old workbook (XLS)"),
        ("__nameid_version1.0", "an Outlook message (MSG)"),
        ("Book", "an old workbook (XLS)"),
    ];
    let found = streams.into_iter().find(|(stream, _)| has(stream));
    unsupported(found.map_or("an old Office file", |(_, found)| found))
}

/// Pictures, sounds, programs and archives that are known by their first bytes.
fn other_format(bytes: &[u8]) -> Option<String> {
    use infer::MatcherType;
    let found = infer::get(bytes)?;
    let name = found.extension().to_uppercase();
    Some(match found.matcher_type() {
        MatcherType::Image => format!("a picture ({name})"),
        MatcherType::Audio => format!("a sound ({name})"),
        MatcherType::Video => format!("a video ({name})"),
        MatcherType::Font => format!("a font ({name})"),
        MatcherType::Archive => format!("an archive ({name})"),
        MatcherType::App => format!("a program ({name})"),
        // Texts need a closer check than their first word.
        MatcherType::Text | MatcherType::Custom | MatcherType::Doc | MatcherType::Book => return None,
    })
}

fn unsupported(found: impl Into<String>) -> DocumentError {
    DocumentError::Unsupported { found: found.into() }
}

fn in_text(bytes: &[u8], said: Option<DocumentKind>) -> DocumentKind {
    let cut = &bytes[..bytes.len().min(HEAD_BYTES) & !1];
    let head = decode(if bytes.len() < 2 { bytes } else { cut }).text;
    match said {
        _ if is_web_page(&head) => DocumentKind::Html,
        Some(said @ (DocumentKind::Html | DocumentKind::Markdown | DocumentKind::Text)) => said,
        _ if begins_with_element(&head) => DocumentKind::Html,
        _ if looks_like_markdown(&head) => DocumentKind::Markdown,
        _ => DocumentKind::Text,
    }
}

/// True if this is a complete HTML page, which cannot be any other format.
fn is_web_page(head: &str) -> bool {
    let start = element_at_start(head);
    match start.as_deref() {
        Some("!doctype html" | "html") => true,
        Some("?xml") => head.to_ascii_lowercase().contains("<html"),
        _ => false,
    }
}

fn begins_with_element(head: &str) -> bool {
    element_at_start(head).is_some_and(|start| HTML_STARTS.contains(&start.as_str()))
}

/// The first element of a text, after comments.
fn element_at_start(head: &str) -> Option<String> {
    let mut rest = head.trim_start_matches('\u{feff}').trim_start();
    while let Some(comment) = rest.strip_prefix("<!--") {
        rest = comment.split_once("-->").map_or("", |(_, after)| after).trim_start();
    }
    let rest = rest.strip_prefix('<')?;
    let start: String = rest.chars().take("!doctype html".len()).collect::<String>().to_ascii_lowercase();
    if start == "!doctype html" {
        return Some(start);
    }
    let end = start.find(|character: char| !character.is_ascii_alphanumeric() && character != '?');
    Some(start[..end?].to_owned())
}

/// A heading with a blank line after it, a fence, or a table: no other text has these by chance.
fn looks_like_markdown(head: &str) -> bool {
    let lines: Vec<&str> = head.lines().map(str::trim_end).collect();
    lines.iter().enumerate().any(|(index, line)| {
        let next = lines.get(index + 1).copied().unwrap_or_default();
        let before = if index == 0 { "" } else { lines[index - 1] };
        let is_heading = is_heading(line) && next.is_empty() && before.is_empty();
        let is_table = line.starts_with('|') && next.starts_with("|-")
            || next.starts_with("| -")
            || next.starts_with("|:-");
        is_heading || is_table || line.starts_with("```")
    })
}

fn is_heading(line: &str) -> bool {
    let text = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - text.len())) && text.starts_with(' ') && !text.trim().is_empty()
}
