//! `get_pending_jobs`: the next jobs of a person, leased to the run that asks.

use std::sync::Arc;

use capability_kit::{Caller, Effect, Tool, Trouble};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::shared;
use crate::clock;
use crate::records::text::{self, ID_CHARS_MAX};
use crate::records::{JobRecords, LEASES_MAX, LeasedJob};
use crate::state::ApplicationState;

const LIMIT: usize = 5;
/// All postings of an answer together, in bytes; those beyond are left out.
const POSTINGS_BYTES_MAX: usize = 40_000;

pub(super) fn tool(records: &Arc<JobRecords>) -> Tool {
    shared::tool(
        records,
        "get_pending_jobs",
        "Get the next jobs",
        "Lease the next jobs that a person wants to apply to. They are this run's until it records an outcome or its lease \
         runs out; every call of the run renews it. Called again, it returns the jobs that the run has already, and \
         those whose outcome it still owes (underWay).",
        pending,
    )
    .effect(Effect::Write)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PendingJobsArguments {
    user: String,
    /// Jobs at a time, those that the run has included; 5 by default, 50 at most.
    #[serde(default)]
    limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PendingJobsOutput {
    jobs: Vec<LeasedJobOut>,
    /// Applications of this run that may have been sent: find out and record what happened, and do not send them again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    under_way: Vec<UnderWayOut>,
    /// Jobs of this person that nobody has.
    pending_left: i64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LeasedJobOut {
    application_id: String,
    job_id: String,
    /// Pass it as expected_version.
    version: i64,
    title: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    company: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    place: String,
    /// The page to apply on.
    #[serde(skip_serializing_if = "String::is_empty")]
    url: String,
    /// Other pages of the same job.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_urls: Vec<String>,
    canonical_key: String,
    lease_until: String,
    /// schema.org JobPosting.
    #[serde(skip_serializing_if = "Option::is_none")]
    posting: Option<Value>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UnderWayOut {
    application_id: String,
    job_id: String,
    title: String,
    url: String,
    status: String,
    version: i64,
}

async fn pending(
    records: Arc<JobRecords>,
    caller: Caller,
    arguments: PendingJobsArguments,
) -> Result<PendingJobsOutput, Trouble> {
    let user = text::required("user", &arguments.user, ID_CHARS_MAX)?;
    let limit = arguments.limit.unwrap_or(LIMIT);
    if limit == 0 || limit > LEASES_MAX {
        return Err(
            Trouble::bad_arguments(format!("limit is {limit}")).hint(format!("pass 1 to {LEASES_MAX}"))
        );
    }
    let mut tx = records.begin(&caller).await?;
    let leased = async {
        tx.person(&user).await?;
        let own = tx.lease(&user, limit).await?;
        let mut urls = Vec::with_capacity(own.len());
        for job in &own {
            urls.push(tx.urls(&job.job).await?);
        }
        Ok((own, urls, tx.pending_left(&user).await?))
    };
    let leased = Box::pin(leased).await;
    let (own, urls, pending_left) = tx.finish(leased).await?;
    Ok(output(own, urls, pending_left))
}

fn output(own: Vec<LeasedJob>, urls: Vec<Vec<String>>, pending_left: i64) -> PendingJobsOutput {
    let mut room = POSTINGS_BYTES_MAX;
    let mut output = PendingJobsOutput { jobs: Vec::new(), under_way: Vec::new(), pending_left };
    for (job, urls) in own.into_iter().zip(urls) {
        if job.state != ApplicationState::Leased.as_str() {
            output.under_way.push(under_way(job));
            continue;
        }
        let fits = job.posting.len() <= room;
        room -= if fits { job.posting.len() } else { 0 };
        let posting = fits.then(|| serde_json::from_str(&job.posting).ok()).flatten();
        output.jobs.push(leased(job, urls, posting));
    }
    output
}

fn under_way(job: LeasedJob) -> UnderWayOut {
    UnderWayOut {
        application_id: job.application,
        job_id: job.job,
        title: job.title,
        url: job.url,
        status: job.state,
        version: job.version,
    }
}

fn leased(job: LeasedJob, mut urls: Vec<String>, posting: Option<Value>) -> LeasedJobOut {
    urls.retain(|url| *url != job.url);
    LeasedJobOut {
        application_id: job.application,
        job_id: job.job,
        version: job.version,
        title: job.title,
        company: job.company,
        place: job.place,
        url: job.url,
        other_urls: urls,
        canonical_key: job.canonical_key,
        lease_until: clock::written(job.lease_until_ms),
        posting,
    }
}
