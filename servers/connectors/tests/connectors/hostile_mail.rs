//! Servers of mail that hang, lie and send too much, and mail that is made to hurt.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::imap_stand_in::{ImapManner, ImapStandIn};
use crate::mailbox::reader;

#[tokio::test]
async fn a_server_that_hangs_or_sends_without_end_is_left_in_time() {
    for (manner, code) in [(ImapManner::IsSilent, "unavailable"), (ImapManner::NeverEndsALine, "too_large")] {
        let stand_in = ImapStandIn::start(manner, &[]).await;
        let connector = reader(&stand_in, &[]).await;
        let begin = Instant::now();
        let (said, text) = connector.refusal("list_messages", json!({})).await;
        assert_eq!(said, code, "{manner:?}: {text}");
        assert!(begin.elapsed() < Duration::from_secs(20), "{manner:?} took {:?}", begin.elapsed());
    }
}

#[tokio::test]
async fn two_gibibytes_are_neither_taken_nor_waited_for() {
    for manner in [ImapManner::AnnouncesTooMuch, ImapManner::HasHugeMail] {
        let stand_in = ImapStandIn::start(manner, &[b"Subject: a\r\n\r\nb"]).await;
        let connector = reader(&stand_in, &[]).await;
        let (code, text) = connector.refusal("read_message", json!({ "uid": 1 })).await;
        assert_eq!(code, "too_large", "{manner:?}: {text}");
        assert!(text.contains("2147483648"), "{text}");
    }
    // A stream goes on with the head of such a mail.
    let stand_in = ImapStandIn::start(ImapManner::HasHugeMail, &[b"Subject: a\r\n\r\nb"]).await;
    let (records, _) = reader(&stand_in, &[]).await.records("INBOX", Value::Null).await;
    assert_eq!(
        (&records[0]["value"]["subject"], &records[0]["value"]["parts_left_out"]),
        (&json!("a"), &json!(true))
    );
}

#[tokio::test]
async fn mail_that_is_made_to_hurt_is_read_or_refused() {
    let mut nested = String::new();
    for at in 0..1_000 {
        nested.push_str(&format!("Content-Type: multipart/mixed; boundary=b{at}\r\n\r\n--b{at}\r\n"));
    }
    let messages = "Content-Type: message/rfc822\r\n\r\n".repeat(20_000);
    let encoded = capability_testkit::base64(messages.as_bytes());
    let encoded =
        format!("Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n{encoded}");
    let wide =
        format!("Content-Type: multipart/mixed; boundary=b\r\n\r\n{}", "--b\r\n\r\nx\r\n".repeat(20_000));
    let foreign = b"Subject: \xff\xfe\x80\r\nFrom: \xe4\r\nContent-Type: text/plain; charset=klingon\r\n\r\n\xff\x00\xc3 ok";
    let mails = [
        nested.as_bytes(),
        messages.as_bytes(),
        encoded.as_bytes(),
        wide.as_bytes(),
        foreign,
        b"",
        b"no header",
    ];
    let stand_in = ImapStandIn::start(ImapManner::Well, &mails).await;
    let connector = reader(&stand_in, &[]).await;
    for uid in 1..=7 {
        connector.answer("read_message", json!({ "uid": uid })).await;
    }
    assert_eq!(connector.answer("read_message", json!({ "uid": 1 })).await["parts_left_out"], true);
    let text = connector.answer("read_message", json!({ "uid": 5 })).await["text"]["text"].clone();
    assert!(text.as_str().unwrap().ends_with("ok"), "{text}");
    let listed = connector.answer("list_messages", json!({})).await;
    assert_eq!(listed["messages"].as_array().unwrap().len(), 7);
}
