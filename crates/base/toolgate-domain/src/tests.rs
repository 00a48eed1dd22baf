//! A small domain, called as the gateway calls it.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolgate_core::content::ContentHolder;
use toolgate_core::id::{PointerId, SessionId};
use toolgate_core::platform::{ObjectRef, Platform, PlatformAnswer, PlatformCall};
use toolgate_core::port::{AskKind, BoxFuture, Caller, ClientKey};
use toolgate_core::scope::{AgentDefinition, AgentName, Definitions, Scope};
use toolgate_core::tool::ToolTrait;
use toolgate_core::{Principal, PrincipalId, RawJson, Refusal, Role, RpcError};

use super::*;

const RESOLVE: ToolDefinition =
    ToolDefinition::reads("shelf.pointer.resolve", "Resolve", "Resolves a pointer.")
        .mount(MountRule::NamedPointer { namespace: "namespace", name: "name" });
const MOVE: ToolDefinition =
    ToolDefinition::writes("shelf.move", "Move", "Moves it.").traits(&[ToolTrait::PointerMove]);

#[derive(Deserialize, JsonSchema)]
struct ResolveArguments {
    #[serde(default = "usual")]
    namespace: String,
    name: String,
}

fn usual() -> String {
    "default".to_owned()
}

#[derive(Deserialize, JsonSchema)]
struct MoveArguments {
    count: Option<u8>,
}

#[derive(Serialize, JsonSchema)]
struct ShelfOutput {
    place: String,
}

async fn resolve(
    shelf: Arc<String>,
    _context: ToolContext,
    arguments: ResolveArguments,
) -> Result<ToolReply<ShelfOutput>, Refusal> {
    let ResolveArguments { namespace, name } = arguments;
    if name == "gone" {
        return Err(unknown_pointer(&namespace, &name));
    }
    let data = ShelfOutput { place: format!("{shelf} {namespace}:{name}") };
    Ok(ToolReply::new(data).refs([ObjectRef::Pointer { id: PointerId::new(name) }]))
}

async fn shift(
    _shelf: Arc<String>,
    _context: ToolContext,
    arguments: MoveArguments,
) -> Result<ToolReply<ShelfOutput>, Refusal> {
    Ok(ToolReply::new(ShelfOutput { place: format!("{:?}", arguments.count) }))
}

fn domain() -> Domain<String> {
    Domain::new().tool(RESOLVE, resolve).tool(MOVE, shift)
}

/// A client that answers nothing.
struct SilentCaller(PrincipalId, RawJson);

impl Caller for SilentCaller {
    fn principal(&self) -> &PrincipalId {
        &self.0
    }
    fn client(&self) -> ClientKey {
        ClientKey(1)
    }
    fn capabilities(&self) -> &RawJson {
        &self.1
    }
    fn client_info(&self) -> Option<&RawJson> {
        None
    }
    fn can_answer(&self, _kind: AskKind) -> bool {
        false
    }
    fn wants_progress(&self) -> bool {
        false
    }
    fn log_level(&self) -> Option<&str> {
        None
    }
    fn progress(&self, _params: RawJson) {}
    fn log(&self, _params: RawJson) {}
    fn ask(&self, _kind: AskKind, _params: RawJson) -> BoxFuture<'_, Result<RawJson, RpcError>> {
        Box::pin(std::future::ready(Err(RpcError::invalid_params("no"))))
    }
}

fn scope(pointers: &[&str]) -> Arc<Scope> {
    let definition = AgentDefinition::named(AgentName::default_agent());
    let mut scope = Definitions::default().scope(&definition).expect("no capabilities");
    scope.mounts.pointers = pointers.iter().map(|one| (*one).to_owned()).collect();
    Arc::new(scope)
}

fn call(role: Role, pointers: &[&str], wire: &str, arguments: &Value) -> Result<PlatformAnswer, Refusal> {
    let set = DomainSet::default().with(domain(), &Arc::new("shelf".to_owned()));
    let tool = set.tools().iter().find(|tool| &*tool.wire == wire).expect("one of them").clone();
    let principal = Principal::new(PrincipalId::new("somebody"), role);
    let caller = Arc::new(SilentCaller(principal.id.clone(), RawJson::EMPTY));
    let (session, scope) = (SessionId::new("ses_1"), scope(pointers));
    let holder = ContentHolder { principal, session, opened_by: None, run: None, call: None };
    let call = PlatformCall {
        tool: &tool,
        holder: &holder,
        scope: &scope,
        arguments,
        now_ms: 0,
        caller,
        approval: None,
    };
    let mut answering = set.call(call);
    match answering.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("nothing to wait for"),
    }
}

#[test]
fn a_definition_has_the_schemas_of_its_function() {
    let tools = domain().tools();
    let definition: Value = tools[0].definition.decode().expect("JSON");
    assert_eq!(
        definition,
        json!({
            "name": "shelf__pointer__resolve", "description": "Resolves a pointer.",
            "inputSchema": {
                "type": "object",
                "properties": { "namespace": { "type": "string", "default": "default" }, "name": { "type": "string" } },
                "required": ["name"], "additionalProperties": false,
            },
            "annotations": { "readOnlyHint": true, "openWorldHint": false },
        })
    );
    let output: Value = tools[0].output_schema.decode().expect("JSON");
    assert_eq!(output["properties"]["place"], json!({ "type": "string" }));
    let handling = &tools[0].tool.handling;
    assert_eq!((&*handling.capabilities, handling.needs.len()), (&["shelf".to_owned()][..], 1));
    let moving: Value = tools[1].definition.decode().expect("JSON");
    assert_eq!(moving["inputSchema"]["properties"]["count"]["type"], "integer");
    assert_eq!(moving["annotations"]["destructiveHint"], false);
    assert_eq!(tools[1].tool.handling.traits, Some(&[ToolTrait::PointerMove][..]));
}

#[test]
fn a_pointer_outside_the_mounts_answers_like_one_that_does_not_exist() {
    let ask = |role, pointers: &[&str], namespace: &str, name: &str| {
        call(role, pointers, "shelf__pointer__resolve", &json!({ "namespace": namespace, "name": name }))
    };
    let seen = ask(Role::Agent, &["project/*"], "project/a", "draft").expect("it is mounted");
    assert_eq!(seen.data, json!({ "place": "shelf project/a:draft" }));
    assert_eq!(seen.refs, [ObjectRef::Pointer { id: PointerId::new("draft") }]);
    assert_eq!(seen.text, seen.data.to_string());
    let missing = ask(Role::Agent, &["project/*"], "project/a", "gone").expect_err("it does not exist");
    let outside = ask(Role::Agent, &["other"], "project/a", "gone").expect_err("it is not mounted");
    assert_eq!(missing, outside);
    assert!(ask(Role::Agent, &[], "project/a", "draft").is_err());
    assert!(
        ask(Role::Operator, &[], "project/a", "draft").is_ok(),
        "those who run the gateway need no mounts"
    );
}

#[test]
fn a_missing_argument_has_its_default_in_the_check_too() {
    let arguments = json!({ "name": "draft" });
    assert!(call(Role::Agent, &["default"], "shelf__pointer__resolve", &arguments).is_ok());
    assert!(call(Role::Agent, &["project/*"], "shelf__pointer__resolve", &arguments).is_err());
}

#[test]
fn arguments_that_the_type_cannot_hold_are_refused() {
    let refusal = call(Role::Agent, &[], "shelf__move", &json!({ "count": 300 })).expect_err("too large");
    assert_eq!(refusal.code.name, "invalid_arguments");
}
