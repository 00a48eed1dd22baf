//! The document that a call is about.

use capability_documents::{OpenOptions, PageRange};
use capability_kit::{FileInput, LoadedFile, Trouble, Work};
use schemars::JsonSchema;
use serde::Deserialize;

/// The treatment of scanned pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ocr {
    /// If a page has no text of its own.
    #[default]
    Auto,
    Never,
}

/// The common arguments of all tools about a document.
#[derive(Default)]
pub(crate) struct DocumentSource {
    pub(crate) file: FileInput,
    pub(crate) content: Option<String>,
    pub(crate) pages: Option<String>,
    pub(crate) password: Option<String>,
}

/// A document from the arguments, and the options to read it with.
pub(crate) struct GivenDocument {
    pub(crate) bytes: Vec<u8>,
    pub(crate) said: Option<String>,
    pub(crate) options: OpenOptions,
}

impl DocumentSource {
    pub(crate) fn load(self, work: &Work) -> Result<GivenDocument, Trouble> {
        let pages = self.pages.as_deref().filter(|pages| !pages.trim().is_empty());
        let pages = pages.map(str::parse::<PageRange>).transpose();
        let pages = pages.map_err(|error| {
            Trouble::bad_arguments(format!("pages: {error}")).hint("omit `pages` to read all of them")
        })?;
        let options = OpenOptions { password: self.password, pages, ..OpenOptions::default() };
        let LoadedFile { bytes, media_type, name } = load(self.file, self.content, work)?;
        let said = media_type.or(name);
        Ok(GivenDocument { bytes, said, options })
    }
}

fn load(file: FileInput, content: Option<String>, work: &Work) -> Result<LoadedFile, Trouble> {
    let Some(content) = content else {
        let is_missing = file.file_data.is_none() && file.source_ref_id.is_none();
        return match is_missing {
            true => Err(Trouble::bad_arguments("no document was passed")
                .hint("pass file_data (Base64), source_ref_id, or content (plain text, HTML or Markdown)")),
            false => file.load(work),
        };
    };
    if file.file_data.is_some() || file.source_ref_id.is_some() {
        return Err(Trouble::bad_arguments("content was passed together with another document")
            .hint("pass only one of file_data, source_ref_id and content"));
    }
    Ok(LoadedFile { bytes: content.into_bytes(), media_type: file.file_type, name: None })
}
