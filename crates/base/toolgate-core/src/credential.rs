//! Credentials for sites outside. An agent names one by its handle, such as `cred_….password`, and never learns its
//! values; a credential is for one origin, for the users that its owner named, and goes to the servers that its owner
//! named.

mod holder;
mod user;

use std::fmt;

use serde_json::Value;

use crate::id::CredentialId;
use crate::port::BoxFuture;
use crate::{Refusal, Tool};

pub use holder::CredentialHolder;
pub use user::{BadCredentialUser, CredentialUser};

/// A handle as an agent writes it: the id of a credential, and the name of one of its fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CredentialHandle<'a> {
    pub id: &'a str,
    /// May be left out where the credential has one field.
    pub field: Option<&'a str>,
}

impl<'a> CredentialHandle<'a> {
    const ID_CHARS_MAX: usize = 64;
    /// The hexadecimal digits of an id that the gateway gave out.
    const ID_DIGITS: usize = 32;
    pub const FIELD_CHARS_MAX: usize = 64;

    /// Reads a handle. Nothing is known of the credential yet.
    pub fn parse(text: &'a str) -> Option<Self> {
        let (id, field) = match text.split_once('.') {
            Some((id, field)) => (id, Some(field)),
            None => (text, None),
        };
        let own = id.strip_prefix(CredentialId::PREFIX)?;
        let is_id = (1..=Self::ID_CHARS_MAX).contains(&own.len())
            && own.bytes().all(|byte| byte.is_ascii_alphanumeric());
        (is_id && field.is_none_or(Self::is_field)).then_some(Self { id, field })
    }

    /// True if the gateway gives out handles that look like this. Others may be anybody's secrets.
    pub fn is_given_out(text: &str) -> bool {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        CredentialHandle::parse(text).is_some_and(|handle| {
            let own = handle.id.strip_prefix(CredentialId::PREFIX).unwrap_or_default();
            own.len() == Self::ID_DIGITS && own.bytes().all(is_digit)
        })
    }

    /// True if a text begins as handles do, so that nothing else can be meant.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with(CredentialId::PREFIX)
    }

    /// True if a field can have this name.
    pub fn is_field(name: &str) -> bool {
        (1..=Self::FIELD_CHARS_MAX).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    }
}

/// The use of a credential in one call. It has nothing in it that must be hidden.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct CredentialUse {
    /// The position of the handle in the arguments, as a JSON pointer.
    pub place: String,
    pub id: CredentialId,
    pub field: String,
    /// The name that people gave it.
    pub name: String,
    /// The only origin that its values are for: `https://jobs.example`.
    pub origin: String,
    /// True if no earlier call of the session used it.
    #[serde(default)]
    pub is_new: bool,
}

impl CredentialUse {
    /// The id of a credential of which nothing but the origin is said.
    const UNNAMED: &'static str = "cred_unnamed";

    /// A use that policy is asked about without a call.
    pub fn supposed(id: Option<&str>, origin: &str, is_new: bool) -> Self {
        Self {
            place: String::new(),
            id: CredentialId::new(id.unwrap_or(Self::UNNAMED)),
            field: String::new(),
            name: String::new(),
            origin: origin.to_owned(),
            is_new,
        }
    }

    /// The handle with its field.
    pub fn handle(&self) -> String {
        format!("{}.{}", self.id, self.field)
    }
}

/// A value that went to a server, and its handle. The value is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct SentSecret {
    pub handle: String,
    value: String,
}

impl SentSecret {
    pub fn new(handle: String, value: String) -> Self {
        Self { handle, value }
    }

    /// The value, to be recognised where it comes back.
    pub fn to_hide(&self) -> &str {
        &self.value
    }
}

impl fmt::Debug for SentSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SentSecret({})", self.handle)
    }
}

/// Arguments with values in place of handles. They go to the server and nowhere else.
pub struct FilledArguments {
    pub arguments: Value,
    pub sent: Vec<SentSecret>,
}

/// The port through which calls reach credentials.
pub trait CredentialHandles: Send + Sync {
    /// Looks up the credentials that the arguments name, before the decision on the call. No value is read.
    fn look_up<'a>(
        &'a self,
        holder: &'a CredentialHolder,
        tool: &'a Tool,
        arguments: &'a Value,
    ) -> BoxFuture<'a, Result<Vec<CredentialUse>, Refusal>>;

    /// Writes the values once the call may be sent. Only `judged` credentials are filled in, and each is checked
    /// again.
    fn fill<'a>(
        &'a self,
        holder: &'a CredentialHolder,
        tool: &'a Tool,
        arguments: Value,
        judged: &'a [CredentialUse],
    ) -> BoxFuture<'a, Result<FilledArguments, Refusal>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_an_id_and_perhaps_a_field() {
        let handle = |id, field| Some(CredentialHandle { id, field });
        assert_eq!(CredentialHandle::parse("cred_01Ab"), handle("cred_01Ab", None));
        assert_eq!(CredentialHandle::parse("cred_1.code_2"), handle("cred_1", Some("code_2")));
        let long = format!("cred_{}", "a".repeat(65));
        for bad in
            ["", "cred_", "cred_a-b", "Cred_1", "cred_1.", "cred_1.A", "cred_1.a.b", "cred_1 ", "x", &long]
        {
            assert_eq!(CredentialHandle::parse(bad), None, "{bad}");
        }
        assert!(CredentialHandle::is_meant("cred_a-b") && !CredentialHandle::is_meant(" cred_1"));
    }

    #[test]
    fn a_password_that_looks_a_little_like_a_handle_is_none() {
        let id = format!("cred_{}", "0af9".repeat(8));
        assert!(CredentialHandle::is_given_out(&id));
        assert!(CredentialHandle::is_given_out(&format!("{id}.password")));
        for other in ["cred_hunter2", &id[..36], &format!("{id}0"), &id.to_uppercase(), &id.replace('f', "g")]
        {
            assert!(!CredentialHandle::is_given_out(other), "{other}");
        }
    }

    #[test]
    fn a_sent_value_is_not_printed() {
        let sent = SentSecret::new("cred_1.password".to_owned(), "hunter2".to_owned());
        assert_eq!(format!("{sent:?}"), "SentSecret(cred_1.password)");
        assert_eq!(sent.to_hide(), "hunter2");
    }
}
