//! The resources and the template, and how they read.

use rmcp::ErrorData;
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use super::changes::Changes;

/// One red pixel.
pub(super) const PNG_BASE64: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
/// A millisecond of silence.
pub(super) const WAV_BASE64: &str =
    "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA==";

pub(super) const WATCHED_URI: &str = "test://watched-resource";
const STATIC_TEXT_URI: &str = "test://static-text";
const STATIC_BINARY_URI: &str = "test://static-binary";
const CHANGING_URI: &str = "test://changing-resource";

pub(super) fn list(changes: &Changes) -> Vec<Resource> {
    let mut resources = vec![
        Resource::new(STATIC_TEXT_URI, "static-text")
            .with_description("A text that never changes")
            .with_mime_type("text/plain"),
        Resource::new(STATIC_BINARY_URI, "static-binary")
            .with_description("A picture that never changes")
            .with_mime_type("image/png"),
        Resource::new(WATCHED_URI, "watched-resource")
            .with_description("A text to subscribe to; test_trigger_resource_update changes it")
            .with_mime_type("text/plain"),
    ];
    if changes.shows_changing_resource() {
        resources.push(
            Resource::new(CHANGING_URI, "changing-resource")
                .with_description("Comes and goes with test_trigger_resource_change")
                .with_mime_type("text/plain"),
        );
    }
    resources
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new("test://template/{id}/data", "template-data")
            .with_description("Data for whatever id is put into the address")
            .with_mime_type("application/json"),
    ]
}

pub(super) fn read(uri: &str, changes: &Changes) -> Result<ResourceContents, ErrorData> {
    match uri {
        STATIC_TEXT_URI => Ok(plain_text("This is the content of the static text resource.", uri)),
        STATIC_BINARY_URI => Ok(ResourceContents::blob(PNG_BASE64, uri).with_mime_type("image/png")),
        WATCHED_URI => Ok(plain_text(&format!("Changed {} times.", changes.updates()), uri)),
        CHANGING_URI if changes.shows_changing_resource() => Ok(plain_text("Here for now.", uri)),
        _ => read_template(uri).ok_or_else(|| not_found(uri)),
    }
}

pub(super) fn plain_text(text: &str, uri: &str) -> ResourceContents {
    ResourceContents::text(text, uri).with_mime_type("text/plain")
}

fn read_template(uri: &str) -> Option<ResourceContents> {
    let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
    if id.is_empty() || id.contains('/') {
        return None;
    }
    let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
    Some(ResourceContents::text(data.to_string(), uri).with_mime_type("application/json"))
}

fn not_found(uri: &str) -> ErrorData {
    ErrorData::resource_not_found("Resource not found", Some(json!({ "uri": uri })))
}
