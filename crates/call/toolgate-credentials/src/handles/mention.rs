//! The handles in the arguments of a call. Only declared arguments are looked at: a handle anywhere else is a text.

use serde_json::Value;
use toolgate_core::credential::CredentialHandle;
use toolgate_core::id::CredentialId;
use toolgate_core::tool::SecretSlot;
use toolgate_core::{Refusal, codes};

/// More are not looked up for one call.
const MENTIONS_MAX: usize = 32;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CredentialMention {
    /// A JSON pointer into the arguments.
    pub(super) place: String,
    pub(super) id: CredentialId,
    pub(super) field: Option<String>,
}

pub(super) fn mentions(slots: &[SecretSlot], arguments: &Value) -> Result<Vec<CredentialMention>, Refusal> {
    let mut found: Vec<CredentialMention> = Vec::new();
    for (place, value) in slots.iter().flat_map(|slot| slot.values(arguments)) {
        match value {
            Value::String(text) if CredentialHandle::is_meant(text) => {
                found.push(mention(place, text)?);
            }
            // A server that takes other texts there gets them as they are.
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
            Value::Array(_) | Value::Object(_) => {
                return Err(bad(&place, format!("`{}` takes the handle of a credential", name_of(&place))));
            }
        }
    }
    if found.len() > MENTIONS_MAX {
        let place = found[MENTIONS_MAX].place.clone();
        return Err(bad(&place, format!("one call names at most {MENTIONS_MAX} credentials")));
    }
    Ok(found)
}

fn mention(place: String, text: &str) -> Result<CredentialMention, Refusal> {
    let Some(CredentialHandle { id, field }) = CredentialHandle::parse(text) else {
        return Err(bad(&place, format!("`{}` holds something that is no handle", name_of(&place))));
    };
    Ok(CredentialMention { place, id: CredentialId::new(id), field: field.map(str::to_owned) })
}

fn name_of(place: &str) -> &str {
    place.trim_start_matches('/')
}

fn bad(place: &str, message: String) -> Refusal {
    Refusal::new(&codes::BAD_CREDENTIAL_HANDLE, message).field(place)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn slots() -> Vec<SecretSlot> {
        ["secret", "fields/*/secret"].map(|argument| SecretSlot { argument: argument.to_owned() }).to_vec()
    }

    #[test]
    fn handles_are_found_in_declared_arguments_only() {
        let arguments = json!({ "secret": "cred_1.password", "other": "cred_2", "text": { "secret": "cred_3" },
            "fields": [{ "secret": "cred_4" }, { "text": "cred_5" }, { "secret": "plain" }, { "secret": null }] });
        let found = mentions(&slots(), &arguments).unwrap();
        let told: Vec<(&str, &str, Option<&str>)> =
            found.iter().map(|one| (one.place.as_str(), one.id.as_str(), one.field.as_deref())).collect();
        assert_eq!(told, [("/secret", "cred_1", Some("password")), ("/fields/0/secret", "cred_4", None)]);
    }

    #[test]
    fn what_is_no_handle_is_refused_with_its_place() {
        for (value, place) in [
            (json!({ "secret": "cred_" }), "/secret"),
            (json!({ "secret": "cred_1.Password" }), "/secret"),
            (json!({ "secret": ["cred_1"] }), "/secret"),
            (json!({ "secret": { "handle": "cred_1", "origin": "https://a", "value": "x" } }), "/secret"),
            (json!({ "fields": [{}, { "secret": "cred_1 " }] }), "/fields/1/secret"),
        ] {
            let refused = mentions(&slots(), &value).unwrap_err();
            let told = (refused.code, refused.field.as_deref());
            assert_eq!(told, (&codes::BAD_CREDENTIAL_HANDLE, Some(place)), "{value}");
        }
        let many: Vec<Value> =
            (0..=MENTIONS_MAX).map(|at| json!({ "secret": format!("cred_{at}") })).collect();
        assert!(mentions(&slots(), &json!({ "fields": many })).is_err());
    }
}
