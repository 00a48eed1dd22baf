//! The value of a credential, for the one call that needs it. An agent writes a handle such as `cred_….password`; a gateway
//! puts the value in its place after the call was allowed, together with the origin that the value is for.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use crate::trouble::Trouble;

/// Never printed and never serialized.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    handle: String,
    origin: String,
    value: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum SecretForm {
    Expanded { handle: String, origin: String, value: String },
    Handle(String),
}

impl Secret {
    /// The name under which the agent knows it.
    pub fn handle(&self) -> &str {
        &self.handle
    }

    /// The only origin that may get it, such as `https://jobs.example`.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The value, if it is for `origin`.
    pub fn value_for(&self, origin: &str) -> Result<&str, Trouble> {
        if self.origin == origin {
            return Ok(&self.value);
        }
        let message = format!("{} belongs to {}, not to {origin}", self.handle, self.origin);
        Err(Trouble::bad_arguments(message).hint("use it only on a page of the origin that it was made for"))
    }

    /// The value, to be recognised wherever it appears. It must not be sent anywhere.
    pub fn to_hide(&self) -> &str {
        &self.value
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match SecretForm::deserialize(deserializer)? {
            SecretForm::Expanded { handle, origin, value } => Ok(Self { handle, origin, value }),
            SecretForm::Handle(handle) => Err(serde::de::Error::custom(format!(
                "{handle:?} was not replaced by its value; handles of credentials work behind a Toolgate gateway only"
            ))),
        }
    }
}

impl JsonSchema for Secret {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Secret".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^cred_[A-Za-z0-9]+(\\.[a-z0-9_]+)?$" })
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({} for {})", self.handle, self.origin)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use super::*;

    #[test]
    fn a_value_goes_to_its_own_origin_and_into_no_text() {
        let form = json!({ "handle": "cred_1.password", "origin": "https://a.example", "value": "hunter2" });
        let secret: Secret = from_value(form).unwrap();
        assert_eq!(secret.value_for("https://a.example").unwrap(), "hunter2");
        let refused = secret.value_for("https://a.example.evil.example").unwrap_err();
        assert!(refused.message.contains("https://a.example,"), "{refused}");
        assert!(!format!("{secret:?} {refused}").contains("hunter2"));
    }

    #[test]
    fn a_handle_that_no_gateway_replaced_is_refused() {
        let refused = from_value::<Secret>(json!("cred_1")).unwrap_err();
        assert!(refused.to_string().contains("behind a Toolgate gateway"), "{refused}");
    }
}
