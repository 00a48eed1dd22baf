//! `list_applications`: applications with their states, page by page.

use std::sync::Arc;

use capability_kit::{Caller, Tool, Trouble};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::shared;
use crate::clock;
use crate::records::text::{self, ID_CHARS_MAX};
use crate::records::{ApplicationEvent, ApplicationFilter, JobRecords, ListedApplication};
use crate::state::ApplicationState;

const LIMIT: usize = 20;
const LIMIT_MAX: usize = 100;
/// The evidence's text in a list; the history has all of it.
const TEXT_CHARS_MAX: usize = 300;

pub(super) fn tool(records: &Arc<JobRecords>) -> Tool {
    shared::tool(
        records,
        "list_applications",
        "List applications",
        "Applications with status, version and evidence, oldest first; filter by user, status, job_id or application_id. \
         status needs_person lists what waits for a person. history adds every change, with who made it.",
        list,
    )
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListApplicationsArguments {
    #[serde(default)]
    user: Option<String>,
    /// Only those in this status.
    #[serde(default)]
    status: Option<ApplicationState>,
    #[serde(default)]
    job_id: Option<String>,
    #[serde(default)]
    application_id: Option<String>,
    /// Also return the changes of each.
    #[serde(default)]
    history: bool,
    /// 20 by default, 100 at most.
    #[serde(default)]
    limit: Option<usize>,
    /// The next of the page before.
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ListApplicationsOutput {
    applications: Vec<ListedApplicationOut>,
    /// Pass it as cursor for the next page; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ListedApplicationOut {
    application_id: String,
    job_id: String,
    user: String,
    title: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    company: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    place: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    url: String,
    status: String,
    version: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<EvidenceOut>,
    updated_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    lease_until: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<Vec<ApplicationEventOut>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EvidenceOut {
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    screenshot_ref: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ApplicationEventOut {
    version: i64,
    at: String,
    /// imported, leased, lease_ended, updated, recorded, withdrawn or resolved.
    event: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    to: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Value>,
}

async fn list(
    records: Arc<JobRecords>,
    caller: Caller,
    arguments: ListApplicationsArguments,
) -> Result<ListApplicationsOutput, Trouble> {
    let limit = arguments.limit.unwrap_or(LIMIT);
    if limit == 0 || limit > LIMIT_MAX {
        return Err(
            Trouble::bad_arguments(format!("limit is {limit}")).hint(format!("pass 1 to {LIMIT_MAX}"))
        );
    }
    let filter = filter(&arguments)?;
    let mut tx = records.begin(&caller).await?;
    let listed = async {
        let mut listed = tx.list(&filter, limit + 1).await?;
        let has_more = listed.len() > limit;
        listed.truncate(limit);
        let mut applications = Vec::with_capacity(listed.len());
        for one in listed {
            let history = match arguments.history {
                true => Some(tx.events(&one.application).await?.into_iter().map(event).collect()),
                false => None,
            };
            applications.push(shown(one, history));
        }
        let next = applications.last().filter(|_| has_more).map(|last| last.application_id.clone());
        Ok(ListApplicationsOutput { applications, next })
    };
    let listed = Box::pin(listed).await;
    tx.finish(listed).await
}

fn filter(arguments: &ListApplicationsArguments) -> Result<ApplicationFilter, Trouble> {
    let id = |name: &str, value: &Option<String>| {
        Ok::<_, Trouble>(text::optional(name, value.as_deref(), ID_CHARS_MAX)?.unwrap_or_default())
    };
    Ok(ApplicationFilter {
        user: id("user", &arguments.user)?,
        state: arguments.status,
        application: id("application_id", &arguments.application_id)?,
        job: id("job_id", &arguments.job_id)?,
        after: id("cursor", &arguments.cursor)?,
    })
}

fn shown(one: ListedApplication, history: Option<Vec<ApplicationEventOut>>) -> ListedApplicationOut {
    let is_held = ApplicationState::parse(&one.state).is_some_and(ApplicationState::is_held);
    let cut = |text: String| text.chars().take(TEXT_CHARS_MAX).collect();
    let evidence = EvidenceOut {
        url: one.evidence_url,
        text: one.evidence_text.map(cut),
        screenshot_ref: one.evidence_screenshot,
    };
    let has_evidence = evidence.url.is_some() || evidence.text.is_some() || evidence.screenshot_ref.is_some();
    ListedApplicationOut {
        application_id: one.application,
        job_id: one.job,
        user: one.user_id,
        title: one.title,
        company: one.company,
        place: one.place,
        url: one.url,
        status: one.state,
        version: one.version,
        reason: one.reason,
        evidence: has_evidence.then_some(evidence),
        updated_at: clock::written(one.updated_at_ms),
        lease_until: is_held.then(|| clock::written(one.lease_until_ms)),
        history,
    }
}

fn event(event: ApplicationEvent) -> ApplicationEventOut {
    ApplicationEventOut {
        version: event.version,
        at: clock::written(event.at_ms),
        event: event.kind,
        from: event.from_state,
        to: event.to_state,
        session: event.session,
        run: event.run,
        reason: event.reason,
        evidence: event.evidence.and_then(|evidence| serde_json::from_str(&evidence).ok()),
    }
}
