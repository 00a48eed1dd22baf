//! Sending mail: once, to whom it may go, with clear words about what is not known.

use capability_testkit::base64;
use mail_parser::{MessageParser, MimeHeaders as _};
use serde_json::{Value, json};

use crate::drive::{Connector, PASSWORD, start};
use crate::smtp_stand_in::{SmtpManner, SmtpStandIn};

async fn sender(stand_in: &SmtpStandIn, more: &[&str]) -> Connector {
    sender_with(stand_in, more, PASSWORD).await
}

async fn sender_with(stand_in: &SmtpStandIn, more: &[&str], password: &str) -> Connector {
    let mut arguments =
        vec!["mail", "--smtp", &stand_in.url, "--mail-user", "ada", "--from", "Ada <ada@example.com>"];
    arguments.extend(["--without-tls", "--silence-seconds", "1"]);
    arguments.extend(more);
    start(&arguments, &[("CONNECTORS_PASSWORD", password)]).await
}

fn letter(more: Value) -> Value {
    let mut letter = json!({ "to": ["Bob <bob@example.org>"], "subject": "Hello", "text": "Hi,\n.\nbye" });
    letter.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    letter
}

#[tokio::test]
async fn a_mail_arrives_as_it_was_written() {
    let stand_in = SmtpStandIn::start(SmtpManner::Well).await;
    let connector = sender(&stand_in, &[]).await;
    let sent = letter(json!({
        "cc": ["c@example.org"], "bcc": ["hidden@example.org"], "subject": "Grüße", "html": "<p>Hi</p>",
        "file_data": [base64(b"%PDF-1.4 \x00\xff")], "file_type": ["application/pdf"], "file_names": ["Bericht ä.pdf"],
    }));
    let answer = connector.answer("send", sent).await;
    assert_eq!(answer["recipients"], json!(["bob@example.org", "c@example.org", "hidden@example.org"]));
    let taken = stand_in.taken();
    assert_eq!(taken.len(), 1);
    assert!(taken[0].commands.contains(&"MAIL FROM:<ada@example.com>".to_owned()), "{:?}", taken[0].commands);
    assert!(taken[0].commands.contains(&"RCPT TO:<hidden@example.org>".to_owned()));
    assert!(!taken[0].data.contains("hidden@"), "a blind copy is not shown");
    let mail = MessageParser::default().parse(taken[0].data.as_bytes()).unwrap();
    assert_eq!(mail.subject(), Some("Grüße"));
    assert_eq!(mail.from().unwrap().first().unwrap().name(), Some("Ada"));
    assert_eq!(mail.body_text(0).unwrap().trim_end(), "Hi,\r\n.\r\nbye");
    let file = mail.attachment(0).unwrap();
    assert_eq!((file.attachment_name(), file.contents()), (Some("Bericht ä.pdf"), &b"%PDF-1.4 \x00\xff"[..]));
    assert_eq!(format!("<{}>", mail.message_id().unwrap()), answer["message_id"]);
}

#[tokio::test]
async fn the_same_call_sends_once_and_has_one_message_id() {
    let stand_in = SmtpStandIn::start(SmtpManner::Well).await;
    let connector = sender(&stand_in, &[]).await;
    let first = connector.named_call("call_1", "send", letter(json!({}))).await.unwrap();
    let again = connector.named_call("call_1", "send", letter(json!({}))).await.unwrap();
    assert_eq!((&first["repeated"], &again["repeated"]), (&json!(false), &json!(true)));
    assert_eq!(first["message_id"], again["message_id"]);
    let other = connector.named_call("call_2", "send", letter(json!({}))).await.unwrap();
    assert_ne!(first["message_id"], other["message_id"]);
    assert_eq!(stand_in.taken().len(), 2);
    // Another process does not remember, but its message has the same id.
    let restarted = sender(&stand_in, &[]).await;
    let after = restarted.named_call("call_1", "send", letter(json!({}))).await.unwrap();
    assert_eq!(after["message_id"], first["message_id"]);
}

#[tokio::test]
async fn a_lost_answer_is_an_unknown_outcome_and_is_not_sent_again() {
    let stand_in = SmtpStandIn::start(SmtpManner::LosesItsAnswer).await;
    let connector = sender(&stand_in, &[]).await;
    for _ in 0..2 {
        let (code, text) = connector.named_call("call_1", "send", letter(json!({}))).await.unwrap_err();
        assert_eq!(code, "outcome_unknown", "{text}");
        assert!(text.contains("<toolgate.") && text.contains("do not send it again"), "{text}");
    }
    assert_eq!(stand_in.taken().len(), 1);
}

#[tokio::test]
async fn what_certainly_was_not_sent_is_said_so_and_may_be_repeated() {
    for (manner, code, word) in [
        (SmtpManner::BreaksBeforeTheEnd, "unavailable", "was not sent"),
        (SmtpManner::IsSilent, "unavailable", "no answer within 1 s"),
        (SmtpManner::RefusesRecipients, "conflict", "bob@example.org"),
        (SmtpManner::RefusesTheMail, "conflict", "it is spam"),
        (SmtpManner::GreetsWithoutEnd, "unavailable", "too many lines"),
    ] {
        let stand_in = SmtpStandIn::start(manner).await;
        let connector = sender(&stand_in, &[]).await;
        for _ in 0..2 {
            let (said, text) = connector.named_call("call_1", "send", letter(json!({}))).await.unwrap_err();
            // A connection that breaks while the last bytes are on their way may be noticed only behind them.
            let is_late = manner == SmtpManner::BreaksBeforeTheEnd && said == "outcome_unknown";
            assert!(is_late || said == code && text.contains(word), "{manner:?}: {said} {text}");
        }
        assert_eq!(stand_in.taken(), []);
    }
}

#[tokio::test]
async fn a_wrong_password_is_a_matter_of_the_operator() {
    let stand_in = SmtpStandIn::start(SmtpManner::Well).await;
    let connector = sender_with(&stand_in, &[], "wrong-secret").await;
    let (code, text) = connector.refusal("send", letter(json!({}))).await;
    assert_eq!(code, "locked");
    assert!(text.contains("CONNECTORS_PASSWORD") && !text.contains("wrong-secret"), "{text}");
}

#[tokio::test]
async fn nothing_can_be_put_into_headers_and_commands() {
    let stand_in = SmtpStandIn::start(SmtpManner::Well).await;
    let connector = sender(&stand_in, &[]).await;
    for bad in [
        json!({ "subject": "Hello\r\nBcc: eve@evil.example" }),
        json!({ "subject": "Hello\nX: y" }),
        json!({ "to": ["bob@example.org\r\nBcc: eve@evil.example"] }),
        json!({ "to": ["Bob\r\nX: y <bob@example.org>"] }),
        json!({ "to": ["bob@example.org>\r\nRCPT TO:<eve@evil.example"] }),
        json!({ "reply_to": "a@b.example\nX: y" }),
        json!({ "in_reply_to": "<a@b>\r\nX: y" }),
        json!({ "file_data": ["aGk="], "file_names": ["a\r\nX: y"] }),
        json!({ "to": [] }),
        json!({ "to": ["not an address"] }),
        json!({ "file_data": ["not base64!"] }),
    ] {
        let (code, text) = connector.refusal("send", letter(bad.clone())).await;
        assert_eq!(code, "bad_arguments", "{bad}: {text}");
    }
    // A type that is none is not passed on.
    let odd = json!({ "file_data": ["aGk="], "file_type": ["text/plain\r\nX-Evil: y"] });
    connector.answer("send", letter(odd)).await;
    assert!(!stand_in.taken()[0].data.contains("X-Evil"), "{:?}", stand_in.taken());
}

#[tokio::test]
async fn mail_goes_only_where_the_operator_allows_and_no_larger_than_allowed() {
    let stand_in = SmtpStandIn::start(SmtpManner::Well).await;
    let connector = sender(&stand_in, &["--recipient-domain", "example.org", "--message-mib", "1"]).await;
    let (code, text) = connector.refusal("send", letter(json!({ "bcc": ["eve@evil.example"] }))).await;
    assert_eq!(code, "bad_arguments");
    assert!(text.contains("eve@evil.example"), "{text}");
    let (code, text) =
        connector.refusal("send", letter(json!({ "file_data": [base64(&vec![7; 1 << 20])] }))).await;
    assert_eq!(code, "too_large", "{text}");
    connector.answer("send", letter(json!({}))).await;
    assert_eq!(stand_in.taken().len(), 1);
}

#[tokio::test]
async fn a_preview_shows_what_would_be_sent_and_sends_nothing() {
    let stand_in = SmtpStandIn::start(SmtpManner::Well).await;
    let connector = sender(&stand_in, &[]).await;
    let arguments =
        letter(json!({ "bcc": ["hidden@example.org"], "file_id": ["file_1"], "file_names": ["a.pdf"] }));
    let shown = connector
        .privately("toolgate/preview", json!({ "name": "send", "arguments": arguments }))
        .await
        .unwrap();
    assert_eq!(shown["request"]["url"], stand_in.url.as_str());
    assert_eq!(shown["request"]["headers"]["To"], "Bob <bob@example.org>");
    assert_eq!(shown["request"]["headers"]["Bcc"], "hidden@example.org");
    assert_eq!(shown["request"]["headers"]["Authorization"], "••••");
    assert_eq!(shown["request"]["headers"]["Attachments"], "a.pdf (file_1)");
    assert_eq!(shown["request"]["body_text"], "Hi,\n.\nbye");
    assert!(shown["text"].as_str().unwrap().contains("hidden@example.org"), "{shown}");
    assert!(!shown.to_string().contains(PASSWORD));
    let bad = json!({ "name": "send", "arguments": letter(json!({ "subject": "a\nb" })) });
    assert!(connector.privately("toolgate/preview", bad).await.unwrap_err().contains("line break"));
    assert_eq!(stand_in.taken(), []);
}
