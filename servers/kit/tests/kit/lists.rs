//! The description of the server and its tools for clients and gateways.

use serde_json::{Value, json};

use super::drive::{KitClient, KitEra, over_stdio, serve};

async fn tool(client: &KitClient, name: &str) -> Value {
    let tools = client.service.list_all_tools().await.unwrap();
    serde_json::to_value(tools.iter().find(|tool| tool.name == name).unwrap()).unwrap()
}

async fn tells_everything(client: &KitClient) {
    let echo = tool(client, "echo").await;
    assert_eq!((&echo["title"], &echo["description"]), (&json!("Echo"), &json!("Says the text again.")));
    let text = json!({"type": "string", "description": "The text to say."});
    assert_eq!(echo["inputSchema"]["properties"]["text"], text);
    assert_eq!(echo["inputSchema"]["required"], json!(["text"]));
    assert_eq!(echo["inputSchema"]["additionalProperties"], json!(false));
    assert_eq!(echo["outputSchema"]["properties"]["text"]["type"], "string");
    let annotations = &echo["annotations"];
    assert_eq!(annotations["readOnlyHint"], true);
    assert_eq!(annotations["idempotentHint"], true);
    assert_eq!(
        (&annotations["openWorldHint"], &annotations["destructiveHint"]),
        (&json!(false), &json!(false))
    );
    let extra =
        json!({"effects": ["read"], "idempotent": true, "capabilities": ["sample"], "aliases": ["say"]});
    assert_eq!(echo["_meta"]["dev.toolgate/tool"], extra);
    let keep = tool(client, "keep").await;
    assert_eq!(
        (&keep["annotations"]["readOnlyHint"], &keep["_meta"]["dev.toolgate/tool"]["effects"]),
        (&json!(false), &json!(["write"]))
    );
    let measure = tool(client, "measure").await;
    assert_eq!(measure["_meta"]["dev.toolgate/tool"]["files"], json!([{"strategy": "binary_base64"}]));
    let missing = tool(client, "missing").await;
    assert_eq!(
        missing["description"],
        "Needs what is not there. (Unavailable on this machine: the frobnicator is not installed)"
    );
}

#[tokio::test]
async fn tools_are_listed_with_schemas_hints_and_what_gateways_want_to_know() {
    let server = serve(&[]).await;
    for era in super::drive::ERAS {
        tells_everything(&over_stdio(era, &[]).await).await;
        tells_everything(&server.client(era).await).await;
    }
}

#[tokio::test]
async fn the_server_says_who_it_is() {
    let client = over_stdio(KitEra::Initialize, &[]).await;
    let info = serde_json::to_value(client.service.peer_info().unwrap().as_ref()).unwrap();
    assert_eq!(info["serverInfo"]["name"], "sample-mcp");
    assert_eq!(info["instructions"], "Misbehaves on demand.");
}

#[tokio::test]
async fn how_far_a_call_is_can_be_heard() {
    let server = serve(&[]).await;
    for client in [
        over_stdio(KitEra::Initialize, &[]).await,
        over_stdio(KitEra::Modern, &[]).await,
        server.client(KitEra::Initialize).await,
        server.client(KitEra::Modern).await,
    ] {
        client.answer("steps", json!({})).await;
        super::drive::eventually("the last step was heard", async || {
            client.heard().last().is_some_and(|last| last.progress == 4.0)
        })
        .await;
        let heard = client.heard();
        assert!(heard.is_sorted_by(|one, next| one.progress < next.progress), "{heard:?}");
        assert_eq!((heard[0].total, heard[0].message.as_deref()), (Some(4.0), Some("step 1")));
    }
}

#[tokio::test]
async fn options_of_the_server_reach_its_workers() {
    let client = over_stdio(KitEra::Initialize, &["--greeting", "Dear "]).await;
    assert_eq!(client.answer("echo", json!({"text": "me"})).await, json!({"text": "Dear me"}));
}
