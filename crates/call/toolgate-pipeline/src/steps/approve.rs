//! Step five: where policy asks for people, people have agreed to exactly this call.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolgate_core::approval::{
    Approval, ApprovalState, Ballot, Binding, Grant, NewVote, VoteChannel, WithdrawalReason,
};
use toolgate_core::codes;
use toolgate_core::credential::CredentialUse;
use toolgate_core::decision::{ApprovalRequirement, Verdict};
use toolgate_core::event::{Durability, LedgerEntry, Outcome};
use toolgate_core::governance::{NewApproval, StoreDown, VoteSubmission, Warrant};
use toolgate_core::{Digest, RawJson, stop_point};

use super::decide::{Permitted, judge};
use super::heard::{note_edit, ran_before};
use super::refusals::{cancelled, ledger_down};
use super::{filter, preview, unseen};
use crate::answer::CallRefusal;
use crate::canonical;
use crate::pipeline::Pipeline;
use crate::ports::{Confirmer, Executor, WaitMode};
use crate::redact::{self, MarkStyle, Redacted};
use crate::request::InputRound;
use crate::schema::{InputCheck, render};
use crate::ticket::{StopAnswer, StoppedCall, Ticket};
use crate::words::TextAudience;

/// The interval at which a client hears that its call still waits.
const PROGRESS_EVERY: Duration = Duration::from_secs(5);

/// A call that may be sent: it needed no approval, or has it.
pub(crate) struct Approved {
    ticket: Ticket,
    /// The approved arguments, possibly changed by an approver.
    arguments: Option<RawJson>,
    warrant: Warrant,
    agreed: Option<Digest>,
}

impl Approved {
    pub(super) fn into_parts(self) -> (Ticket, Option<RawJson>, Warrant, Option<Digest>) {
        (self.ticket, self.arguments, self.warrant, self.agreed)
    }
}

pub(crate) async fn approve(
    pipeline: &Pipeline,
    permitted: Permitted,
    client: &dyn Confirmer,
    executor: &dyn Executor,
    cancel: &CancellationToken,
) -> Result<Approved, Box<StoppedCall>> {
    let (mut ticket, arguments, requirement) = permitted.into_parts();
    if requirement.is_some() && executor.has_preview() {
        ticket = Box::pin(preview::with_preview(pipeline, ticket, &arguments, executor)).await?;
    }
    if let Some(round) = ticket.round.clone() {
        let agreed = agreement(&ticket, bound(&ticket, &arguments));
        return go_on(pipeline, ticket, round, agreed, requirement.is_some());
    }
    let Some(requirement) = requirement else {
        return Ok(Approved { ticket, arguments: None, warrant: Warrant::NoneNeeded, agreed: None });
    };
    let proposed = bound(&ticket, &arguments);
    let agreed = agreement(&ticket, proposed);
    let asking = PendingApproval { ticket, arguments, requirement, proposed, agreed };
    match Box::pin(find_grant(pipeline, &asking)).await {
        Err(down) => Err(ledger_down(asking.ticket, &down)),
        Ok(Some(grant)) => Ok(Approved {
            ticket: asking.ticket,
            arguments: None,
            warrant: Warrant::Grant { id: grant.id },
            agreed: Some(agreed),
        }),
        // Few calls come here; a box keeps the future of all others small.
        Ok(None) => Box::pin(ask(pipeline, asking, client, cancel)).await,
    }
}

/// Identifies the exact call that people agree to, or that its client continues.
pub(super) fn agreement(ticket: &Ticket, arguments: Digest) -> Digest {
    Digest::of(format!("{}\n{}\n{}\n{arguments}", ticket.principal.id, ticket.tool.name, ticket.tool.version))
}

/// The digest of arguments with the files and refs they name resolved to their content.
pub(super) fn bound(ticket: &Ticket, arguments: &Value) -> Digest {
    let digest = canonical::digest_of(arguments);
    if ticket.attachments.is_empty() {
        return digest;
    }
    let contents = ticket.attachments.iter().map(|one| format!("\n{} {}", one.place, one.digest));
    Digest::of(std::iter::once(digest.to_string()).chain(contents).collect::<String>())
}

/// The next round of a call: the same call, continued once, or nothing. An approver's changes cannot continue
/// this way, since the client repeats its own proposal. Unrecorded calls cannot tell rounds apart.
fn go_on(
    pipeline: &Pipeline,
    mut ticket: Ticket,
    round: InputRound,
    agreed: Digest,
    is_gated: bool,
) -> Result<Approved, Box<StoppedCall>> {
    let problem = match () {
        () if round.agreed != agreed => {
            "requestState belongs to a different call, or to one that an approver changed"
        }
        () if is_gated && !round.approved => "this call needs an approval by now, and none was asked for",
        () => {
            let warrant = match ticket.is_recorded() || round.approved {
                true => Warrant::Round { call: round.call, round: round.number },
                false => Warrant::NoneNeeded,
            };
            let agreed = round.approved.then_some(agreed);
            return Ok(Approved { ticket, arguments: None, warrant, agreed });
        }
    };
    ticket.stand_alone(pipeline);
    let refusal = CallRefusal::new(&codes::STALE, problem).hint("make the call again without requestState");
    Err(StoppedCall::new(ticket, Outcome::Refused, refusal))
}

/// A grant for this call. An unused approval of the call itself comes first, or one decision would allow one
/// run too many.
async fn find_grant(pipeline: &Pipeline, asking: &PendingApproval) -> Result<Option<Grant>, StoreDown> {
    let PendingApproval { ticket, arguments, requirement, .. } = asking;
    let tool = &ticket.tool;
    let grants = pipeline.approvals.grants(&ticket.principal.id, &tool.name, tool.version).await?;
    let now_ms = pipeline.clock.now_ms();
    let fits = |grant: &Grant| {
        grant.is_live(now_ms)
            && grant.covers(requirement)
            && pins_hold(grant, arguments)
            && ticket.credentials.iter().all(|one| pins_credential(grant, one))
    };
    let Some(grant) = grants.into_iter().find(fits) else { return Ok(None) };
    let open = pipeline.approvals.find_open(&asking.binding()).await?;
    let is_approved = open.is_some_and(|approval| approval.state == ApprovalState::Approved);
    Ok((!is_approved).then_some(grant))
}

fn pins_hold(grant: &Grant, arguments: &Value) -> bool {
    grant
        .pins
        .iter()
        .all(|pin| arguments.pointer(&pin.path).is_some_and(|value| canonical::digest_of(value) == pin.value))
}

/// Whoever lets an agent log in at one site has not let it log in at another: a grant pins the handle.
fn pins_credential(grant: &Grant, used: &CredentialUse) -> bool {
    let is_around = |path: &str| {
        used.place.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    grant.pins.iter().any(|pin| is_around(&pin.path))
}

/// A call that needs approval.
struct PendingApproval {
    ticket: Ticket,
    arguments: Value,
    requirement: ApprovalRequirement,
    proposed: Digest,
    agreed: Digest,
}

impl PendingApproval {
    fn binding(&self) -> Binding {
        Binding {
            principal: self.ticket.principal.id.clone(),
            tool: self.ticket.tool.name.clone(),
            tool_version: self.ticket.tool.version,
            proposed: self.proposed,
            policies: self.ticket.basis.unwrap_or_else(|| self.requirement.basis(self.ticket.template)),
        }
    }

    /// The arguments as people see them.
    fn shown<'a>(&'a self, pipeline: &Pipeline) -> Redacted<'a> {
        pipeline.redactor.redact_input(self.ticket.tool.name.as_str(), &self.arguments, MarkStyle::Told)
    }

    fn new_approval(&self, pipeline: &Pipeline, shown: Redacted<'_>) -> NewApproval {
        let about = &self.ticket.about;
        NewApproval {
            call: self.ticket.call.clone(),
            binding: self.binding(),
            requester: self.ticket.principal.clone(),
            complete: shown.complete,
            arguments: RawJson::from(shown.value.into_owned()),
            attachments: self.ticket.attachments.clone(),
            credentials: self.ticket.credentials.clone(),
            requirement: self.requirement.clone(),
            policy_version: self.ticket.policy_version,
            session: about.session.clone(),
            opened_by: self.ticket.opened_by.clone(),
            agent: self.ticket.agent.clone(),
            template: self.ticket.template,
            run: self.ticket.run.clone(),
            task: self.ticket.task.as_deref().map(str::to_owned),
            timeout: self.requirement.timeout().unwrap_or(pipeline.times.approval_timeout()),
        }
    }
}

async fn ask(
    pipeline: &Pipeline,
    mut asking: PendingApproval,
    client: &dyn Confirmer,
    cancel: &CancellationToken,
) -> Result<Approved, Box<StoppedCall>> {
    let mut waited = Duration::ZERO;
    loop {
        let mut approval;
        (asking, approval) = open(pipeline, asking, client).await?;
        if approval.state == ApprovalState::Pending {
            approval = match wait(pipeline, &asking, approval, client, &mut waited, cancel).await {
                WaitOutcome::Decided(approval) => *approval,
                WaitOutcome::Ended(outcome, words) => {
                    return Err(Box::new(StoppedCall { ticket: asking.ticket, outcome, words }));
                }
            };
        }
        let is_void = approval.withdrawn == Some(WithdrawalReason::PoliciesChanged);
        if approval.state != ApprovalState::Cancelled || !is_void {
            return settle(pipeline, asking, approval, client).await;
        }
        // The call still waits, so people are asked again if the current policies require it.
        match judge(pipeline, &mut asking.ticket, &asking.arguments) {
            Verdict::Approve(requirement) => asking.requirement = requirement,
            Verdict::Permit => {
                let PendingApproval { ticket, .. } = asking;
                return Ok(Approved { ticket, arguments: None, warrant: Warrant::NoneNeeded, agreed: None });
            }
            Verdict::Deny(denial) => {
                let refusal =
                    TextAudience::of(pipeline, &asking.ticket).denied(&asking.ticket.tool.name, &denial);
                return Err(StoppedCall::new(asking.ticket, Outcome::Denied, refusal));
            }
        }
    }
}

/// Asks people, or finds the open question.
async fn open(
    pipeline: &Pipeline,
    mut asking: PendingApproval,
    client: &dyn Confirmer,
) -> Result<(PendingApproval, Approval), Box<StoppedCall>> {
    let shown = asking.shown(pipeline);
    if let Some(refusal) = unseen::refusal(&asking.ticket.tool, &shown.hidden) {
        return Err(StoppedCall::new(asking.ticket, Outcome::Refused, refusal));
    }
    match too_many(pipeline, &asking, client).await {
        Ok(None) => {}
        Ok(Some(refusal)) => return Err(StoppedCall::new(asking.ticket, Outcome::Refused, refusal)),
        Err(down) => return Err(ledger_down(asking.ticket, &down)),
    }
    let new = asking.new_approval(pipeline, shown);
    // The policy's decision is on disk before people hear of it. The bodies also stay with the ticket: a later event names them.
    let unwritten = &mut asking.ticket.unwritten;
    let decided = LedgerEntry {
        events: std::mem::take(&mut unwritten.events),
        bodies: unwritten.bodies.clone(),
        durability: Durability::OnDisk,
    };
    if let Err(down) = pipeline.ledger.append(decided).await {
        return Err(ledger_down(asking.ticket, &down));
    }
    let opened = match pipeline.approvals.open(new).await {
        Ok(opened) => opened,
        Err(down) => return Err(ledger_down(asking.ticket, &down)),
    };
    stop_point::reach("asked");
    asking.ticket.approval = Some(opened.approval.id.clone());
    Ok((asking, opened.approval))
}

/// The reason why people are not asked, if too many calls of this caller already wait for them. An open
/// question does not count again.
async fn too_many(
    pipeline: &Pipeline,
    asking: &PendingApproval,
    client: &dyn Confirmer,
) -> Result<Option<CallRefusal>, StoreDown> {
    let Some(asking_may) = client.may_ask() else { return Ok(None) };
    let Err(refusal) = asking_may.await else { return Ok(None) };
    let known = pipeline.approvals.find_open(&asking.binding()).await?;
    Ok(known.is_none().then(|| CallRefusal::of_content(&refusal)))
}

enum WaitOutcome {
    Decided(Box<Approval>),
    Ended(Outcome, StopAnswer),
}

async fn wait(
    pipeline: &Pipeline,
    asking: &PendingApproval,
    approval: Approval,
    client: &dyn Confirmer,
    waited: &mut Duration,
    cancel: &CancellationToken,
) -> WaitOutcome {
    let held = pipeline.held.begin(&approval.id);
    let ended = if approval.requirement.caller_may_decide() && client.can_confirm() {
        confirm(pipeline, asking, &approval, client, cancel).await
    } else {
        hold(pipeline, asking, &approval, client, waited, cancel).await
    };
    // A question without anyone waiting for the answer is not left to people.
    if let WaitOutcome::Ended(Outcome::Cancelled, _) = ended
        && client.has_withdrawn()
        && held.is_alone()
    {
        let by = &asking.ticket.principal.id;
        // A decision made meanwhile stands; the call is not sent all the same.
        drop(pipeline.approvals.cancel(&approval.id, by, WithdrawalReason::ByCaller).await);
    }
    ended
}

async fn hold(
    pipeline: &Pipeline,
    asking: &PendingApproval,
    approval: &Approval,
    client: &dyn Confirmer,
    waited: &mut Duration,
    cancel: &CancellationToken,
) -> WaitOutcome {
    let hold = match client.patience() {
        WaitMode::Handle => {
            return WaitOutcome::Ended(
                Outcome::PendingApproval,
                StopAnswer::Handle(Box::new(approval.clone())),
            );
        }
        WaitMode::Hold => Some(pipeline.times.hold()),
        WaitMode::NotAtAll => Some(Duration::ZERO),
        WaitMode::Unbounded => None,
    };
    let pending = || {
        let refusal = TextAudience::of(pipeline, &asking.ticket).pending(approval);
        WaitOutcome::Ended(Outcome::PendingApproval, StopAnswer::Refusal(refusal))
    };
    let mut decided = pipeline.approvals.left(&approval.id, ApprovalState::Pending);
    loop {
        let left = hold.map_or(PROGRESS_EVERY, |hold| hold.saturating_sub(*waited).min(PROGRESS_EVERY));
        if left.is_zero() {
            return pending();
        }
        tokio::select! {
            approval = &mut decided => return WaitOutcome::Decided(Box::new(approval)),
            () = cancel.cancelled() => return WaitOutcome::Ended(Outcome::Cancelled, StopAnswer::Refusal(cancelled())),
            // The question is in the store; the next gateway continues with it.
            () = pipeline.closing.cancelled() => return pending(),
            () = pipeline.clock.sleep(left) => {
                *waited += left;
                client.waiting(approval, *waited);
            }
        }
    }
}

/// Asks the person at the client, who may decide this alone.
async fn confirm(
    pipeline: &Pipeline,
    asking: &PendingApproval,
    approval: &Approval,
    client: &dyn Confirmer,
    cancel: &CancellationToken,
) -> WaitOutcome {
    let pending = || {
        let refusal = TextAudience::of(pipeline, &asking.ticket).pending(approval);
        WaitOutcome::Ended(Outcome::PendingApproval, StopAnswer::Refusal(refusal))
    };
    let answer = tokio::select! {
        answer = client.confirm(&approval.id, question(approval)) => answer,
        () = cancel.cancelled() => return WaitOutcome::Ended(Outcome::Cancelled, StopAnswer::Refusal(cancelled())),
        () = pipeline.closing.cancelled() => return pending(),
        // Another person may decide first.
        approval = pipeline.approvals.left(&approval.id, ApprovalState::Pending) => {
            return WaitOutcome::Decided(Box::new(approval));
        }
    };
    let answer = answer.ok().and_then(|raw| raw.decode::<Value>().ok()).unwrap_or_default();
    let ballot = match (answer["action"].as_str(), &answer["content"]["approve"]) {
        (Some("accept"), Value::Bool(true)) => Ballot::Approve,
        (Some("accept" | "decline"), _) => Ballot::Deny,
        // Closed without an answer, or no answer at all: the question stays open.
        _ => return pending(),
    };
    let word = NewVote {
        voter: asking.ticket.principal.clone(),
        standing: VoteChannel::AtTheClient,
        ballot,
        reason: answer["content"]["reason"].as_str().map(str::to_owned),
        shown: Some(approval.effective),
        counts_as: None,
    };
    let deciding = VoteSubmission { id: approval.id.clone(), word, grant: None, via: "elicitation".into() };
    match pipeline.approvals.decide(deciding).await {
        Ok(decided) => WaitOutcome::Decided(Box::new(decided.approval)),
        // Decided elsewhere at the same moment: that decision stands.
        Err(_) => match pipeline.approvals.get(&approval.id).await {
            Ok(Some(approval)) if approval.state != ApprovalState::Pending => {
                WaitOutcome::Decided(Box::new(approval))
            }
            _ => pending(),
        },
    }
}

fn question(approval: &Approval) -> RawJson {
    let reasons: Vec<&str> =
        approval.requirement.gates.iter().filter_map(|gate| gate.reason.as_deref()).collect();
    let why = if reasons.is_empty() { String::new() } else { format!("\n{}", reasons.join("\n")) };
    let message = format!(
        "{} wants to run {} with {}{why}",
        approval.binding.principal,
        approval.binding.tool,
        approval.arguments.as_str()
    );
    json!({
        "message": message,
        "requestedSchema": {
            "type": "object",
            "properties": {
                "approve": { "type": "boolean", "title": "Let it run", "description": "Whether exactly this call may run, once" },
                "reason": { "type": "string", "title": "Reason", "description": "Kept in the ledger" },
            },
            "required": ["approve"],
        },
    })
    .into()
}

/// The consequence of a decision for the call.
async fn settle(
    pipeline: &Pipeline,
    asking: PendingApproval,
    approval: Approval,
    client: &dyn Confirmer,
) -> Result<Approved, Box<StoppedCall>> {
    let reader = TextAudience::of(pipeline, &asking.ticket);
    let (outcome, refusal) = match approval.state {
        // No client would get the result; the same call gets it later.
        ApprovalState::Approved if !client.is_there() && !approval.requirement.unattended => {
            (Outcome::PendingApproval, reader.unattended(&approval))
        }
        ApprovalState::Approved => return take(pipeline, asking, approval),
        ApprovalState::Used => return Err(ran_before(pipeline, asking.ticket, &approval).await),
        ApprovalState::Pending => (Outcome::PendingApproval, reader.pending(&approval)),
        ApprovalState::Denied => (Outcome::Denied, reader.denied_by_person(&approval)),
        ApprovalState::ChangesRequested => (Outcome::ChangesRequested, reader.changes_requested(&approval)),
        ApprovalState::Expired => (Outcome::Expired, reader.expired(&approval)),
        ApprovalState::Lapsed if approval.withdrawn.is_some() => {
            (Outcome::Cancelled, reader.withdrawn(&approval))
        }
        ApprovalState::Lapsed => (Outcome::Expired, reader.lapsed(&approval)),
        ApprovalState::Cancelled => (Outcome::Cancelled, reader.withdrawn(&approval)),
    };
    Err(StoppedCall::new(asking.ticket, outcome, refusal))
}

/// Takes an approval. Arguments that an approver changed are validated and judged again, since they are what
/// runs; so is a call whose policies or filters changed while people were asked. An approval that another
/// call has used meanwhile is detected when the call starts.
fn take(
    pipeline: &Pipeline,
    mut asking: PendingApproval,
    approval: Approval,
) -> Result<Approved, Box<StoppedCall>> {
    // The same call from another session may have matched fewer gates, and people approved only those.
    if !covered(&asking.requirement, &approval.requirement) {
        let message = "people agreed to this call for another session, where policy asks for less";
        let hint = "call again once that approval is used or has ended, which asks the approvers again";
        let refusal = CallRefusal::new(&codes::NOT_APPROVED, message).hint(hint);
        return Err(StoppedCall::new(asking.ticket, Outcome::Refused, refusal));
    }
    let warrant = Warrant::Approval {
        id: approval.id.clone(),
        binding: asking.binding(),
        effective: approval.effective,
        call: asking.ticket.call.clone(),
    };
    let is_edited = approval.proposed_arguments.is_some();
    if is_edited {
        note_edit(&mut asking.ticket, &approval);
        let edited: Value = approval.arguments.decode().unwrap_or_default();
        let restored = redact::restore(edited, &asking.arguments, &asking.shown(pipeline).value);
        asking.arguments = match restored {
            Ok(effective) => effective,
            Err(lost) => {
                let refusal = CallRefusal::new(&codes::INVALID_EDIT, lost.to_string());
                return Err(StoppedCall::new(asking.ticket, Outcome::Denied, refusal));
            }
        };
    }
    let deciding = pipeline.policy.version_under(asking.ticket.template);
    let policy_stands = asking.ticket.policy_version == Some(deciding);
    let filters = pipeline.filters.load_full();
    let looked = asking.ticket.watched.as_ref().map(|watched| Arc::as_ptr(&watched.filters));
    let filters_stand = filters.as_ref().map(Arc::as_ptr) == looked;
    if (is_edited || !policy_stands || !filters_stand)
        && let Err(refusal) = check_again(pipeline, &mut asking.ticket, &asking.arguments, &approval)
    {
        return Err(StoppedCall::new(asking.ticket, Outcome::Denied, refusal));
    }
    // The approved arguments are sent in their canonical form: every digit that reaches the server was seen.
    let arguments = Some(RawJson::from_composed(canonical::canonical(&asking.arguments)));
    Ok(Approved { ticket: asking.ticket, arguments, warrant, agreed: Some(asking.agreed) })
}

fn check_again(
    pipeline: &Pipeline,
    ticket: &mut Ticket,
    effective: &Value,
    approval: &Approval,
) -> Result<(), CallRefusal> {
    if let InputCheck::Invalid(problems) = pipeline.schemas.check_input(&ticket.tool, effective) {
        let message =
            format!("the arguments as they were edited do not fit the tool:\n{}", render(&problems));
        return Err(CallRefusal::new(&codes::INVALID_EDIT, message));
    }
    filter::look_again(pipeline, ticket, effective)?;
    match judge(pipeline, ticket, effective) {
        Verdict::Permit => Ok(()),
        Verdict::Approve(requirement) if covered(&requirement, &approval.requirement) => Ok(()),
        Verdict::Approve(_) => {
            let message = "the call as it stands now needs other people's approval";
            Err(CallRefusal::new(&codes::NOT_APPROVED, message))
        }
        Verdict::Deny(denial) => Err(TextAudience::of(pipeline, ticket).denied(&ticket.tool.name, &denial)),
    }
}

/// True if every gate that asks now was covered by the approval.
fn covered(asks: &ApprovalRequirement, agreed: &ApprovalRequirement) -> bool {
    asks.gates.iter().all(|gate| agreed.gates.iter().any(|one| one.text == gate.text))
}
