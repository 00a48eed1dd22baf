//! A check of a tool's file settings against its arguments.

use serde_json::Value;
use toolgate_core::tool::FileSlot;

use super::rewrite::{BRANCH, BRANCHES};

/// The maximum depth of branches and references that are followed.
const DEPTH_MAX: usize = 16;

/// The slots that a tool really has.
pub(super) struct FittingSlots {
    pub(super) slots: Vec<FileSlot>,
    /// The others, with the missing parts.
    pub(super) misfits: Vec<String>,
}

impl FittingSlots {
    pub(super) fn of(said: &[FileSlot], schema: &Value) -> Self {
        let mut fit = Self { slots: Vec::with_capacity(said.len()), misfits: Vec::new() };
        for slot in said {
            match fitted(slot, schema) {
                Some(slot) => fit.slots.push(slot),
                None => fit.misfits.push(format!(
                    "its schema has no argument {:?} for the file strategy `{}` to fill",
                    slot.content,
                    slot.strategy.as_str()
                )),
            }
        }
        fit
    }
}

fn fitted(slot: &FileSlot, schema: &Value) -> Option<FileSlot> {
    let content = property(schema, &slot.content, DEPTH_MAX);
    // An id that is passed on needs no separate argument.
    if content.is_none() && slot.expands() {
        return None;
    }
    // Some servers refuse arguments that their schema does not have.
    let takes = |name: &String| property(schema, name, DEPTH_MAX).is_some();
    let media_type = slot.media_type.clone().filter(takes);
    let file_name = slot.file_name.clone().filter(takes);
    let many = content.is_some_and(|content| takes_only_lists(content, schema));
    Some(FileSlot { media_type, file_name, many, ..slot.clone() })
}

/// The schema of an argument, even if it is in a branch.
fn property<'a>(schema: &'a Value, name: &str, depth_left: usize) -> Option<&'a Value> {
    let deeper = depth_left.checked_sub(1)?;
    if let Some(found) = schema.get("properties").and_then(|properties| properties.get(name)) {
        return Some(found);
    }
    let lists = BRANCHES.iter().filter_map(|key| schema.get(*key)?.as_array()).flatten();
    let branches = lists.chain(BRANCH.iter().filter_map(|key| schema.get(*key)));
    branches.into_iter().find_map(|branch| property(branch, name, deeper))
}

/// True if an argument takes lists only, and no single text.
fn takes_only_lists(property: &Value, root: &Value) -> bool {
    takes(property, "array", root, DEPTH_MAX) && !takes(property, "string", root, DEPTH_MAX)
}

fn takes(schema: &Value, kind: &str, root: &Value, depth_left: usize) -> bool {
    let Some(deeper) = depth_left.checked_sub(1) else { return false };
    let named = match &schema["type"] {
        Value::String(name) => name == kind,
        Value::Array(names) => names.iter().any(|name| name == kind),
        _ => false,
    };
    let target = schema["$ref"].as_str().and_then(|to| root.pointer(to.strip_prefix('#')?));
    let branches = BRANCHES.iter().filter_map(|key| schema.get(*key)?.as_array()).flatten();
    named || branches.chain(target).any(|schema| takes(schema, kind, root, deeper))
}
