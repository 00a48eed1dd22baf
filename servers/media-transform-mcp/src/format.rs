//! `format_document`: the same text with other looks.

use capability_kit::{FileInput, Trouble, Work};
use capability_typeset::FontSource;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answer::{GeneratedFile, keep};
use crate::generate::set;
use crate::looks::DocumentLooks;
use crate::refusal::of_typeset;
use crate::source::{ContentKind, MediaSource, SourceArguments, TargetFormat};

/// Exactly one of `content`, `file_data` and `source_ref_id` must be present.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FormatArguments {
    /// The document as text: Markdown unless `from` is set.
    #[serde(default)]
    content: Option<String>,
    /// The format of `content`, or the format to assume for the file.
    #[serde(default)]
    from: Option<ContentKind>,
    /// A file, in Base64: DOCX, ODT, PDF, HTML, Markdown, …
    #[serde(default)]
    file_data: Option<String>,
    /// Its media type or file extension. Detected from the content if omitted.
    #[serde(default)]
    file_type: Option<String>,
    /// Instead of `file_data`: the `ref_id` that a tool of this server returned.
    #[serde(default)]
    source_ref_id: Option<String>,
    /// For a protected file.
    #[serde(default)]
    password: Option<String>,
    /// The target format.
    #[serde(default)]
    to: OutputFormat,
    /// Instead of the document's own title.
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    style: DocumentLooks,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OutputFormat {
    #[default]
    Pdf,
    Docx,
}

pub(crate) fn format_document(
    arguments: FormatArguments,
    fonts: FontSource,
    work: &Work,
) -> Result<GeneratedFile, Trouble> {
    let file = FileInput {
        file_data: arguments.file_data,
        file_type: arguments.file_type,
        source_ref_id: arguments.source_ref_id,
    };
    let said = SourceArguments {
        content: arguments.content,
        from: arguments.from,
        file,
        password: arguments.password,
    };
    let mut article = MediaSource::load(said, work)?.article()?;
    if arguments.title.is_some() {
        article.title = arguments.title;
    }
    let target = match arguments.to {
        OutputFormat::Pdf => TargetFormat::Pdf,
        OutputFormat::Docx => TargetFormat::Docx,
    };
    let made = set(&article, &arguments.style, target, fonts).map_err(|error| of_typeset(&error))?;
    keep(made, &article, target, work)
}
