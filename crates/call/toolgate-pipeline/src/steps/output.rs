//! The check of a result against its tool's schema.

use serde_json::Value;
use toolgate_core::{OutputCheck, RawJson, codes};
use toolgate_wire::ObjectMembers;

use crate::answer::CallRefusal;
use crate::envelope::CallWarning;
use crate::pipeline::Pipeline;
use crate::schema::{InputCheck, render};
use crate::ticket::Ticket;

/// Holds a result against the tool's own schema.
pub(super) fn check_output(
    pipeline: &Pipeline,
    ticket: &mut Ticket,
    result: &RawJson,
) -> Option<CallRefusal> {
    ticket.tool.output_schema.as_ref()?;
    let check = ticket.tool.output_check.unwrap_or(pipeline.settings.output_check);
    if check == OutputCheck::Off {
        return None;
    }
    let members = ObjectMembers::of(result).ok()?;
    if members.get("isError").is_some_and(|raw| raw.get() == "true") {
        return None;
    }
    let problem = match members.get("structuredContent") {
        None => "it has no structured content although the tool promises some".to_owned(),
        Some(raw) => {
            let value: Value = serde_json::from_str(raw.get()).ok()?;
            match pipeline.schemas.check_output(&ticket.tool, &value) {
                InputCheck::Invalid(problems) => render(&problems),
                InputCheck::Valid | InputCheck::Partly(_) | InputCheck::Unchecked(_) => return None,
            }
        }
    };
    let message = format!("the result of {} breaks the tool's own schema: {problem}", ticket.tool.name);
    ticket.warnings.push(CallWarning::new(&codes::OUTPUT_SCHEMA, message.clone()));
    if check == OutputCheck::Warn {
        return None;
    }
    Some(CallRefusal::new(&codes::OUTPUT_SCHEMA, message))
}
