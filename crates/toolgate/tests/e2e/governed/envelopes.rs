//! The gateway's envelope around a result, in both eras and over the API; and results that break their own
//! schema.

use serde_json::{Value, json};

use super::bank::{Bank, NO_HOLD, envelope, money, status};
use crate::doors::modern_meta;
use crate::kit::{call, text};

/// Correct in form, with its own id.
fn well_formed(result: &Value) {
    let said = envelope(result);
    assert_eq!(
        (&said["status"], &said["refs"], &said["warnings"]),
        (&json!("succeeded"), &json!([]), &json!([])),
        "{said}"
    );
    assert!(said["tool_call_id"].as_str().is_some_and(|id| id.starts_with("tc_")), "{said}");
}

#[tokio::test]
async fn every_result_has_an_envelope_in_both_eras() {
    let bank = Bank::open(NO_HOLD);
    let newer = bank.agent();
    let mut older = bank.agent();
    older.initialize("2025-11-25").await;
    for (tool, arguments, own) in [
        ("bank__transfer", money(1), Value::Null),
        ("bank__balance", json!({}), json!(7)),
        ("bank__statement", json!({}), Value::Null),
    ] {
        let params = json!({ "name": tool, "arguments": arguments });
        for result in [
            newer.modern("tools/call", params.clone()).await.result(),
            older.legacy(1, "tools/call", params).await.result(),
        ] {
            well_formed(&result);
            assert_eq!(
                result["_meta"]["bank/branch"], own,
                "what the server said beside its result stays: {result}"
            );
        }
    }
}

#[tokio::test]
async fn a_result_is_the_servers_own_beside_its_envelope() {
    let bank = Bank::open(NO_HOLD);
    let result = call(&bank.agent(), "bank__statement", json!({})).await;
    assert_eq!(result["structuredContent"], json!({ "total": 7 }));
    assert_eq!(result["content"], json!([{ "type": "text", "text": "statement" }]));
    assert_eq!(result.get("isError"), None, "{result}");
}

#[tokio::test]
async fn the_api_returns_the_whole_envelope() {
    let bank = Bank::open(NO_HOLD);
    let body = json!({ "name": "bank:transfer", "arguments": money(1), "run_id": "run_1", "task_id": "t1" });
    let answer = bank.rest(&bank.gateway.agent, "POST", "/tools/call", Some(body)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let said = answer.json();
    assert_eq!(
        (&said["status"], &said["refs"], &said["warnings"]),
        (&json!("succeeded"), &json!([]), &json!([])),
        "{said}"
    );
    assert_eq!(said["data"]["content"][0]["text"], format!("transfer done: {}", money(1)), "{said}");
    let call = said["tool_call_id"].as_str().expect("an id");
    let events = bank.events(&["--call", call]);
    assert!(
        events.len() == 2 && events.iter().all(|one| one["run"] == "run_1" && one["task"] == "t1"),
        "{events:?}"
    );
    let nobody =
        bank.rest(&bank.gateway.agent, "POST", "/tools/call", Some(json!({ "name": "bank:transfr" }))).await;
    assert_eq!((nobody.status, nobody.json()["code"].as_str()), (404, Some("unknown_tool")), "{nobody:?}");
    assert!(nobody.json()["hint"].as_str().is_some_and(|hint| hint.contains("bank:transfer")), "{nobody:?}");
}

#[tokio::test]
async fn a_result_that_breaks_its_own_schema_has_a_warning() {
    let bank = Bank::open(NO_HOLD);
    let result = call(&bank.agent(), "bank__statement", json!({ "broken": true })).await;
    assert_eq!((status(&result), result.get("isError")), ("succeeded", None), "{result}");
    let warning = &envelope(&result)["warnings"][0];
    assert_eq!(warning["code"], "output_schema", "{result}");
    assert!(warning["message"].as_str().is_some_and(|said| said.contains("total")), "{warning}");
    assert_eq!(result["structuredContent"], json!({ "total": "much" }), "the result itself is passed on");
}

#[tokio::test]
async fn where_it_is_enforced_a_broken_result_is_an_error() {
    for toml in [
        "[validation]\noutput = \"enforce\"\n",
        "[[tools]]\nname = \"bank:statement\"\noutput = \"enforce\"\n",
    ] {
        let bank = Bank::open(&format!("{NO_HOLD}{toml}"));
        let agent = bank.agent();
        let result = call(&agent, "bank__statement", json!({ "broken": true })).await;
        assert_eq!((status(&result), &result["isError"]), ("failed", &json!(true)), "{result}");
        assert_eq!(result["_meta"]["dev.toolgate/fault"]["code"], "output_schema", "{result}");
        assert!(text(&result).contains("total"), "{result}");
        assert_eq!(status(&call(&agent, "bank__statement", json!({})).await), "succeeded");
    }
    let off = Bank::open(&format!("{NO_HOLD}[validation]\noutput = \"off\"\n"));
    let result = call(&off.agent(), "bank__statement", json!({ "broken": true })).await;
    assert_eq!(envelope(&result)["warnings"], json!([]), "{result}");
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_all_told_and_nothing_runs() {
    let bank = Bank::open(NO_HOLD);
    let agent = bank.agent();
    let result = call(&agent, "bank__transfer", json!({ "amont": 5, "account": 7 })).await;
    assert_eq!((status(&result), &result["isError"]), ("invalid", &json!(true)), "{result}");
    let said = text(&result);
    assert!(said.contains("/account") && said.contains("amount") && said.contains("did you mean"), "{said}");
    let twice = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"bank__transfer","arguments":{{"amount":1,"amount":2,"account":"DE1"}},"_meta":{}}}}}"#,
        modern_meta(&json!({}))
    );
    let request =
        agent.post().header("mcp-protocol-version", "2026-07-28").header("mcp-method", "tools/call");
    let answer = toolgate_testkit::gateway::HttpClient::finish(
        request.header("mcp-name", "bank__transfer").body(twice),
    )
    .await;
    assert_eq!(status(&answer.result()), "invalid", "an amount given twice is none: {answer:?}");
    let rest =
        bank.rest(&bank.gateway.agent, "POST", "/tools/call", Some(json!({ "name": "bank:transfer" }))).await;
    assert_eq!((rest.status, rest.json()["status"].as_str()), (422, Some("invalid")), "{rest:?}");
    assert_eq!(bank.ran(), Vec::<String>::new());
    assert_eq!(bank.outcomes(), ["invalid"; 3]);
}
