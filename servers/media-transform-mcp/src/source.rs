//! The source of a document: text in the arguments, a file, or a stored ref.

use capability_documents::{DocumentKind, OpenOptions, decode, language, open};
use capability_kit::{FileInput, Trouble, Work};
use capability_typeset::Article;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::carried::article_of;
use crate::refusal::{of_document, of_typeset};

/// The format of `content`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ContentKind {
    Markdown,
    Html,
    Text,
}

/// The target format.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TargetFormat {
    Markdown,
    Html,
    Docx,
    Pdf,
    Text,
}

impl TargetFormat {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            TargetFormat::Markdown => "markdown",
            TargetFormat::Html => "html",
            TargetFormat::Docx => "docx",
            TargetFormat::Pdf => "pdf",
            TargetFormat::Text => "text",
        }
    }

    pub(crate) fn extension(self) -> &'static str {
        match self {
            TargetFormat::Markdown => "md",
            TargetFormat::Text => "txt",
            other => other.as_str(),
        }
    }

    pub(crate) fn media_type(self) -> &'static str {
        self.kind().media_type()
    }

    pub(crate) fn kind(self) -> DocumentKind {
        match self {
            TargetFormat::Markdown => DocumentKind::Markdown,
            TargetFormat::Html => DocumentKind::Html,
            TargetFormat::Docx => DocumentKind::Docx,
            TargetFormat::Pdf => DocumentKind::Pdf,
            TargetFormat::Text => DocumentKind::Text,
        }
    }
}

/// The source of the document, in the arguments.
pub(crate) struct SourceArguments {
    pub(crate) content: Option<String>,
    pub(crate) from: Option<ContentKind>,
    pub(crate) file: FileInput,
    pub(crate) password: Option<String>,
}

/// The bytes of a document and their type.
pub(crate) struct MediaSource {
    pub(crate) bytes: Vec<u8>,
    pub(crate) kind: DocumentKind,
    pub(crate) name: Option<String>,
    password: Option<String>,
}

impl MediaSource {
    pub(crate) fn load(said: SourceArguments, work: &Work) -> Result<Self, Trouble> {
        let given = said.file.file_data.is_some() || said.file.source_ref_id.is_some();
        match said.content {
            Some(_) if given => {
                Err(Trouble::bad_arguments("both content and a file were passed")
                    .hint("pass only one of them"))
            }
            Some(content) => Self::of_content(content, said.from),
            None if !given => Err(Trouble::bad_arguments("there is no input")
                .hint("pass content (text), file_data (Base64) or source_ref_id")),
            None => {
                let loaded = said.file.load(work)?;
                let wanted = said.from.map(|from| kind_of(from).media_type().to_owned());
                let kind = DocumentKind::of(&loaded.bytes, wanted.or(loaded.media_type).as_deref());
                let kind = kind.map_err(|error| of_document(&error))?;
                Ok(Self { bytes: loaded.bytes, kind, name: loaded.name, password: said.password })
            }
        }
    }

    fn of_content(content: String, from: Option<ContentKind>) -> Result<Self, Trouble> {
        if content.trim().is_empty() {
            return Err(Trouble::bad_arguments("content is empty").hint("pass some text"));
        }
        let kind = kind_of(from.unwrap_or(ContentKind::Markdown));
        Ok(Self { bytes: content.into_bytes(), kind, name: None, password: None })
    }

    /// Markdown and HTML are read with their looks; of the others only the structure is known.
    pub(crate) fn article(&self) -> Result<Article, Trouble> {
        let article = match self.kind {
            DocumentKind::Markdown => Article::from_markdown(&decode(&self.bytes).text),
            DocumentKind::Html => Article::from_html(&decode(&self.bytes).text),
            _ => return self.document().map(|document| told(article_of(document))),
        };
        article.map(told).map_err(|error| of_typeset(&error))
    }

    pub(crate) fn document(&self) -> Result<capability_documents::Document, Trouble> {
        let options = OpenOptions { password: self.password.clone(), ..OpenOptions::default() };
        open(&self.bytes, Some(self.kind.media_type()), &options).map_err(|error| of_document(&error))
    }
}

fn kind_of(content: ContentKind) -> DocumentKind {
    match content {
        ContentKind::Markdown => DocumentKind::Markdown,
        ContentKind::Html => DocumentKind::Html,
        ContentKind::Text => DocumentKind::Text,
    }
}

/// With a language, so that words are hyphenated as they should be.
pub(crate) fn told(mut article: Article) -> Article {
    if article.language.is_none() {
        article.language = language(&article.plain_text()).map(|found| found.code);
    }
    article
}
