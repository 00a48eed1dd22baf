//! Every route refuses callers without permission. The document, the table and the router agree.

use std::collections::BTreeSet;

use http::{Method, StatusCode};
use toolgate_core::Role;

use super::gate::{Gate, request, somebody};
use crate::access::RouteCallers;
use crate::document::{ROLES_EXTENSION, operations};
use crate::{Api, routes};

/// Every operation of the document: method, path, and the roles that it names.
fn documented() -> Vec<(Method, String, BTreeSet<String>)> {
    let mut api = routes::api_document();
    let mut found = Vec::new();
    for (path, item) in &mut api.paths.paths {
        for (method, operation) in operations(item) {
            let roles = &operation.extensions.as_ref().expect("extensions")[ROLES_EXTENSION];
            let roles =
                roles.as_array().expect("a list").iter().map(|role| role.as_str().expect("text").to_owned());
            found.push((method, path.clone(), roles.collect()));
        }
    }
    found
}

/// A path with something in the place of each parameter.
fn filled(path: &str) -> String {
    path.replace("{id}", "x_1")
        .replace("{name}", "x")
        .replace("{call_id}", "tc_1")
        .replace("{key}", "registry")
        .replace("{server}", "bank")
        .replace("{digest}", "sha256:0")
        .replace("{sha256}", "sha256:0")
        .replace("{kind}", "files")
        .replace("{number}", "0")
        .replace("{page}", "1")
}

#[tokio::test]
async fn every_route_refuses_a_missing_credential() {
    let gate = Gate::open().await;
    for (method, path, _) in documented() {
        let answer = gate.send(request(method.clone(), &filled(&path), None, "{}")).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{method} {path}");
        let code = answer.problem();
        assert!(["unauthorized", "signature_missing"].contains(&code.as_str()), "{method} {path}: {code}");
        assert!(answer.headers.contains_key("www-authenticate"));
        assert!(!answer.headers.contains_key("toolgate-version"), "{method} {path}: to nobody else");
    }
}

#[tokio::test]
async fn every_route_refuses_an_insufficient_role_and_lets_the_others_in() {
    let gate = Gate::open().await;
    for (method, path, roles) in documented() {
        for role in Role::ALL {
            let who = somebody("somebody", role);
            let answer = gate.send(request(method.clone(), &filled(&path), Some(&who), "{}")).await;
            // A server that may register is refused by name, and not for its role.
            let refused = answer.status == StatusCode::FORBIDDEN && answer.problem() == "wrong_role";
            let allowed = roles.contains(role.as_str());
            // A signed route has no roles, and refuses for lack of a signature.
            let signed = roles.is_empty() && answer.status == StatusCode::UNAUTHORIZED;
            assert!(signed || refused != allowed, "{method} {path} as {role:?}: {answer:?}");
            assert!(refused || answer.status != StatusCode::FORBIDDEN || role == Role::Server, "{answer:?}");
            assert_ne!(answer.status, StatusCode::METHOD_NOT_ALLOWED, "{method} {path}");
        }
    }
}

#[tokio::test]
async fn a_role_has_what_its_name_says() {
    let table = routes::access_table();
    let of = |role: Role| -> BTreeSet<&str> {
        let has = |who: RouteCallers| matches!(who, RouteCallers::Roles(roles) if roles.contains(&role));
        table.iter().filter(|access| has(access.who)).map(|access| access.path.as_str()).collect()
    };
    let may = |role: Role, method: &Method, path: &str| {
        let access = table.of(method, path).expect("a route");
        matches!(access.who, RouteCallers::Roles(roles) if roles.contains(&role))
    };
    let open = table.iter().filter(|access| !matches!(access.who, RouteCallers::Roles(_))).count();
    assert_eq!(
        table
            .iter()
            .filter(|access| matches!(access.who, RouteCallers::Roles(roles) if roles.contains(&Role::Admin)))
            .count()
            + open,
        table.iter().count()
    );
    assert_eq!(
        of(Role::Agent),
        [
            "/approvals/{id}",
            "/artifacts",
            "/artifacts/{sha256}",
            "/artifacts/{sha256}/content",
            "/artifacts/{sha256}/link",
            "/artifacts/{sha256}/pages/{page}",
            "/automations",
            "/automations/{name}",
            "/automations/{name}/fires",
            "/automations/{name}/next",
            "/citations",
            "/files",
            "/files/{id}",
            "/files/{id}/content",
            "/files/{id}/pages/{page}",
            "/inputs/{id}",
            "/openapi.json",
            "/refs/{id}",
            "/refs/{id}/content",
            "/refs/{id}/pages/{page}",
            "/runs",
            "/runs/{id}",
            "/runs/{id}/calls",
            "/runs/{id}/cancel",
            "/runs/{id}/chat",
            "/runs/{id}/children",
            "/runs/{id}/events",
            "/runs/{id}/pause",
            "/runs/{id}/resume",
            "/runs/{id}/retry",
            "/runs/{id}/tool-calls",
            "/runs/{id}/turns",
            "/sessions",
            "/sessions/{id}",
            "/sessions/{id}/cost",
            "/sessions/{id}/explain",
            "/sessions/{id}/preview",
            "/tasks",
            "/tasks/{id}",
            "/tasks/{id}/runs",
            "/tasks/{id}/versions",
            "/tools",
            "/tools/call",
            "/tools/cost",
            "/tools/preview",
            "/tools/search",
            "/tools/{name}",
        ]
        .into()
    );
    assert!(of(Role::Auditor).contains("/ledger") && !of(Role::Auditor).contains("/approvals/{id}/decide"));
    assert!(of(Role::Approver).contains("/grants/{id}") && !of(Role::Approver).contains("/ledger"));
    let registering = [
        "/openapi.json",
        "/servers/register",
        "/servers/{name}/instances/{id}",
        "/servers/{name}/instances/{id}/heartbeat",
    ];
    assert_eq!(of(Role::Server), registering.into(), "a server registers and does nothing else");
    for watching in ["/events", "/registry/tools", "/registry/tools/{name}/diff"] {
        assert!(of(Role::Approver).contains(watching) && of(Role::Auditor).contains(watching), "{watching}");
    }
    for role in Role::ALL {
        let runs = matches!(role, Role::Admin | Role::Operator);
        assert_eq!(of(role).contains("/tokens"), role == Role::Admin, "{role:?}");
        assert_eq!(of(role).contains("/webhooks/{name}/test"), runs, "{role:?}");
        assert_eq!(of(role).contains("/secrets/{server}/{name}"), runs, "{role:?}");
        assert_eq!(of(role).contains("/credentials/{id}/fields/{name}"), runs, "{role:?}");
        assert_eq!(of(role).contains("/registry/tools/{name}/review"), runs, "{role:?}");
        let audits = runs || role == Role::Auditor;
        for audited in [
            "/settings",
            "/credentials",
            "/credentials/{id}",
            "/agents",
            "/agents/{name}/versions",
            "/capabilities/{name}",
            "/policy",
            "/policy/explain",
            "/policy/shadow",
            "/retention",
            "/webhooks",
        ] {
            assert_eq!(of(role).contains(audited), audits, "{role:?} {audited}");
        }
        let sits = audits || role == Role::Agent;
        for sitting in ["/sessions/{id}/explain", "/runs/{id}", "/runs/{id}/events", "/tasks/{id}"] {
            assert_eq!(of(role).contains(sitting), sits, "{role:?} {sitting}");
        }
        let answers = runs || role == Role::Approver;
        assert_eq!(of(role).contains("/inputs/{id}/answer"), answers, "{role:?}");
        assert_eq!(of(role).contains("/inputs/{id}/picture"), answers, "{role:?}");
        assert_eq!(of(role).contains("/inbox"), answers || role == Role::Auditor, "{role:?}");
        for (method, path) in [
            (Method::PUT, "/agents/{name}"),
            (Method::DELETE, "/agents/{name}"),
            (Method::PUT, "/capabilities/{name}"),
            (Method::DELETE, "/capabilities/{name}"),
            (Method::POST, "/tasks"),
            (Method::PUT, "/tasks/{id}"),
            (Method::DELETE, "/tasks/{id}"),
        ] {
            assert_eq!(may(role, &method, path), runs, "{role:?} {method} {path}");
        }
        for (method, path) in [
            (Method::POST, "/sessions"),
            (Method::PATCH, "/sessions/{id}"),
            (Method::DELETE, "/sessions/{id}"),
            (Method::POST, "/runs"),
            (Method::POST, "/runs/{id}/cancel"),
            (Method::POST, "/runs/{id}/tool-calls"),
        ] {
            assert_eq!(may(role, &method, path), role.may_call_tools(), "{role:?} {method} {path}");
        }
        assert_eq!(of(role).contains("/approvals/{id}/decide"), role.may_approve(), "{role:?}");
        assert_eq!(of(role).contains("/tools/call"), role.may_call_tools(), "{role:?}");
        assert_eq!(of(role).contains("/files"), role != Role::Server, "{role:?}");
        assert_eq!(of(role).contains("/artifacts/{sha256}"), sits, "{role:?}");
        for read in ["/artifacts/{sha256}/content", "/artifacts/{sha256}/pages/{page}", "/citations"] {
            assert_eq!(of(role).contains(read), role.may_call_tools(), "{role:?} {read}");
        }
    }
}

#[tokio::test]
async fn the_document_is_served_and_complete() {
    let gate = Gate::open().await;
    let answer = gate.get(&somebody("agent-7", Role::Agent), "/openapi.json").await;
    assert_eq!(
        (answer.status, &answer.headers["content-type"]),
        (StatusCode::OK, &"application/json".parse().expect("a value"))
    );
    let document = answer.json();
    assert_eq!(document["openapi"], "3.1.0");
    let schemas = document["components"]["schemas"].as_object().expect("schemas");
    for reference in answer.text.split("\"$ref\":\"#/components/schemas/").skip(1) {
        let name = reference.split('"').next().expect("a name");
        assert!(schemas.contains_key(name), "{name} is not described");
    }
    let decide = &document["paths"]["/approvals/{id}/decide"]["post"];
    assert_eq!(decide["x-roles"], serde_json::json!(["admin", "approver"]));
    assert_eq!(decide["security"], serde_json::json!([{ "token": [] }]));
    assert!(decide["responses"]["default"]["content"]["application/problem+json"].is_object());
}

#[tokio::test]
async fn what_is_not_there_is_told_as_a_problem() {
    let gate = Gate::open().await;
    let admin = somebody("root", Role::Admin);
    let nothing = gate.get(&admin, "/tools/a/b").await;
    assert_eq!((nothing.status, nothing.problem().as_str()), (StatusCode::NOT_FOUND, "not_found"));
    assert_eq!(nothing.headers["toolgate-version"], env!("CARGO_PKG_VERSION"), "refusals say it as well");
    let wrong = gate.send(request(Method::DELETE, "/tools", Some(&admin), "")).await;
    assert_eq!(
        (wrong.status, wrong.problem().as_str()),
        (StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed")
    );
    let head = gate.send(request(Method::HEAD, "/ledger", Some(&somebody("a", Role::Agent)), "")).await;
    assert_eq!(head.status, StatusCode::FORBIDDEN);
}

#[test]
fn the_edge_learns_which_paths_are_ours() {
    for ours in [
        "/tools",
        "/tools/call",
        "/ledger/tc_1",
        "/openapi.json",
        "/webhooks/chat/decisions",
        "/servers",
        "/servers/register",
        "/settings/mcp_servers",
        "/registry/tools",
        "/secrets/bank",
        "/credentials/cred_1",
        "/events",
        "/aliases",
        "/agents/writer/versions",
        "/capabilities",
        "/sessions/ses_1/explain",
        "/files/file_1/content",
        "/refs/ref_1",
        "/artifacts/sha256:0",
        "/tasks/task_1",
        "/runs/run_1/tool-calls",
        "/inputs/inp_1/answer",
        "/inbox",
        "/tokens/tok_1",
        "/policy/explain",
        "/retention",
    ] {
        assert!(Api::handles(ours), "{ours}");
    }
    for other in ["/", "/mcp", "/toolsmith", "/metrics", "/approvals.json", ""] {
        assert!(!Api::handles(other), "{other}");
    }
    for open in ["/webhooks/chat/decisions", "/uploads/upl_1", "/signed/files/sha256:0"] {
        assert!(Api::is_open(open) && Api::handles(open), "{open}");
    }
    for closed in [
        "/tools/call",
        "/",
        "/files",
        "/files/file_1/content",
        "/refs/ref_1",
        "/artifacts/x/link",
        "/webhooks",
        "/webhooks/chat/test",
    ] {
        assert!(!Api::is_open(closed), "{closed}");
    }
}
