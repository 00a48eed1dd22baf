//! Bodies of `multipart/form-data`.

use sha2::{Digest as _, Sha256};

/// One part of a body.
pub(super) struct FormPart {
    pub(super) name: String,
    /// Set for a file.
    pub(super) filename: Option<String>,
    pub(super) media_type: Option<String>,
    pub(super) bytes: Vec<u8>,
}

/// The boundary and the bytes. The same parts make the same bytes.
pub(super) fn write(parts: &[FormPart]) -> (String, Vec<u8>) {
    let boundary = boundary(parts);
    let mut body = Vec::new();
    for part in parts {
        body.extend(format!("--{boundary}\r\n{}\r\n\r\n", head(part)).into_bytes());
        body.extend(&part.bytes);
        body.extend(b"\r\n");
    }
    body.extend(format!("--{boundary}--\r\n").into_bytes());
    (boundary, body)
}

/// A digest of everything, so that no part can contain it on purpose.
fn boundary(parts: &[FormPart]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.bytes.len() as u64).to_le_bytes());
        hasher.update(&part.bytes);
        hasher.update(head(part).as_bytes());
    }
    let hex: String = hasher.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("form-{hex}")
}

fn head(part: &FormPart) -> String {
    let mut head = format!("Content-Disposition: form-data; name=\"{}\"", quoted(&part.name));
    if let Some(filename) = &part.filename {
        head.push_str(&format!("; filename=\"{}\"", quoted(filename)));
    }
    if let Some(media_type) = &part.media_type {
        let media_type: String = media_type.chars().filter(|c| !c.is_control()).collect();
        head.push_str(&format!("\r\nContent-Type: {media_type}"));
    }
    head
}

/// As browsers write a name.
fn quoted(name: &str) -> String {
    name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}
