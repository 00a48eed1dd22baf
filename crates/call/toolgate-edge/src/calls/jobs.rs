//! Calls that wait for people while their client holds a handle (the tasks extension).
//!
//! The handle names the approval. While this process lives, the call waits here and runs once it is approved; after a
//! restart the first question about the handle takes the call up again from what the approval holds.

pub(crate) mod table;

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use toolgate_catalog::CatalogEntry;
use toolgate_core::approval::{Approval, ApprovalState, WithdrawalReason};
use toolgate_core::id::ApprovalId;
use toolgate_core::moment::rfc3339;
use toolgate_core::port::ServerReply;
use toolgate_core::{PrincipalId, RawJson, RpcError};
use toolgate_pipeline::{WaitMode, ended_as, read_again};

use crate::calls::tool_call::{ResultAudience, SchemaNote, ToolCall};
use crate::clients::caller::RequestCaller;
use crate::gateway::Gateway;
use crate::messages::parts::OwnedRequest;
use crate::messages::reply::EnvelopedReply;
use crate::messages::seal::Sealer;

use table::{CallJob, JobEnd};

const PURPOSE: &str = "approval-task";
/// The interval at which a client should ask.
const POLL_INTERVAL_MS: u64 = 1_000;
/// Calls that wait here at once; more are taken up when a client asks about them.
const JOBS_MAX: usize = 10_000;

/// Results of calls that ended, kept until a client asks.
const ENDED_MAX: usize = 64;

pub(crate) fn expose(sealer: &Sealer, owner: &PrincipalId, approval: &ApprovalId) -> String {
    sealer.seal(PURPOSE, &format!("{approval}\n{owner}"))
}

/// The approval behind a handle, if it was given to this principal in this session.
pub(crate) fn resolve(sealer: &Sealer, owner: &PrincipalId, exposed: &str) -> Option<ApprovalId> {
    let payload = sealer.open(PURPOSE, exposed)?;
    let (approval, whose) = payload.split_once('\n')?;
    (whose == owner.as_str()).then(|| ApprovalId::new(approval))
}

/// Lets a call wait here and answers with its handle.
pub(crate) fn start(call: ToolCall, approval: &Approval) -> RawJson {
    let exposed = expose(&call.gateway.sealer, &call.caller.client.owner(), &approval.id);
    let gateway = call.gateway.clone();
    wait(&gateway, &approval.id, call);
    let mut task = describe(&exposed, approval, "working");
    task["resultType"] = "task".into();
    task["statusMessage"] = format!("waiting for approval {}", approval.id).into();
    task.into()
}

fn describe(exposed: &str, approval: &Approval, status: &str) -> Value {
    let updated = approval.resolved_at_ms.unwrap_or(approval.created_at_ms);
    json!({
        "taskId": exposed,
        "status": status,
        "createdAt": rfc3339(approval.created_at_ms),
        "lastUpdatedAt": rfc3339(updated),
        "ttlMs": null,
        "pollIntervalMs": POLL_INTERVAL_MS,
    })
}

/// Waits for the decision in a task of its own, unless another task waits for the same one already.
fn wait(gateway: &Arc<Gateway>, id: &ApprovalId, call: ToolCall) -> Option<CallJob> {
    let mut jobs = gateway.jobs.lock();
    if let Some(job) = jobs.get(id) {
        return Some(job.clone());
    }
    if jobs.len() >= JOBS_MAX || jobs.values().filter(|job| job.end.borrow().is_some()).count() > ENDED_MAX {
        // Those who ask about them later are told from the ledger.
        jobs.retain(|_, job| job.end.borrow().is_none());
        if jobs.len() >= JOBS_MAX {
            return None;
        }
    }
    let (ended, end) = watch::channel(None);
    // At the end of the gateway the pipeline lets go of what still waits; what was sent comes to its end.
    let cancel = CancellationToken::new();
    let job = CallJob { end, cancel: cancel.clone() };
    jobs.insert(id.clone(), job.clone());
    drop(jobs);
    let call = ToolCall { patience: WaitMode::Unbounded, caller: quiet(&call.caller), ..call };
    gateway.calls.spawn(async move {
        let said = call.run(&cancel).await;
        ended.send_replace(Some(said.map(whole)));
    });
    Some(job)
}

/// The same client, who has gone and cannot be told or asked anything.
fn quiet(caller: &RequestCaller) -> Arc<RequestCaller> {
    Arc::new(caller.without_ears())
}

/// The result with everything that stands in front of it.
fn whole(said: EnvelopedReply) -> RawJson {
    let (ServerReply::Complete(result)
    | ServerReply::Cached(result)
    | ServerReply::InputRequired(result)
    | ServerReply::Task(result)) = said.reply;
    let text = result.as_str();
    match text.strip_prefix('{') {
        Some(rest) if !said.front.is_empty() => {
            let comma = if rest.trim_start().starts_with('}') { "" } else { "," };
            RawJson::from_composed(format!("{{{}{comma}{rest}", said.front))
        }
        _ => result,
    }
}

/// `tasks/get`, `tasks/update` and `tasks/cancel` for a handle of ours.
pub(crate) async fn answer(
    gateway: &Arc<Gateway>,
    caller: &Arc<RequestCaller>,
    method: &str,
    exposed: &str,
    id: ApprovalId,
) -> Result<EnvelopedReply, RpcError> {
    match method {
        "tasks/get" => state(gateway, caller, exposed, &id).await,
        "tasks/cancel" => {
            cancel(gateway, caller, &id).await;
            Ok(ServerReply::Complete(RawJson::EMPTY).into())
        }
        // People are asked, not the client: there is nothing it could add.
        _ => Ok(ServerReply::Complete(RawJson::EMPTY).into()),
    }
}

async fn cancel(gateway: &Gateway, caller: &RequestCaller, id: &ApprovalId) {
    // If a person has decided meanwhile, the decision stands, and the call is stopped if it still can be.
    let by = &caller.client.principal.id;
    drop(gateway.approvals.cancel(id, by, WithdrawalReason::ByCaller).await);
    if let Some(job) = gateway.jobs.find(id) {
        job.cancel.cancel();
    }
}

async fn state(
    gateway: &Arc<Gateway>,
    caller: &Arc<RequestCaller>,
    exposed: &str,
    id: &ApprovalId,
) -> Result<EnvelopedReply, RpcError> {
    let unknown = || RpcError::invalid_params(format!("unknown task: {exposed}"));
    let down = |error: toolgate_core::governance::StoreDown| RpcError::new(RpcError::INTERNAL, error.told());
    let approval = gateway.approvals.get(id).await.map_err(down)?.ok_or_else(unknown)?;
    let job = match gateway.jobs.find(id) {
        Some(job) => Some(job),
        None => revive(gateway, caller, &approval).await,
    };
    let mut end = job.as_ref().and_then(|job| job.end.borrow().clone());
    if end.is_none() && job.is_none() {
        end = outcome_from_books(gateway, &approval).await;
    }
    let (status, member) = match end {
        None => ("working", None),
        Some(Ok(_)) if was_taken_back(&approval) => ("cancelled", None),
        Some(Ok(result)) => ("completed", Some(("result", result))),
        Some(Err(error)) => {
            ("failed", Some(("error", json!({ "code": error.code, "message": error.message }).into())))
        }
    };
    let mut task = describe(exposed, &approval, status);
    if status == "working" {
        task["statusMessage"] = working_message(&approval).into();
    }
    if let Some((key, value)) = member {
        task[key] = value.decode().unwrap_or_default();
    }
    Ok(ServerReply::Complete(task.into()).into())
}

/// If other policies withdrew the question, the call was judged again and has an end of its own.
fn was_taken_back(approval: &Approval) -> bool {
    approval.state == ApprovalState::Cancelled
        && approval.withdrawn != Some(WithdrawalReason::PoliciesChanged)
}

fn working_message(approval: &Approval) -> String {
    match approval.state {
        ApprovalState::Pending => format!("waiting for approval {}", approval.id),
        ApprovalState::Cancelled => {
            "the policies that asked for approval have changed; the call is judged again".into()
        }
        ApprovalState::Used => {
            let call = approval.used_by.as_ref().unwrap_or(&approval.call);
            format!("approved; the call was sent as {call}, and its end is not recorded yet")
        }
        _ if approval.complete => "approved; the call runs".into(),
        _ => "approved; make the same call again, since parts of it are not kept".into(),
    }
}

/// Takes a call up again that waited when the gateway ended.
async fn revive(gateway: &Arc<Gateway>, caller: &Arc<RequestCaller>, approval: &Approval) -> Option<CallJob> {
    if !approval.state.is_open() || !approval.complete {
        return None;
    }
    gateway.wait_settled().await;
    let view = gateway.discovery.view(&caller.client.seat());
    let entry = view.find(approval.binding.tool.as_str(), gateway.pipeline.now_ms())?.entry;
    if !still_fits(gateway, &entry, approval) {
        return None;
    }
    let proposed = approval.proposed_arguments.as_ref().unwrap_or(&approval.arguments);
    let request = Arc::new(OwnedRequest::of_tool_call(approval.binding.tool.as_str(), proposed));
    let call = ToolCall {
        gateway: gateway.clone(),
        caller: caller.clone(),
        entry,
        request,
        patience: WaitMode::Unbounded,
        warnings: Vec::new(),
        barred: None,
        note: SchemaNote::Never,
        whole: ResultAudience::ForClient,
    };
    wait(gateway, &approval.id, call)
}

/// True if the tool and the policies are those that people were asked about.
fn still_fits(gateway: &Gateway, entry: &CatalogEntry, approval: &Approval) -> bool {
    let same_tool = entry.tool.as_ref().filter(|tool| tool.version == approval.binding.tool_version);
    same_tool.is_some_and(|tool| gateway.pipeline.policy_stands(approval, tool))
}

/// The end of a call that ran before the gateway restarted.
async fn outcome_from_books(gateway: &Gateway, approval: &Approval) -> Option<JobEnd> {
    let said =
        |text: String| Ok(json!({ "content": [{ "type": "text", "text": text }], "isError": true }).into());
    match approval.state {
        ApprovalState::Pending | ApprovalState::Approved => None,
        ApprovalState::Used => {
            let call = approval.used_by.clone()?;
            // Without an end the call may be under way on another gateway, or the store does not answer.
            let end = gateway.approvals.end_of(&call).await.ok().flatten()?;
            Some(match end.result {
                Some(result) => Ok(read_again(&result)),
                None => said(format!("the call was sent as {call}: {}", ended_as(end.outcome))),
            })
        }
        state => {
            Some(said(format!("the call did not run: its approval {} is {}", approval.id, state.as_str())))
        }
    }
}
