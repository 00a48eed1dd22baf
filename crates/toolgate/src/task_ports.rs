//! The ports of the tools over tasks: calls by hand through the gateway, decisions at the desk of approvals, and files.

use std::sync::{Arc, Weak};

use serde_json::{Value, json};
use toolgate_core::codes::{self, Code};
use toolgate_core::content::ContentHolder;
use toolgate_core::governance::DecideError;
use toolgate_core::id::{FileId, InputId};
use toolgate_core::port::{BoxFuture, InputRounds};
use toolgate_core::run::{InputFile, InputRequest, Run, RunStarter, ended};
use toolgate_core::scope::{Credential, Seat, SessionRoute};
use toolgate_core::{Blame, Principal, RawJson, Refusal, Role};
use toolgate_edge::{DirectCall, Gateway, NotCalled};
use toolgate_files::{ContentAccess, Files};
use toolgate_pipeline::desk::{ApprovalDesk, ApprovalDeskError, ApproverDecision, DecideRequest};
use toolgate_pipeline::{CallAnswer, CallAnswerBody, CallerLabels, WaitMode};
use toolgate_runs::Runs;
use toolgate_sessions::Sessions;
use toolgate_store::Store;
use toolgate_tasks::{
    ActionDesk, ActionVote, ForcedAnswer, ForcedCall, ForcedCalls, TaskFiles, TaskToolParts, Tasks, VoteWord,
};

/// The channel of decisions and answers through a tool.
const VIA: &str = "tool";

/// The gateway is behind a weak reference: it has the tools, and the tools have this.
pub(crate) struct TaskPorts {
    pub(crate) gateway: Weak<Gateway>,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) runs: Arc<Runs>,
    pub(crate) files: Arc<Files>,
    pub(crate) desk: Arc<ApprovalDesk>,
}

impl TaskPorts {
    /// All that the tools work on.
    pub(crate) fn parts(
        self,
        tasks: Arc<Tasks>,
        starter: Arc<dyn RunStarter>,
        store: Store,
    ) -> TaskToolParts {
        let ports = Arc::new(self);
        TaskToolParts {
            tasks,
            runs: ports.runs.clone(),
            store,
            starter,
            forced: ports.clone(),
            actions: ports.clone(),
            files: ports,
        }
    }
}

impl ForcedCalls for TaskPorts {
    fn call(&self, call: ForcedCall) -> BoxFuture<'_, Result<ForcedAnswer, Refusal>> {
        Box::pin(self.force(call))
    }
}

impl TaskPorts {
    async fn force(&self, call: ForcedCall) -> Result<ForcedAnswer, Refusal> {
        let ended = || Refusal::new(&codes::SHUTTING_DOWN, "the gateway is shutting down");
        let gateway = self.gateway.upgrade().ok_or_else(ended)?;
        let ForcedCall { name, arguments, by, run } = call;
        let seat = match &run {
            Some(run) => self.seat_in(run, &by).await?,
            None => self.seat_of(&by)?,
        };
        let direct = DirectCall {
            seat,
            name: name.clone(),
            arguments,
            labels: CallerLabels {
                run: run.as_ref().map(|run| run.id.clone()),
                task: run.as_ref().and_then(|run| Some(run.task.as_ref()?.shared())),
                forced_by: Some(by.principal.id.clone()),
            },
            trace: None,
            patience: WaitMode::NotAtAll,
            rounds: InputRounds::Closed,
            listener: None,
        };
        let answered = gateway.call_tool(direct).await;
        answered.map(|(_, answer)| forced(answer)).map_err(|why| not_called(&name, why))
    }

    /// The session that the caller is in at this moment.
    fn seat_of(&self, by: &ContentHolder) -> Result<Arc<Seat>, Refusal> {
        let closed = || Refusal::new(&codes::SESSION_CLOSED, format!("session {} has ended", by.session));
        self.sessions.seat_of(&by.session).ok_or_else(closed)
    }

    /// The session of a run. Whoever forces a call there proposes it, and so does not approve it.
    async fn seat_in(&self, run: &Run, by: &ContentHolder) -> Result<Arc<Seat>, Refusal> {
        let Some(session) = &run.session else {
            return Err(match run.state.is_final() {
                true => ended(&run.id, run.state),
                false => Refusal::new(&codes::NO_SESSION, format!("run {} has no session yet", run.id)),
            });
        };
        let principal = Principal::new(run.principal.clone(), Role::Agent);
        let credential = Credential { session: Some(session.clone()), ..Credential::of(principal) };
        let seat = self.sessions.seat(&credential, &SessionRoute::Default).await?;
        match seat.principal.id == by.principal.id {
            true => Ok(seat),
            false => Ok(Arc::new(Seat { opened_by: Some(by.principal.id.clone()), ..(*seat).clone() })),
        }
    }
}

fn forced(answer: CallAnswer) -> ForcedAnswer {
    let CallAnswer { tool, envelope, body } = answer;
    let read = |raw: RawJson| raw.decode::<Value>().ok();
    let (result, error) = match body {
        CallAnswerBody::Result(result) | CallAnswerBody::Task(result) => (read(result), None),
        CallAnswerBody::InputRequired { .. } => (None, Some(told(&codes::INPUT_REQUIRED, ASKS))),
        CallAnswerBody::Error(error) => (None, Some(told(&codes::SERVER_ERROR, &error.to_string()))),
        CallAnswerBody::Refusal(refusal) => (None, read(RawJson::from_serialize(&refusal))),
        CallAnswerBody::Handle(_) => (None, None),
    };
    ForcedAnswer {
        tool,
        status: envelope.status,
        call: envelope.tool_call_id,
        approval: envelope.approval_id,
        result,
        error,
    }
}

const ASKS: &str = "the server asks its client something, which a call by hand cannot answer";

fn told(code: &Code, message: &str) -> Value {
    json!({ "code": code.name, "fault": Blame::Server, "retry": false, "message": message })
}

fn not_called(name: &str, why: NotCalled) -> Refusal {
    match why {
        NotCalled::Missing(_) => {
            Refusal::new(&codes::UNKNOWN_TOOL, format!("there is no tool {name:?} in this session"))
                .hint("`toolgate tools list` shows those there are")
                .field("name")
        }
        NotCalled::Refused(error) => Refusal::new(&codes::CALL_REFUSED, error.message),
        NotCalled::Ended => Refusal::new(&codes::SHUTTING_DOWN, "the gateway is shutting down"),
    }
}

impl ActionDesk for TaskPorts {
    fn decide(&self, vote: ActionVote) -> BoxFuture<'_, Result<&'static str, Refusal>> {
        Box::pin(async move {
            let ActionVote { approval, word, reason, voter } = vote;
            let decision = match word {
                VoteWord::Approve => ApproverDecision::Approve,
                VoteWord::Deny => ApproverDecision::Deny,
                VoteWord::RequestChanges => ApproverDecision::RequestChanges,
            };
            let request = DecideRequest {
                id: approval,
                voter,
                decision,
                reason,
                grant: None,
                shown: None,
                counts_as: None,
                via: VIA.to_owned(),
            };
            let decided = self.desk.decide(request).await.map_err(|error| undecided(&error))?;
            Ok(decided.approval.state.as_str())
        })
    }

    fn answer<'a>(
        &'a self,
        input: &'a InputId,
        answer: Value,
        by: &'a Principal,
    ) -> BoxFuture<'a, Result<InputRequest, Refusal>> {
        Box::pin(async move {
            let slot = self.runs.input(input).await?.slot;
            // An answer that does not fit the question is refused before any file is looked up.
            let file = match slot.check_answer(&answer) {
                Ok(()) => self.files.answering(by, &slot, &answer).await?,
                Err(_) => None,
            };
            self.runs.answer(input, answer, file, &by.id, VIA).await
        })
    }
}

/// Splits a text whose last lines are a hint.
fn undecided(error: &ApprovalDeskError) -> Refusal {
    let code = match error {
        ApprovalDeskError::Decide(DecideError::Unknown(_)) => &codes::NOT_FOUND,
        ApprovalDeskError::Decide(DecideError::Down(_)) => {
            // The cause may name hosts: it is for the log.
            tracing::warn!(%error, "a decision could not be recorded");
            return Refusal::new(&codes::STORE_DOWN, "the gateway's store is not available");
        }
        ApprovalDeskError::Decide(DecideError::Refused(refusal)) => refusal.code(),
        ApprovalDeskError::Decide(DecideError::GrantNeedsQuorumOfOne) => &codes::GRANT_NEEDS_QUORUM_OF_ONE,
        ApprovalDeskError::Role(_) => &codes::WRONG_ROLE,
        ApprovalDeskError::ReasonMissing => &codes::REASON_MISSING,
        _ => &codes::INVALID_ARGUMENTS,
    };
    let text = error.to_string();
    match text.split_once("\nhint: ") {
        Some((message, hint)) => Refusal::new(code, message).hint(hint),
        None => Refusal::new(code, text),
    }
}

impl TaskFiles for TaskPorts {
    fn input<'a>(
        &'a self,
        holder: &'a ContentHolder,
        path: String,
        file: FileId,
    ) -> BoxFuture<'a, Result<InputFile, Refusal>> {
        Box::pin(async move {
            let found = self.files.get(&ContentAccess::Session(holder), &file).await?;
            Ok(InputFile { path, file: found.id, digest: found.digest })
        })
    }
}
