//! `score_fit`: a profile beside a job description.

use capability_kit::{Trouble, Work};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::given::{self, GivenProfile};
use crate::fit::{self, FitReport, JobDescription, ProfileFacts};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FitArguments {
    /// The `ref_id` that extract_profile or parse_document returned.
    #[serde(default)]
    source_ref_id: Option<String>,
    /// Instead: a JSON Resume.
    #[serde(default)]
    profile: Option<Value>,
    /// Instead: the text of a resume.
    #[serde(default)]
    text: Option<String>,
    /// The text of the job description.
    job_description: String,
    /// Also return the positions of the quotes in the parsed text.
    #[serde(default)]
    spans: bool,
}

pub(super) fn fit(arguments: FitArguments, work: &Work) -> Result<FitReport, Trouble> {
    if arguments.job_description.trim().is_empty() {
        return Err(
            Trouble::bad_arguments("job_description is empty").hint("pass the text of the job description")
        );
    }
    let given = GivenProfile {
        source_ref_id: arguments.source_ref_id,
        profile: arguments.profile,
        text: arguments.text,
    };
    let (kept, warnings) = given::profile(given, work)?;
    let places = if arguments.spans { kept.places() } else { Vec::new() };
    let facts = ProfileFacts::of(&kept.resume, &places);
    let mut job = JobDescription::read(&arguments.job_description);
    job.want_known(&arguments.job_description, &facts.listed_skills());
    let mut fit = fit::score(&facts, &job, today());
    fit.warnings.extend(warnings);
    Ok(fit)
}

/// The year and the month: an ongoing job lasts until now.
pub(super) fn today() -> (i32, u8) {
    let date = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
    (i32::from(date.year()), u8::try_from(date.month()).unwrap_or(1))
}
