//! Refs as MCP resources.

use rmcp::ErrorData;
use rmcp::model::{CacheScope, ReadResourceResult, ResourceContents, ResourceTemplate};
use serde_json::json;

use crate::refs::{RefStore, StoredResult};

const SCHEME: &str = "doc://";
/// A ref never changes, but it expires: clients must revalidate it.
const TTL_MS: u64 = 0;

pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new(format!("{SCHEME}{{ref_id}}"), "result").with_title("Result").with_description(
        "A stored result of one of this server's tools, by the ref_id that the tool returned",
    )
}

pub(super) async fn read(refs: &RefStore, uri: String) -> Result<ReadResourceResult, ErrorData> {
    let refs = refs.clone();
    // A ref may be as large as a file.
    let read = tokio::task::spawn_blocking(move || look_up(&refs, uri)).await;
    read.map_err(|error| ErrorData::internal_error(format!("reading it failed: {error}"), None))?
}

fn look_up(refs: &RefStore, uri: String) -> Result<ReadResourceResult, ErrorData> {
    let stored = match uri.strip_prefix(SCHEME) {
        Some(id) => refs.get(id).map_err(|trouble| ErrorData::internal_error(trouble.to_string(), None))?,
        None => None,
    };
    let Some(stored) = stored else {
        let message = format!(
            "{uri} does not exist here\nhint: results expire after a while; call the tool that returned its \
             ref_id again"
        );
        return Err(ErrorData::resource_not_found(message, Some(json!({ "uri": uri }))));
    };
    Ok(ReadResourceResult::new(vec![contents(stored, uri)])
        .with_ttl_ms(TTL_MS)
        .with_cache_scope(CacheScope::Private))
}

/// Text as it is, everything else as Base64.
fn contents(stored: StoredResult, uri: String) -> ResourceContents {
    let StoredResult { bytes, media_type, .. } = stored;
    let text =
        if is_text(&media_type) { String::from_utf8(bytes) } else { return blob(&bytes, uri, media_type) };
    match text {
        Ok(text) => ResourceContents::text(text, uri).with_mime_type(media_type),
        Err(error) => blob(error.as_bytes(), uri, media_type),
    }
}

fn blob(bytes: &[u8], uri: String, media_type: String) -> ResourceContents {
    ResourceContents::blob(base64_simd::STANDARD.encode_to_string(bytes), uri).with_mime_type(media_type)
}

fn is_text(media_type: &str) -> bool {
    let kind = media_type.split(';').next().unwrap_or_default().trim();
    let known = ["application/json", "application/xml", "application/yaml", "image/svg+xml"];
    kind.starts_with("text/") || kind.ends_with("+json") || kind.ends_with("+xml") || known.contains(&kind)
}
