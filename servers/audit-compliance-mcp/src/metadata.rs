//! Facts that a file tells beside its text: people, programs, dates, hidden parts.

use capability_documents::{
    DocumentError, DocumentKind, DocumentLimits, OpenOptions, WordAsideKind, open, word_asides,
};

use crate::cos::{Dict, PdfFile, PdfValue};
use crate::report::{Finding, FindingList, Severity, Spot};
use crate::standard;

/// Entries and findings of a file.
#[derive(Clone, Debug, Default)]
pub struct FileMetadata {
    /// Names and values.
    pub entries: Vec<(String, String)>,
    pub findings: Vec<Finding>,
    pub warnings: Vec<String>,
}

/// Reads the metadata of a file.
pub fn check(bytes: &[u8], said: Option<&str>) -> Result<FileMetadata, DocumentError> {
    let document = open(bytes, said, &OpenOptions::default())?;
    let facts = &document.facts;
    let mut entries: Vec<(String, String)> = Vec::new();
    let told = [
        ("title", &facts.title),
        ("author", &facts.author),
        ("created", &facts.created),
        ("producer", &facts.producer),
    ];
    for (name, value) in told {
        entries.extend(value.as_ref().map(|it| (name.to_owned(), it.clone())));
    }
    let mut found = FindingList::default();
    if let Ok(file) = PdfFile::read(bytes) {
        of_pdf(&file, &mut entries, &mut found);
    }
    people(&entries, &mut found);
    let mut warnings = document.warnings;
    match document.kind {
        DocumentKind::Pdf => {}
        DocumentKind::Docx => of_word(bytes, &mut found)?,
        _ => warnings
            .push("comments, tracked changes and hidden parts of this format were not looked for".to_owned()),
    }
    Ok(FileMetadata { entries, findings: found.sorted(), warnings })
}

/// Comments, tracked changes and hidden text of a Word document.
fn of_word(bytes: &[u8], found: &mut FindingList) -> Result<(), DocumentError> {
    for (kind, aside) in word_asides(bytes, &DocumentLimits::default())? {
        let (rule, severity, asks, mend) = match kind {
            WordAsideKind::Comment => (
                "comments",
                Severity::Warning,
                "A file holds no comments by accident.",
                "delete the comments",
            ),
            WordAsideKind::Insertion => (
                "insertions",
                Severity::Warning,
                "A file holds no tracked insertions by accident.",
                "accept or reject the changes",
            ),
            WordAsideKind::Deletion => (
                "deletions",
                Severity::Warning,
                "A file holds no deleted text: tracked deletions keep it.",
                "accept or reject the changes",
            ),
            WordAsideKind::HiddenText => {
                ("hidden text", Severity::Warning, "A file holds no hidden text.", "show or delete the text")
            }
        };
        let by = if aside.authors.is_empty() {
            String::new()
        } else {
            format!(", by {}", aside.authors.join(", "))
        };
        let mut finding = Finding::new(format!("metadata {rule}"), severity, asks, mend)
            .evidence(format!("{} found{by}; the first: {}", aside.count, aside.first));
        finding.count = aside.count;
        found.add(finding);
    }
    Ok(())
}

fn people(entries: &[(String, String)], found: &mut FindingList) {
    let names = ["author", "creator", "lastmodifiedby", "manager"];
    for (name, value) in
        entries.iter().filter(|(name, _)| names.iter().any(|it| name.to_ascii_lowercase().contains(it)))
    {
        let finding = Finding::new(
            "metadata person",
            Severity::Warning,
            "Metadata names no person by accident.",
            "remove the entry, or keep it on purpose",
        );
        found.add(finding.evidence(format!("{name}: {value}")));
    }
}

fn of_pdf(file: &PdfFile, entries: &mut Vec<(String, String)>, found: &mut FindingList) {
    for (key, value) in file.get(file.trailer.get("Info")).dict().into_iter().flat_map(Dict::iter) {
        let name = String::from_utf8_lossy(key).to_lowercase();
        if let Some(value) = file.get(value).text().filter(|_| !entries.iter().any(|(it, _)| *it == name)) {
            entries.push((name, value));
        }
    }
    entries.extend(standard::metadata(file));
    let mut add = |rule: &str, severity: Severity, asks: &str, mend: &str, evidence: String| {
        found.add(
            Finding::new(format!("metadata {rule}"), severity, asks, mend)
                .at(Spot::default())
                .evidence(evidence),
        );
    };
    let Some(catalogue) = file.catalogue() else { return };
    let names = file.at(catalogue, "Names").dict();
    let has = |key: &str| names.is_some_and(|it| it.has(key));
    if has("EmbeddedFiles") {
        add(
            "attachment",
            Severity::Warning,
            "A file carries no attachments by accident.",
            "remove them",
            "EmbeddedFiles".to_owned(),
        );
    }
    let is_script = |value: &PdfValue| value.dict().is_some_and(|it| it.get("S").is_name("JavaScript"));
    if has("JavaScript") || file.objects.values().any(is_script) {
        add("script", Severity::Warning, "A file runs no scripts.", "remove them", "JavaScript".to_owned());
    }
    if catalogue.has("OCProperties") {
        add(
            "layers",
            Severity::Note,
            "Hidden layers hold nothing that should not be read.",
            "flatten or remove layers",
            "OCProperties".to_owned(),
        );
    }
    let versions = file.trailers.len();
    let ends = memchr::memmem::find_iter(&file.bytes, b"%%EOF").count();
    if ends > 1 && versions > 1 {
        add(
            "versions",
            Severity::Warning,
            "A file holds no earlier versions of itself.",
            "save it anew instead of incrementally",
            format!("{versions} versions"),
        );
    }
    let comments = file.objects.values().filter(|it| is_comment(it)).count();
    if comments > 0 {
        add(
            "comments",
            Severity::Note,
            "A file holds no comments by accident.",
            "remove them",
            format!("{comments} comments"),
        );
    }
}

fn is_comment(value: &PdfValue) -> bool {
    let kinds = [
        "Text",
        "FreeText",
        "Highlight",
        "Underline",
        "StrikeOut",
        "Squiggly",
        "Ink",
        "Popup",
        "Stamp",
        "Caret",
    ];
    value
        .dict()
        .is_some_and(|it| it.get("Subtype").name().is_some_and(|it| kinds.contains(&it)) && it.has("Rect"))
}
