//! `convert`: one format to another.

use capability_documents::DocumentKind;
use capability_kit::{FileInput, Trouble, Work};
use capability_typeset::{Article, FontSource, html, markdown};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{file_name, keep, keep_bytes};
use crate::generate::set;
use crate::libreoffice::LibreOffice;
use crate::looks::DocumentLooks;
use crate::refusal::of_typeset;
use crate::source::{ContentKind, MediaSource, SourceArguments, TargetFormat};

/// Exactly one of `content`, `file_data` and `source_ref_id` must be present.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConvertArguments {
    /// The document as text: Markdown unless `from` is set.
    #[serde(default)]
    content: Option<String>,
    /// A file, in Base64: PDF, DOCX, ODT, PPTX, XLSX, EPUB, HTML, Markdown or text.
    #[serde(default)]
    file_data: Option<String>,
    /// Its media type or file extension. Detected from the content if omitted.
    #[serde(default)]
    file_type: Option<String>,
    /// Instead of `file_data`: the `ref_id` that a tool of this server returned.
    #[serde(default)]
    source_ref_id: Option<String>,
    /// The format of `content`, or the format to assume for the file.
    #[serde(default)]
    from: Option<ContentKind>,
    /// The target format.
    to: TargetFormat,
    /// For a protected file.
    #[serde(default)]
    password: Option<String>,
    /// `own` lays the text out again; `libreoffice` keeps the layout of office files for PDF, if it is
    /// installed.
    #[serde(default)]
    engine: ConversionEngine,
    /// The style of PDF and DOCX.
    #[serde(default)]
    style: DocumentLooks,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ConversionEngine {
    #[default]
    Own,
    Libreoffice,
}

/// A text in `text`, or a file behind `ref_id`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ConvertOutput {
    /// The original format, such as `DOCX`.
    from: String,
    /// The new format.
    format: String,
    media_type: String,
    /// The text, or its beginning if it is long and `ref_id` has all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The file or the whole text: pass it as `source_ref_id`, or read the resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    ref_id: Option<String>,
    /// True if `text` is only the beginning.
    truncated: bool,
    bytes: usize,
    /// For PDF.
    #[serde(skip_serializing_if = "Option::is_none")]
    page_count: Option<usize>,
    engine: ConversionEngine,
    /// Parts that were lost.
    warnings: Vec<String>,
}

pub(crate) fn convert(
    arguments: ConvertArguments,
    fonts: FontSource,
    office: &LibreOffice,
    work: &Work,
) -> Result<ConvertOutput, Trouble> {
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
    let source = MediaSource::load(said, work)?;
    possible(source.kind, arguments.to)?;
    match (arguments.engine, arguments.to) {
        (ConversionEngine::Libreoffice, _) => by_libreoffice(&source, arguments.to, office, work),
        (ConversionEngine::Own, TargetFormat::Text) => as_text(&source, work),
        (ConversionEngine::Own, target) => by_us(&source, target, &arguments.style, fonts, work),
    }
}

fn possible(kind: DocumentKind, target: TargetFormat) -> Result<(), Trouble> {
    if target.kind() != kind {
        return Ok(());
    }
    let others: Vec<&str> = [
        TargetFormat::Markdown,
        TargetFormat::Html,
        TargetFormat::Docx,
        TargetFormat::Pdf,
        TargetFormat::Text,
    ]
    .into_iter()
    .filter(|other| *other != target)
    .map(TargetFormat::as_str)
    .collect();
    let hint =
        format!("it can be converted to {}; format_document changes a document's style", others.join(", "));
    Err(Trouble::bad_arguments(format!("it is {} already", kind.name())).hint(hint))
}

fn by_us(
    source: &MediaSource,
    target: TargetFormat,
    looks: &DocumentLooks,
    fonts: FontSource,
    work: &Work,
) -> Result<ConvertOutput, Trouble> {
    let article = source.article()?;
    if article.plain_text().trim().is_empty() {
        return Err(nothing(source.kind));
    }
    match target {
        TargetFormat::Markdown => in_text(markdown(&article), &article, source.kind, target, work),
        TargetFormat::Html => in_text(html(&article), &article, source.kind, target, work),
        _ => {
            let made = set(&article, looks, target, fonts).map_err(|error| of_typeset(&error))?;
            let kept = keep(made, &article, target, work)?;
            Ok(ConvertOutput {
                from: source.kind.name().to_owned(),
                format: kept.format,
                media_type: kept.media_type,
                text: None,
                ref_id: Some(kept.ref_id),
                truncated: false,
                bytes: kept.bytes,
                page_count: kept.page_count,
                engine: ConversionEngine::Own,
                warnings: kept.warnings,
            })
        }
    }
}

fn nothing(kind: DocumentKind) -> Trouble {
    Trouble::unreadable(format!("there is no text in this {}", kind.name()))
        .hint("if it is a scan, read it with OCR first, using doc-parser-mcp or image-ocr-mcp")
}

fn as_text(source: &MediaSource, work: &Work) -> Result<ConvertOutput, Trouble> {
    let document = source.document()?;
    let text = document.text();
    if text.trim().is_empty() {
        return Err(nothing(source.kind));
    }
    let article = Article {
        title: document.facts.title.clone(),
        warnings: document.warnings.clone(),
        ..Article::default()
    };
    in_text(text, &article, source.kind, TargetFormat::Text, work)
}

fn in_text(
    text: String,
    article: &Article,
    from: DocumentKind,
    target: TargetFormat,
    work: &Work,
) -> Result<ConvertOutput, Trouble> {
    let bytes = text.len();
    let out = work.text(text, target.media_type(), &file_name(article.title.as_deref(), target))?;
    Ok(ConvertOutput {
        from: from.name().to_owned(),
        format: target.as_str().to_owned(),
        media_type: target.media_type().to_owned(),
        text: Some(out.text),
        ref_id: out.ref_id,
        truncated: out.truncated,
        bytes,
        page_count: None,
        engine: ConversionEngine::Own,
        warnings: article.warnings.clone(),
    })
}

fn by_libreoffice(
    source: &MediaSource,
    target: TargetFormat,
    office: &LibreOffice,
    work: &Work,
) -> Result<ConvertOutput, Trouble> {
    if target != TargetFormat::Pdf
        || !matches!(
            source.kind,
            DocumentKind::Docx | DocumentKind::Odt | DocumentKind::Pptx | DocumentKind::Xlsx
        )
    {
        return Err(Trouble::unsupported(format!(
            "LibreOffice is not used to convert {1} to {0}",
            target.as_str(),
            source.kind.name()
        ))
        .hint("it converts DOCX, ODT, PPTX and XLSX to PDF; omit engine for everything else"));
    }
    work.progress(0.0, 1.0, "LibreOffice is converting");
    let bytes = office.pdf(&source.bytes, source.kind.name_short())?;
    let pages =
        capability_documents::open(&bytes, Some("pdf"), &capability_documents::OpenOptions::default());
    let name = file_name(source.name.as_deref().and_then(|name| name.split('.').next()), TargetFormat::Pdf);
    let kept = keep_bytes(
        &bytes,
        pages.ok().map(|pages| pages.page_count),
        Vec::new(),
        &name,
        TargetFormat::Pdf,
        work,
    )?;
    Ok(ConvertOutput {
        from: source.kind.name().to_owned(),
        format: kept.format,
        media_type: kept.media_type,
        text: None,
        ref_id: Some(kept.ref_id),
        truncated: false,
        bytes: kept.bytes,
        page_count: kept.page_count,
        engine: ConversionEngine::Libreoffice,
        warnings: kept.warnings,
    })
}
