//! Files as a person reads them.

use serde_json::Value;

use crate::command::shown::{count, facts, size, text};
use crate::output::printable;
use crate::table::TextTable;

pub(super) fn list(files: &[Value]) -> TextTable {
    let mut table = TextTable::new(["FILE", "NAME", "TYPE", "SIZE", "OWNER", "CREATED", "EXPIRES"]);
    for file in files {
        let own = |key: &str| text(&file[key]).to_owned();
        table.row([
            own("id"),
            own("name"),
            own("media_type"),
            size(bytes(file)),
            own("owner"),
            own("created_at"),
            own("expires_at"),
        ]);
    }
    table
}

pub(super) fn show(file: &Value) -> String {
    let own = |key: &str| text(&file[key]).to_owned();
    let lines = facts(&[
        ("name", own("name")),
        ("type", own("media_type")),
        ("size", format!("{} ({} bytes)", size(bytes(file)), count(bytes(file)))),
        ("digest", own("digest")),
        ("owner", own("owner")),
        ("created", own("created_at")),
        ("expires", own("expires_at")),
    ]);
    format!("{}\n{lines}", printable(text(&file["id"])))
}

pub(super) fn stored(file: &Value) -> String {
    let own = |key: &str| printable(text(&file[key]));
    let until = match text(&file["expires_at"]) {
        "" => String::new(),
        moment => format!(", kept until {moment}"),
    };
    format!("{} ({}, {}) of {}{until}", own("name"), own("media_type"), size(bytes(file)), own("owner"))
}

fn bytes(file: &Value) -> u64 {
    file["size"].as_u64().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_file_is_told_without_what_could_repaint_the_terminal() {
        let file = json!({ "id": "file_1", "name": "a\u{1b}[31m.pdf", "media_type": "application/pdf", "size": 2048,
            "owner": "erna", "expires_at": "2026-08-01T00:00:00.000Z" });
        assert_eq!(
            stored(&file),
            "a[31m.pdf (application/pdf, 2.0 KiB) of erna, kept until 2026-08-01T00:00:00.000Z"
        );
        assert!(show(&file).starts_with("file_1\n") && show(&file).contains("2.0 KiB (2,048 bytes)"));
        assert!(!show(&file).contains('\u{1b}'));
    }
}
