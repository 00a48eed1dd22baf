//! `find_personal_data`.

use std::collections::BTreeMap;

use capability_kit::{FileInput, Tool, Trouble, Work};
use capability_language::detect;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answers::{ReportFormat, sarif_of, unknown_language};
use super::{as_findings, given};
use crate::content::PlacedText;
use crate::personal::{self, FoundBy, PersonalKind};
use crate::report::Spot;

/// Spans in one answer.
const SPANS_MAX: usize = 200;

const DESCRIPTION: &str = "Finds personal data in a text or document: names, addresses, places, dates, ages, telephone \
    numbers, e-mail and web addresses, cards, IBANs and national numbers of many countries by their check digits. \
    Returns kinds, spans (characters, or page and box of a PDF) and a confidence. To remove them use redact.";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FindPersonalData {
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
    /// Only these kinds; all if omitted.
    #[serde(default)]
    kinds: Vec<PersonalKind>,
    /// Leave out what is less certain, from 0 to 1.
    #[serde(default)]
    confidence_min: f64,
    /// `sarif` for a SARIF file, too.
    #[serde(default)]
    format: ReportFormat,
}

#[derive(Serialize, JsonSchema)]
struct PersonalOutput {
    /// The number of each kind.
    counts: BTreeMap<PersonalKind, usize>,
    /// In the order of the text.
    found: Vec<PersonalItem>,
    /// Those that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    left_out: usize,
    /// All of it as SARIF 2.1.0, one rule for each kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    sarif_ref_id: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct PersonalItem {
    kind: PersonalKind,
    text: String,
    #[serde(flatten)]
    spot: Spot,
    confidence: f64,
    by: FoundBy,
    /// The state of a national number.
    #[serde(skip_serializing_if = "Option::is_none")]
    country: Option<String>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

pub(super) fn tool() -> Tool {
    Tool::new("find_personal_data", "Find personal data", DESCRIPTION, run)
}

fn run(arguments: FindPersonalData, work: &Work) -> Result<PersonalOutput, Trouble> {
    let FindPersonalData { text, file_data, file_type, source_ref_id, kinds, confidence_min, format } =
        arguments;
    let text = given::text(text, FileInput { file_data, file_type, source_ref_id }, work)?;
    let mut spans = personal::find(&text.text);
    spans.retain(|it| (kinds.is_empty() || kinds.contains(&it.kind)) && it.confidence >= confidence_min);
    let mut counts = BTreeMap::new();
    for span in &spans {
        *counts.entry(span.kind).or_insert(0) += 1;
    }
    let sarif_ref_id = sarif_of(&as_findings::personal(&spans, &text), format, work)?;
    let left_out = spans.len().saturating_sub(SPANS_MAX);
    let found = spans.iter().take(SPANS_MAX).map(|it| PersonalItem {
        kind: it.kind,
        text: text.text[it.from..it.to].split_whitespace().collect::<Vec<_>>().join(" "),
        spot: text.spot(it.from..it.to),
        confidence: it.confidence,
        by: it.by,
        country: it.country.map(str::to_owned),
    });
    Ok(PersonalOutput { counts, found: found.collect(), left_out, sarif_ref_id, warnings: warnings(&text) })
}

/// Names in other languages are guesses.
pub(super) fn warnings(text: &PlacedText) -> Vec<String> {
    let language = detect(&text.text).language;
    let mut warnings = text.warnings.clone();
    if language.as_deref() != Some("en") {
        warnings.push(
            unknown_language(language.as_deref(), "the tagger of names and addresses")
                + "; numbers are found in any language",
        );
    }
    warnings
}
