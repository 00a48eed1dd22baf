//! A model that follows a script: its reply depends on the number of answers that the request shows, so that a story goes the same way
//! after any interruption.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::Value;
use toolgate_core::model::{
    CallArguments, MessagePart, MessageRole, ModelAnswer, ModelCall, ModelDefinition, ModelFault,
    ModelFaultKind, ModelLimits, ModelName, ModelPiece, ModelPrices, ModelProvider, ModelRequest, ModelUsage,
    Models, StopReason, ToolUse,
};
use toolgate_core::port::BoxFuture;
use toolgate_core::{RawJson, Refusal};

/// The reply of the script.
pub(crate) enum Reply {
    Say(&'static str),
    /// Calls by name and arguments.
    Call(Vec<(&'static str, Value)>),
    /// A call whose arguments were cut off.
    CutOff(&'static str),
    /// An answer that its length cut off.
    Endless,
    Fault(ModelFault),
    /// A piece, and then a fault that passes at once.
    BreakOff(&'static str),
    Hang,
}

type Script = dyn Fn(usize, &ModelRequest) -> Reply + Send + Sync;

pub(crate) struct ScriptedModels {
    script: Box<Script>,
    context_tokens: u64,
    pub(crate) requests: Mutex<Vec<ModelRequest>>,
    /// Requests that were begun and neither answered nor refused.
    pub(crate) open: AtomicUsize,
}

impl ScriptedModels {
    pub(crate) fn new(script: impl Fn(usize, &ModelRequest) -> Reply + Send + Sync + 'static) -> Arc<Self> {
        Self::with_context(100_000, script)
    }

    pub(crate) fn with_context(
        context_tokens: u64,
        script: impl Fn(usize, &ModelRequest) -> Reply + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            script: Box::new(script),
            context_tokens,
            requests: Mutex::default(),
            open: AtomicUsize::new(0),
        })
    }

    pub(crate) fn asked(&self) -> usize {
        self.requests.lock().len()
    }
}

/// The number of answers that a request shows.
fn answers(request: &ModelRequest) -> usize {
    request.messages.iter().filter(|one| one.role == MessageRole::Assistant).count()
}

pub(crate) fn fault(kind: ModelFaultKind) -> Reply {
    Reply::Fault(ModelFault::new(kind, "the story wants it so"))
}

/// A fault after which the model may be asked again without a wait.
pub(crate) fn passing_at_once() -> ModelFault {
    ModelFault::new(ModelFaultKind::Away, "the story wants it so").retry_after(Some(Duration::ZERO))
}

fn answer(parts: Vec<MessagePart>, stop: StopReason) -> ModelAnswer {
    ModelAnswer { parts, stop, usage: ModelUsage { input: 100, cached: 60, written: 0, output: 10 } }
}

fn call(name: &str, arguments: CallArguments) -> MessagePart {
    MessagePart::Call(ModelCall { id: "same".to_owned(), name: name.to_owned(), arguments, raw: None })
}

impl Models for ScriptedModels {
    fn definition(&self, name: &ModelName) -> Option<ModelDefinition> {
        let definition = ModelDefinition {
            name: name.clone(),
            provider: ModelProvider::Openai,
            model: "small".to_owned(),
            url: String::new(),
            key: None,
            context_tokens: self.context_tokens,
            prices: ModelPrices { input: 1_000_000, output: 2_000_000, ..ModelPrices::default() },
            limits: ModelLimits::default(),
        };
        (name.as_str() != "gone").then_some(definition)
    }

    fn definitions(&self) -> Vec<ModelDefinition> {
        Vec::new()
    }

    fn ask<'a>(
        &'a self,
        _name: &'a ModelName,
        request: &'a ModelRequest,
        heard: &'a (dyn Fn(ModelPiece) + Send + Sync),
    ) -> BoxFuture<'a, Result<ModelAnswer, ModelFault>> {
        self.requests.lock().push(request.clone());
        let reply = (self.script)(answers(request), request);
        Box::pin(async move {
            tokio::task::yield_now().await;
            match reply {
                Reply::Say(text) => {
                    heard(ModelPiece::Text(text.to_owned()));
                    Ok(answer(vec![MessagePart::Text(text.to_owned())], StopReason::Finished))
                }
                Reply::Call(calls) => {
                    assert_eq!(request.tool_use, ToolUse::Allowed, "a story calls only where it may");
                    let calls = calls.into_iter();
                    let object = |value: Value| CallArguments::Object(RawJson::from(value));
                    let parts = calls.map(|(name, arguments)| call(name, object(arguments))).collect();
                    Ok(answer(parts, StopReason::Calls))
                }
                Reply::CutOff(name) => {
                    let broken = CallArguments::Broken("{\"a\": \"b".to_owned());
                    Ok(answer(vec![call(name, broken)], StopReason::Length))
                }
                Reply::Endless => {
                    Ok(answer(vec![MessagePart::Text("and so on".to_owned())], StopReason::Length))
                }
                Reply::Fault(fault) => Err(fault),
                Reply::BreakOff(piece) => {
                    heard(ModelPiece::Text(piece.to_owned()));
                    Err(passing_at_once())
                }
                Reply::Hang => {
                    let _open = OpenRequest::new(&self.open);
                    std::future::pending().await
                }
            }
        })
    }

    fn check(&self, _definition: &ModelDefinition) -> Result<(), Refusal> {
        Ok(())
    }
}

/// Counts a request for as long as it is not dropped.
struct OpenRequest<'a>(&'a AtomicUsize);

impl<'a> OpenRequest<'a> {
    fn new(open: &'a AtomicUsize) -> Self {
        open.fetch_add(1, Ordering::SeqCst);
        Self(open)
    }
}

impl Drop for OpenRequest<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
