//! The calls of the mind, and the words by which it knows pages.

use serde_json::{Value, json};

use crate::model::ModelStep;

/// The name of the browser's server at the gateway.
pub const BROWSER: &str = "browser";
/// The name of the server of applications.
pub const JOBS: &str = "jobs";
/// The button that sends an application.
pub const SUBMIT: &str = "Submit application";

/// Words of a page that has the application.
pub(super) const RECEIVED: [&str; 2] = ["Application received", "already applied"];
/// Words of a page that says that it does not have it.
pub(super) const NOT_SENT: [&str; 2] = ["was not sent", "Nothing was sent"];
pub(super) const PROCESSING: &str = "We are processing your application";
const CONFIRMATION_WAIT_MS: u64 = 8_000;

pub(super) fn browser(tool: &str, arguments: &Value) -> ModelStep {
    ModelStep::call(&format!("{BROWSER}__{tool}"), arguments)
}

pub(super) fn jobs(tool: &str, arguments: &Value) -> ModelStep {
    ModelStep::call(&format!("{JOBS}__{tool}"), arguments)
}

pub(super) fn navigate(url: &str) -> ModelStep {
    browser("navigate", &json!({ "url": url }))
}

pub(super) fn snapshot() -> ModelStep {
    browser("snapshot", &json!({}))
}

pub(super) fn screenshot() -> ModelStep {
    browser("screenshot", &json!({}))
}

/// Presses a button that sends a form. The browser presses no other one than it names.
pub(super) fn press(reference: &str, name: &str) -> ModelStep {
    browser("click", &json!({ "target": reference, "expect": name, "submit": true }))
}

pub(super) fn fill(fields: Vec<Value>) -> ModelStep {
    browser("fill_form", &json!({ "fields": fields }))
}

pub(super) fn text(reference: &str, text: &str) -> Value {
    json!({ "target": reference, "text": text })
}

pub(super) fn secret(reference: &str, handle: &str) -> Value {
    json!({ "target": reference, "secret": handle })
}

pub(super) fn upload(reference: &str, file: &str) -> ModelStep {
    browser("upload", &json!({ "target": reference, "file_id": file, "name": "resume.txt" }))
}

pub(super) fn wait_for_confirmation() -> ModelStep {
    browser("wait_for", &json!({ "text": RECEIVED[0], "ms": CONFIRMATION_WAIT_MS }))
}

/// Asks a person for a text.
pub(super) fn ask(slot: &str, question: &str, picture: Option<&str>) -> ModelStep {
    let mut arguments = json!({ "slot_type": "text", "slot_id": slot, "prompt_key": question });
    if let Some(picture) = picture {
        arguments["purpose"] = json!("captcha");
        arguments["picture_ref_id"] = json!(picture);
    }
    ModelStep::call("request_user_input", &arguments)
}
