//! `check_readability`, `check_contract`, `check_licenses`, `check_metadata`.

use capability_kit::{FileInput, Tool, Trouble, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answers::{FindingsOutput, ReportFormat, sarif_of, unknown_language};
use super::{as_findings, given};
use crate::report::Spot;
use crate::{contract as clauses, licenses as spdx, metadata as facts, readability as reading};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TextArguments {
    /// The text.
    #[serde(default)]
    text: Option<String>,
    /// Instead: a document, in Base64.
    #[serde(default)]
    file_data: Option<String>,
    /// Its media type.
    #[serde(default)]
    file_type: Option<String>,
    /// Instead: the ref_id that a tool of this server gave before.
    #[serde(default)]
    source_ref_id: Option<String>,
    /// `sarif` for a SARIF file, too.
    #[serde(default)]
    format: ReportFormat,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MetadataArguments {
    /// The file, in Base64.
    #[serde(default)]
    file_data: Option<String>,
    /// Its media type.
    #[serde(default)]
    file_type: Option<String>,
    /// Instead: the ref_id that a tool of this server gave before.
    #[serde(default)]
    source_ref_id: Option<String>,
    /// `sarif` for a SARIF file, too.
    #[serde(default)]
    format: ReportFormat,
}

impl TextArguments {
    fn load(self, work: &Work) -> Result<crate::content::PlacedText, Trouble> {
        let Self { text, file_data, file_type, source_ref_id, format: _ } = self;
        given::text(text, FileInput { file_data, file_type, source_ref_id }, work)
    }
}

#[derive(Serialize, JsonSchema)]
struct ReadabilityOutput {
    /// ISO 639-1.
    language: Option<String>,
    words: usize,
    sentences: usize,
    words_per_sentence: f64,
    syllables_per_word: f64,
    /// A published formula for this language; higher is easier.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    formula: Option<String>,
    /// School year by Flesch and Kincaid, for English.
    #[serde(skip_serializing_if = "Option::is_none")]
    grade: Option<f64>,
    #[serde(flatten)]
    report: FindingsOutput,
}

pub(super) fn readability() -> Tool {
    const DESCRIPTION: &str = "Measures how hard a text is to read: length of sentences and words, a published formula for \
        English, German, Spanish, French, Italian, Dutch and Portuguese, and the sentences that are too long.";
    Tool::new(
        "check_readability",
        "Check readability",
        DESCRIPTION,
        |arguments: TextArguments, work: &Work| {
            let format = arguments.format;
            let text = arguments.load(work)?;
            let measured = reading::measure(&text);
            let mut warnings = text.warnings;
            if measured.score.is_none() {
                warnings.push("there is no formula here for the language of this text".to_owned());
            }
            Ok(ReadabilityOutput {
                language: measured.language,
                words: measured.words,
                sentences: measured.sentences,
                words_per_sentence: measured.words_per_sentence,
                syllables_per_word: measured.syllables_per_word,
                score: measured.score.map(|it| it.1),
                formula: measured.score.map(|it| it.0.to_owned()),
                grade: measured.grade,
                report: FindingsOutput::new(measured.findings, warnings, format, work)?,
            })
        },
    )
}

#[derive(Serialize, JsonSchema)]
struct ContractOutput {
    /// Clauses that are there, each with its first passage.
    present: Vec<ClauseItem>,
    /// Clauses of the checklist that were not found.
    not_found: Vec<String>,
    /// All of it as SARIF 2.1.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    sarif_ref_id: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct ClauseItem {
    clause: String,
    passage: String,
    #[serde(flatten)]
    spot: Spot,
    /// The number of passages.
    count: usize,
}

pub(super) fn contract() -> Tool {
    const DESCRIPTION: &str = "Goes through a checklist of 40 clauses that contracts in English often have, and returns the \
        passage for each that was found and the names of the others. No score and no advice: a clause may be worded in a \
        way that the checklist does not know.";
    Tool::new("check_contract", "Check a contract", DESCRIPTION, |arguments: TextArguments, work: &Work| {
        let format = arguments.format;
        let text = arguments.load(work)?;
        let list = clauses::check(&text);
        let sarif_ref_id = sarif_of(&as_findings::contract(&list), format, work)?;
        let mut warnings = text.warnings;
        if !list.known {
            warnings.push(
                unknown_language(list.language.as_deref(), "the checklist") + ", so nothing was looked for",
            );
        }
        let not_found = list.clauses.iter().filter(|it| it.passage.is_none() && list.known);
        let not_found = not_found.map(|it| it.clause.to_owned()).collect();
        let present = list.clauses.into_iter().filter_map(|it| {
            let (passage, spot) = it.passage?;
            Some(ClauseItem { clause: it.clause.to_owned(), passage, spot, count: it.count })
        });
        Ok(ContractOutput { present: present.collect(), not_found, sarif_ref_id, warnings })
    })
}

#[derive(Serialize, JsonSchema)]
struct LicensesOutput {
    licenses: Vec<LicenseItem>,
    /// All of it as SARIF 2.1.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    sarif_ref_id: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct LicenseItem {
    /// An SPDX identifier, or an expression of a tag.
    spdx: String,
    /// The share of the sentences by which it is known that are there.
    share: f64,
    /// By a tag of SPDX, not by the text.
    by_tag: bool,
    #[serde(flatten)]
    spot: Spot,
}

pub(super) fn licenses() -> Tool {
    const DESCRIPTION: &str = "Finds licences in a text by SPDX tags and by the sentences of 35 well-known licences. Returns \
        SPDX identifiers.";
    Tool::new("check_licenses", "Check licences", DESCRIPTION, |arguments: TextArguments, work: &Work| {
        let format = arguments.format;
        let text = arguments.load(work)?;
        let found = spdx::find(&text);
        let sarif_ref_id = sarif_of(&as_findings::licenses(&found), format, work)?;
        let mut warnings = text.warnings;
        if found.is_empty() {
            warnings.push("no licence that is known here was found; it may have one all the same".to_owned());
        }
        let item = |it: spdx::LicenseFound| LicenseItem {
            spdx: it.spdx,
            share: it.share,
            by_tag: it.by_tag,
            spot: it.spot,
        };
        Ok(LicensesOutput { licenses: found.into_iter().map(item).collect(), sarif_ref_id, warnings })
    })
}

#[derive(Serialize, JsonSchema)]
struct MetadataOutput {
    /// Names and values of the file's metadata.
    entries: Vec<(String, String)>,
    #[serde(flatten)]
    report: FindingsOutput,
}

pub(super) fn metadata() -> Tool {
    const DESCRIPTION: &str = "Shows what a file tells beside its text: title, people, programs, dates, of a PDF also \
        attachments, scripts, layers, comments and earlier versions, and of a Word document comments, tracked changes and \
        hidden text. redact removes them from a PDF.";
    Tool::new("check_metadata", "Check metadata", DESCRIPTION, |arguments: MetadataArguments, work: &Work| {
        let MetadataArguments { file_data, file_type, source_ref_id, format } = arguments;
        let file = given::file(FileInput { file_data, file_type, source_ref_id }, work)?;
        let found = facts::check(&file.bytes, file.media_type.as_deref()).map_err(given::trouble)?;
        let report = FindingsOutput::new(found.findings, found.warnings, format, work)?;
        Ok(MetadataOutput { entries: found.entries, report })
    })
}
