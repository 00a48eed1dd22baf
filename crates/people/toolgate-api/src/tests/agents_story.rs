//! Agents and capabilities: defined, read, changed with a concurrent change in between, removed.

use http::{Method, StatusCode};
use serde_json::{Value, json};
use toolgate_core::Role;

use super::gate::{Gate, Read, request, somebody, until};
use super::parts::stock;

async fn stocked() -> Gate {
    let gate = Gate::open().await;
    stock(&gate.catalog);
    gate
}

async fn put(gate: &Gate, path: &str, body: &str) -> Read {
    gate.put(&somebody("op", Role::Operator), path, body).await
}

async fn with_tag(gate: &Gate, method: Method, path: &str, tag: &str, body: &str) -> Read {
    let mut request = request(method, path, Some(&somebody("op", Role::Operator)), body);
    request.headers_mut().insert("if-match", tag.parse().expect("a value"));
    gate.send(request).await
}

async fn get(gate: &Gate, path: &str) -> Read {
    gate.get(&somebody("audit", Role::Auditor), path).await
}

fn names(page: &Value) -> Vec<(String, String)> {
    let word = |one: &Value, key: &str| one[key].as_str().expect("text").to_owned();
    page.as_array().expect("a list").iter().map(|one| (word(one, "name"), word(one, "source"))).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(name, source)| ((*name).to_owned(), (*source).to_owned())).collect()
}

#[tokio::test]
async fn an_agent_is_defined_read_and_removed() {
    let gate = stocked().await;
    let definition = json!({ "name": "reader", "description": "Reads.", "pinned": ["files:read"], "token_budget": "off",
        "schema_diet": true, "policy_template": "standard", "limits": { "sessions_max": 3 } });
    let made = put(&gate, "/agents/reader", &definition.to_string()).await;
    assert_eq!((made.status, &made.headers["etag"]), (StatusCode::OK, &"\"1\"".parse().expect("a value")));
    assert_eq!(made.json()["warnings"], json!([]));
    let shown = get(&gate, "/agents/reader").await.json();
    assert_eq!((&shown["source"], &shown["version"]), (&json!("settings"), &made.json()["version"]));
    for (key, value) in definition.as_object().expect("an object").iter().filter(|(key, _)| *key != "limits")
    {
        assert_eq!(shown["definition"][key], *value, "{key}");
    }
    assert_eq!(shown["definition"]["limits"], json!({ "idle_seconds": 86400, "sessions_max": 3 }));
    let again = put(&gate, "/agents/reader", &shown["definition"].to_string()).await;
    assert_eq!(again.json()["version"], made.json()["version"], "what was read can be put");
    let all = get(&gate, "/agents").await.json();
    let expected = [("default", "built_in"), ("reader", "settings"), ("teller", "file")];
    assert_eq!(names(&all["agents"]), pairs(&expected));
    let operator = somebody("op", Role::Operator);
    assert_eq!(gate.delete(&operator, "/agents/reader").await.status, StatusCode::NO_CONTENT);
    let gone = get(&gate, "/agents/reader").await;
    assert_eq!((gone.status.as_u16(), gone.problem().as_str()), (404, "unknown_agent"));
    let ledger = get(&gate, "/ledger?kind=setting.changed").await.json();
    assert_eq!(
        (&ledger["events"][0]["principal"], ledger["events"].as_array().map(Vec::len)),
        (&json!("op"), Some(2))
    );
}

#[tokio::test]
async fn the_default_agent_can_be_defined_and_counts_at_once() {
    let gate = stocked().await;
    let agent = somebody("agent-7", Role::Agent);
    assert_eq!(get(&gate, "/agents/default").await.json()["definition"]["token_budget"], 8000);
    assert_eq!(put(&gate, "/agents/default", r#"{"capabilities":["money"]}"#).await.status, StatusCode::OK);
    assert_eq!(get(&gate, "/agents/default").await.json()["source"], "settings");
    let tools = gate.get(&agent, "/tools").await.json();
    assert!(tools["tools"].as_array().expect("a list").iter().all(|one| one["server"] == "bank"), "{tools}");
}

#[tokio::test]
async fn versions_are_counted_as_they_are_seen() {
    let gate = stocked().await;
    put(&gate, "/agents/reader", "{}").await;
    let first = get(&gate, "/agents/reader").await.json()["version"].clone();
    let known = async |count: usize| {
        let versions = get(&gate, "/agents/reader/versions").await.json()["versions"].clone();
        (versions.as_array().expect("a list").len() == count).then_some(versions)
    };
    until("the first is seen", async || known(1).await.is_some()).await;
    put(&gate, "/agents/reader", r#"{"schema_diet":true}"#).await;
    until("the second is seen", async || known(2).await.is_some()).await;
    let versions = known(2).await.expect("both");
    assert_eq!((&versions[0]["number"], &versions[0]["version"]), (&json!(1), &first));
    assert_eq!(versions[1]["definition"]["schema_diet"], true);
    assert!(versions[1]["first_seen"].as_str().expect("a moment").ends_with('Z'));
    assert_eq!(get(&gate, "/agents/reader").await.json()["number"], 2);
    let unknown = get(&gate, "/agents/nobody/versions").await;
    assert_eq!((unknown.status.as_u16(), unknown.problem().as_str()), (404, "unknown_agent"));
}

#[tokio::test]
async fn a_capability_tells_which_tools_belong_to_it_and_why() {
    let gate = stocked().await;
    let body = r#"{"tools":["bank:bal*"],"tags":["tag-post"],"servers":["fil?s"]}"#;
    let made = put(&gate, "/capabilities/mixed", body).await;
    assert_eq!(made.status, StatusCode::OK, "{made:?}");
    let member = |tool: &str, by: &str, rule: &str| json!({ "tool": tool, "by": by, "rule": rule });
    let expected = json!([
        member("bank:balance", "tools", "bank:bal*"),
        member("chat:post", "tags", "tag-post"),
        member("files:point", "servers", "fil?s"),
        member("files:read", "servers", "fil?s"),
        member("files:secret", "servers", "fil?s"),
    ]);
    assert_eq!((&made.json()["tools"], &made.json()["warnings"]), (&expected, &json!([])));
    put(&gate, "/agents/both", r#"{"capabilities":["mixed","money"]}"#).await;
    assert_eq!(get(&gate, "/capabilities/mixed").await.json()["agents"], json!(["both"]));
    let all = get(&gate, "/capabilities").await.json();
    assert_eq!(names(&all["capabilities"]), pairs(&[("mixed", "settings"), ("money", "file")]));
    let operator = somebody("op", Role::Operator);
    let used = gate.delete(&operator, "/capabilities/mixed").await;
    assert_eq!((used.status.as_u16(), used.problem().as_str()), (409, "capability_in_use"));
    gate.delete(&operator, "/agents/both").await;
    assert_eq!(gate.delete(&operator, "/capabilities/mixed").await.status, StatusCode::NO_CONTENT);
}

#[tokio::test]
async fn rules_that_fit_nothing_are_warned_of_by_name() {
    let gate = stocked().await;
    let capability =
        put(&gate, "/capabilities/odd", r#"{"tools":["githup:*","bank:*"],"tags":["none"]}"#).await.json();
    let told = |answer: &Value| -> Vec<String> {
        let warnings = answer["warnings"].as_array().expect("a list").iter();
        warnings.map(|one| format!("{} {} {}", one["code"], one["place"], one["pattern"])).collect()
    };
    assert_eq!(
        told(&capability),
        [
            r#""pattern_unmatched" "capability \"odd\": tags" "none""#,
            r#""pattern_unmatched" "capability \"odd\": tools" "githup:*""#
        ]
    );
    assert_eq!(capability["warnings"][1]["message"], "capability \"odd\": tools: no tool fits `githup:*`");
    let agent = put(&gate, "/agents/odd", r#"{"blocked":["x:*"],"pinned":["files:raed"]}"#).await.json();
    assert_eq!(
        told(&agent),
        [
            r#""pattern_unmatched" "agent \"odd\": blocked" "x:*""#,
            r#""pattern_unmatched" "agent \"odd\": pinned" "files:raed""#
        ]
    );
    assert_eq!(told(&get(&gate, "/agents/odd").await.json()).len(), 2);
}

#[tokio::test]
async fn a_change_that_was_overtaken_is_refused_with_the_version_there_is() {
    let gate = stocked().await;
    for path in ["/agents/reader", "/capabilities/files"] {
        assert_eq!(with_tag(&gate, Method::PUT, path, "\"0\"", "{}").await.status, StatusCode::OK);
        let body = r#"{"description":"late"}"#;
        let late = with_tag(&gate, Method::PUT, path, "\"0\"", body).await;
        assert_eq!((late.status, late.problem().as_str()), (StatusCode::PRECONDITION_FAILED, "stale"));
        assert_eq!(late.json()["version"], 1);
        let late = with_tag(&gate, Method::DELETE, path, "\"0\"", "").await;
        assert_eq!(late.status, StatusCode::PRECONDITION_FAILED);
        let odd = with_tag(&gate, Method::DELETE, path, "1", "").await;
        assert_eq!((odd.status.as_u16(), odd.problem().as_str()), (400, "header_invalid"));
        let tag = get(&gate, path).await.headers["etag"].to_str().expect("text").to_owned();
        assert_eq!(with_tag(&gate, Method::DELETE, path, &tag, "").await.status, StatusCode::NO_CONTENT);
    }
}

#[tokio::test]
async fn what_the_file_defines_is_not_changed_here() {
    let gate = stocked().await;
    let operator = somebody("op", Role::Operator);
    for path in ["/agents/teller", "/capabilities/money"] {
        for answer in [put(&gate, path, "{}").await, gate.delete(&operator, path).await] {
            assert_eq!(
                (answer.status.as_u16(), answer.problem().as_str()),
                (409, "defined_in_file"),
                "{path}"
            );
        }
    }
    assert_eq!(get(&gate, "/agents/teller").await.json()["definition"]["capabilities"], json!(["money"]));
}

#[tokio::test]
async fn what_cannot_be_a_definition_changes_nothing_and_names_the_part() {
    let gate = stocked().await;
    let long = format!(r#"{{"description":"{}"}}"#, "x".repeat(2001));
    for (path, body, status, code, field) in [
        ("/agents/a", r#"{"capabilities":["mony"]}"#, 422, "unknown_capability", Some("capabilities[0]")),
        ("/agents/a", r#"{"capabilities":["a b"]}"#, 422, "field_invalid", Some("capabilities[0]")),
        ("/agents/a", r#"{"policy_template":"standart"}"#, 422, "unknown_template", Some("policy_template")),
        ("/agents/a", r#"{"token_budget":-1}"#, 422, "field_invalid", Some("token_budget")),
        ("/agents/a", r#"{"pinned":["a b"]}"#, 422, "field_invalid", Some("pinned[0]")),
        (
            "/agents/a",
            r#"{"limits":{"idle_seconds":0}}"#,
            422,
            "invalid_setting",
            Some("limits.idle_seconds"),
        ),
        ("/agents/a", r#"{"mounts":{"disks":[]}}"#, 422, "field_unknown", Some("disks")),
        ("/agents/a", r#"{"capabilites":[]}"#, 422, "field_unknown", Some("capabilites")),
        ("/agents/a", r#"{"name":"b"}"#, 422, "name_differs", Some("name")),
        ("/agents/a", long.as_str(), 422, "invalid_setting", Some("description")),
        ("/agents/a", "[]", 422, "field_invalid", None),
        ("/agents/a", "{", 400, "json_broken", None),
        ("/agents/a%20b", "{}", 400, "parameter_invalid", Some("name")),
        ("/agents/ses_1", "{}", 400, "parameter_invalid", Some("name")),
        ("/capabilities/c", r#"{"tools":"bank:*"}"#, 422, "field_invalid", Some("tools")),
        ("/capabilities/c", r#"{"servers":["bank:*"]}"#, 422, "invalid_setting", Some("servers[0]")),
        ("/capabilities/c", r#"{"name":"d"}"#, 422, "name_differs", Some("name")),
        ("/capabilities/c", r#"{"tool":[]}"#, 422, "field_unknown", Some("tool")),
    ] {
        let answer = put(&gate, path, body).await;
        assert_eq!(
            (answer.status.as_u16(), answer.problem().as_str()),
            (status, code),
            "{path} {body} {answer:?}"
        );
        assert_eq!(answer.json().get("field").and_then(Value::as_str), field, "{path} {body}");
    }
    let hint = async |body: &str| put(&gate, "/agents/a", body).await.json()["hint"].clone();
    assert_eq!(hint(r#"{"capabilities":["mony"]}"#).await, "did you mean money?");
    assert_eq!(hint(r#"{"policy_template":"standart"}"#).await, "did you mean \"standard\"?");
    assert_eq!(get(&gate, "/agents/a").await.status, StatusCode::NOT_FOUND);
    assert_eq!(get(&gate, "/settings/agents").await.json()["version"], 0);
}

#[tokio::test]
async fn names_that_lead_nowhere_are_told_with_the_nearest() {
    let gate = stocked().await;
    let long = "x".repeat(65);
    let operator = somebody("op", Role::Operator);
    for (kind, code, near) in
        [("agents", "unknown_agent", "tellr"), ("capabilities", "unknown_capability", "mony")]
    {
        let unknown = get(&gate, &format!("/{kind}/{near}")).await;
        assert_eq!((unknown.status.as_u16(), unknown.problem().as_str()), (404, code));
        assert!(unknown.json()["hint"].as_str().expect("a hint").starts_with("did you mean"), "{unknown:?}");
        let unknown = gate.delete(&operator, &format!("/{kind}/{near}")).await;
        assert_eq!((unknown.status.as_u16(), unknown.problem().as_str()), (404, code));
        let path = format!("/{kind}/{long}");
        for answer in
            [get(&gate, &path).await, put(&gate, &path, "{}").await, gate.delete(&operator, &path).await]
        {
            assert_eq!((answer.status.as_u16(), answer.problem().as_str()), (400, "parameter_invalid"));
        }
    }
    assert_eq!(get(&gate, &format!("/agents/{long}/versions")).await.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn what_does_not_count_as_it_was_written_is_told() {
    let gate = stocked().await;
    put(&gate, "/agents/reader", r#"{"capabilities":["money"],"principals":["ada"]}"#).await;
    let rival = put(&gate, "/agents/other", r#"{"principals":["ada"]}"#).await;
    assert_eq!((rival.status.as_u16(), rival.problem().as_str()), (409, "two_agents"));
    assert_eq!(rival.json()["field"], "principals[0]");
    let tools = gate.get(&somebody("ada", Role::Agent), "/tools").await.json();
    assert!(tools["tools"].as_array().expect("a list").iter().all(|one| one["server"] == "bank"), "{tools}");
    assert!(get(&gate, "/agents/reader").await.json().get("problems").is_none());
}
