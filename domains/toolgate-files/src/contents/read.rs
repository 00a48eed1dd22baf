//! Refs as resources, for clients that know only their address.

use toolgate_core::codes;
use toolgate_core::content::ContentHolder;
use toolgate_core::id::RefId;
use toolgate_core::{RawJson, Refusal};
use toolgate_wire::object::{push_member, push_string};

use super::kind::is_text;
use crate::files::Files;
use crate::refusal::{UnknownContent, unknown};
use crate::text;

/// Under which address a ref can be read.
pub(super) const ADDRESS: &str = "toolgate://refs/";
/// More than this is not answered in one message.
const READ_BYTES_MAX: u64 = 64 << 20;

/// The id in an address of ours.
pub(super) fn ref_of(uri: &str) -> Option<&str> {
    uri.strip_prefix(ADDRESS)?.split(['?', '#']).next()
}

impl Files {
    pub(super) async fn resource(
        &self,
        holder: &ContentHolder,
        uri: &str,
        id: &str,
    ) -> Result<RawJson, Refusal> {
        // Only ids that can have an address: those of servers cannot.
        if !id.starts_with(RefId::PREFIX) {
            return Err(unknown(UnknownContent::Ref, id));
        }
        let found = self.find(holder, id).await?;
        if found.bytes > READ_BYTES_MAX {
            return Err(too_large(id, found.bytes));
        }
        let bytes = self.blobs().read_whole(found.digest, READ_BYTES_MAX).await?;
        let text = is_text(&found.media_type).then(|| text::decode(&bytes).ok()).flatten();
        let mut content = String::with_capacity(bytes.len() / 3 * 4 + 256);
        content.push('{');
        push_member(&mut content, "uri", &quoted(uri));
        push_member(&mut content, "mimeType", &quoted(&found.media_type));
        match text {
            Some(text) => push_member(&mut content, "text", &quoted(&text)),
            None => {
                content.push_str(",\"blob\":\"");
                base64_simd::STANDARD.encode_append(&bytes, &mut content);
                content.push('"');
            }
        }
        content.push('}');
        Ok(RawJson::from_composed(format!("{{\"contents\":[{content}]}}")))
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    push_string(&mut quoted, text);
    quoted
}

fn too_large(id: &str, bytes: u64) -> Refusal {
    let message = format!("{id} has {bytes} bytes; a resource is read up to {READ_BYTES_MAX}");
    Refusal::new(&codes::FILE_TOO_LARGE, message)
        .hint("read it piece by piece with `read_ref`, or store it as an artifact and download that")
}
