//! The list of tools, what gateways are told, and settings that are missing or wrong.

use std::collections::BTreeSet;

use serde_json::json;

use crate::drive::{PASSWORD, command, start};

#[tokio::test]
async fn each_provider_has_its_tools_with_their_effects() {
    for (arguments, names) in [
        (&["mail"][..], &["list_messages", "read_message", "search_messages", "send"][..]),
        (&["s3"], &["list_objects", "read_object"]),
        (&["s3", "--allow-put"], &["list_objects", "put_object", "read_object"]),
        (&["postgres"], &["describe_table", "list_tables", "query"]),
    ] {
        let connector = start(arguments, &[]).await;
        let tools = connector.client.service.list_all_tools().await.unwrap();
        let mut found: Vec<String> = tools.iter().map(|tool| tool.name.to_string()).collect();
        found.sort_unstable();
        assert_eq!(found, names, "{arguments:?}");
        for tool in tools {
            let writes = ["send", "put_object"].contains(&&*tool.name);
            let extra = tool.meta.unwrap()["dev.toolgate/tool"].clone();
            let effects = if writes { json!(["write", "external"]) } else { json!(["read"]) };
            assert_eq!(extra["effects"], effects, "{}", tool.name);
            assert_eq!(extra["files"].is_array(), writes, "{extra}");
            // Nothing was set, so each says what is missing.
            assert!(tool.description.unwrap().contains("Unavailable on this machine"), "{}", tool.name);
        }
    }
}

#[tokio::test]
async fn the_guide_lists_every_tool_as_it_is() {
    const GUIDE: &str = include_str!("../../../../docs/how-to/connectors.md");
    for arguments in [&["mail"][..], &["s3", "--allow-put"], &["postgres"]] {
        let connector = start(arguments, &[]).await;
        let told = serde_json::to_value(connector.client.service.peer_info().unwrap()).unwrap();
        let previews = &told["capabilities"]["experimental"]["dev.toolgate/connector"]["previews"];
        let has_preview = |name: &str| previews.as_array().unwrap().iter().any(|one| one == name);
        let mut expected = BTreeSet::new();
        for tool in connector.client.service.list_all_tools().await.unwrap() {
            let extra = tool.meta.unwrap()["dev.toolgate/tool"].clone();
            let [effect, idempotency] = match (&extra["effects"][0], &extra["idempotent"]) {
                (effect, _) if effect == "read" => ["reads", "–"],
                (_, idempotent) if *idempotent == json!(true) => ["external", "key"],
                _ => ["external", "ledger"],
            };
            let dry_run = if has_preview(&tool.name) { "yes" } else { "–" };
            let provider = arguments[0];
            let name = &tool.name;
            expected.insert(format!("| {provider} | `{name}` | {effect} | {idempotency} | {dry_run} |"));
        }
        let start_of_row = format!("| {} |", arguments[0]);
        let rows = GUIDE.lines().filter(|line| line.starts_with(start_of_row.as_str()));
        assert_eq!(rows.map(str::to_owned).collect::<BTreeSet<String>>(), expected);
    }
}

#[tokio::test]
async fn a_gateway_is_told_what_it_may_ask() {
    let arguments = [
        "mail",
        "--imap",
        "imaps://mail.example",
        "--mail-user",
        "ada",
        "--mailbox",
        "INBOX",
        "--mailbox",
        "Sent",
    ];
    let connector = start(&arguments, &[("CONNECTORS_PASSWORD", PASSWORD)]).await;
    let told = serde_json::to_value(connector.client.service.peer_info().unwrap()).unwrap();
    let offer = &told["capabilities"]["experimental"]["dev.toolgate/connector"];
    assert_eq!(*offer, json!({ "previews": ["send"], "streams": ["INBOX", "Sent"] }), "{told}");
}

#[tokio::test]
async fn settings_that_are_missing_or_wrong_are_named() {
    let from = ["--from", "ada@example.com"];
    for (arguments, tool, word) in [
        (vec!["mail"], "send", "--smtp"),
        (vec!["mail", "--smtp", "smtps://mail.example"], "send", "--from"),
        (vec!["mail", "--smtp", "ftp://mail.example", from[0], from[1]], "send", "--smtp"),
        (
            vec!["mail", "--smtp", "smtps://ada:hunter2-of-tests@mail.example", from[0], from[1]],
            "send",
            "environment",
        ),
        (
            vec!["mail", "--smtp", "smtps://mail.example", from[0], "a\nb@c.example"],
            "send",
            "control character",
        ),
        (
            vec!["mail", "--smtp", "smtps://mail.example", "--mail-user", "ada", from[0], from[1]],
            "send",
            "CONNECTORS_PASSWORD",
        ),
        (vec!["s3", "--bucket", "a", "--endpoint", "http://s3.example"], "list_objects", "--without-tls"),
        (vec!["s3", "--bucket", "a"], "list_objects", "CONNECTORS_ACCESS_KEY_ID"),
        (vec!["postgres", "--database", "postgres://host/db"], "query", "user"),
    ] {
        let connector = start(&arguments, &[]).await;
        let asked = if tool == "query" {
            json!({ "sql": "SELECT 1" })
        } else if tool == "send" {
            json!({ "to": ["b@example.org"], "subject": "a", "text": "b" })
        } else {
            json!({})
        };
        let (code, text) = connector.refusal(tool, asked).await;
        assert!(code == "unavailable" && text.contains(word), "{arguments:?}: {code} {text}");
    }
}

#[tokio::test]
async fn nothing_goes_out_unencrypted_to_public_addresses() {
    let arguments = ["mail", "--imap", "imap://8.8.8.8:143", "--mail-user", "ada", "--without-tls"];
    let connector = start(&arguments, &[("CONNECTORS_PASSWORD", PASSWORD)]).await;
    let (code, text) = connector.refusal("list_messages", json!({})).await;
    assert!(code == "unavailable" && text.contains("is public"), "{text}");
}

#[tokio::test]
async fn without_a_provider_the_program_says_which_there_are() {
    let output = command(&[]).output().await.unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("PROVIDER"));
    let output = command(&["fax"]).output().await.unwrap();
    assert!(String::from_utf8(output.stderr).unwrap().contains("mail, s3, postgres"));
    let help = command(&["--help"]).output().await.unwrap();
    assert!(help.status.success());
    assert!(String::from_utf8(help.stdout).unwrap().contains("--statement-seconds"));
}
