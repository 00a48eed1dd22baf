//! The setting `disabled_servers`: servers of any source that are neither started nor contacted. A name may be
//! of a server that is not there yet, or not any more.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolgate_core::{Refusal, ServerName};

use super::fields::{JsonFields, elements};
use super::invalid::{invalid, read_server_name};

const SERVERS_MAX: usize = 1000;
pub(crate) const REASON_CHARS_MAX: usize = 500;
const KEYS: &[&str] = &["name", "reason"];

/// Each with the reason that was given.
pub(crate) type DisabledServers = BTreeMap<ServerName, Option<String>>;

pub(crate) fn read(value: &Value) -> Result<DisabledServers, Refusal> {
    let mut disabled = DisabledServers::new();
    for (place, entry) in elements(value, "value", SERVERS_MAX)? {
        let fields = JsonFields::of(entry, place)?;
        fields.only(KEYS)?;
        let place = fields.place("name");
        let name = read_server_name(fields.required_text("name")?, &place)?;
        if disabled.contains_key(&name) {
            return Err(invalid(place, format!("the server {name:?} stands twice in the value")));
        }
        disabled.insert(name, read_reason(&fields)?);
    }
    Ok(disabled)
}

fn read_reason(fields: &JsonFields<'_>) -> Result<Option<String>, Refusal> {
    let reason = fields.text("reason")?.map(str::trim).filter(|reason| !reason.is_empty());
    if reason.is_some_and(|reason| reason.chars().count() > REASON_CHARS_MAX) {
        let message = format!("a reason has at most {REASON_CHARS_MAX} characters");
        return Err(invalid(fields.place("reason"), message));
    }
    Ok(reason.map(str::to_owned))
}

/// The value that [`read`] reads.
pub(crate) fn value(disabled: &DisabledServers) -> Value {
    let entry = |(name, reason): (&ServerName, &Option<String>)| match reason {
        Some(reason) => json!({ "name": name.as_str(), "reason": reason }),
        None => json!({ "name": name.as_str() }),
    };
    Value::Array(disabled.iter().map(entry).collect())
}
