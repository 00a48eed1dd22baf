//! `match_profile`: an advertisement beside a JSON Resume.

use capability_kit::{FileInput, Trouble, Work};
use resume_profile_mcp::shared::{self, FitRequirement};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::given::GivenJob;
use crate::posting::ParsedPosting;

/// Quotes for one requirement.
const QUOTES_MAX: usize = 2;
const QUOTE_CHARS_MAX: usize = 160;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MatchProfileArguments {
    /// A JSON Resume.
    profile: Value,
    /// The text of the advertisement.
    #[serde(default)]
    job: Option<String>,
    /// Instead: the `ref_id` that parse_job returned.
    #[serde(default)]
    job_ref_id: Option<String>,
}

/// A part of the score.
#[derive(Serialize, JsonSchema)]
pub(super) struct MatchPart {
    name: &'static str,
    points: f64,
    /// The points that this part can give.
    of: f64,
    why: String,
}

/// A requirement that the profile meets.
#[derive(Serialize, JsonSchema)]
pub(super) struct MatchedOut {
    requirement: String,
    must: bool,
    /// `path: quote`, with a JSON pointer into the profile.
    evidence: Vec<String>,
}

/// A requirement that the profile does not meet.
#[derive(Serialize, JsonSchema)]
pub(super) struct MissingOut {
    requirement: String,
    must: bool,
    /// The nearest item of the profile; it does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct MatchProfileOutput {
    /// 0 to 100: the sum of the points of the parts.
    score: f64,
    parts: Vec<MatchPart>,
    met: Vec<MatchedOut>,
    missing: Vec<MissingOut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    years_asked: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    years_found: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

pub(super) fn compare(arguments: MatchProfileArguments, work: &Work) -> Result<MatchProfileOutput, Trouble> {
    let MatchProfileArguments { profile, job, job_ref_id } = arguments;
    if !profile.is_object() {
        return Err(Trouble::bad_arguments("profile is not a JSON Resume").hint(
            "pass an object as on https://jsonresume.org/schema, such as `resume` of extract_profile",
        ));
    }
    let file = FileInput { source_ref_id: job_ref_id, ..FileInput::default() };
    let (parsed, text) = GivenJob { text: job, file }.load(work)?.parse();
    let fit = shared::score_profile(&profile, &asked(&parsed, text), today());
    let parts = fit.parts.into_iter();
    Ok(MatchProfileOutput {
        score: fit.score,
        parts: parts.map(|(name, of, points, why)| MatchPart { name, points, of, why }).collect(),
        met: fit.met.into_iter().map(met).collect(),
        missing: fit.missing.into_iter().map(missing).collect(),
        years_asked: fit.years_asked,
        years_found: fit.years_found,
        warnings: fit.warnings,
    })
}

/// The requirements alone, where they were found: the scorer takes the rest of a text for requirements too.
fn asked(parsed: &ParsedPosting, text: String) -> String {
    if parsed.must.is_empty() {
        return text;
    }
    let list = |items: &[String]| items.iter().map(|item| format!("- {item}\n")).collect::<String>();
    let title = parsed.posting.title.as_deref().unwrap_or_default();
    format!("{title}\n\nRequirements:\n{}\nNice to have:\n{}", list(&parsed.must), list(&parsed.nice))
}

fn met(found: FitRequirement) -> MatchedOut {
    let quotes = found.evidence.into_iter().take(QUOTES_MAX);
    let evidence = quotes.map(|(path, quote)| {
        let cut: String = quote.chars().take(QUOTE_CHARS_MAX).collect();
        format!("{path}: {cut}")
    });
    MatchedOut { requirement: found.requirement, must: found.must, evidence: evidence.collect() }
}

fn missing(found: FitRequirement) -> MissingOut {
    MissingOut { requirement: found.requirement, must: found.must, nearest: found.nearest }
}

/// The year and the month: an ongoing job lasts until now.
fn today() -> (i32, u8) {
    let date = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
    (i32::from(date.year()), u8::try_from(date.month()).unwrap_or(1))
}
