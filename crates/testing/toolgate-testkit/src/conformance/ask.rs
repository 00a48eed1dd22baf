//! Asking the client for something in the middle of a call, in the way of its era.
//!
//! In the initialize era a question is a request sent while the call is open. Since 2026-07-28 it is a result
//! that lists the questions, and the client calls again with the answers. A tool asks the same way for both.
#![expect(deprecated, reason = "sampling and roots are deprecated but the suite still asks for them")]

use std::collections::BTreeMap;

use rmcp::ErrorData;
use rmcp::model::{
    ClientCapabilities, InputRequest, InputRequiredResult, InputResponses, RequestStateCodec, SealOptions,
};
use rmcp::service::{RequestContext, RoleServer, ServiceError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::settings::is_modern;

pub(super) struct Question {
    pub(super) key: &'static str,
    pub(super) request: InputRequest,
}

impl Question {
    pub(super) fn elicit(key: &'static str, message: &str, properties: Value, required: &[&str]) -> Self {
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        let params = json!({ "mode": "form", "message": message, "requestedSchema": schema });
        Self::new(key, json!({ "method": "elicitation/create", "params": params }))
    }

    pub(super) fn sample(key: &'static str, prompt: &str, tokens_max: u32) -> Self {
        let message = json!({ "role": "user", "content": { "type": "text", "text": prompt } });
        let params = json!({ "messages": [message], "maxTokens": tokens_max });
        Self::new(key, json!({ "method": "sampling/createMessage", "params": params }))
    }

    pub(super) fn roots(key: &'static str) -> Self {
        Self::new(key, json!({ "method": "roots/list" }))
    }

    fn new(key: &'static str, request: Value) -> Self {
        let request = serde_json::from_value(request).expect("the questions of this crate are well formed");
        Self { key, request }
    }

    /// True when the client said it can answer this kind of question.
    pub(super) fn is_answerable_by(&self, client: &ClientCapabilities) -> bool {
        match &self.request {
            InputRequest::Elicitation(_) => client.elicitation.is_some(),
            InputRequest::CreateMessage(_) => client.sampling.is_some(),
            InputRequest::ListRoots(_) => client.roots.is_some(),
            _ => false,
        }
    }

    fn required_capability(&self) -> ClientCapabilities {
        let capability = match &self.request {
            InputRequest::Elicitation(_) => "elicitation",
            InputRequest::CreateMessage(_) => "sampling",
            _ => "roots",
        };
        serde_json::from_value(json!({ capability: {} })).expect("an empty capability is well formed")
    }
}

pub(super) enum Reply {
    /// One answer per question, under its key.
    Answers(BTreeMap<String, Value>),
    /// The result to return now; the client comes back.
    Pending(InputRequiredResult),
}

/// The means of a call to ask and to be answered.
pub(super) struct Asker<'a> {
    pub(super) codec: &'a RequestStateCodec,
    pub(super) ctx: &'a RequestContext<RoleServer>,
    /// Tool or prompt name; a state sealed for one is worthless for another.
    pub(super) subject: &'a str,
    pub(super) responses: Option<&'a InputResponses>,
    pub(super) state: Option<&'a str>,
}

impl Asker<'_> {
    pub(super) async fn ask(&self, questions: &[Question]) -> Result<Reply, ErrorData> {
        self.require_capabilities(questions)?;
        if is_modern(self.ctx) {
            return Ok(self.ask_by_result(questions, None));
        }
        self.ask_by_request(questions).await
    }

    /// Like [`Self::ask`], and `state` comes back with the answers, sealed; [`Self::state`] opens it.
    pub(super) async fn ask_with_state<T: Serialize + Sync>(
        &self,
        questions: &[Question],
        state: &T,
    ) -> Result<Reply, ErrorData> {
        self.require_capabilities(questions)?;
        if is_modern(self.ctx) {
            let options = SealOptions::new().associated_data(self.subject.as_bytes());
            let sealed = self.codec.seal_json_with(state, &options).expect("states of this crate serialize");
            return Ok(self.ask_by_result(questions, Some(sealed)));
        }
        self.ask_by_request(questions).await
    }

    /// The state sealed in the round before; none in the first round and in the initialize era.
    pub(super) fn state<T: DeserializeOwned>(&self) -> Result<Option<T>, ErrorData> {
        let Some(sealed) = self.state else { return Ok(None) };
        self.codec.open_json_with(sealed, self.subject.as_bytes()).map(Some).map_err(|error| {
            ErrorData::invalid_params(format!("requestState was tampered with: {error}"), None)
        })
    }

    fn require_capabilities(&self, questions: &[Question]) -> Result<(), ErrorData> {
        let client = self.ctx.client_capabilities().unwrap_or_default();
        match questions.iter().find(|question| !question.is_answerable_by(&client)) {
            None => Ok(()),
            Some(question) => {
                Err(ErrorData::missing_required_client_capability(question.required_capability()))
            }
        }
    }

    /// Answers of the wrong shape are ignored: the question is asked again.
    fn ask_by_result(&self, questions: &[Question], sealed: Option<String>) -> Reply {
        let answer = |question: &Question| {
            let answer = self.responses?.get(question.key)?;
            answer.is_object().then(|| (question.key.to_owned(), answer.clone()))
        };
        let answers: BTreeMap<_, _> = questions.iter().filter_map(answer).collect();
        if answers.len() == questions.len() && (sealed.is_none() || self.state.is_some()) {
            return Reply::Answers(answers);
        }
        let open =
            questions.iter().map(|question| (question.key.to_owned(), question.request.clone())).collect();
        Reply::Pending(InputRequiredResult::new(Some(open), sealed))
    }

    async fn ask_by_request(&self, questions: &[Question]) -> Result<Reply, ErrorData> {
        let mut answers = BTreeMap::new();
        for question in questions {
            let answer = self.send(&question.request).await.map_err(|error| {
                ErrorData::internal_error(format!("the client gave no answer: {error}"), None)
            })?;
            answers.insert(question.key.to_owned(), answer);
        }
        Ok(Reply::Answers(answers))
    }

    async fn send(&self, request: &InputRequest) -> Result<Value, ServiceError> {
        let peer = &self.ctx.peer;
        let answer = match request {
            InputRequest::Elicitation(request) => {
                serde_json::to_value(peer.create_elicitation(request.params.clone()).await?)
            }
            InputRequest::CreateMessage(request) => {
                serde_json::to_value(peer.create_message(request.params.clone()).await?)
            }
            _ => serde_json::to_value(peer.list_roots().await?),
        };
        Ok(answer.expect("results read from JSON turn into JSON"))
    }
}
