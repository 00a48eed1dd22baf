//! `parse_job`: an advertisement becomes a posting.

use std::collections::BTreeMap;

use capability_kit::{FileInput, Trouble, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::given::GivenJob;
use crate::posting::{JobPosting, ParsedPosting, PostingSource, Workplace};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ParseJobArguments {
    /// The advertisement: plain text, Markdown or the HTML of its page.
    #[serde(default)]
    text: Option<String>,
    /// Instead: the file, in Base64.
    #[serde(default)]
    file_data: Option<String>,
    /// Its media type or file extension. Detected from the content if omitted.
    #[serde(default)]
    file_type: Option<String>,
    /// Instead: the `ref_id` of a stored file.
    #[serde(default)]
    source_ref_id: Option<String>,
    /// Also return the place of every field in the text.
    #[serde(default)]
    sources: bool,
}

/// `[start, end]` in characters of the text behind `ref_id`, or a JSON pointer into the page's JSON-LD.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum SourceOut {
    Range([usize; 2]),
    Pointer(String),
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ParseJobOutput {
    /// The text of the advertisement. Pass it as `job_ref_id` to match_profile.
    ref_id: String,
    posting: JobPosting,
    #[serde(skip_serializing_if = "Option::is_none")]
    workplace: Option<Workplace>,
    /// intern, junior, mid, senior, lead, staff, principal, director or executive.
    #[serde(skip_serializing_if = "Option::is_none")]
    seniority: Option<&'static str>,
    /// Lowest and highest.
    #[serde(skip_serializing_if = "Option::is_none")]
    hours_per_week: Option<(f64, f64)>,
    /// Requirements, in the words of the advertisement.
    must: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nice: Vec<String>,
    /// Well-known skills that it names. See extract_skills for all.
    skills: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    /// By JSON pointer into this answer, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    sources: Option<BTreeMap<String, SourceOut>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

pub(super) fn parse(arguments: ParseJobArguments, work: &Work) -> Result<ParseJobOutput, Trouble> {
    let ParseJobArguments { text, file_data, file_type, source_ref_id, sources } = arguments;
    let file = FileInput { file_data, file_type, source_ref_id };
    let (parsed, text) = GivenJob { text, file }.load(work)?.parse();
    let id = work.keep(text.as_bytes(), "text/plain", "job.txt")?;
    let sources = sources.then(|| places(&text, &parsed));
    Ok(ParseJobOutput {
        ref_id: id.into_string(),
        posting: parsed.posting,
        workplace: parsed.workplace,
        seniority: parsed.seniority,
        hours_per_week: parsed.hours,
        must: parsed.must,
        nice: parsed.nice,
        skills: parsed.skills,
        language: parsed.language,
        sources,
        warnings: parsed.warnings,
    })
}

fn places(text: &str, parsed: &ParsedPosting) -> BTreeMap<String, SourceOut> {
    let count = |bytes: usize| text[..bytes].chars().count();
    let shown = parsed.sources.iter().map(|(path, source)| {
        let source = match source {
            PostingSource::Text(span) => SourceOut::Range([count(span.start), count(span.end)]),
            PostingSource::JsonLd(pointer) => SourceOut::Pointer(pointer.clone()),
        };
        (path.clone(), source)
    });
    shown.collect()
}
