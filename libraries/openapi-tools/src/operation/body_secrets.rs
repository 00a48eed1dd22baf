//! Credentials among the members of a body. Nothing can fill them in: the vault writes headers and parameters of the query.

use serde_json::Value;

use super::content::ChosenContent;
use crate::reference::{DocumentSet, Spot};
use crate::security::{SecretPlace, SecurityScheme, is_secret};

/// Objects within `allOf` of objects.
const LEVELS_MAX: usize = 6;

#[derive(Default)]
struct BodyMembers<'d> {
    secrets: Vec<&'d str>,
    required: Vec<&'d str>,
}

/// The names of the body's own members that are credentials. The error is the reason why a body cannot do without one.
pub(super) fn of<'d>(
    set: &'d DocumentSet,
    schemes: &[SecurityScheme],
    content: &ChosenContent<'d>,
) -> Result<Vec<&'d str>, String> {
    let mut members = BodyMembers::default();
    if let Some(schema) = content.schema {
        collect(set, schemes, schema, 0, &mut members);
    }
    match members.secrets.iter().find(|name| members.required.contains(name)) {
        Some(name) => Err(format!(
            "its body requires the credential {name:?}, and credentials are no arguments: they go in headers or the query"
        )),
        None => Ok(members.secrets),
    }
}

fn collect<'d>(
    set: &'d DocumentSet,
    schemes: &[SecurityScheme],
    schema: Spot<'d>,
    level: usize,
    members: &mut BodyMembers<'d>,
) {
    let Some(spot) = set.follow(schema).filter(|_| level <= LEVELS_MAX) else { return };
    for value in spot.value.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        collect(set, schemes, Spot { part: spot.part, value }, level + 1, members);
    }
    let properties = spot.value.get("properties").and_then(Value::as_object).into_iter().flatten();
    for (name, value) in properties {
        if is_credential(set, schemes, name, Spot { part: spot.part, value }) {
            members.secrets.push(name);
        }
    }
    let required = spot.value.get("required").and_then(Value::as_array).into_iter().flatten();
    members.required.extend(required.filter_map(Value::as_str));
}

/// A credential is a text that is sent.
fn is_credential(set: &DocumentSet, schemes: &[SecurityScheme], name: &str, spot: Spot<'_>) -> bool {
    let Some(found) = set.follow(spot).map(|found| found.value) else { return false };
    let is_text = match found.get("type") {
        None => {
            !["properties", "items", "allOf", "anyOf", "oneOf"].iter().any(|key| found.get(*key).is_some())
        }
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "string"),
        Some(kind) => kind == "string",
    };
    let is_only_answered = [spot.value, found].iter().any(|value| value["readOnly"] == true);
    let said = |value: &'_ Value| value.get("description").and_then(Value::as_str).map(str::to_owned);
    let description = said(spot.value).or_else(|| said(found)).unwrap_or_default();
    is_text && !is_only_answered && is_secret(schemes, SecretPlace::Body, name, &description)
}
