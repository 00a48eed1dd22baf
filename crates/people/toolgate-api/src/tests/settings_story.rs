//! Settings, read and changed, with and without a concurrent change.

use http::{Method, StatusCode};
use serde_json::json;
use toolgate_core::{Principal, Role};

use super::gate::{Gate, Read, request, somebody};

const SEED: &str = r#"{"value":[{"name":"job-app","url":"http://localhost:4000/mcp"}]}"#;

async fn patch(gate: &Gate, key: &str, if_match: &[&str], body: &str) -> Read {
    patch_by(gate, &somebody("op", Role::Operator), key, if_match, body).await
}

async fn patch_by(gate: &Gate, by: &Principal, key: &str, if_match: &[&str], body: &str) -> Read {
    let mut request = request(Method::PATCH, &format!("/settings/{key}"), Some(by), body);
    for tag in if_match {
        request.headers_mut().append("if-match", tag.parse().expect("a value"));
    }
    gate.send(request).await
}

#[tokio::test]
async fn the_servers_are_set_exactly_as_the_seed_does() {
    let gate = Gate::open().await;
    let changed = patch(&gate, "mcp_servers", &[], SEED).await;
    assert_eq!(
        (changed.status, &changed.headers["etag"]),
        (StatusCode::OK, &"\"1\"".parse().expect("a value")),
        "{changed:?}"
    );
    let setting = changed.json();
    assert_eq!(setting["key"], "mcp_servers");
    assert_eq!(setting["value"], json!([{ "name": "job-app", "url": "http://localhost:4000/mcp" }]));
    assert_eq!((&setting["version"], &setting["updated_by"]), (&json!(1), &json!("op")));
    assert!(setting["updated_at"].as_str().expect("a moment").ends_with('Z'));
    let auditor = somebody("audit", Role::Auditor);
    let shown = gate.get(&auditor, "/settings/mcp_servers").await;
    assert_eq!(shown.headers["etag"], "\"1\"");
    for member in ["key", "value", "version", "updated_by"] {
        assert_eq!(shown.json()[member], setting[member], "{member}");
    }
    let ledger = gate.get(&auditor, "/ledger?kind=setting.changed").await.json();
    assert_eq!(ledger["events"][0]["principal"], "op");
}

#[tokio::test]
async fn all_settings_are_listed_before_anybody_changed_one() {
    let gate = Gate::open().await;
    let all = gate.get(&somebody("audit", Role::Auditor), "/settings").await.json();
    let settings = all["settings"].as_array().expect("a list");
    let mut keys: Vec<&str> = settings.iter().map(|one| one["key"].as_str().expect("a key")).collect();
    keys.sort_unstable();
    assert_eq!(
        keys,
        [
            "agents",
            "aliases",
            "capabilities",
            "disabled_servers",
            "mcp_servers",
            "models",
            "policy",
            "registry"
        ]
    );
    assert!(settings.iter().all(|one| one["version"] == 0 && one.get("updated_by").is_none()), "{all}");
}

#[tokio::test]
async fn a_change_that_was_overtaken_is_refused_with_the_version_there_is() {
    let gate = Gate::open().await;
    assert_eq!(patch(&gate, "mcp_servers", &["\"0\""], SEED).await.status, StatusCode::OK);
    let late = patch(&gate, "mcp_servers", &["\"0\""], r#"{"value":[]}"#).await;
    assert_eq!((late.status, late.problem().as_str()), (StatusCode::PRECONDITION_FAILED, "stale"));
    assert_eq!(late.json()["version"], 1);
    assert_eq!(patch(&gate, "mcp_servers", &["*"], r#"{"value":[]}"#).await.json()["version"], 2);
    assert_eq!(patch(&gate, "mcp_servers", &["\"2\""], SEED).await.json()["version"], 3);
    for tags in [&["W/\"3\""][..], &["3"], &["\"x\""], &["\"3\", \"2\""], &[""], &["\"3\"", "\"2\""], &["\""]]
    {
        let refused = patch(&gate, "mcp_servers", tags, r#"{"value":[]}"#).await;
        let told = (refused.status, refused.problem());
        assert_eq!(told, (StatusCode::BAD_REQUEST, "header_invalid".to_owned()), "{tags:?}");
        assert_eq!(refused.json()["field"], "if-match");
    }
    let now = gate.get(&somebody("op", Role::Operator), "/settings/mcp_servers").await.json();
    assert_eq!(now["version"], 3);
}

#[tokio::test]
async fn what_cannot_be_a_value_changes_nothing_and_names_the_part() {
    let gate = Gate::open().await;
    for (body, status, field) in [
        (r#"{"value":[{"name":"a","url":"http://10.0.0.1/mcp"}]}"#, 422, Some("value[0].url")),
        (
            r#"{"value":[{"name":"a","url":"http://localhost:1/"},{"name":"b","command":"sh"}]}"#,
            422,
            Some("value[1].command"),
        ),
        (r#"{"value":[{"name":"a b","url":"http://localhost:1/"}]}"#, 422, Some("value[0].name")),
        (r#"{"value":[{"name":"bank","url":"http://localhost:1/"}]}"#, 409, Some("value[0].name")),
        (r#"{"value":[],"version":1}"#, 422, Some("version")),
        (r#"{"valu":[]}"#, 422, Some("valu")),
        (r#"{"value":[}"#, 400, None),
    ] {
        let answer = patch(&gate, "mcp_servers", &[], body).await;
        assert_eq!(answer.status.as_u16(), status, "{body} {answer:?}");
        answer.problem();
        assert_eq!(answer.json().get("field").and_then(|field| field.as_str()), field, "{body} {answer:?}");
    }
    let now = gate.get(&somebody("op", Role::Operator), "/settings/mcp_servers").await.json();
    assert_eq!((&now["version"], &now["value"]), (&json!(0), &json!([])));
}

#[tokio::test]
async fn an_unknown_setting_is_told_with_those_there_are() {
    let gate = Gate::open().await;
    let shown = gate.get(&somebody("audit", Role::Auditor), "/settings/mcp_server").await;
    let changed = patch(&gate, "mcp_server", &[], SEED).await;
    for answer in [shown, changed] {
        answer.problem();
        assert_eq!(answer.status, StatusCode::NOT_FOUND);
        for key in ["mcp_servers", "aliases", "registry"] {
            assert!(answer.text.contains(key), "{answer:?}");
        }
    }
}

#[tokio::test]
async fn policies_change_with_a_reason_and_every_version_is_kept() {
    let gate = Gate::open().await;
    let (auditor, admin) = (somebody("audit", Role::Auditor), somebody("root", Role::Admin));
    let silent = patch_by(&gate, &admin, "policy", &[], r#"{"value":{"gates":"a"}}"#).await;
    assert_eq!(
        (silent.status, silent.problem().as_str()),
        (StatusCode::UNPROCESSABLE_ENTITY, "invalid_setting")
    );
    assert_eq!(silent.json()["field"], "reason");
    let set = r#"{"value":{"gates":"a"},"reason":" an audit "}"#;
    let refused = patch(&gate, "policy", &[], set).await;
    assert_eq!((refused.status, refused.problem().as_str()), (StatusCode::FORBIDDEN, "wrong_role"));
    let set = patch_by(&gate, &admin, "policy", &[], set).await;
    assert_eq!((set.status, &set.json()["version"]), (StatusCode::OK, &json!(1)), "{set:?}");
    let back = patch_by(&gate, &admin, "policy", &["\"1\""], r#"{"value":{},"reason":"too strict"}"#).await;
    assert_eq!(back.status, StatusCode::OK, "{back:?}");
    let kept = gate.get(&auditor, "/settings/policy/versions").await.json();
    let versions = kept["versions"].as_array().expect("a list");
    let told: Vec<_> = versions.iter().map(|one| (&one["version"], &one["reason"], &one["value"])).collect();
    let (second, first) = (json!("too strict"), json!("an audit"));
    assert_eq!(told, [(&json!(2), &second, &json!({})), (&json!(1), &first, &json!({ "gates": "a" }))]);
    assert_eq!(versions[0]["set_by"], "root");
    let ledger = gate.get(&auditor, "/ledger?kind=setting.changed").await.json();
    assert_eq!(ledger["events"][0]["detail"]["reason"], "too strict");
    let nobody = gate.get(&auditor, "/settings/policies/versions").await;
    assert_eq!(nobody.status, StatusCode::NOT_FOUND);
}
