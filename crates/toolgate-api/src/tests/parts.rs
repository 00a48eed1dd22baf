//! What stands around the API in tests: a policy that allows, one tool, a caller that answers by name.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use toolgate_catalog::{Catalog, Filter, Hints, ServerSettings, Update};
use toolgate_core::decision::{Decision, Denial, Policy, Question, Verdict};
use toolgate_core::event::Outcome;
use toolgate_core::governance::Clock;
use toolgate_core::id::{ApprovalId, CallId};
use toolgate_core::port::BoxFuture;
use toolgate_core::server::Listing;
use toolgate_core::{CanonicalName, Digest, Principal, RawJson, RpcError, ServerName, Tool};
use toolgate_pipeline::desk::ToolBook;
use toolgate_pipeline::{Answer, AnswerBody, Envelope};

use crate::{Hold, NotCalled, ToolCallRequest, ToolCaller};

pub(super) fn server() -> ServerName {
    ServerName::new("bank").expect("a name")
}

fn definition() -> Value {
    let schema = json!({ "type": "object", "properties": { "amount": { "type": "number" }, "account": { "type": "string" } },
        "required": ["amount"], "additionalProperties": false });
    json!({ "name": "transfer", "description": "Moves money", "inputSchema": schema })
}

pub(super) fn settings() -> ServerSettings {
    ServerSettings { name: server(), prefix: true, filter: Filter::default(), hints: Hints::Believed }
}

pub(super) fn listing() -> Listing {
    let mut balance = definition();
    balance["name"] = "balance".into();
    let tools = vec![RawJson::from(definition()), RawJson::from(balance)];
    Listing { tools, ..Listing::default() }
}

pub(super) fn catalog() -> Catalog {
    let catalog = Catalog::new();
    let listings = BTreeMap::from([(server(), Some(listing()))]);
    catalog.update(Update { servers: Some(vec![settings()]), listings, ..Update::default() });
    catalog
}

pub(super) fn tool() -> Arc<Tool> {
    let snapshot = catalog().snapshot();
    let entry = snapshot.tools.find("bank:transfer").expect("it is listed");
    entry.tool.clone().expect("a tool")
}

/// Forbids amounts over a hundred and allows the rest.
pub(super) struct Allowing;

impl Policy for Allowing {
    fn decide(&self, question: &Question<'_>) -> Decision {
        let verdict = match question.arguments["amount"].as_f64() {
            Some(amount) if amount > 100.0 => Verdict::Deny(Denial::default()),
            _ => Verdict::Permit,
        };
        Decision { verdict, policy_version: self.version(), shadow: None }
    }

    fn version(&self) -> Digest {
        Digest::of("policy")
    }
}

pub(super) struct OneTool;

impl ToolBook for OneTool {
    fn find(&self, name: &CanonicalName) -> Option<Arc<Tool>> {
        (name.as_str() == "bank:transfer").then(tool)
    }
}

/// The real time, and what a test adds to it.
#[derive(Default)]
pub(super) struct TestClock(AtomicI64);

impl TestClock {
    pub(super) fn advance_ms(&self, ms: i64) {
        self.0.fetch_add(ms, Ordering::Relaxed);
    }
}

impl Clock for TestClock {
    fn now_ms(&self) -> i64 {
        let real = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
        i64::try_from(real.as_millis()).expect("before the end of time") + self.0.load(Ordering::Relaxed)
    }

    fn monotonic_us(&self) -> i64 {
        self.now_ms() * 1000
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn fresh_id(&self, prefix: &str) -> String {
        format!("{prefix}fresh")
    }
}

/// Answers with the outcome that the tool's name says, and gives the request back as its result.
pub(super) struct Puppet;

impl ToolCaller for Puppet {
    fn call(
        &self,
        principal: Principal,
        request: ToolCallRequest,
        hold: Hold,
    ) -> BoxFuture<'static, Result<Answer, NotCalled>> {
        Box::pin(async move {
            match request.name.as_str() {
                "bank:busy" => return Err(NotCalled::TooMany { limit: 3 }),
                "bank:odd" => return Err(NotCalled::Refused(RpcError::invalid_params("that is odd"))),
                "bank:late" => return Err(NotCalled::ShuttingDown),
                _ => {}
            }
            let word = request.name.strip_prefix("say:").ok_or(NotCalled::UnknownTool)?;
            let status = Outcome::parse(word).ok_or(NotCalled::UnknownTool)?;
            let envelope = Envelope {
                status,
                refs: Vec::new(),
                warnings: Vec::new(),
                tool_call_id: CallId::new("tc_1"),
                approval_id: (status == Outcome::PendingApproval).then(|| ApprovalId::new("apr_1")),
            };
            let body = match status {
                Outcome::Failed => AnswerBody::Error(RpcError::invalid_params("no such account")),
                _ => AnswerBody::Result(echo(&principal, &request, hold)),
            };
            Ok(Answer { envelope, body })
        })
    }
}

fn echo(principal: &Principal, request: &ToolCallRequest, hold: Hold) -> RawJson {
    let head = json!({ "principal": principal.id, "run": request.run_id, "task": request.task_id,
        "trace": request.trace, "hold": format!("{hold:?}") });
    let head = head.to_string();
    let arguments = request.arguments.as_ref().map_or("null", RawJson::as_str);
    RawJson::from_composed(format!("{},\"arguments\":{arguments}}}", &head[..head.len() - 1]))
}
