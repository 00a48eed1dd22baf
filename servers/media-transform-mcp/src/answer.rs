//! The answers of the tools.

use capability_kit::{Trouble, Work};
use capability_typeset::{Article, FinishedFile};
use schemars::JsonSchema;
use serde::Serialize;

use crate::source::TargetFormat;

/// A created file.
#[derive(Serialize, JsonSchema)]
pub(crate) struct GeneratedFile {
    /// The file: pass it as `source_ref_id`, or read the resource.
    pub(crate) ref_id: String,
    /// `pdf` or `docx`.
    pub(crate) format: String,
    pub(crate) media_type: String,
    /// Its size.
    pub(crate) bytes: usize,
    /// For PDF.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) page_count: Option<usize>,
    /// Omitted parts, and deviations from the request.
    pub(crate) warnings: Vec<String>,
}

/// Stores a file and returns its ref.
pub(crate) fn keep(
    made: FinishedFile,
    article: &Article,
    target: TargetFormat,
    work: &Work,
) -> Result<GeneratedFile, Trouble> {
    keep_bytes(
        &made.bytes,
        made.pages,
        made.warnings,
        &file_name(article.title.as_deref(), target),
        target,
        work,
    )
}

pub(crate) fn keep_bytes(
    bytes: &[u8],
    page_count: Option<usize>,
    warnings: Vec<String>,
    name: &str,
    target: TargetFormat,
    work: &Work,
) -> Result<GeneratedFile, Trouble> {
    let ref_id = work.keep(bytes, target.media_type(), name)?;
    Ok(GeneratedFile {
        ref_id: ref_id.into_string(),
        format: target.as_str().to_owned(),
        media_type: target.media_type().to_owned(),
        bytes: bytes.len(),
        page_count,
        warnings,
    })
}

/// The title in characters that every file system accepts.
pub(crate) fn file_name(title: Option<&str>, target: TargetFormat) -> String {
    const CHARS_MAX: usize = 60;
    let words =
        title.unwrap_or_default().split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let name: String = words.collect::<Vec<_>>().join("-").to_lowercase().chars().take(CHARS_MAX).collect();
    let name = if name.is_empty() { "document" } else { name.trim_end_matches('-') };
    format!("{name}.{}", target.extension())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_of_letters() {
        assert_eq!(file_name(Some("A/B: ../../etc — Ünï"), TargetFormat::Pdf), "a-b-etc-ünï.pdf");
        assert_eq!(file_name(Some("…"), TargetFormat::Docx), "document.docx");
        assert_eq!(file_name(None, TargetFormat::Text), "document.txt");
    }
}
