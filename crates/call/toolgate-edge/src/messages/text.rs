//! JSON that is composed as text.

use toolgate_core::RawJson;
use toolgate_wire::ObjectMembers;
use toolgate_wire::object::push_string;

/// A JSON string.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    push_string(&mut quoted, text);
    quoted
}

/// Puts the members of an object behind those that are there, as text without braces.
pub(crate) fn add_members(text: &mut String, object: &RawJson) {
    ObjectMembers::of(object).unwrap_or_default().write_without(text, |_| false);
}

/// The members of an object, as text without braces.
pub(crate) fn without_braces(object: &RawJson) -> String {
    let mut text = String::with_capacity(object.as_bytes().len());
    add_members(&mut text, object);
    text
}
