//! The introduction of client and gateway: `initialize` of the older era and `server/discover` of the newer.

use std::sync::Arc;

use serde_json::json;
use toolgate_core::codes;
use toolgate_core::scope::Seat;
use toolgate_core::{Raw, RawJson, Refusal, RpcError};
use toolgate_wire::{ObjectMembers, ProtocolVersion, meta};

use crate::clients::client::Client;
use crate::clients::session::ClientSession;
use crate::gateway::Gateway;
use crate::messages::seal::random_id;
use crate::protocol::era::supported_versions;
use crate::quotas;

const SERVER_NAME: &str = "toolgate";
const SERVER_VERSION: &str = env!("CARGO_PKG_VERSION");
const INSTRUCTIONS_BYTES_MAX: usize = 8 << 10;

/// Opens a session of the older era: the session and the result of `initialize`.
pub(crate) fn initialize(
    gateway: &Gateway,
    seat: &Arc<Seat>,
    params: Option<Raw<'_>>,
) -> Result<(Arc<ClientSession>, RawJson), RpcError> {
    let invalid = |what: &str| RpcError::invalid_params(format!("initialize: {what}"));
    let params = params.ok_or_else(|| invalid("params are missing"))?;
    let members = ObjectMembers::parse(params).map_err(|error| invalid(&error.to_string()))?;
    let requested =
        members.get_str("protocolVersion").ok_or_else(|| invalid("protocolVersion must be a string"))?;
    let capabilities = members.get("capabilities").map_or(RawJson::EMPTY, RawJson::from);
    let version = ProtocolVersion::negotiate_legacy(&requested);
    let info = members.get("clientInfo").map(RawJson::from);
    let client = Client::new(seat.clone(), version, capabilities).called(info);
    let session = Arc::new(ClientSession::new(random_id(), Arc::new(client), &gateway.limits));
    let own_max = gateway.quotas.of(&seat.principal.id).sessions_max;
    if !gateway.hub.add_session(&session, gateway.limits.sessions_max, own_max) {
        let refusal = Refusal::new(&codes::TOO_MANY_SESSIONS, "too many sessions are open")
            .hint("end unused sessions with DELETE, or try again later");
        return Err(quotas::rpc_error(&refusal));
    }
    let mut result = json!({
        "protocolVersion": version.as_str(),
        "capabilities": {
            "completions": {}, "logging": {},
            "prompts": { "listChanged": true },
            "resources": { "subscribe": true, "listChanged": true },
            "tools": { "listChanged": true },
        },
        "serverInfo": { "name": SERVER_NAME, "version": SERVER_VERSION },
    });
    result["instructions"] = instructions(gateway, seat).into();
    Ok((session, result.into()))
}

/// The result of `server/discover`.
pub(crate) fn discover(gateway: &Gateway, seat: &Seat) -> RawJson {
    let mut result = json!({
        "supportedVersions": supported_versions(),
        "capabilities": {
            "completions": {}, "logging": {},
            "extensions": { (meta::TASKS_EXTENSION): {} },
            "prompts": { "listChanged": true },
            "resources": { "subscribe": true, "listChanged": true },
            "tools": { "listChanged": true },
        },
        "_meta": { (meta::SERVER_INFO): { "name": SERVER_NAME, "version": SERVER_VERSION } },
    });
    result["instructions"] = instructions(gateway, seat).into();
    result.into()
}

/// Instructions for models about the gateway, in the words that its answers use.
const OWN_INSTRUCTIONS: &str = "\
This is Toolgate, a gateway to several MCP servers. A tool is called by its name as listed, `server__tool`.
Where more tools exist than are listed, `search_tools` finds them, `describe_tools` says what they take, and `call_tool` calls them.
Some calls need a person's approval. An answer with `pending_approval` says who decides and until when: tell the user, and repeat exactly the same call later. It runs once.
An answer with `denied`, `approval_denied` or `expired` is a no, with its reason. Do not repeat the call unchanged, and do not look for another way to the same end.
An approver may change the arguments of a call. Its result then says first what was changed: report what ran.";
/// The separator between the gateway's words and those of others.
const OF_SERVERS: &str =
    "What follows was written by the servers, each about itself, and not by the gateway:";

/// The gateway's instructions for the model, and those of the servers that the client sees.
fn instructions(gateway: &Gateway, seat: &Seat) -> String {
    let view = gateway.discovery.view(seat);
    let of_servers = view.snapshot().instructions(INSTRUCTIONS_BYTES_MAX, |server| view.reaches(server));
    match of_servers {
        Some(of_servers) => format!("{OWN_INSTRUCTIONS}\n\n{OF_SERVERS}\n\n{of_servers}"),
        None => OWN_INSTRUCTIONS.to_owned(),
    }
}
