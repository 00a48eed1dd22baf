//! Definitions for agents if a tool takes files: the id of a file replaces the arguments that the gateway
//! fills in.
//!
//! The rest of a definition stays as its server wrote it, byte for byte.

mod fit;
mod rewrite;
#[cfg(test)]
mod tests;

use serde_json::Value;
use toolgate_core::tool::FileSlot;
use toolgate_core::{RawJson, Tool};
use toolgate_wire::ObjectMembers;
use toolgate_wire::object::with_member;
use toolgate_wire::param_header::ParamHeader;
use toolgate_wire::scan::NotJson;

use crate::kind::OfferKind;
use crate::offer::Wording;
use fit::FittingSlots;
use rewrite::SchemaRewrite;

const SCHEMA: &str = "inputSchema";

#[derive(Default)]
pub(crate) struct ExposedTool {
    /// `None` if agents read the server's own definition.
    pub(crate) wording: Option<Wording>,
    /// File settings that do not fit the tool.
    pub(crate) misfits: Vec<String>,
}

/// Makes the agents' version of a tool. `item` is the server's definition.
pub(crate) fn expose(item: &RawJson, tool: &mut Tool) -> ExposedTool {
    let schema: Value =
        tool.input_schema.as_ref().and_then(|schema| schema.decode().ok()).unwrap_or_default();
    let FittingSlots { slots, misfits } = FittingSlots::of(&tool.handling.files, &schema);
    let expanding: Vec<&FileSlot> = slots.iter().filter(|slot| slot.expands()).collect();
    let written = match expanding.is_empty() {
        true => None,
        // It was read before, member by member.
        false => write(item, &SchemaRewrite { slots: &expanding }).ok().flatten(),
    };
    let (wording, schema) = written.unzip();
    if let Some(schema) = schema {
        tool.input_schema = Some(schema);
    }
    tool.handling.files = slots.into();
    ExposedTool { wording, misfits }
}

/// The definition with a schema that declares arguments as an object, if its server left that out. Clients
/// refuse a whole list for one such tool.
pub(crate) fn typed(item: &RawJson, tool: &mut Tool) -> Option<Wording> {
    let schema = ObjectMembers::of(item).ok()?.get(SCHEMA)?;
    if ObjectMembers::parse(schema).ok()?.get("type").is_some() {
        return None;
    }
    let schema = with_member(schema.get(), "type", "\"object\"").ok()?;
    let (wording, schema) = worded(with_member(item.as_str(), SCHEMA, &schema).ok()?).ok().flatten()?;
    tool.input_schema = Some(schema);
    Some(wording)
}

/// The whole definition, and the schema in it.
fn write(item: &RawJson, rewrite: &SchemaRewrite<'_>) -> Result<Option<(Wording, RawJson)>, NotJson> {
    let Some(schema) = ObjectMembers::of(item)?.get(SCHEMA) else { return Ok(None) };
    worded(with_member(item.as_str(), SCHEMA, &rewrite.schema(schema)?)?)
}

/// A rewritten definition, and the schema in it.
fn worded(text: String) -> Result<Option<(Wording, RawJson)>, NotJson> {
    let item = RawJson::from_composed(text);
    let members = ObjectMembers::of(&item)?;
    let (Some(wording), Some(schema)) = (Wording::of(OfferKind::Tool, &item, &members), members.get(SCHEMA))
    else {
        return Ok(None);
    };
    let schema = RawJson::within(&item.clone().into_bytes(), schema);
    Ok(Some((wording, schema)))
}

/// True if a header repeats an argument that agents do not pass, or pass as an id.
pub(crate) fn is_filled(slots: &[FileSlot], header: &ParamHeader) -> bool {
    let Some(argument) = header.path.first() else { return false };
    slots.iter().any(|slot| slot.expands() && slot.fills(argument))
}
