//! `generate_pdf` and `generate_docx`.

use capability_kit::{Trouble, Work};
use capability_typeset::{
    Article, FinishedFile, FontSource, Resume, ResumeOptions, Standard, TypesetError, docx, fill, pdf,
    resume_docx, resume_pdf,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value;

use crate::answer::{GeneratedFile, keep};
use crate::looks::DocumentLooks;
use crate::refusal::of_typeset;
use crate::source::{TargetFormat, told};

/// Exactly one of `markdown`, `document`, `template` and `resume` must be present.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GenerateArguments {
    /// The document as Markdown: headings, lists, tables, footnotes, task lists, code, pictures as data: URLs,
    /// `<!-- pagebreak -->`.
    #[serde(default)]
    markdown: Option<String>,
    /// The document as data.
    #[serde(default)]
    #[schemars(schema_with = "document_schema")]
    document: Option<Value>,
    /// A template: Markdown with {{ name }}, {% for item in items %} … {% endfor %} and {% if name %} … {%
    /// endif %}. It is filled with `data`, whose texts are never interpreted as markup.
    #[serde(default)]
    template: Option<String>,
    /// The data for the template.
    #[serde(default)]
    #[schemars(schema_with = "data_schema")]
    data: Option<Value>,
    /// A résumé in the JSON Resume format (basics, work, education, skills, …).
    #[serde(default)]
    #[schemars(schema_with = "data_schema")]
    resume: Option<Value>,
    /// Instead of the document's own title.
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    author: Option<String>,
    /// As displayed, such as 2026-11-15.
    #[serde(default)]
    date: Option<String>,
    /// Such as en or de-CH; detected from the text if omitted.
    #[serde(default)]
    language: Option<String>,
    #[serde(default)]
    style: DocumentLooks,
}

fn data_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object" })
}

/// Without references, which many clients do not follow: blocks within blocks are only named.
fn document_schema(_: &mut SchemaGenerator) -> Schema {
    let text = "plain text, or a list of strings and {text, bold, italic, code, strike, link, note}";
    json_schema!({
        "type": "object",
        "required": ["blocks"],
        "properties": {
            "title": { "type": "string" },
            "subtitle": { "type": "string" },
            "author": { "type": "string" },
            "date": { "type": "string" },
            "language": { "type": "string" },
            "blocks": { "type": "array", "items": {
                "type": "object",
                "required": ["type"],
                "properties": {
                    "type": { "enum": [
                        "heading", "paragraph", "list", "table", "quote", "code", "image", "rule", "page_break", "entry",
                    ] },
                    "level": { "type": "integer", "minimum": 1, "maximum": 6, "description": "heading" },
                    "text": { "description": format!("heading, paragraph, entry: {text}; code: a string") },
                    "ordered": { "type": "boolean", "description": "list" },
                    "start": { "type": "integer", "description": "list: its first number" },
                    "items": { "type": "array", "description": "list: strings or {text, checked, blocks}" },
                    "header": { "type": "array", "description": "table: texts of its head" },
                    "rows": { "type": "array", "description": "table: lists of texts" },
                    "align": {
                        "type": "array", "items": { "enum": ["start", "left", "center", "right"] },
                        "description": "table: for each column",
                    },
                    "caption": { "type": "string", "description": "table, image" },
                    "blocks": { "type": "array", "description": "quote: its blocks" },
                    "language": { "type": "string", "description": "code" },
                    "data": { "type": "string", "description": "image: PNG or JPEG in Base64" },
                    "alt": { "type": "string", "description": "image: what it shows" },
                    "note": { "description": "entry: the text at the end of its line" },
                },
            } },
        },
    })
}

pub(crate) fn generate_pdf(
    arguments: GenerateArguments,
    fonts: FontSource,
    work: &Work,
) -> Result<GeneratedFile, Trouble> {
    generate(arguments, TargetFormat::Pdf, fonts, work)
}

pub(crate) fn generate_docx(arguments: GenerateArguments, work: &Work) -> Result<GeneratedFile, Trouble> {
    generate(arguments, TargetFormat::Docx, FontSource::Machine, work)
}

fn generate(
    mut arguments: GenerateArguments,
    target: TargetFormat,
    fonts: FontSource,
    work: &Work,
) -> Result<GeneratedFile, Trouble> {
    one_of(&arguments)?;
    let looks = std::mem::take(&mut arguments.style);
    if let Some(resume) = arguments.resume.take() {
        return resume_of(resume, &arguments, &looks, target, fonts, work);
    }
    let article = article_of(arguments)?;
    let made = set(&article, &looks, target, fonts).map_err(|error| of_typeset(&error))?;
    keep(made, &article, target, work)
}

/// Sets an article as PDF or DOCX.
pub(crate) fn set(
    article: &Article,
    looks: &DocumentLooks,
    target: TargetFormat,
    fonts: FontSource,
) -> Result<FinishedFile, TypesetError> {
    match target {
        TargetFormat::Docx => docx(article, &looks.docx()),
        _ => pdf(article, &looks.pdf(fonts)),
    }
}

fn one_of(arguments: &GenerateArguments) -> Result<(), Trouble> {
    let given = [
        ("markdown", arguments.markdown.is_some()),
        ("document", arguments.document.is_some()),
        ("template", arguments.template.is_some()),
        ("resume", arguments.resume.is_some()),
    ];
    let given: Vec<&str> = given.into_iter().filter(|(_, is)| *is).map(|(name, _)| name).collect();
    match given.as_slice() {
        [] => Err(Trouble::bad_arguments("there is no input")
            .hint("pass one of markdown, document, template, resume")),
        [only] if *only != "template" && arguments.data.is_some() => {
            Err(Trouble::bad_arguments(format!("data needs a template, but {only} was passed"))
                .hint("omit data"))
        }
        [_] => Ok(()),
        more => Err(Trouble::bad_arguments(format!("{} were passed together", more.join(" and ")))
            .hint("pass only one of them")),
    }
}

fn article_of(arguments: GenerateArguments) -> Result<Article, Trouble> {
    let read = match (arguments.markdown, arguments.document, arguments.template) {
        (Some(markdown), _, _) => Article::from_markdown(&markdown),
        // Models often hand over JSON as a string.
        (_, Some(Value::String(json)), _) => Article::from_json(&json),
        (_, Some(document), _) => Article::from_value(document),
        (_, _, Some(template)) => {
            let data = arguments.data.unwrap_or_else(|| Value::Object(serde_json::Map::new()));
            fill(&template, &data).and_then(|markdown| Article::from_markdown(&markdown))
        }
        (None, None, None) => Err(TypesetError::Empty { what: "document" }),
    };
    let mut article = read.map_err(|error| of_typeset(&error))?;
    let said = [
        (&mut article.title, arguments.title),
        (&mut article.author, arguments.author),
        (&mut article.date, arguments.date),
        (&mut article.language, arguments.language),
    ];
    for (place, value) in said {
        if value.is_some() {
            *place = value;
        }
    }
    Ok(told(article))
}

fn resume_of(
    resume: Value,
    arguments: &GenerateArguments,
    looks: &DocumentLooks,
    target: TargetFormat,
    fonts: FontSource,
    work: &Work,
) -> Result<GeneratedFile, Trouble> {
    let resume: Resume = serde_path_to_error::deserialize(resume).map_err(|error| {
        Trouble::bad_arguments(format!("the résumé is invalid at {}: {}", error.path(), error.inner()))
            .hint("use the format of JSON Resume: https://jsonresume.org/schema")
    })?;
    let options = ResumeOptions {
        style: looks.style(),
        standard: if looks.standard() == Standard::None { Standard::PdfA2b } else { looks.standard() },
        fonts,
        language: arguments.language.clone(),
        order: Vec::new(),
    };
    let made = match target {
        TargetFormat::Docx => resume_docx(&resume, &options),
        _ => resume_pdf(&resume, &options),
    };
    let named = Article { title: resume.basics.name.clone(), ..Article::default() };
    keep(made.map_err(|error| of_typeset(&error))?, &named, target, work)
}
