//! The surroundings of the API in tests: a policy that allows, a few tools, a caller that answers by name.
#![expect(clippy::disallowed_methods, reason = "a test starts tasks and reads settings as it likes")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use toolgate_catalog::{Catalog, CatalogUpdate, HintTrust, ServerSettings, ToolNameFilter, ToolRule};
use toolgate_core::address::{AddressRules, Reach};
use toolgate_core::decision::{
    ApprovalLikelihood, Decision, Denial, Policy, PolicyRequest, PolicyTemplate, Verdict, Visibility,
    VisibilityRequest,
};
use toolgate_core::event::{EventKind, Outcome};
use toolgate_core::governance::Clock;
use toolgate_core::id::{ApprovalId, CallId, RunId};
use toolgate_core::model::{
    CurrencyCode, KnownModel, ModelDefinition, ModelFault, ModelFaultKind, ModelLimits, ModelName,
    ModelPrices, ModelProvider, ModelReport,
};
use toolgate_core::port::BoxFuture;
use toolgate_core::scope::{Definitions, Seat};
use toolgate_core::server::{AskPermissions, ServerListing};
use toolgate_core::{
    CanonicalName, Digest, PrincipalId, RawJson, Refusal, RpcError, ServerName, Tool, codes,
};
use toolgate_pipeline::desk::ToolBook;
use toolgate_pipeline::filter::{FilterAction, FilterRule, FilteredTraffic, known_kinds};
use toolgate_pipeline::{CallAnswer, CallAnswerBody, Envelope};
use toolgate_registry::Registry;
use toolgate_sessions::SessionEnvironment;
use toolgate_store::StoreError;

use crate::{
    CheckedPolicies, FilterInForce, FilterPort, HoldMode, MailPort, MailRecipient, MailState, MailTest,
    ModelPort, NotCalled, OutgoingWebhook, PastCall, PolicyCell, PolicyChange, PolicyFault, PolicyFile,
    PolicyHome, PolicyInForce, PolicyPort, PolicyRow, PolicyRule, RoleAsking, StreamPlace, StreamQuota,
    ToolCallRequest, ToolCaller, TrialJudge, TrialVerdict, WebhookPort,
};

pub(super) fn server() -> ServerName {
    named("bank")
}

fn definition() -> Value {
    let schema = json!({ "type": "object", "properties": { "amount": { "type": "number" }, "account": { "type": "string" } },
        "required": ["amount"], "additionalProperties": false });
    json!({ "name": "transfer", "description": "Moves money", "inputSchema": schema })
}

pub(super) fn settings() -> ServerSettings {
    ServerSettings {
        name: server(),
        prefix: true,
        filter: ToolNameFilter::default(),
        hints: HintTrust::Believed,
        asks: AskPermissions::default(),
    }
}

pub(super) fn listing() -> ServerListing {
    let mut balance = definition();
    balance["name"] = "balance".into();
    let tools = vec![RawJson::from(definition()), RawJson::from(balance)];
    ServerListing { tools, ..ServerListing::default() }
}

pub(super) fn catalog() -> Catalog {
    let catalog = Catalog::new();
    let listings = BTreeMap::from([(server(), Some(listing()))]);
    catalog.update(CatalogUpdate { servers: Some(vec![settings()]), listings, ..CatalogUpdate::default() });
    catalog
}

/// Two more servers: files that need a pointer or are secret, and a chat that needs a provider.
pub(super) fn stock(catalog: &Catalog) {
    let one = |name: &str, description: &str, needs: &[&str]| {
        let extra = json!({ "mounts": needs, "capabilities": [format!("tag-{name}")] });
        RawJson::from(json!({ "name": name, "description": description, "inputSchema": { "type": "object" },
            "annotations": { "readOnlyHint": true }, "_meta": { "dev.toolgate/tool": extra } }))
    };
    let files = vec![
        one("read", "Reads a file from the disk", &[]),
        one("secret", "Reads the secret file", &[]),
        one("point", "Reads what a pointer points at", &["pointer"]),
    ];
    let chat = vec![one("post", "Posts a message to a channel", &["provider:slack"])];
    let listed = |tools| Some(ServerListing { tools, ..ServerListing::default() });
    let listings = BTreeMap::from([(named("files"), listed(files)), (named("chat"), listed(chat))]);
    let servers = ["files", "chat"].map(|name| ServerSettings { name: named(name), ..settings() });
    let servers = Some([vec![settings()], servers.to_vec()].concat());
    let example =
        ToolRule { examples: vec!["what is in this document".into()], ..ToolRule::new("files:read") };
    catalog.update(CatalogUpdate {
        servers,
        listings,
        rules: Some(vec![example]),
        ..CatalogUpdate::default()
    });
}

fn named(server: &str) -> ServerName {
    ServerName::new(server).expect("a name")
}

pub(super) fn tool() -> Arc<Tool> {
    let snapshot = catalog().snapshot();
    let entry = snapshot.tools.find("bank:transfer").expect("it is listed");
    entry.tool.clone().expect("a tool")
}

/// Forbids amounts over a hundred, hides secret tools and allows the rest.
pub(super) struct Allowing;

impl Policy for Allowing {
    fn decide(&self, question: &PolicyRequest<'_>) -> Decision {
        let verdict = match question.arguments["amount"].as_f64() {
            Some(amount) if amount > 100.0 => Verdict::Deny(Denial::default()),
            _ => Verdict::Permit,
        };
        Decision { verdict, policy_version: self.version(), shadow: None }
    }

    fn visibility(&self, glimpse: &VisibilityRequest<'_>) -> Visibility {
        match glimpse.tool.name.as_str() {
            "files:secret" => Visibility::Hidden(Denial::default()),
            "bank:transfer" => Visibility::Visible(ApprovalLikelihood::Sometimes),
            _ => Visibility::Visible(ApprovalLikelihood::Never),
        }
    }

    fn version(&self) -> Digest {
        Digest::of("policy")
    }
}

impl PolicyPort for Allowing {
    fn in_force(&self) -> PolicyInForce {
        let rule = PolicyRule {
            id: "large".into(),
            line: 3,
            effect: "forbid".into(),
            level: PolicyTemplate::Exploratory,
            reason: Some("more than a hundred".into()),
            annotations: BTreeMap::from([("reason".to_owned(), "more than a hundred".to_owned())]),
            text: "forbid (principal, action, resource);".into(),
        };
        let file = |set: &str| PolicyFile {
            name: format!("{set}.cedar"),
            set: set.to_owned(),
            built_in: false,
            home: PolicyHome::File,
            text: Some("forbid (principal, action, resource);".into()),
            rules: vec![rule.clone()],
        };
        // What `Gate::ask` asks by.
        let asking = PolicyRule { id: "gates.cedar:1".into(), ..rule.clone() };
        let gates = PolicyFile { rules: vec![asking], ..file("gates") };
        PolicyInForce {
            version: self.version(),
            template: PolicyTemplate::Standard,
            files: vec![file("guard"), file("gates_shadow"), gates],
            refused: Some("gates.cedar:1:1: it does not load".into()),
            broken: None,
        }
    }

    fn explain(&self, question: &PolicyRequest<'_>) -> Value {
        let PolicyRequest { principal, agent, session, run, task, template, arguments, .. } = question;
        json!({ "verdict": self.decide(question).verdict.as_str(), "principal": principal.id, "role": principal.role,
            "kind": principal.kind, "groups": *principal.groups, "agent": agent, "session": session, "run": run,
            "task": task, "template": template, "arguments": arguments })
    }

    fn asking(&self, _tool: &Tool) -> Vec<RoleAsking> {
        vec![RoleAsking { role: "agent", asked: "sometimes" }]
    }

    fn table(&self, tools: &[Arc<Tool>]) -> Vec<PolicyRow> {
        let cell = |template| PolicyCell {
            template,
            verdict: "permit".into(),
            told: "permit".into(),
            summary: "permitted".into(),
        };
        let row = |actor: &str, tool: &Arc<Tool>| PolicyRow {
            actor: actor.to_owned(),
            tool: tool.name.to_string(),
            cells: PolicyTemplate::ALL.map(cell).to_vec(),
        };
        ["admin", "agent"].iter().flat_map(|actor| tools.iter().map(|tool| row(actor, tool))).collect()
    }

    /// A text compiles unless it is `wrong`, and forbids amounts over ten.
    fn check(&self, change: &PolicyChange) -> (CheckedPolicies, Option<Arc<dyn TrialJudge>>) {
        let set = change.texts.texts().map(|(key, text)| (key.to_owned(), text));
        let files = change.files.iter().map(|(name, text)| (name.clone(), text.as_str()));
        let mut texts = set.chain(files);
        let Some((name, _)) = texts.find(|(_, text)| *text == "wrong") else {
            let version = Some(Digest::of("then").to_string());
            return (CheckedPolicies { version, ..CheckedPolicies::default() }, Some(Arc::new(OverTen)));
        };
        let fault = PolicyFault {
            file: name,
            line: Some(1),
            column: Some(7),
            message: "it is wrong".into(),
            hint: Some("mend it".into()),
        };
        (CheckedPolicies { errors: vec![fault], ..CheckedPolicies::default() }, None)
    }
}

struct OverTen;

impl TrialJudge for OverTen {
    fn judge(&self, calls: &[PastCall]) -> Vec<TrialVerdict> {
        let judged = |call: &PastCall| {
            let is_small = call.arguments["amount"].as_f64().is_some_and(|amount| amount <= 10.0);
            TrialVerdict {
                now: Allowing.decide(&call.question()).verdict.as_str(),
                then: if is_small { "permit" } else { "deny" },
                summary: format!("{} {}", call.principal.role.as_str(), call.principal.groups.join(",")),
                because: vec!["ten".into()],
            }
        };
        calls.iter().map(judged).collect()
    }
}

/// No limit on streams.
pub(super) struct AnyNumber;

impl StreamQuota for AnyNumber {
    fn open_stream(&self, _principal: &PrincipalId) -> Result<StreamPlace, Refusal> {
        Ok(Box::new(()))
    }
}

/// A filter with three matches.
pub(super) struct OneFilter;

impl FilterPort for OneFilter {
    fn in_force(&self) -> Vec<FilterInForce> {
        let email = known_kinds().into_iter().find(|(name, _)| *name == "email").expect("there is one").1;
        let rule = FilterRule {
            name: "no mail".into(),
            on: FilteredTraffic::Both,
            tools: vec!["bank:*".into()],
            pattern: None,
            kinds: vec![email],
            action: FilterAction::Mask,
            approvers: Vec::new(),
        };
        vec![FilterInForce { rule, matched: 3 }]
    }
}

/// A webhook that accepts a test, and one that does not.
pub(super) struct OneWebhook;

impl WebhookPort for OneWebhook {
    fn webhooks(&self) -> BoxFuture<'static, Result<Vec<OutgoingWebhook>, StoreError>> {
        let webhook = OutgoingWebhook {
            name: "chat".into(),
            address: "https://hooks.example.com".into(),
            events: vec![EventKind::ApprovalRequested],
            decisions: true,
            groups: vec!["finance".into()],
            waiting: 2,
            delivered: 7,
            delivered_at_ms: Some(0),
            failures: 1,
            passed_over: 0,
            last_error: Some("HTTP status 502".into()),
            failed_at_ms: None,
        };
        Box::pin(async { Ok(vec![webhook]) })
    }

    fn test(&self, name: &str) -> BoxFuture<'static, Option<Result<(), String>>> {
        let tested = match name {
            "chat" => Some(Ok(())),
            "broken" => Some(Err("HTTP status 502".to_owned())),
            _ => None,
        };
        Box::pin(async { tested })
    }
}

/// Mail to two addresses, of which one takes none.
pub(super) struct TwoMailboxes;

impl MailPort for TwoMailboxes {
    fn state(&self) -> BoxFuture<'static, Result<Option<MailState>, StoreError>> {
        let recipient = MailRecipient {
            to: "ann@example.com".into(),
            waiting: 1,
            delivered: 3,
            delivered_at_ms: Some(0),
            failures: 0,
            passed_over: 0,
            last_error: None,
            failed_at_ms: None,
        };
        let state = MailState {
            server: "smtp.example.com:587".into(),
            encryption: "starttls",
            from: "gate@example.com".into(),
            notices: vec!["approvals"],
            digest_at: Some("08:00 UTC".into()),
            recipients: vec![recipient],
        };
        Box::pin(async { Ok(Some(state)) })
    }

    fn test(&self) -> BoxFuture<'static, Option<Vec<MailTest>>> {
        let test = |to: &str, passed: Vec<&'static str>, error: Option<&str>, hint| MailTest {
            to: to.into(),
            passed,
            error: error.map(str::to_owned),
            hint,
        };
        let tests = vec![
            test("ann@example.com", vec!["connection", "mail"], None, None),
            test("ben@example.com", vec!["connection"], Some("sign-in: 535 no"), Some("check it")),
        ];
        Box::pin(async { Some(tests) })
    }
}

/// One that works, of the file, and one that is away, of the settings.
pub(super) struct TwoModels;

impl TwoModels {
    fn known(name: &str, provider: ModelProvider, key: Option<&str>, reach: Reach) -> KnownModel {
        let prices = ModelPrices {
            input: 2_500_000,
            cached: Some(250_000),
            written: None,
            output: 10_000_000,
            currency: CurrencyCode::parse("USD"),
        };
        let definition = ModelDefinition {
            name: ModelName::new(name).expect("a name"),
            provider,
            model: "gpt-5".into(),
            url: provider.usual_url().into(),
            key: key.map(str::to_owned),
            context_tokens: 128_000,
            prices,
            limits: ModelLimits::default(),
        };
        KnownModel { definition, reach, egress: Arc::default() }
    }
}

impl ModelPort for TwoModels {
    fn models(&self) -> Vec<KnownModel> {
        let within = Reach::Within(AddressRules::default());
        vec![
            Self::known("gpt", ModelProvider::Openai, Some("OPENAI_KEY"), Reach::Anywhere),
            Self::known("local", ModelProvider::Ollama, None, within),
        ]
    }

    fn test(&self, name: &ModelName) -> BoxFuture<'static, Result<ModelReport, Refusal>> {
        let mut report = ModelReport::new(name.clone());
        let tested = match name.as_str() {
            "gpt" => {
                (report.answers, report.streams, report.calls_tools) = (true, true, true);
                report.usage.input = 20;
                report.first_piece = Some(Duration::from_millis(150));
                Ok(report)
            }
            "local" => {
                report.fault = Some(ModelFault::new(ModelFaultKind::Away, "nobody listens"));
                report.hint = Some("start it".into());
                Ok(report)
            }
            _ => Err(Refusal::new(&codes::UNKNOWN_MODEL, format!("there is no model \"{name}\""))),
        };
        Box::pin(std::future::ready(tested))
    }
}

pub(super) struct OneTool;

impl ToolBook for OneTool {
    fn find(&self, name: &CanonicalName) -> Option<Arc<Tool>> {
        (name.as_str() == "bank:transfer").then(tool)
    }

    fn has_changed(&self, _name: &CanonicalName, _version: Digest) -> bool {
        false
    }
}

/// The surroundings of sessions: the definitions of a registry and the servers of a catalogue.
pub(super) struct ApiEnvironment {
    pub(super) registry: Arc<Registry>,
    pub(super) catalog: Arc<Catalog>,
}

impl SessionEnvironment for ApiEnvironment {
    fn definitions(&self) -> Arc<Definitions> {
        self.registry.definitions()
    }

    fn servers(&self) -> Vec<ServerName> {
        self.catalog.snapshot().tools.entries().iter().map(|entry| entry.server.clone()).collect()
    }

    fn providers(&self) -> BTreeSet<String> {
        let snapshot = self.catalog.snapshot();
        let tools = snapshot.tools.entries().iter().filter_map(|entry| entry.tool.as_deref());
        let needs = tools.flat_map(|tool| tool.handling.needs.iter());
        needs.filter_map(|need| need.to_string().strip_prefix("provider:").map(str::to_owned)).collect()
    }

    fn template(&self) -> PolicyTemplate {
        PolicyTemplate::Exploratory
    }
}

/// The real time, plus an offset of the test.
#[derive(Default)]
pub(super) struct ApiClock {
    ahead_ms: AtomicI64,
    ids: AtomicI64,
}

impl ApiClock {
    pub(super) fn advance_ms(&self, ms: i64) {
        self.ahead_ms.fetch_add(ms, Ordering::Relaxed);
    }
}

impl Clock for ApiClock {
    fn now_ms(&self) -> i64 {
        let real = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
        i64::try_from(real.as_millis()).expect("before the end of time")
            + self.ahead_ms.load(Ordering::Relaxed)
    }

    fn monotonic_us(&self) -> i64 {
        self.now_ms() * 1000
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn fresh_id(&self, prefix: &str) -> String {
        format!("{prefix}fresh{}", self.ids.fetch_add(1, Ordering::Relaxed))
    }
}

/// Answers with the outcome that the tool's name states, and returns the request as its result.
pub(super) struct Puppet;

impl ToolCaller for Puppet {
    fn call(
        &self,
        seat: Arc<Seat>,
        request: ToolCallRequest,
        hold: HoldMode,
    ) -> BoxFuture<'static, Result<CallAnswer, NotCalled>> {
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
                Outcome::Failed => CallAnswerBody::Error(RpcError::invalid_params("no such account")),
                _ => CallAnswerBody::Result(echo(&seat, &request, hold)),
            };
            Ok(CallAnswer { tool: CanonicalName::recorded(&request.name), envelope, body })
        })
    }

    fn cancel_run(&self, _run: &RunId) {}

    fn settled(&self) -> BoxFuture<'static, ()> {
        Box::pin(async {})
    }
}

fn echo(seat: &Seat, request: &ToolCallRequest, hold: HoldMode) -> RawJson {
    let head = json!({ "principal": seat.principal.id, "session": seat.session, "agent": seat.agent, "run": request.run_id, "task": request.task_id,
        "trace": request.trace, "hold": format!("{hold:?}") });
    let head = head.to_string();
    let arguments = request.arguments.as_ref().map_or("null", RawJson::as_str);
    RawJson::from_composed(format!("{},\"arguments\":{arguments}}}", &head[..head.len() - 1]))
}
