//! `import_jobs`: postings that an agent found, as jobs of a person.

use std::sync::Arc;

use capability_kit::{Caller, Effect, Tool, Trouble, TroubleCode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::shared;
use crate::posting;
use crate::records::text::{self, ID_CHARS_MAX};
use crate::records::{ImportCounts, JobRecords};

const JOBS_MAX: usize = 200;

pub(super) fn tool(records: &Arc<JobRecords>) -> Tool {
    shared::tool(
        records,
        "import_jobs",
        "Import jobs",
        "Add jobs that a person wants to apply to: answers of job-search-mcp's parse_job, JobPostings of schema.org, or \
         objects with title, company, location and url. A posting of a job that is known adds no second application.",
        import,
    )
    .effect(Effect::Write)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ImportJobsArguments {
    user: String,
    /// At most 200.
    jobs: Vec<Map<String, Value>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ImportJobsOutput {
    /// The job of each posting that was taken, in their order.
    job_ids: Vec<String>,
    new_jobs: usize,
    new_applications: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refused: Vec<RefusedJobOut>,
}

#[derive(Serialize, JsonSchema)]
struct RefusedJobOut {
    /// Its position, from 0.
    index: usize,
    why: String,
}

async fn import(
    records: Arc<JobRecords>,
    caller: Caller,
    arguments: ImportJobsArguments,
) -> Result<ImportJobsOutput, Trouble> {
    let user = text::required("user", &arguments.user, ID_CHARS_MAX)?;
    let count = arguments.jobs.len();
    if count > JOBS_MAX {
        let message = format!("{count} jobs were passed, and {JOBS_MAX} are taken at most");
        return Err(Trouble::new(TroubleCode::TooLarge, message).hint("pass them in parts"));
    }
    let (mut listings, mut refused) = (Vec::new(), Vec::new());
    for (index, job) in arguments.jobs.into_iter().enumerate() {
        match posting::read(&Value::Object(job)) {
            Ok(listing) => listings.push(listing),
            Err(why) => refused.push(RefusedJobOut { index, why }),
        }
    }
    let mut counts = ImportCounts::default();
    let mut tx = records.begin(&caller).await?;
    let imported = async {
        tx.person(&user).await?;
        tx.import(std::slice::from_ref(&user), &listings, &mut counts).await
    };
    let imported = Box::pin(imported).await;
    tx.finish(imported).await?;
    Ok(ImportJobsOutput {
        job_ids: counts.jobs,
        new_jobs: counts.new_jobs,
        new_applications: counts.new_applications,
        refused,
    })
}
