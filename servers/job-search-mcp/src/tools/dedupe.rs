//! `dedupe_jobs`: the same advertisement on several boards.

use capability_kit::{Trouble, TroubleCode, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::duplicates::{self, ListedJob};

/// Every pair is compared.
const JOBS_MAX: usize = 500;
/// All texts together.
const TEXT_BYTES_MAX: usize = 4 << 20;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DedupeJobsArguments {
    /// At most 500.
    jobs: Vec<ListedJobArgument>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListedJobArgument {
    /// Named in the answer; the position from 0 if omitted.
    #[serde(default)]
    id: Option<String>,
    title: String,
    #[serde(default)]
    company: Option<String>,
    #[serde(default)]
    location: Option<String>,
    /// The description, or its beginning.
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    url: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct DuplicateGroupOut {
    ids: Vec<String>,
    /// The fields that they share: title, company, place, text, number, url.
    why: Vec<&'static str>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct DedupeJobsOutput {
    /// Each is one job. Jobs in no group have no duplicate.
    groups: Vec<DuplicateGroupOut>,
    /// The number of different jobs.
    unique: usize,
}

pub(super) fn dedupe(arguments: DedupeJobsArguments, _: &Work) -> Result<DedupeJobsOutput, Trouble> {
    let count = arguments.jobs.len();
    if count > JOBS_MAX {
        return Err(Trouble::new(
            TroubleCode::TooLarge,
            format!("{count} jobs were passed, and {JOBS_MAX} are compared at most"),
        )
        .hint("pass them by company or by place"));
    }
    let bytes: usize = arguments.jobs.iter().filter_map(|job| job.text.as_ref()).map(String::len).sum();
    if bytes > TEXT_BYTES_MAX {
        return Err(Trouble::new(
            TroubleCode::TooLarge,
            format!("the texts have {bytes} bytes, and {TEXT_BYTES_MAX} are read at most"),
        )
        .hint("pass the beginning of each description"));
    }
    let mut ids = Vec::with_capacity(count);
    let mut jobs = Vec::with_capacity(count);
    for (at, job) in arguments.jobs.into_iter().enumerate() {
        ids.push(job.id.unwrap_or_else(|| at.to_string()));
        jobs.push(ListedJob {
            title: job.title,
            company: job.company,
            location: job.location,
            text: job.text,
            url: job.url,
        });
    }
    let found = duplicates::find(&jobs);
    let unique = count + found.len() - found.iter().map(|group| group.jobs.len()).sum::<usize>();
    let groups = found.into_iter().map(|group| DuplicateGroupOut {
        ids: group.jobs.iter().map(|at| ids[*at].clone()).collect(),
        why: group.why,
    });
    Ok(DedupeJobsOutput { groups: groups.collect(), unique })
}
