//! `check_document`: one report from several checks.

use capability_documents::DocumentKind;
use capability_kit::{FileInput, LoadedFile, Tool, Trouble, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answers::{FindingsOutput, ReportFormat, unknown_language};
use super::pdf::StandardOutput;
use super::{as_findings, given, pdf, personal as people, web};
use crate::content::PlacedText;
use crate::report::{FindingList, Severity};
use crate::standard::{self, Standard};
use crate::{contract, licenses, metadata, personal, readability};

const DESCRIPTION: &str = "Checks a document by profile and returns one report. publish: accessibility, metadata, personal \
    data, readability. accessible: PDF/UA-1 or WCAG, and readability. archive: PDF/A-2b and metadata. privacy: personal \
    data and metadata. contract: clauses of a checklist, metadata, readability. license: licences and metadata.";

/// A set of checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum CheckProfile {
    #[default]
    Publish,
    Accessible,
    Archive,
    Privacy,
    Contract,
    License,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CheckDocument {
    /// The document, in Base64.
    #[serde(default)]
    file_data: Option<String>,
    /// Its media type.
    #[serde(default)]
    file_type: Option<String>,
    /// Instead of file_data: the ref_id that a tool of this server gave before.
    #[serde(default)]
    source_ref_id: Option<String>,
    #[serde(default)]
    profile: CheckProfile,
    /// `sarif` for a SARIF file, too.
    #[serde(default)]
    format: ReportFormat,
}

#[derive(Serialize, JsonSchema)]
struct DocumentOutput {
    /// The checks that ran.
    checks: Vec<String>,
    /// No error was found by them.
    passes: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    standards: Vec<StandardOutput>,
    #[serde(flatten)]
    report: FindingsOutput,
}

/// The report so far.
#[derive(Default)]
struct ReportDraft {
    checks: Vec<String>,
    standards: Vec<StandardOutput>,
    findings: FindingList,
    warnings: Vec<String>,
}

pub(super) fn tool() -> Tool {
    Tool::new("check_document", "Check a document", DESCRIPTION, run)
}

fn run(arguments: CheckDocument, work: &Work) -> Result<DocumentOutput, Trouble> {
    let CheckDocument { file_data, file_type, source_ref_id, profile, format } = arguments;
    let file = given::file(FileInput { file_data, file_type, source_ref_id }, work)?;
    let kind = DocumentKind::of(&file.bytes, file.media_type.as_deref()).map_err(given::trouble)?;
    let mut draft = ReportDraft::default();
    let text = given::of_file(&file)?;
    draft.warnings.clone_from(&text.warnings);
    let has_text = !text.text.trim().is_empty();
    use CheckProfile::{Accessible, Archive, Contract, License, Privacy, Publish};
    if matches!(profile, Publish | Accessible | Archive) {
        draft.form(kind, profile, &file)?;
    }
    if profile != Accessible {
        draft.metadata(&file)?;
    }
    if matches!(profile, Publish | Privacy) {
        draft.personal(&text);
    }
    if profile == Contract {
        draft.contract(&text);
    }
    if profile == License {
        draft.licenses(&text);
    }
    if matches!(profile, Publish | Accessible | Contract) && has_text {
        draft.readability(&text);
    }
    let findings = draft.findings.sorted();
    let passes = !findings.iter().any(|it| it.severity == Severity::Error);
    let report = FindingsOutput::new(findings, draft.warnings, format, work)?;
    Ok(DocumentOutput { checks: draft.checks, passes, standards: draft.standards, report })
}

impl ReportDraft {
    /// The standard that fits the kind of document.
    fn form(&mut self, kind: DocumentKind, profile: CheckProfile, file: &LoadedFile) -> Result<(), Trouble> {
        match kind {
            DocumentKind::Pdf => {
                let standard = if profile == CheckProfile::Archive { Standard::A2b } else { Standard::Ua1 };
                let verdict = standard::check(&file.bytes, standard).map_err(pdf::trouble)?;
                self.checks.push(standard.as_str().to_owned());
                self.standards.push(pdf::output(&verdict));
                verdict.findings.into_iter().for_each(|it| self.findings.add(it));
            }
            DocumentKind::Html if profile != CheckProfile::Archive => {
                self.checks.push("wcag".to_owned());
                let text = capability_documents::decode(&file.bytes).text;
                web::page(&text)?.into_iter().for_each(|it| self.findings.add(it));
            }
            other => {
                self.warnings.push(format!("there is no standard to check {} against here", other.name()))
            }
        }
        Ok(())
    }

    fn metadata(&mut self, file: &LoadedFile) -> Result<(), Trouble> {
        let found = metadata::check(&file.bytes, file.media_type.as_deref()).map_err(given::trouble)?;
        self.checks.push("metadata".to_owned());
        found.findings.into_iter().for_each(|it| self.findings.add(it));
        self.warnings.extend(found.warnings.into_iter().filter(|it| it.starts_with("comments,")));
        Ok(())
    }

    fn personal(&mut self, text: &PlacedText) {
        self.checks.push("personal data".to_owned());
        let found = as_findings::personal(&personal::find(&text.text), text);
        found.into_iter().for_each(|it| self.findings.add(it));
        if !personal::is_searched_whole(&text.text) {
            self.warnings.push(format!(
                "names and addresses were looked for in the first {} characters alone",
                personal::TEXT_CHARS_MAX
            ));
        }
        for warning in people::warnings(text) {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
    }

    fn contract(&mut self, text: &PlacedText) {
        self.checks.push("contract".to_owned());
        let list = contract::check(text);
        if !list.known {
            let sentence = unknown_language(list.language.as_deref(), "the checklist of clauses");
            self.warnings.push(sentence + ", so nothing was looked for");
        }
        as_findings::contract(&list).into_iter().for_each(|it| self.findings.add(it));
    }

    fn licenses(&mut self, text: &PlacedText) {
        self.checks.push("licences".to_owned());
        as_findings::licenses(&licenses::find(text)).into_iter().for_each(|it| self.findings.add(it));
    }

    fn readability(&mut self, text: &PlacedText) {
        self.checks.push("readability".to_owned());
        let measured = readability::measure(text);
        if measured.score.is_none() {
            self.warnings
                .push("there is no formula of readability here for the language of this text".to_owned());
        }
        measured.findings.into_iter().for_each(|it| self.findings.add(it));
    }
}
