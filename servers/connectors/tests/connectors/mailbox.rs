//! Reading mailboxes, without changing anything in them.

use serde_json::{Value, json};

use crate::drive::{Connector, PASSWORD, start};
use crate::imap_stand_in::{ImapManner, ImapStandIn};

const HELLO: &[u8] = b"From: Ada <ada@example.com>\r\nTo: bob@example.org\r\nSubject: Hello\r\nMessage-ID: <1@example.com>\r\n\
    Date: Wed, 18 Nov 2026 08:00:00 +0000\r\n\r\nHi Bob\r\n";
const REPORT: &[u8] = b"From: =?UTF-8?Q?M=C3=BCller?= <m@example.com>\r\nSubject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=\r\n\
    Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\n\xc4pfel\r\n--b\r\n\
    Content-Type: application/pdf; name=r.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERg==\r\n--b--\r\n";

pub(crate) async fn reader(stand_in: &ImapStandIn, more: &[&str]) -> Connector {
    let mut arguments = vec![
        "mail",
        "--imap",
        &stand_in.url,
        "--mail-user",
        "ada",
        "--without-tls",
        "--silence-seconds",
        "1",
    ];
    arguments.extend(more);
    start(&arguments, &[("CONNECTORS_PASSWORD", PASSWORD)]).await
}

#[tokio::test]
async fn messages_are_listed_found_and_read_without_being_marked() {
    let stand_in = ImapStandIn::start(ImapManner::Well, &[HELLO, REPORT]).await;
    let connector = reader(&stand_in, &[]).await;
    let listed = connector.answer("list_messages", json!({ "limit": 1 })).await;
    assert_eq!(listed["messages"][0]["subject"], "Grüße");
    assert_eq!((&listed["total"], &listed["next"]), (&json!(2), &json!(2)));
    let older = connector.answer("list_messages", json!({ "limit": 1, "before_uid": 2 })).await;
    assert_eq!(older["messages"][0]["message_id"], "<1@example.com>");
    assert_eq!(older["messages"][0]["date"], "2026-11-18T08:00:00Z");
    assert!(older.get("next").is_none(), "{older}");
    let found =
        connector.answer("search_messages", json!({ "subject": "Gr=C3", "since": "2026-11-01" })).await;
    assert_eq!(found["messages"].as_array().unwrap().len(), 1);
    let read = connector.client.call("read_message", json!({ "uid": 2, "attachment": 1 })).await;
    let data = read.structured_content.unwrap();
    assert_eq!(data["text"]["text"], "Äpfel");
    assert_eq!(
        data["attachments"][0],
        json!({ "number": 1, "name": "r.pdf", "media_type": "application/pdf", "bytes": 4 })
    );
    let file = serde_json::to_value(read.content.last().unwrap()).unwrap();
    assert_eq!(file["resource"]["blob"], "JVBERg==", "{file}");
    for command in stand_in.commands() {
        let reads =
            ["EXAMINE ", "UID SEARCH ", "UID FETCH ", "LOGOUT"].iter().any(|one| command.starts_with(one));
        assert!(reads && (!command.contains("BODY") || command.contains("BODY.PEEK")), "{command}");
    }
}

#[tokio::test]
async fn words_of_callers_are_texts_and_no_commands() {
    let stand_in = ImapStandIn::start(ImapManner::Well, &[HELLO]).await;
    let connector = reader(&stand_in, &["--mailbox", "INBOX", "--mailbox", "Entwürfe"]).await;
    for bad in ["a\r\nt9 DELETE INBOX", "", "a\0b"] {
        let (code, _) = connector.refusal("search_messages", json!({ "text": bad })).await;
        assert_eq!(code, "bad_arguments");
    }
    connector.answer("search_messages", json!({ "text": "quote \" ALL) back\\slash" })).await;
    connector.answer("search_messages", json!({ "from": "Müller", "mailbox": "Entwürfe" })).await;
    let commands = stand_in.commands().join("\n");
    assert!(commands.contains(r#"TEXT "quote \" ALL) back\\slash""#), "{commands}");
    assert!(commands.contains(r#"UID SEARCH CHARSET UTF-8 ALL FROM "Müller""#), "{commands}");
    let (code, text) = connector.refusal("list_messages", json!({ "mailbox": "Secret" })).await;
    assert_eq!(code, "bad_arguments");
    assert!(text.contains("INBOX, Entwürfe"), "{text}");
}

#[tokio::test]
async fn what_is_asked_wrongly_is_said() {
    let stand_in = ImapStandIn::start(ImapManner::Well, &[HELLO]).await;
    let connector = reader(&stand_in, &[]).await;
    for (tool, arguments) in [
        ("read_message", json!({ "uid": 99 })),
        ("read_message", json!({ "uid": 1, "attachment": 1 })),
        ("read_message", json!({ "uid": 1, "attachment": 0 })),
        ("list_messages", json!({ "limit": 0 })),
        ("list_messages", json!({ "limit": 101 })),
        ("search_messages", json!({ "since": "yesterday" })),
        ("search_messages", json!({ "unknown": 1 })),
    ] {
        let (code, text) = connector.refusal(tool, arguments.clone()).await;
        assert_eq!(code, "bad_arguments", "{tool} {arguments}: {text}");
    }
}

#[tokio::test]
async fn a_wrong_password_is_a_matter_of_the_operator_and_is_not_repeated_in_words() {
    let stand_in = ImapStandIn::start(ImapManner::Well, &[HELLO]).await;
    let arguments = ["mail", "--imap", &stand_in.url, "--mail-user", "ada", "--without-tls"];
    let connector = start(&arguments, &[("CONNECTORS_PASSWORD", "wrong-secret")]).await;
    let (code, text) = connector.refusal("list_messages", json!({})).await;
    assert_eq!(code, "locked");
    assert!(text.contains("••••") && !text.contains("wrong-secret"), "{text}");
}

#[tokio::test]
async fn mailboxes_are_streams_that_go_on_where_they_ended() {
    let stand_in = ImapStandIn::start(ImapManner::Well, &[HELLO; 30]).await;
    let connector = reader(&stand_in, &[]).await;
    let (records, last) = connector.records("INBOX", Value::Null).await;
    assert_eq!(records.len(), 30);
    assert_eq!((&records[0]["key"], &records[29]["key"]), (&json!("7-1"), &json!("7-30")));
    assert_eq!(records[0]["value"]["text"], "Hi Bob\r\n");
    let (none, after) = connector.records("INBOX", last["cursor"].clone()).await;
    assert_eq!((none.len(), &after["cursor"]), (0, &last["cursor"]));
    stand_in.add(REPORT);
    let (new, _) = connector.records("INBOX", last["cursor"].clone()).await;
    assert_eq!((new.len(), &new[0]["key"]), (1, &json!("7-31")));
    // Of a mailbox that was made anew, all messages are new.
    stand_in.renew();
    let (all, _) = connector.records("INBOX", last["cursor"].clone()).await;
    assert_eq!((all.len(), &all[0]["key"]), (31, &json!("8-1")));
    let refused =
        connector.privately("toolgate/stream", json!({ "stream": "INBOX", "cursor": "nonsense" })).await;
    assert!(refused.unwrap_err().contains("hint:"));
    assert!(connector.privately("toolgate/stream", json!({ "stream": "Secret" })).await.is_err());
    assert!(connector.privately("toolgate/unheard_of", json!({})).await.is_err());
}
