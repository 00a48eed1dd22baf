//! Questions to people.

use std::sync::Arc;

use serde_json::Value;
use toolgate_core::codes;
use toolgate_core::id::InputId;
use toolgate_core::port::BoxFuture;
use toolgate_core::run::{InputFile, InputRequest, InputState};
use toolgate_core::{PrincipalId, Refusal};
use toolgate_store::{InputAnswer, InputFilter, RunError};

use super::{DATA_TOOLS_BEFORE_ASKING, Runs};
use crate::checks;
use crate::desk::RunDesk;
use crate::refusal::{down, refusal};
use crate::view::{InputPage, InputQuery, NewQuestion};

impl Runs {
    /// Asks a person, and pauses the run; or finds the question that was asked under the same id before, which may have
    /// been answered.
    pub async fn ask(&self, asking: NewQuestion) -> Result<InputRequest, Refusal> {
        self.ask_after(DATA_TOOLS_BEFORE_ASKING, asking).await
    }

    /// The same for a question of the gateway itself: the agent need not have looked for an answer first.
    pub async fn ask_at_once(&self, asking: NewQuestion) -> Result<InputRequest, Refusal> {
        self.ask_after(0, asking).await
    }

    async fn ask_after(&self, calls_before: usize, asking: NewQuestion) -> Result<InputRequest, Refusal> {
        let slot = asking.slot.checked().map_err(|bad| Refusal::new(&codes::BAD_SLOT, bad.to_string()))?;
        let act = self.desk.act(&asking.principal);
        let new = InputRequest {
            id: InputId::new(self.desk.clock.fresh_id(InputId::PREFIX)),
            run: asking.run,
            session: asking.session,
            call: asking.call,
            principal: asking.principal.clone(),
            slot,
            state: InputState::Pending,
            answer: None,
            answered_by: None,
            via: None,
            created_at_ms: act.at_ms,
            resolved_at_ms: None,
        };
        self.desk.books.ask_input(&new, calls_before, act).await.map_err(refusal)
    }

    /// Resolves when the question is no longer pending, regardless of who answered it and in which process.
    /// It never resolves earlier; the caller sets its own limit.
    pub fn resolved(&self, id: &InputId) -> BoxFuture<'static, InputRequest> {
        let (desk, id) = (Arc::clone(&self.desk), id.clone());
        Box::pin(async move { resolved(&desk, &id).await })
    }

    /// Takes an answer and resumes the run with it. `file` is the file that it names, if any: the run may use
    /// it from then on.
    pub async fn answer(
        &self,
        id: &InputId,
        answer: Value,
        file: Option<InputFile>,
        by: &PrincipalId,
        via: &str,
    ) -> Result<InputRequest, Refusal> {
        let answer = InputAnswer { value: answer, via: via.to_owned(), file };
        let answered = self.desk.books.answer_input(id, &answer, self.desk.act(by)).await;
        let answered = answered.map_err(refusal)?;
        self.desk.tell_resolved(&answered);
        Ok(answered)
    }

    pub async fn input(&self, id: &InputId) -> Result<InputRequest, Refusal> {
        let input = self.desk.store.input(id).await.map_err(|error| down(&error))?;
        input.ok_or_else(|| refusal(RunError::UnknownInput(id.clone())))
    }

    /// One page, newest first.
    pub async fn inputs(&self, query: InputQuery) -> Result<InputPage, Refusal> {
        let InputQuery { state, run, cursor, limit } = query;
        let cursor = checks::cursor(cursor.as_deref())?;
        let listed = self.desk.store.inputs(&InputFilter { state, run }, cursor.as_ref(), limit).await;
        let (inputs, next) = listed.map_err(|error| down(&error))?;
        Ok(InputPage { inputs, next: next.map(|next| next.to_string()) })
    }
}

async fn resolved(desk: &RunDesk, id: &InputId) -> InputRequest {
    // Before it is read, so that no answer is missed.
    let mut answer = desk.waiting.wait_for(id);
    // While the store is down, or there is no such question, there is nothing to report yet.
    if let Ok(Some(input)) = desk.store.input(id).await
        && input.state != InputState::Pending
    {
        return input;
    }
    let told = answer.wait_for(Option::is_some).await;
    let told = told.expect("the sender is kept while there are receivers");
    told.clone().expect("it was waited for")
}
