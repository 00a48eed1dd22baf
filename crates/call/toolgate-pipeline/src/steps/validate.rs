//! Step two: the arguments are readable and fit the tool's schema.

use serde_json::{Map, Value, json};
use toolgate_core::codes;
use toolgate_core::event::Outcome;

use super::filter::Filtered;
use crate::answer::CallRefusal;
use crate::canonical;
use crate::envelope::CallWarning;
use crate::pipeline::Pipeline;
use crate::schema::{InputCheck, SchemaProblem, render};
use crate::ticket::{StoppedCall, Ticket};

/// A call whose arguments were parsed and fit the schema.
pub(crate) struct Validated {
    ticket: Ticket,
    arguments: Value,
}

impl Validated {
    pub(super) fn into_parts(self) -> (Ticket, Value) {
        (self.ticket, self.arguments)
    }
}

pub(crate) fn validate(pipeline: &Pipeline, filtered: Filtered) -> Result<Validated, Box<StoppedCall>> {
    let mut ticket = filtered.into_ticket();
    let arguments = match read(&ticket) {
        Ok(arguments) => arguments,
        Err(refusal) => return Err(StoppedCall::new(ticket, Outcome::Invalid, refusal)),
    };
    match pipeline.schemas.check_input(&ticket.tool, &arguments) {
        InputCheck::Valid => {}
        InputCheck::Unchecked(reason) => {
            let message = format!("the arguments were not checked: {reason}");
            ticket.warnings.push(CallWarning::new(&codes::INPUT_UNCHECKED, message));
        }
        InputCheck::Partly(reason) => {
            let message = format!("a part of the arguments was not checked: {reason}");
            ticket.warnings.push(CallWarning::new(&codes::INPUT_UNCHECKED, message));
        }
        // Many clients send null for members that they omit, and policy treats null as omitted as well.
        InputCheck::Invalid(_) if fits_without_nulls(pipeline, &ticket, &arguments) => {}
        InputCheck::Invalid(problems) => {
            ticket.keep_input(pipeline, &arguments);
            let refusal = invalid(&ticket, &problems);
            return Err(StoppedCall::new(ticket, Outcome::Invalid, refusal));
        }
    }
    Ok(Validated { ticket, arguments })
}

fn read(ticket: &Ticket) -> Result<Value, CallRefusal> {
    let refused = |message, hint| CallRefusal::new(&codes::INVALID_ARGUMENTS, message).hint(hint);
    let arguments =
        canonical::parse(ticket.arguments.as_str()).map_err(|bad| refused(bad.to_string(), bad.hint()))?;
    if !arguments.is_object() {
        return Err(refused("the arguments are not an object".to_owned(), "send `{}` where there are none"));
    }
    Ok(arguments)
}

fn fits_without_nulls(pipeline: &Pipeline, ticket: &Ticket, arguments: &Value) -> bool {
    let Some(members) = arguments.as_object().filter(|members| members.values().any(Value::is_null)) else {
        return false;
    };
    let given = members.iter().filter(|(_, value)| !value.is_null());
    let given: Map<String, Value> = given.map(|(key, value)| (key.clone(), value.clone())).collect();
    !matches!(pipeline.schemas.check_input(&ticket.tool, &Value::Object(given)), InputCheck::Invalid(_))
}

fn invalid(ticket: &Ticket, problems: &[SchemaProblem]) -> CallRefusal {
    let message = format!("the arguments do not fit {}:\n{}", ticket.tool.name, render(problems));
    let hint = "correct the arguments named above and call again";
    CallRefusal::new(&codes::INVALID_ARGUMENTS, message).hint(hint).details(json!({ "problems": problems }))
}
