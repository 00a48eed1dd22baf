//! The check of mounts before a tool's function runs.

use serde_json::Value;
use toolgate_core::{Refusal, codes};

use crate::context::ToolContext;
use crate::definition::MountRule;

/// The refusal of a pointer that does not exist, or that the session has not mounted: the two must not differ.
pub fn unknown_pointer(namespace: &str, name: &str) -> Refusal {
    Refusal::new(&codes::UNKNOWN_POINTER, format!("there is no pointer {name:?} in {namespace:?}"))
}

/// Refuses arguments that name something outside the mounts. `schema` has the defaults of those that are missing.
pub(crate) fn check(
    rule: Option<MountRule>,
    context: &ToolContext,
    schema: &Value,
    arguments: &Value,
) -> Result<(), Refusal> {
    let Some(MountRule::NamedPointer { namespace, name }) = rule else { return Ok(()) };
    let text = |argument: &str| {
        let given = arguments.get(argument).or_else(|| schema["properties"][argument].get("default"));
        given.and_then(Value::as_str).unwrap_or_default()
    };
    let (namespace, name) = (text(namespace), text(name));
    match context.sees_pointer(namespace, name) {
        true => Ok(()),
        false => Err(unknown_pointer(namespace, name)),
    }
}
