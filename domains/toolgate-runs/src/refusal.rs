//! The refusals of actions in a run, with hints.

use toolgate_core::codes;
use toolgate_core::id::{InputId, RunId};
use toolgate_core::run::{InputRequest, InputState};
use toolgate_core::{Refusal, RefusalKind, moment};
use toolgate_store::{BudgetExhausted, RunError, StoreError, StoredRunCall};

use crate::runs::DATA_TOOLS_BEFORE_ASKING;

/// The number of characters of a question that identify it in a message.
const PROMPT_CHARS: usize = 80;
/// The number of calls or runs that are named.
const NAMED_MAX: usize = 5;

pub(crate) fn refusal(error: RunError) -> Refusal {
    match error {
        RunError::UnknownRun(id) => unknown_run(&id),
        RunError::UnknownTask(id) => Refusal::new(&codes::UNKNOWN_TASK, format!("there is no task {id}")),
        RunError::UnknownInput(id) => unknown_input(&id),
        RunError::KeyTaken { run } => {
            Refusal::new(&codes::RUN_KEY_REUSED, format!("{run} was created under the key")).field("key")
        }
        RunError::Step(refusal) => refusal,
        RunError::Paused { run, question } => paused(&run, question.as_deref()),
        RunError::NotPaused { run, state } => {
            Refusal::new(&codes::RUN_STATE, format!("run {run} is {}, not paused", state.as_str()))
        }
        RunError::NotPending { run, state } => {
            Refusal::new(&codes::RUN_STATE, format!("run {run} is {}, not pending", state.as_str())).hint(
                "it is started once; run.get shows where it stands, and run.resume lets a paused one go on",
            )
        }
        RunError::NotStarted { run } => Refusal::new(
            &codes::RUN_STATE,
            format!("run {run} is pending: nothing is reported before it starts"),
        )
        .hint("call run.start first"),
        RunError::EndedOtherwise { run, state } => Refusal::new(
            &codes::RUN_ENDED_OTHERWISE,
            format!("run {run} is {}, and was ended with other arguments", state.as_str()),
        ),
        RunError::TooManyEvents { max } => Refusal::new(
            &codes::TOO_MANY_RUN_EVENTS,
            format!("a run has at most {max} events, and this one has them"),
        ),
        RunError::CheckpointTaken(before) => Refusal::new(
            &codes::CHECKPOINT_TAKEN,
            format!("the checkpoint {:?} was saved before with another state, {}", before.id, before.digest),
        )
        .field("checkpoint_id"),
        RunError::StateGone { .. } => {
            Refusal::new(&codes::STORAGE_BUSY, "the same bytes are being deleted at this moment")
        }
        RunError::MoreStored => Refusal::new(&codes::CALLS_IN_FLIGHT, "the run still stores artifacts"),
        RunError::Exhausted(exhausted) => budget_exhausted(&exhausted),
        RunError::TooEarly { completed } => too_early(&completed),
        RunError::SlotTaken(before) => slot_taken(&before),
        RunError::Resolved(input) => resolved(&input),
        RunError::BadAnswer(bad) => Refusal::new(&codes::BAD_ANSWER, bad.to_string()).field("answer"),
        RunError::InFlight(calls) => in_flight(&calls),
        RunError::OpenChildren(children) => open_children(&children),
        RunError::TooDeep { max } => Refusal::new(
            &codes::RUN_TOO_DEEP,
            format!("there are at most {max} runs nested within one another"),
        ),
        RunError::TooManyRuns { max } => {
            let message = format!("{max} runs that belong together have not ended, and no more are allowed");
            Refusal::new(&codes::TOO_MANY_RUNS, message)
        }
        RunError::Stale { current } => Refusal::new(&codes::STALE, format!("it is at version {current} now")),
        RunError::Store(error) => down(&error),
    }
}

/// A missing run and one that the caller may not see look the same.
pub fn unknown_run(id: &RunId) -> Refusal {
    Refusal::new(&codes::UNKNOWN_RUN, format!("there is no run {id}"))
}

/// The same for a question.
pub fn unknown_input(id: &InputId) -> Refusal {
    Refusal::new(&codes::UNKNOWN_INPUT, format!("there is no question {id}"))
}

/// The store is down. The cause may name hosts and statements: it is for the log.
pub(crate) fn down(error: &StoreError) -> Refusal {
    tracing::warn!(%error, "runs cannot be read or changed");
    Refusal::new(&codes::STORE_DOWN, "the gateway's store is not available")
}

fn paused(run: &RunId, question: Option<&InputRequest>) -> Refusal {
    let Some(question) = question else {
        return Refusal::new(&codes::RUN_PAUSED, format!("run {run} is paused"))
            .hint(format!("`toolgate runs resume {run}` lets it go on"));
    };
    let message =
        format!("run {run} is paused: it waits for an answer to {} ({})", question.id, prompt(question));
    Refusal::new(&codes::RUN_PAUSED, message).hint(format!(
        "`toolgate inputs answer {}` answers it; request_user_input with the slot_id {:?} waits for the answer",
        question.id, question.slot.slot_id
    ))
}

fn budget_exhausted(exhausted: &BudgetExhausted) -> Refusal {
    let BudgetExhausted { run, limit, max, used, wanted } = exhausted;
    let message = match wanted {
        0 => format!("the budget of run {run} is used up: {used} of {max} {limit}"),
        wanted => format!(
            "the call takes {wanted} {limit}, more than the budget of run {run} has left: {used} of {max} are used"
        ),
    };
    Refusal::new(&codes::BUDGET_EXHAUSTED, message)
}

fn too_early(completed: &[StoredRunCall]) -> Refusal {
    let missing = DATA_TOOLS_BEFORE_ASKING.saturating_sub(completed.len());
    let so_far = match completed {
        [] => "none has".to_owned(),
        [one] => format!("1 has ({})", one.tool),
        many => format!("{} have ({})", many.len(), named(many.iter().map(|call| call.tool.as_str()))),
    };
    let message = format!(
        "a person is asked only after {DATA_TOOLS_BEFORE_ASKING} calls of data tools have completed in this run; so far \
         {so_far}, so {missing} more {} missing",
        if missing == 1 { "is" } else { "are" }
    );
    Refusal::new(&codes::TOO_EARLY, message).kind(RefusalKind::Conflict)
}

fn slot_taken(before: &InputRequest) -> Refusal {
    let slot = &before.slot;
    let message = format!(
        "something else was asked in this run under the slot_id {:?}: a {}, {}",
        slot.slot_id,
        slot.slot_type.as_str(),
        prompt(before)
    );
    Refusal::new(&codes::SLOT_TAKEN, message).kind(RefusalKind::Conflict).field("slot_id")
}

/// It was answered already, or the answer is no longer needed.
fn resolved(input: &InputRequest) -> Refusal {
    let at = input.resolved_at_ms.map_or_else(String::new, |at_ms| format!(" at {}", moment::rfc3339(at_ms)));
    if input.state == InputState::Cancelled {
        let message = format!("the question {} was cancelled{at}: its run no longer waits for it", input.id);
        return Refusal::new(&codes::INPUT_CANCELLED, message);
    }
    let by = input.answered_by.as_ref().map_or("a person", |by| by.as_str());
    let message = format!("the question {} was answered by {by}{at}", input.id);
    Refusal::new(&codes::INPUT_ANSWERED, message)
}

fn in_flight(calls: &[StoredRunCall]) -> Refusal {
    let message = format!(
        "{} in this run have not ended: {}",
        counted(calls.len(), "call"),
        named(calls.iter().map(|call| format!("{} ({})", call.tool, call.call)))
    );
    Refusal::new(&codes::CALLS_IN_FLIGHT, message)
}

fn open_children(children: &[RunId]) -> Refusal {
    let message = format!(
        "{} within this one have not ended: {}",
        counted(children.len(), "run"),
        named(children.iter())
    );
    Refusal::new(&codes::CHILDREN_RUNNING, message)
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn named(names: impl ExactSizeIterator<Item = impl ToString>) -> String {
    let more = names.len().saturating_sub(NAMED_MAX);
    let mut named: Vec<String> = names.take(NAMED_MAX).map(|name| name.to_string()).collect();
    if more > 0 {
        named.push(format!("and {more} more"));
    }
    named.join(", ")
}

fn prompt(input: &InputRequest) -> String {
    let text = &input.slot.prompt_key;
    let short: String = text.chars().take(PROMPT_CHARS).collect();
    let dots = if short.len() < text.len() { "…" } else { "" };
    format!("{:?}", [short.as_str(), dots].concat())
}
