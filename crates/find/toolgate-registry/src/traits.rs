//! A definition's description of its tool, stored beside the row for display and search.

use serde_json::Value;
use toolgate_catalog::wire_name;
use toolgate_core::registry::ToolRow;
use toolgate_core::tool::ToolExtra;
use toolgate_store::ToolTraits;

pub(crate) fn of(row: &ToolRow) -> ToolTraits {
    let definition: Value = row.pinned.json.decode().unwrap_or_default();
    // An unreadable part is ignored; the catalogue reports it.
    let extra = ToolExtra::of(&definition).ok().flatten().unwrap_or_default();
    let hint = definition["annotations"]["idempotentHint"] == Value::Bool(true);
    ToolTraits {
        capabilities: extra.capabilities,
        effects: extra.effects,
        idempotent: extra.idempotent.unwrap_or(hint),
        file_strategy: extra.file_strategy,
        files: extra.files,
        timeout_seconds: extra.timeout_seconds,
        aliases: extra.aliases,
        wire_name: Some(wire_name(&row.server, &row.own)),
    }
}
