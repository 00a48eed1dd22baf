//! One question of a server: who asks is put in front, and what asks for a secret is refused.

use serde_json::{Map, Value, json};
use toolgate_core::ServerName;
use toolgate_core::port::AskKind;

/// The member that names the asking server, for programs.
const SERVER_META: &str = "dev.toolgate/server";

/// The length of a question that the ledger keeps.
const MESSAGE_CHARS_MAX: usize = 500;
const FIELDS_MAX: usize = 50;

/// Words that ask for a secret.
const SECRETS: [&str; 17] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "token",
    "api key",
    "apikey",
    "access key",
    "private key",
    "credential",
    "credentials",
    "seed phrase",
    "mnemonic",
    "security code",
    "one time code",
    "verification code",
];
/// The same for fields of any type.
const NUMBERS: [&str; 5] = ["pin", "otp", "cvv", "cvc", "card number"];

/// Makes of `params` what the client is shown, or says why it is shown nothing.
pub(super) fn screen(server: &ServerName, kind: AskKind, params: &mut Value) -> Result<(), String> {
    let Some(object) = params.as_object_mut() else { return Err("it is not an object".to_owned()) };
    match kind {
        AskKind::Elicitation => screen_elicitation(server, object)?,
        AskKind::Sampling => {
            let own = object.get("systemPrompt").and_then(Value::as_str).unwrap_or_default();
            let attributed = format!("Server \"{server}\" asks for this text, not the user.\n{own}");
            object.insert("systemPrompt".to_owned(), attributed.trim_end().into());
        }
        AskKind::Roots => {}
    }
    match object.entry("_meta").or_insert_with(|| json!({})) {
        Value::Object(meta) => {
            meta.insert(SERVER_META.to_owned(), server.as_str().into());
        }
        _ => return Err("its `_meta` is not an object".to_owned()),
    }
    Ok(())
}

fn screen_elicitation(server: &ServerName, object: &mut Map<String, Value>) -> Result<(), String> {
    let message = object.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
    match object.get("mode").and_then(Value::as_str) {
        Some("url") => {
            let url = object.get("url").and_then(Value::as_str).unwrap_or_default();
            if !(url.starts_with("https://") || url.starts_with("http://")) {
                return Err("it leads to something that is no web page".to_owned());
            }
        }
        _ => {
            let properties = object.get("requestedSchema").and_then(|schema| schema.get("properties"));
            refuse_secrets(&message, properties.and_then(Value::as_object))?;
        }
    }
    object.insert("message".to_owned(), format!("Server \"{server}\" asks: {message}").into());
    Ok(())
}

fn refuse_secrets(message: &str, fields: Option<&Map<String, Value>>) -> Result<(), String> {
    let Some(fields) = fields else { return Ok(()) };
    for (name, field) in fields {
        let says = |key: &str| field.get(key).and_then(Value::as_str).unwrap_or_default();
        let called = [name.as_str(), says("title")];
        let told = [name.as_str(), says("title"), says("description")];
        let is_secret = says("format") == "password"
            || (is_free_text(field) && told.iter().any(|text| names(text, &SECRETS)))
            // What is said about a number may well be that it shall be none of these.
            || (!is_choice(field) && called.iter().any(|text| names(text, &NUMBERS)));
        if is_secret {
            return Err(format!("its field {name:?} asks for a secret, which belongs into the vault"));
        }
    }
    if fields.values().any(is_free_text) && names(message, &SECRETS) {
        return Err("its text asks for a secret, which belongs into the vault".to_owned());
    }
    Ok(())
}

fn is_free_text(field: &Value) -> bool {
    let has = |key: &str| field.get(key).is_some();
    field.get("type").is_none_or(|kind| kind == "string") && !has("enum") && !has("oneOf") && !has("const")
}

fn is_choice(field: &Value) -> bool {
    field.get("type").is_some_and(|kind| kind == "boolean" || kind == "array")
        || ["enum", "oneOf", "const"].iter().any(|key| field.get(key).is_some())
}

/// True if a text contains one of the words, whatever its case and however its words are joined: `apiKey`, `API-key`.
fn names(text: &str, words: &[&str]) -> bool {
    let text = spaced(text);
    words.iter().any(|word| text.contains(&format!(" {word} ")) || text.contains(&format!(" {word}s ")))
}

/// The words of a text in small letters, with one space before and behind each.
fn spaced(text: &str) -> String {
    let mut spaced = String::from(" ");
    let mut was_small = false;
    for one in text.chars() {
        if one.is_uppercase() && was_small && !spaced.ends_with(' ') {
            spaced.push(' ');
        }
        if one.is_alphanumeric() {
            spaced.extend(one.to_lowercase());
        } else if !spaced.ends_with(' ') {
            spaced.push(' ');
        }
        was_small = one.is_lowercase();
    }
    if !spaced.ends_with(' ') {
        spaced.push(' ');
    }
    spaced
}

/// The part of a question that the ledger keeps.
pub(super) fn summary(kind: AskKind, params: &Value) -> Value {
    let shortened = |text: &str| text.chars().take(MESSAGE_CHARS_MAX).collect::<String>();
    match kind {
        AskKind::Elicitation => {
            let mut summary = json!({
                "ask": kind.capability(),
                "mode": params["mode"].as_str().unwrap_or("form"),
                "message": shortened(params["message"].as_str().unwrap_or_default()),
            });
            if let Some(fields) = params["requestedSchema"]["properties"].as_object() {
                summary["fields"] = fields.keys().take(FIELDS_MAX).map(|name| shortened(name)).collect();
            }
            summary
        }
        AskKind::Sampling | AskKind::Roots => {
            let messages = params["messages"].as_array().map_or(0, Vec::len);
            json!({ "ask": kind.capability(), "messages": messages, "max_tokens": params["maxTokens"] })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screened(mut params: Value) -> Result<Value, String> {
        let server = ServerName::new("jobs").expect("a name");
        screen(&server, AskKind::Elicitation, &mut params).map(|()| params)
    }

    fn form(message: &str, fields: Value) -> Value {
        json!({ "message": message, "requestedSchema": { "type": "object", "properties": fields } })
    }

    #[test]
    fn who_asks_stands_in_front() {
        let shown = screened(form("Which city?", json!({ "city": { "type": "string" } }))).expect("fine");
        assert_eq!(shown["message"], "Server \"jobs\" asks: Which city?");
        assert_eq!(shown["_meta"][SERVER_META], "jobs");
        let (server, mut params) =
            (ServerName::new("jobs").expect("a name"), json!({ "systemPrompt": "Be kind." }));
        screen(&server, AskKind::Sampling, &mut params).expect("fine");
        assert_eq!(params["systemPrompt"], "Server \"jobs\" asks for this text, not the user.\nBe kind.");
    }

    #[test]
    fn what_asks_for_a_secret_is_refused() {
        let text = || json!({ "type": "string" });
        for asking in [
            form("Go on?", json!({ "password": text() })),
            form("Go on?", json!({ "adminToken": text() })),
            form("Go on?", json!({ "x": { "type": "string", "title": "API-Key" } })),
            form("Go on?", json!({ "x": { "type": "string", "description": "your private key" } })),
            form("Go on?", json!({ "x": { "type": "string", "format": "password" } })),
            form("Go on?", json!({ "pin": { "type": "integer" } })),
            form("Go on?", json!({ "x": { "type": "string" }, "y": { "title": "One-time code" } })),
            form("Enter your Toolgate admin token", json!({ "value": text() })),
        ] {
            let why = screened(asking.clone()).expect_err(&asking.to_string());
            assert!(why.contains("secret"), "{why}");
        }
    }

    #[test]
    fn what_only_speaks_of_secrets_is_not() {
        for asking in [
            form("Revoke the token?", json!({ "sure": { "type": "boolean" } })),
            form("How long?", json!({ "max_tokens": { "type": "integer" } })),
            form("Which?", json!({ "secret": { "type": "string", "enum": ["keep", "rotate"] } })),
            form(
                "Which number?",
                json!({ "n": { "type": "integer", "description": "not your PIN, please" } }),
            ),
            form("Where?", json!({ "spinner": { "type": "string" }, "pinned": { "type": "boolean" } })),
        ] {
            assert_eq!(screened(asking.clone()).err(), None, "{asking}");
        }
    }

    #[test]
    fn an_address_must_be_a_web_page() {
        let asking =
            |url: &str| json!({ "mode": "url", "message": "Sign in", "url": url, "elicitationId": "1" });
        assert!(screened(asking("https://idp.example/x")).is_ok());
        for url in ["javascript:alert(1)", "file:///etc/passwd", ""] {
            assert!(screened(asking(url)).is_err(), "{url}");
        }
    }
}
