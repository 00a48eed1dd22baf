//! `tailor_resume`: the most relevant parts first, laid out as PDF or DOCX.

use capability_kit::{Trouble, Work};
use capability_typeset::Resume;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fit::today;
use super::given::{self, GivenProfile};
use crate::fit::{self, JobDescription, ProfileFacts};
use crate::tailor::{self, Format, ResumeTemplate};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TailorArguments {
    /// The `ref_id` that extract_profile or parse_document returned.
    #[serde(default)]
    source_ref_id: Option<String>,
    /// Instead: a JSON Resume.
    #[serde(default)]
    profile: Option<Value>,
    /// The target role, such as `Platform Engineer`.
    #[serde(default)]
    target_role: Option<String>,
    /// The text of the target job description.
    #[serde(default)]
    job_description: Option<String>,
    #[serde(default)]
    format: Format,
    /// Omit the least relevant parts until it has no more pages than this (PDF only).
    #[serde(default)]
    max_pages: Option<usize>,
    #[serde(default)]
    template: ResumeTemplate,
    /// Also return the content of the file as a JSON Resume.
    #[serde(default)]
    content: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct TailorOutput {
    ref_id: String,
    format: Format,
    media_type: &'static str,
    /// Null for DOCX: the viewer decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    page_count: Option<usize>,
    /// With `content`: the content in order. Every string of it is in the profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    resume: Option<Resume>,
    changes: Vec<String>,
    left_out: Vec<String>,
    /// Requirements of the job that the profile does not support; they are not claimed.
    unsupported: Vec<String>,
    warnings: Vec<String>,
}

pub(super) fn tailor(arguments: TailorArguments, work: &Work) -> Result<TailorOutput, Trouble> {
    let given =
        GivenProfile { source_ref_id: arguments.source_ref_id, profile: arguments.profile, text: None };
    let (kept, mut warnings) = given::profile(given, work)?;
    let facts = ProfileFacts::of(&kept.resume, &[]);
    let job = job(arguments.job_description.as_deref(), arguments.target_role.as_deref(), &facts);
    let resume: Resume = serde_json::from_value(kept.resume.clone())
        .map_err(|error| Trouble::bad_arguments(format!("the profile is not a JSON Resume: {error}")))?;
    let wish = tailor::TailorRequest {
        format: arguments.format,
        template: arguments.template,
        pages_max: arguments.max_pages.map(|pages| pages.max(1)),
        language: kept.language.clone(),
    };
    let made = tailor::tailor(resume, &job, &wish)
        .map_err(|error| Trouble::unreadable(error.to_string()).hint(error.hint()))?;
    warnings.extend(made.warnings);
    let id = work.keep(&made.bytes, arguments.format.media_type(), arguments.format.file_name())?;
    let unsupported =
        fit::score(&facts, &job, today()).missing.into_iter().map(|missing| missing.requirement).collect();
    Ok(TailorOutput {
        ref_id: id.into_string(),
        format: arguments.format,
        media_type: arguments.format.media_type(),
        page_count: made.pages,
        resume: arguments.content.then_some(made.resume),
        changes: made.changes,
        left_out: made.left_out,
        unsupported,
        warnings,
    })
}

fn job(description: Option<&str>, role: Option<&str>, facts: &ProfileFacts<'_>) -> JobDescription {
    match (description, role) {
        (Some(description), role) => {
            let mut job = JobDescription::read(description);
            job.want_known(description, &facts.listed_skills());
            job.role = role.map(str::to_owned).or(job.role);
            job
        }
        (None, Some(role)) => JobDescription::of_role(role),
        (None, None) => JobDescription::default(),
    }
}
